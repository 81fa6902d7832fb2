//! The notebook: what the story knows, in tabs.

use leptos::prelude::*;

use super::{app::App, icons::Icon};
use crate::{
    locales::{T, fill},
    story::account::Account,
};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    Story,
    Persona,
    Plot,
    Prompt,
}

impl Tab {
    const ALL: [(Self, &'static str, T); 4] = [
        (Self::Story, "tab-story", T::TabStory),
        (Self::Persona, "tab-persona", T::TabPersona),
        (Self::Plot, "tab-plot", T::TabPlot),
        (Self::Prompt, "tab-prompt", T::TabPrompt),
    ];
}

#[component]
pub fn Notebook() -> impl IntoView {
    let app = App::here();
    let tab = app.notebook_tab;
    let tabs = Tab::ALL
        .into_iter()
        .map(|(this, testid, label)| {
            view! {
                <button
                    role="tab"
                    id=testid
                    data-testid=testid
                    aria-selected=move || (tab.get() == this).to_string()
                    aria-controls="notebook-panel"
                    tabindex=move || if tab.get() == this { "0" } else { "-1" }
                    on:click=move |_| tab.set(this)
                >
                    {app.t(label)}
                </button>
            }
        })
        .collect_view();
    let step = move |by: usize| {
        let at = Tab::ALL.iter().position(|(this, ..)| *this == tab.get_untracked()).unwrap_or(0);
        tab.set(Tab::ALL[(at + by) % Tab::ALL.len()].0);
    };
    view! {
        <aside class="notebook" aria-label=app.t(T::ShowNotebook)>
            <div class="notebook-head">
                <div
                    class="tabs"
                    role="tablist"
                    on:keydown=move |event| match event.key().as_str() {
                        "ArrowRight" => step(1),
                        "ArrowLeft" => step(Tab::ALL.len() - 1),
                        _ => {}
                    }
                >
                    {tabs}
                </div>
                <button class="icon-button notebook-close" aria-label=app.t(T::CollapseNotebook) on:click=move |_| app.notebook_open.set(false)>
                    <Icon name="x" />
                </button>
            </div>
            <div class="notebook-panel" id="notebook-panel" role="tabpanel" tabindex="0">
                {move || match tab.get() {
                    Tab::Story => view! { <super::settings::StorySettings /> }.into_any(),
                    Tab::Persona => view! { <super::mind::PersonaPanel /> }.into_any(),
                    Tab::Plot => view! { <super::mind::PlotPanel /> }.into_any(),
                    Tab::Prompt => view! { <PromptPanel /> }.into_any(),
                }}
            </div>
        </aside>
    }
}

/// What the model was told at the newest turn, by block.
#[component]
fn PromptPanel() -> impl IntoView {
    let app = App::here();
    let newest = move || -> Option<(u32, Account)> {
        app.story.turns.with(|turns| {
            turns
                .iter()
                .rev()
                .find_map(|turn| turn.node.with(|node| Some((turn.position, node.reply()?.account.clone()?))))
        })
    };
    let newest = Memo::new(move |_| newest());
    let blocks = move |(position, account): (u32, Account)| {
        let rows = account
            .blocks
            .into_iter()
            .map(|block| {
                let trimmed =
                    (block.trimmed > 0).then(|| fill(app.t(T::PromptTrimmed)(), &[&block.trimmed.to_string()]));
                view! {
                    <li class="prompt-block" data-testid="prompt-block">
                        <b>{block.identifier}</b>
                        <span>{block.role.name()}</span>
                        <span class="number">{fill(app.t(T::Tokens)(), &[&block.tokens.to_string()])}</span>
                        {trimmed.map(|text| view! { <em>{text}</em> })}
                    </li>
                }
            })
            .collect_view();
        view! {
            <section class="note-section">
                <h2>
                    {fill(app.t(T::PromptOf)(), &[&position.to_string()])}
                    <span>{fill(app.t(T::Tokens)(), &[&account.total_tokens.to_string()])}</span>
                </h2>
                <ul class="prompt-blocks">{rows}</ul>
            </section>
        }
    };
    view! {
        <div data-testid="prompt-panel">
            {move || match newest.get() {
                Some(newest) => blocks(newest).into_any(),
                None => view! { <p class="empty">{app.t(T::PromptNone)}</p> }.into_any(),
            }}
        </div>
    }
}
