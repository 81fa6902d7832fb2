//! To read a story and to answer: its page with the notebook beside it, and the engine that plays a turn.

use leptos::prelude::*;

use super::StoryPage;
use crate::{
    ui::{chat::Chat, notebook::Notebook, story::close_left_open, welcome::open_demo},
    web::llm,
};

impl StoryPage {
    pub fn entrances() -> Self {
        llm::equip();
        Self {
            chat: |id| view! { <Chat id /> }.into_any(),
            notebook: || view! { <Notebook /> }.into_any(),
            open_demo: |app| Box::pin(open_demo(app)),
            close_left_open: |app| Box::pin(close_left_open(app)),
            hear: |app, heard| app.story.hear(app, heard),
        }
    }
}
