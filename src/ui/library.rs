//! stub
use leptos::prelude::*;
use super::app::App;
pub async fn purge_bin(_app: App) {}
#[component]
pub fn Bin() -> impl IntoView { view! { <p class="field-note">"…"</p> } }
