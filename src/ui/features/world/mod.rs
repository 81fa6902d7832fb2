//! The world state as of the newest turn: typed key-values, changed by hand, each with its history.

use std::collections::HashSet;

use leptos::prelude::*;
use serde_json::Value;

mod form;
mod history;

use self::{form::WorldForm, history::WorldHistory};
use crate::{
    features::world::WorldSettings,
    locales::{T, fill, mind::T as M},
    story::{
        Extra,
        world::{self, WorldEdit},
    },
    ui::{
        app::App,
        features::events::Happenings,
        icons::{Icon, Shape},
        mind::{FaultOf, Mind, Place, Switch},
        state::TurnView,
        story::change_played,
    },
};

/// What is open below the list or in its place.
#[derive(Clone, PartialEq)]
pub enum Open {
    Add,
    Edit(String),
    History(String),
}

#[component]
pub fn WorldPanel() -> impl IntoView {
    let app = App::here();
    let mind = Mind::here();
    let world =
        Memo::new(move |_| mind.state.with(|state| state.as_ref().map(|s| s.world.clone())).unwrap_or_default());
    let enabled = Memo::new(move |_| {
        app.story.played(|story, preset| story.settings::<WorldSettings>(preset).enabled).unwrap_or_default()
    });
    let flip = move |enabled: bool| {
        change_played(app, move |story, preset| {
            story.change_settings(preset, |world: &mut WorldSettings| world.enabled = enabled);
        });
    };
    view! {
        <div data-testid="world-panel" aria-busy=move || (!mind.is_read()).to_string()>
            <Entries mind world />
            <Happenings mind />
            <section class="note-section form">
                <Switch on=enabled label=M::WorldOn testid="module-world" flip=flip />
            </section>
        </div>
    }
}

/// Entries that are listed at a time.
const PAGE: usize = 80;

#[component]
fn Entries(mind: Mind, world: Memo<Extra>) -> impl IntoView {
    let app = App::here();
    let open = RwSignal::new(None::<Open>);
    let shown = RwSignal::new(PAGE);
    let rows = move || {
        world.with(|world| world.iter().take(shown.get()).map(|(k, v)| (k.clone(), v.clone())).collect::<Vec<_>>())
    };
    let left_out = Memo::new(move |_| world.with(Extra::len).saturating_sub(shown.get()));
    let adds = Memo::new(move |_| open.with(|open| *open == Some(Open::Add)));
    view! {
        <section class="note-section">
            <h2>{app.t(M::WorldState)}<span>{move || world.with(Extra::len)}</span></h2>
            <FaultOf mind place=Place::World />
            <Show when=move || world.with(Extra::is_empty)>
                <p class="item-aside" data-testid="world-empty">{app.t(M::WorldEmpty)}</p>
            </Show>
            <ul class="world-entries">
                <For each=rows key=|(key, value)| (key.clone(), value.to_string()) let:row>
                    <Entry mind world key=row.0 value=row.1 open />
                </For>
            </ul>
            <Show when=move || left_out.get() != 0>
                <button class="link" data-testid="world-more" on:click=move |_| shown.update(|shown| *shown += PAGE)>
                    {move || fill(app.t(M::WorldMore)(), &[&left_out.get().to_string()])}
                </button>
            </Show>
            <Show
                when=move || adds.get()
                fallback=move || view! {
                    <div class="row world-tools">
                        <button class="link add-item" data-testid="world-add" disabled=move || !app.story.writer.get()
                            on:click=move |_| open.set(Some(Open::Add))>
                            "+ " {app.t(M::AddItem)}
                        </button>
                        <Undo mind />
                    </div>
                }
            >
                <WorldForm mind world open />
            </Show>
        </section>
    }
}

#[component]
fn Undo(mind: Mind) -> impl IntoView {
    let app = App::here();
    // What was changed by hand and is still seen; further back each key has it in its history.
    let key = Memo::new(move |_| {
        let end = app.story.path.with(|path| path.end);
        app.story.turns.with(|turns| {
            let mut changed = HashSet::new();
            let is_end = turns.last().is_some_and(|turn| turn.position + 1 == end);
            let by_hand = |turn: &TurnView| turn.node.with(|node| world::seen_by_hand(node.reply()?, &mut changed));
            turns.iter().rev().filter(|_| is_end).find_map(by_hand)
        })
    });
    view! {
        {move || key.get().map(|key| view! {
            <button class="link" data-testid="world-undo" disabled=move || !app.story.writer.get() || mind.busy.get()
                on:click=move |_| mind.undo_world()>
                {move || fill(app.t(M::WorldUndo)(), &[&key])}
            </button>
        })}
    }
}

#[component]
pub fn Entry(mind: Mind, world: Memo<Extra>, key: String, value: Value, open: RwSignal<Option<Open>>) -> impl IntoView {
    let app = App::here();
    let name = StoredValue::new(key.clone());
    let is = move |this: fn(String) -> Open| open.with(|open| *open == Some(this(name.get_value())));
    let edited = Memo::new(move |_| is(Open::Edit));
    let told = Memo::new(move |_| is(Open::History));
    let toggle = move |this: fn(String) -> Open| {
        let this = this(name.get_value());
        open.update(|open| *open = Some(this.clone()).filter(|this| open.as_ref() != Some(this)));
    };
    let idle = move || app.story.writer.get() && !mind.busy.get();
    let remove = move |_| mind.world(WorldEdit::Remove { key: name.get_value() }, || {});
    let words = move || world::words(&value, app.language.get());
    let words = StoredValue::new(words);
    view! {
        <li class="world-entry" data-testid="world-entry" data-key=key.clone()>
            <Show when=move || !edited.get() fallback=move || view! { <WorldForm mind world open /> }>
                <div class="world-line">
                    <span class="world-key">{name.get_value()}</span>
                    <span class="world-value" data-testid="world-value">{move || words.with_value(|words| words())}</span>
                    <span class="item-tools">
                        <button class="icon-button" data-testid="world-history" aria-label=app.t(M::WorldHistory) title=app.t(M::WorldHistory)
                            aria-expanded=move || told.get().to_string() on:click=move |_| toggle(Open::History)>
                            <Icon shape=Shape::CLOCK />
                        </button>
                        <button class="icon-button" data-testid="world-edit" aria-label=app.t(T::Edit) title=app.t(T::Edit)
                            disabled=move || !idle() on:click=move |_| toggle(Open::Edit)>
                            <Icon shape=Shape::PENCIL />
                        </button>
                        <button class="icon-button" data-testid="world-remove" aria-label=app.t(M::Remove) title=app.t(M::Remove)
                            disabled=move || !idle() on:click=remove>
                            <Icon shape=Shape::X />
                        </button>
                    </span>
                </div>
            </Show>
            <Show when=move || told.get()><WorldHistory mind key=name.get_value() /></Show>
        </li>
    }
}
