//! stub
use crate::story::ids::BackgroundId;
use leptos::prelude::*;
#[component]
pub fn Backgrounds() -> impl IntoView {}
#[component]
pub fn BackgroundEditor(id: Option<BackgroundId>) -> impl IntoView {
    let _ = id;
}
