//! What stands beside a story that is read, and what plays its turns: it comes once that is seen.

use leptos::prelude::*;

use super::Aside;
use crate::{
    story::ids::StorylineId,
    turn::{lore, scripts},
    ui::{
        aloud::{self, AloudBar},
        app::App,
        ask_budget::{self, BudgetBar},
        ask_key::Question,
        awake::KeepAwake,
        chat::{DemoBar, Editor, TakenOut, TooLong, Warnings, take_out},
        dictate::Dictate,
        drag,
        features::{
            group::{GroupBar, Heading},
            scripts::StoryTools,
            status_bar,
            summary::Summarise,
        },
        offline::NoNetwork,
        palette::{self, Palette},
        reader::{self, ReaderBar},
        said::Said,
        settings::StorySettings,
        shortcuts::{Keys, Shortcuts},
        state::Editing,
        welcome::open_demo,
    },
    web::llm,
};

impl Aside {
    pub fn entrances() -> Self {
        llm::equip_demo();
        lore::equip();
        scripts::equip();
        drag::follow();
        Self {
            story_settings: || view! { <StorySettings /> }.into_any(),
            summarise: |props| Summarise(props).into_any(),
            ask_key: |asked| view! { <Question asked /> }.into_any(),
            status_frame: status_bar::place,
            story_tools: || {
                view! { <AloudBar /><NoNetwork /><StoryTools /><GroupBar /><Keys /><Said /><KeepAwake /> }.into_any()
            },
            composer_tools: || view! { <Dictate /> }.into_any(),
            heading: |node| view! { <Heading node /> }.into_any(),
            palette: || view! { <Palette /> }.into_any(),
            press: |app, press| Box::pin(palette::press(app, press)),
            read: |app, on| Box::pin(reader::read(app, on)),
            reader_bar: || view! { <ReaderBar /> }.into_any(),
            aloud: |app, position| Box::pin(aloud::begin(app, position)),
            shortcuts: || view! { <Shortcuts /> }.into_any(),
            demo_bar: |say| view! { <DemoBar say /> }.into_any(),
            open_demo: |app| Box::pin(open_demo(app)),
            play: |app, id, ask, stop, show| {
                Box::pin(async move {
                    // Of several the last; none where nobody was to answer.
                    let replies = app.conductor().round(&id, ask, stop, &*show).await?;
                    Ok(replies.into_iter().next_back().unwrap_or_default())
                })
            },
            get_ready: |app, id, ahead| {
                Box::pin(async move {
                    // What fails here will be tried again by the turn itself, and said there.
                    let _ = app.conductor().get_ready(&id, ahead).await;
                })
            },
            behind: |app, id| Box::pin(behind(app, id)),
            warnings: || view! { <Warnings /> }.into_any(),
            too_long: |node| view! { <TooLong node /> }.into_any(),
            untold: |node| view! { <TakenOut node /> }.into_any(),
            take_out: |app, turn| Box::pin(take_out(app, turn)),
            ask_budget: |app, of, kind| Box::pin(ask_budget::ask(app, of, kind)),
            budget: |says| view! { <BudgetBar says /> }.into_any(),
            editor: |node, editing| match editing.get_untracked() {
                Some(Editing::Lore) => {
                    App::here().chunks.desk.show(App::here(), move |desk| (desk.lore_entry)(node, editing))
                }
                _ => view! { <Editor node editing /> }.into_any(),
            },
        }
    }
}

async fn behind(app: App, id: StorylineId) {
    ask_budget::look(app, &id).await;
    app.embeddings.catch_up(app, id).await;
}
