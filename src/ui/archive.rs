//! stub
use leptos::prelude::*;
use super::app::App;
use crate::story::ids::StorylineId;
pub async fn export_storyline(_app: App, _id: StorylineId) {}
pub async fn duplicate_storyline(_app: App, _id: StorylineId) {}
#[component]
pub fn ImportButton() -> impl IntoView {}
