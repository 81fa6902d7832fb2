//! What several of the panels say and show.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    features::NotThere,
    locales::{
        faults, fill,
        mind::{T as M, refusal_words},
    },
    story::{persona::ItemKind, storyline::Language},
    turn::ByHandError,
    ui::app::App,
};

pub fn by_hand_words(error: &ByHandError, language: Language) -> String {
    match error {
        ByHandError::NotThere(NotThere) => M::NotThereAnyMore.text(language).to_owned(),
        ByHandError::NoSuchPoint { points } => fill(M::NoSuchPoint.text(language), &[&points.to_string()]),
        ByHandError::World(refusal) => fill(M::WorldRefusedByHand.text(language), &[refusal_words(*refusal, language)]),
        ByHandError::Streaming => M::StillWriting.text(language).to_owned(),
        ByHandError::Moved => M::MemoryMoved.text(language).to_owned(),
        ByHandError::Fault(fault) => {
            let explained = faults::explain(fault, language);
            format!("{} {}", explained.what, explained.advice).trim().to_owned()
        }
    }
}

pub fn kind_word(kind: ItemKind) -> M {
    match kind {
        ItemKind::Belief => M::KindBelief,
        ItemKind::Pattern => M::KindPattern,
        ItemKind::Relationship => M::KindRelationship,
        ItemKind::Emotion => M::KindEmotion,
        ItemKind::Goal => M::KindGoal,
        ItemKind::Physical => M::KindPhysical,
    }
}

/// A turn by its number; leads there.
#[component]
pub fn TurnLink(position: u32) -> impl IntoView {
    let app = App::here();
    let label = move || match position {
        0 => app.t(M::AtOpening)().to_owned(),
        _ => fill(app.t(M::AtTurn)(), &[&position.to_string()]),
    };
    view! {
        <button class="link turn-link" data-testid="turn-link" on:click=move |_| spawn_local(app.story.jump_to(app, position))>
            {label}
        </button>
    }
}

/// A switch of a module.
#[component]
pub fn Switch(
    #[prop(into)] on: Signal<bool>,
    label: M,
    testid: &'static str,
    #[prop(into)] flip: Callback<bool>,
) -> impl IntoView {
    let app = App::here();
    view! {
        <label class="module-switch">
            <input
                type="checkbox"
                data-testid=testid
                disabled=move || !app.story.writer.get()
                prop:checked=move || on.get()
                on:change=move |event| flip.run(event_target_checked(&event))
            />
            <span>{app.t(label)}</span>
        </label>
    }
}
