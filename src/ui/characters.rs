//! stub
use leptos::prelude::*;
#[component]
pub fn Characters() -> impl IntoView {}
