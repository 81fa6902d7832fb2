//! The notebook: what the story knows, in tabs.

use leptos::prelude::*;

use super::{
    app::App,
    icons::Icon,
    inspector::{Inspected, Inspector},
};
use crate::{locales::T, story::background::Background};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
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
    let tab = RwSignal::new(Tab::Story);
    let inspected = Inspected::here();
    Effect::new(move |_| {
        if inspected.turn.with(Option::is_some) {
            tab.set(Tab::Prompt);
        }
    });
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
                    Tab::Persona => view! { <PersonaPanel /> }.into_any(),
                    Tab::Plot => view! { <PlotPanel /> }.into_any(),
                    Tab::Prompt => view! { <Inspector /> }.into_any(),
                }}
            </div>
        </aside>
    }
}

/// Who the character is: the core that never changes.
#[component]
fn PersonaPanel() -> impl IntoView {
    let app = App::here();
    let character = move || {
        let id = app.story.storyline.with(|storyline| storyline.as_ref().map(|s| s.character.clone()))?;
        app.character(&id)
    };
    view! {
        <div data-testid="persona-panel">
            {move || character().map(|character| {
                let core = character.initial_profile.core_identity.clone();
                let traits = core.core_traits.join(" · ");
                let lines = [
                    (T::Archetype, core.archetype),
                    (T::CoreGoal, core.core_goal),
                    (T::CoreTraits, traits),
                    (T::BackgroundStory, core.background_story),
                    (T::Personality, character.card.personality.clone()),
                    (T::Description, character.card.description.clone()),
                ];
                view! {
                    <section class="note-section">
                        <h2>{character.name.clone()}</h2>
                        {lines.into_iter().filter(|(_, text)| !text.trim().is_empty()).map(|(label, text)| view! {
                            <dl class="fact"><dt>{app.t(label)}</dt><dd>{text}</dd></dl>
                        }).collect_view()}
                    </section>
                }
            })}
        </div>
    }
}

#[component]
fn PlotPanel() -> impl IntoView {
    let app = App::here();
    let background = move || {
        let id = app.story.storyline.with(|storyline| storyline.as_ref().and_then(|s| s.background.clone()))?;
        app.background(&id)
    };
    let outline = move |background: Background| {
        let points = background.story_outline;
        if points.is_empty() {
            return view! { <p class="empty">{app.t(T::NoOutline)}</p> }.into_any();
        }
        let items = points
            .into_iter()
            .map(|point| view! { <li class="plot-point" data-testid="plot-point">{point.content}</li> })
            .collect_view();
        view! { <ol class="thread">{items}</ol> }.into_any()
    };
    view! {
        <div data-testid="plot-panel">
            <section class="note-section">
                <h2>{app.t(T::Outline)}</h2>
                {move || match background() {
                    Some(background) => outline(background),
                    None => view! { <p class="empty">{app.t(T::NoBackground)}</p> }.into_any(),
                }}
            </section>
        </div>
    }
}
