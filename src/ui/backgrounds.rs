//! stub
use leptos::prelude::*;
use crate::story::ids::BackgroundId;
#[component]
pub fn Backgrounds() -> impl IntoView {}
#[component]
pub fn BackgroundEditor(id: Option<BackgroundId>) -> impl IntoView { let _ = id; }
