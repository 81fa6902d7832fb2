//! The events of a background: a list, each with its form. An event is stored when its own form is saved. A story's own
//! events have the same form.

use std::{cell::Cell, rc::Rc};

use leptos::{prelude::*, task::spawn_local};

use super::trial::EventTrial;
use crate::{
    features::events::EventsSettings,
    locales::{
        T, fill,
        mind::{T as M, condition_words},
    },
    story::{
        condition::Condition,
        event::{StoryEvent, effects_from_lines, effects_to_lines},
        figures::ungrouped,
        ids::{BackgroundId, StorylineId},
        storyline::Storyline,
    },
    ui::{
        app::App,
        drafts::Draft,
        fields::{TextArea, TextField},
        focus::begin_with,
        icons::{Icon, Shape},
        story::change_story_of,
    },
};

/// The id of the event that is edited; `Some(None)`: a new one.
pub type Editing = RwSignal<Option<Option<String>>>;

/// Where events are kept.
#[derive(Clone, PartialEq)]
pub enum EventsOf {
    Background(BackgroundId),
    Story(StorylineId),
}

impl EventsOf {
    fn id(&self) -> &str {
        match self {
            Self::Background(id) => id.as_str(),
            Self::Story(id) => id.as_str(),
        }
    }
}

#[component]
pub fn EventsEditor(id: BackgroundId) -> impl IntoView {
    let app = App::here();
    let background = StoredValue::new(id.clone());
    let of = StoredValue::new(EventsOf::Background(id));
    let events =
        Memo::new(move |_| background.with_value(|id| app.background(id)).map(|one| one.events).unwrap_or_default());
    let editing: Editing = RwSignal::new(None);
    let row = move |event: StoryEvent| {
        let name = if event.name.is_empty() { event.when.clone() } else { event.name.clone() };
        let id = StoredValue::new(event.id.clone());
        let is_edited = Memo::new(move |_| editing.with(|editing| *editing == Some(Some(id.get_value()))));
        let when = event.when.clone();
        let event = StoredValue::new(event);
        let take_out = move |_| remove(app, of.get_value(), id.get_value());
        view! {
            <li class="world-entry" data-testid="event-item">
                <Show when=move || !is_edited.get() fallback=move || view! { <EventForm of event=event.get_value() editing /> }>
                    <div class="world-line">
                        <span class="world-value">{name.clone()}</span>
                        <code class="event-when">{when.clone()}</code>
                        <button type="button" class="icon-button" data-testid="event-edit" aria-label=app.t(T::Edit) title=app.t(T::Edit)
                            on:click=move |_| editing.set(Some(Some(id.get_value())))>
                            <Icon shape=Shape::PENCIL />
                        </button>
                        <button type="button" class="icon-button" data-testid="event-remove" aria-label=app.t(M::Remove) title=app.t(M::Remove) on:click=take_out>
                            <Icon shape=Shape::X />
                        </button>
                    </div>
                </Show>
            </li>
        }
    };
    let adds = Memo::new(move |_| editing.with(|editing| *editing == Some(None)));
    view! {
        <section class="events-editor" data-testid="events-editor">
            <h2>{app.t(M::Events)}</h2>
            <p class="field-note">{app.t(M::EventsHint)}</p>
            <ul class="world-entries">{move || events.get().into_iter().map(row).collect_view()}</ul>
            <Show
                when=move || adds.get()
                fallback=move || view! {
                    <button type="button" class="link add-item" data-testid="event-new" on:click=move |_| editing.set(Some(None))>
                        "+ " {app.t(M::NewEvent)}
                    </button>
                }
            >
                <EventForm of event=StoryEvent::default() editing />
            </Show>
        </section>
    }
}

#[component]
pub fn EventForm(of: StoredValue<EventsOf>, event: StoryEvent, editing: Editing) -> impl IntoView {
    let app = App::here();
    let place = format!("event/{}/{}", of.with_value(|of| of.id().to_owned()), event.id);
    let [name, description, when, until] =
        [&event.name, &event.description, &event.when, &event.until].map(String::clone);
    let was = [name, description, when, until, event.turns.to_string(), effects_to_lines(&event.effects)];
    let typed = Draft::of(place, was);
    let [name, description, when, until, turns, effects] = typed.texts;
    let close = move || {
        typed.end();
        editing.try_set(None);
    };
    let form = NodeRef::new();
    begin_with(form);
    let repeats = RwSignal::new(event.repeats);
    let faults = [(); 5].map(|()| RwSignal::new(None::<String>));
    let [name_fault, when_fault, until_fault, turns_fault, effects_fault] = faults;
    // A new one has its name from here on: saved twice it is still one.
    let mut event = event;
    if event.id.is_empty() {
        event.id = app.browser().ports.id::<BackgroundId>().0;
    }
    let event = StoredValue::new(event);
    let save = move || {
        let language = app.language.get_untracked();
        let condition = |text: RwSignal<String>| {
            text.with_untracked(|text| Condition::parse(text).err().map(|fault| condition_words(fault, text, language)))
        };
        let has_end = until.with_untracked(|until| !until.trim().is_empty());
        let lines = effects.with_untracked(|text| effects_from_lines(text));
        let number = turns.with_untracked(|turns| ungrouped(turns).parse::<u32>().ok());
        name_fault.set(name.with_untracked(|name| name.trim().is_empty()).then(|| app.say(T::Required).to_owned()));
        when_fault.set(condition(when));
        until_fault.set(condition(until).filter(|_| has_end));
        turns_fault.set(number.is_none().then(|| M::NotANumber.text(language).to_owned()));
        effects_fault.set(lines.as_ref().err().map(|line| fill(M::EffectFault.text(language), &[&line.to_string()])));
        let (Ok(effects), Some(turns)) = (lines, number) else { return };
        if faults.iter().any(|fault| fault.with_untracked(Option::is_some)) {
            return;
        }
        let trimmed = |text: RwSignal<String>| text.with_untracked(|text| text.trim().to_owned());
        let mut made = event.get_value();
        (made.name, made.description) = (trimmed(name), trimmed(description));
        (made.when, made.until) = (trimmed(when), trimmed(until));
        (made.turns, made.effects, made.repeats) = (turns, effects, repeats.get_untracked());
        // What was typed stays until it is stored.
        write(app, of.get_value(), move |events| put(events, made), close);
    };
    let label = move |text: M| Signal::derive(app.t(text));
    let told = move |fault: RwSignal<Option<String>>| Signal::derive(move || fault.get());
    view! {
        <form class="item-form" data-testid="event-form" node_ref=form on:submit=move |event| { event.prevent_default(); save(); }
            on:keydown=move |event| typed.escape(&event, close)>
            <TextField label=app.t(T::Name) value=name testid="event-name" fault=told(name_fault) />
            <TextArea label=label(M::EventDescription) value=description testid="event-description" rows=2 />
            <TextField label=label(M::EventWhen) value=when testid="event-when" hint=label(M::EventWhenHint) fault=told(when_fault) />
            <EventTrial of condition=when />
            <TextField label=label(M::EventUntil) value=until testid="event-until" hint=label(M::EventUntilHint) fault=told(until_fault) />
            <TextField label=label(M::EventTurns) value=turns testid="event-turns" fault=told(turns_fault) />
            <TextArea label=label(M::EventEffects) value=effects testid="event-effects" rows=3 hint=label(M::EventEffectsHint) />
            {move || effects_fault.get().map(|text| view! { <p class="place-fault" role="alert">{text}</p> })}
            <label class="module-switch">
                <input type="checkbox" data-testid="event-repeats" prop:checked=move || repeats.get()
                    on:change=move |event| repeats.set(event_target_checked(&event)) />
                <span>{app.t(M::EventRepeats)}</span>
            </label>
            <div class="row">
                <button class="button primary" type="submit" data-testid="event-save">{app.t(T::Save)}</button>
                <button class="button quiet" type="button" on:click=move |_| close()>{app.t(T::Cancel)}</button>
            </div>
        </form>
    }
}

fn put(events: &mut Vec<StoryEvent>, made: StoryEvent) {
    match events.iter_mut().find(|event| event.id == made.id) {
        Some(event) => *event = made,
        None => events.push(made),
    }
}

/// Takes an event out; it can be put back while the notice stands.
pub fn remove(app: App, of: EventsOf, id: String) {
    let taken = Rc::new(Cell::new(None));
    let gone = taken.clone();
    let take = move |events: &mut Vec<StoryEvent>| {
        let at = events.iter().position(|event| event.id == id);
        taken.set(at.map(|at| (at, events.remove(at))));
    };
    write(app, of.clone(), take, move || {
        let Some((at, event)) = gone.take() else { return };
        let name = if event.name.is_empty() { &event.when } else { &event.name };
        app.notify_undo(T::Deleted.with(&[name]), move || {
            let event = event.clone();
            write(app, of.clone(), move |events| events.insert(at.min(events.len()), event), || {});
        });
    });
}

/// Changes events as they are in the store now.
pub fn write(
    app: App,
    of: EventsOf,
    change: impl FnOnce(&mut Vec<StoryEvent>) + 'static,
    done: impl FnOnce() + 'static,
) {
    let id = match of {
        EventsOf::Background(id) => id,
        EventsOf::Story(id) => {
            return spawn_local(async move {
                let own = |story: &mut Storyline| {
                    story.features.change(|events: &mut EventsSettings| change(&mut events.own));
                };
                if change_story_of(app, &id, own).await {
                    done();
                }
            });
        }
    };
    spawn_local(async move {
        match app.desk().change_events(&id, change).await {
            Ok(is_there) => {
                app.refresh().await;
                if is_there {
                    done();
                }
            }
            Err(error) => app.notify_store(error),
        }
    });
}
