//! stub
use super::app::App;
use leptos::prelude::*;
#[component]
pub fn Settings() -> impl IntoView {}
#[component]
pub fn StorySettings() -> impl IntoView {}
pub async fn after_turn(_app: App) {}
