//! To read a story and to answer: its page with the notebook beside it, and the engine that plays a turn.

use leptos::prelude::*;

use super::StoryPage;
use crate::{
    ui::{chat::Chat, notebook::Notebook, story::close_left_open},
    web::llm,
};

impl StoryPage {
    pub fn entrances() -> Self {
        llm::equip();
        Self {
            chat: |id| view! { <Chat id /> }.into_any(),
            notebook: || view! { <Notebook /> }.into_any(),
            close_left_open: |app| Box::pin(close_left_open(app)),
            hear: |app, heard| app.story.hear(app, heard),
        }
    }
}
