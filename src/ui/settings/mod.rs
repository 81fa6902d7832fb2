//! stub
mod data;
use leptos::prelude::*;
use super::app::App;
#[component]
pub fn Settings() -> impl IntoView { view! { <section class="sheet-page"><data::Data /></section> } }
#[component]
pub fn StorySettings() -> impl IntoView {}
pub async fn after_turn(_app: App) {}
