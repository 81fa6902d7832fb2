//! To read a story and to answer: its page with the notebook beside it, and the engine that plays a turn.

use leptos::prelude::*;

use super::Doing;
use crate::{
    story::ids::StorylineId,
    ui::{app::App, chat::Chat, notebook::Notebook, story::close_left_open, welcome::open_demo},
    web::{llm, tabs::Heard},
};

#[derive(Clone, Copy)]
pub struct StoryPage {
    pub chat: fn(StorylineId) -> AnyView,
    pub notebook: fn() -> AnyView,
    pub open_demo: fn(App) -> Doing,
    /// Closes what ended tabs left open.
    pub close_left_open: fn(App) -> Doing,
    /// Takes in what another tab says of the open story.
    pub hear: fn(App, Heard),
}

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
