//! The events of the story's background, and where each stands.

use leptos::prelude::*;

use super::{TurnLink, head::Mind, word};
use crate::{
    locales::mind::{T as M, condition_words},
    story::{
        condition::Condition,
        event::{Stage, StoryEvent, stage},
    },
    ui::app::App,
};

#[component]
pub fn Happenings(mind: Mind) -> impl IntoView {
    let app = App::here();
    let events = Memo::new(move |_| {
        let id = app.story.storyline.with(|storyline| storyline.as_ref().and_then(|s| s.background.clone()));
        id.and_then(|id| app.background(&id)).map(|background| background.events).unwrap_or_default()
    });
    let stages =
        Memo::new(move |_| mind.state.with(|state| state.as_ref().map(|s| s.events.clone())).unwrap_or_default());
    let row = move |event: StoryEvent| {
        let language = app.language.get();
        let (stage, since) = stages.with(|stages| stage(stages, &event.id));
        let label = match stage {
            Stage::Pending => M::EventPending,
            Stage::Active => M::EventActive,
            Stage::Settled => M::EventSettled,
        };
        let fault = Condition::parse(&event.when).err().map(|fault| condition_words(fault, &event.when, language));
        view! {
            <li class="world-entry" data-testid="world-event" data-status=stage.name()>
                <div class="world-line">
                    <span class="world-value">{event.name}</span>
                    <span class="event-stage">{label.text(language)}</span>
                    {since.map(|position| view! { <TurnLink position /> })}
                </div>
                {fault.map(|text| view! { <p class="place-fault">{text}</p> })}
            </li>
        }
    };
    view! {
        <Show when=move || events.with(|events| !events.is_empty())>
            <section class="note-section">
                <h2>{word(app, M::Events)}</h2>
                <ul class="world-entries">{move || events.get().into_iter().map(row).collect_view()}</ul>
            </section>
        </Show>
    }
}
