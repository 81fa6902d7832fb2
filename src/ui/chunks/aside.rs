//! What stands beside a story that is read: it comes once that is seen.

use leptos::prelude::*;

use super::Aside;
use crate::ui::{ask_key::Question, chat::Editor, features::summary::Summarise, settings::StorySettings};

impl Aside {
    pub fn entrances() -> Self {
        Self {
            story_settings: || view! { <StorySettings /> }.into_any(),
            summarise: |props| Summarise(props).into_any(),
            ask_key: |asked| view! { <Question asked /> }.into_any(),
            editor: |node, editing| view! { <Editor node editing /> }.into_any(),
        }
    }
}
