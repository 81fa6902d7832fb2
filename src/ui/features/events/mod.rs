//! The events of the story: those of its background and its own, where each stands, and which of them may happen.

use leptos::prelude::*;

mod editor;
mod trial;

pub use self::editor::EventsEditor;
use self::editor::{Editing, EventForm, EventsOf, remove};
use crate::{
    features::events::EventsSettings,
    locales::{
        T, fill,
        mind::{T as M, condition_words},
    },
    story::{
        condition::Condition,
        event::{Stage, StoryEvent, stage},
        ids::StorylineId,
    },
    ui::{
        app::App,
        icons::{Icon, Shape},
        mind::{Mind, TurnLink},
        story::change_story,
    },
};

#[component]
pub fn Happenings(mind: Mind) -> impl IntoView {
    let app = App::here();
    let of_background = Memo::new(move |_| {
        let id = app.story.storyline.with(|storyline| storyline.as_ref().and_then(|s| s.background.clone()));
        id.and_then(|id| app.background(&id)).map(|background| background.events).unwrap_or_default()
    });
    let settings = Memo::new(move |_| {
        app.story.storyline.with(|storyline| storyline.as_ref()?.features.get()).unwrap_or_default()
    });
    let story = Memo::new(move |_| app.story.storyline.with(|storyline| storyline.as_ref().map(|s| s.id.clone())));
    let editing: Editing = RwSignal::new(None);
    let adds = Memo::new(move |_| editing.with(|editing| *editing == Some(None)));
    let rows = move || {
        let Some(id) = story.get() else { return Vec::new() };
        let EventsSettings { off, own, .. } = settings.get();
        let background = of_background.get().into_iter().map(|event| (event, false));
        let all = background.chain(own.into_iter().map(|event| (event, true)));
        let rows = all.map(|(event, is_own)| {
            let is_on = !off.contains(&event.id);
            view! { <Event mind story=id.clone() event is_on is_own editing /> }
        });
        rows.collect()
    };
    let form = move || {
        let of = StoredValue::new(EventsOf::Story(story.get_untracked().unwrap_or_default()));
        view! { <EventForm of event=StoryEvent::default() editing /> }
    };
    view! {
        <section class="note-section" data-testid="world-events">
            <h2>{app.t(M::Events)}</h2>
            <ul class="world-entries">{rows}</ul>
            <Show
                when=move || adds.get()
                fallback=move || view! {
                    <button type="button" class="link add-item" data-testid="world-event-new" disabled=move || !app.story.writer.get()
                        on:click=move |_| editing.set(Some(None))>
                        "+ " {app.t(M::NewEventHere)}
                    </button>
                }
            >
                {form}
            </Show>
        </section>
    }
}

#[component]
fn Event(
    mind: Mind,
    story: StorylineId,
    event: StoryEvent,
    is_on: bool,
    is_own: bool,
    editing: Editing,
) -> impl IntoView {
    let app = App::here();
    let stages =
        Memo::new(move |_| mind.state.with(|state| state.as_ref().map(|s| s.events.clone())).unwrap_or_default());
    let of = StoredValue::new(EventsOf::Story(story));
    let id = StoredValue::new(event.id.clone());
    let name = event.name.clone();
    let when = StoredValue::new(event.when.clone());
    let event = StoredValue::new(event);
    let stood = move || stages.with(|stages| id.with_value(|id| stage(stages, id)));
    let label = move || {
        let label = match stood().0 {
            _ if !is_on => M::EventOff,
            Stage::Pending => M::EventPending,
            Stage::Active => M::EventActive,
            Stage::Settled => M::EventSettled,
        };
        label.text(app.language.get())
    };
    let fault = move || {
        let language = app.language.get();
        when.with_value(|when| Condition::parse(when).err().map(|fault| condition_words(fault, when, language)))
    };
    let flip = move |on: bool| {
        change_story(app, move |story| {
            id.with_value(|id| story.features.change(|events: &mut EventsSettings| events.switch(id, on)));
        });
    };
    let take_out = move |_| remove(app, of.get_value(), id.get_value());
    let is_edited = Memo::new(move |_| editing.with(|editing| *editing == Some(Some(id.get_value()))));
    let called = name.clone();
    let switch_label = move || fill(app.t(M::EventOn)(), &[&called]);
    let may = move || app.story.writer.get();
    let head = StoredValue::new(name);
    let switch_label = StoredValue::new(switch_label);
    view! {
        <li class="world-entry" data-testid="world-event" data-status=move || stood().0.name() data-on=is_on.to_string() data-own=is_own.to_string()>
            <Show when=move || !is_edited.get() fallback=move || view! { <EventForm of event=event.get_value() editing /> }>
                <div class="world-line">
                    <label class="hit">
                        <input type="checkbox" class="event-on" data-testid="world-event-on" aria-label=move || switch_label.with_value(|label| label())
                            prop:checked=is_on disabled=move || !may() on:change=move |event| flip(event_target_checked(&event)) />
                    </label>
                    <span class="world-value">{head.get_value()}</span>
                    <span class="event-stage">{label}</span>
                    {move || stood().1.filter(|_| is_on).map(|position| view! { <TurnLink position /> })}
                    {is_own.then(|| view! {
                        <span class="item-tools">
                            <button type="button" class="icon-button" data-testid="event-edit" aria-label=app.t(T::Edit) title=app.t(T::Edit)
                                disabled=move || !may() on:click=move |_| editing.set(Some(Some(id.get_value())))>
                                <Icon shape=Shape::PENCIL />
                            </button>
                            <button type="button" class="icon-button" data-testid="event-remove" aria-label=app.t(M::Remove) title=app.t(M::Remove)
                                disabled=move || !may() on:click=take_out>
                                <Icon shape=Shape::X />
                            </button>
                        </span>
                    })}
                </div>
            </Show>
            {move || fault().map(|text| view! { <p class="place-fault">{text}</p> })}
        </li>
    }
}
