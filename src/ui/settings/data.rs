use leptos::prelude::*;

#[component]
pub fn Data() -> impl IntoView {}
