//! Where the story stands, on one page: who the character is now, what is open, where the plot is, and what changed in the
//! last turns, each with its cause. What is wrong is corrected in its place.

use leptos::prelude::*;

use super::{
    app::App,
    features::{
        director::{Point, outlined},
        group::WhoseMind,
        persona::{Kind, Pending},
        world::{self, Entry},
    },
    mind::{FaultOf, Mind, Place, TurnLink},
    state::Tab,
};
use crate::{
    desk::lately::{self, Changed},
    features::{director, persona, world as world_feature},
    locales::{
        changes::{cause, change_words},
        mind::T as M,
    },
    story::{
        background::OutlinePoint,
        persona::ItemKind,
        plot::Course,
        state::{Change, PlotState},
    },
};

/// Turns that are told of.
const TURNS: usize = 6;
/// Items of a kind that stand on the page.
const NEWEST: usize = 3;

#[component]
pub fn NowPanel() -> impl IntoView {
    let app = App::here();
    let mind = Mind::here();
    let is_on = move |feature: &'static str| {
        Memo::new(move |_| app.story.played(|story, preset| story.is_on(preset, feature)).unwrap_or_default())
    };
    let (grows, leads, keeps) = (is_on(persona::NAME), is_on(director::NAME), is_on(world_feature::NAME));
    let lately = Memo::new(move |before: Option<&Vec<_>>| {
        app.story.turns.with(|turns| {
            let nodes: Vec<_> = turns.iter().map(|turn| turn.node.get()).collect();
            // Who reads further back has other turns on the page.
            let last = nodes.last().map_or(0, |node| node.turn.position + 1);
            if let Some(before) = before.filter(|_| app.story.path.with(|path| last < path.end)) {
                return before.clone();
            }
            lately::lately(nodes.iter().map(|node| &**node), TURNS)
        })
    });
    let (outline, plot) = outlined(mind);
    let has_outline = Memo::new(move |_| leads.get() && outline.with(|outline| !outline.is_empty()));
    let is_empty = move || lately.with(Vec::is_empty) && !grows.get() && !has_outline.get();
    view! {
        <div data-testid="now-panel">
            <Show when=is_empty><p class="empty" data-testid="now-nothing">{app.t(M::NowNothing)}</p></Show>
            <Show when=move || grows.get()><Who mind /></Show>
            <Show when=move || has_outline.get()><Where mind outline plot /></Show>
            <Show when=move || keeps.get()><Things mind lately /></Show>
            <Show when=move || lately.with(|lately| !lately.is_empty())><Lately lately /></Show>
        </div>
    }
}

/// Who the character is now, and what is open for them.
#[component]
fn Who(mind: Mind) -> impl IntoView {
    let app = App::here();
    let persona = mind.held();
    let editing = RwSignal::new(None);
    let name = move || {
        let of = mind.of.get();
        let id = app.story.storyline.with(|open| open.as_ref().map(|open| open.speaker(of.as_ref()).clone()))?;
        app.character(&id).map(|character| character.name)
    };
    let kind = move |kind, newest| view! { <Kind mind persona editing kind newest /> };
    view! {
        <section class="note-section" data-testid="now-who">
            <WhoseMind mind />
            <h2>{name}</h2>
            <FaultOf mind place=Place::Items />
            {kind(ItemKind::Emotion, 2)}
            {kind(ItemKind::Physical, 1)}
            {kind(ItemKind::Relationship, NEWEST)}
        </section>
        <section class="note-section" data-testid="now-open">
            <h2>{app.t(M::NowOpen)}</h2>
            {kind(ItemKind::Goal, NEWEST)}
            <button class="link" on:click=move |_| app.open_notebook(Tab::Persona)>{app.t(M::NowGoals)}</button>
        </section>
        <Pending mind persona />
    }
}

/// The point that the story is at, and the next.
#[component]
fn Where(mind: Mind, outline: Memo<Vec<OutlinePoint>>, plot: Memo<PlotState>) -> impl IntoView {
    let app = App::here();
    let count = move || {
        let points = outline.with(Vec::len);
        format!("{} / {points}", plot.with(|plot| plot.current_plot_index as usize).min(points))
    };
    let points = move || {
        let from = match outline.with(|outline| plot.with(|plot| plot.course(outline))) {
            Course::To(index) => index,
            _ => return ().into_any(),
        };
        let near = outline.get().into_iter().zip(1..).filter(|(_, index)| (from..=from + 1).contains(index));
        near.map(|(point, index)| view! { <Point mind plot point index /> }).collect_view().into_any()
    };
    view! {
        <section class="note-section" data-testid="now-plot">
            <h2>{app.t(M::NowPlot)}<span>{count}</span></h2>
            <FaultOf mind place=Place::Plot />
            <ol class="thread">{points}</ol>
        </section>
    }
}

/// What of the world changed last, as it is now.
#[component]
fn Things(mind: Mind, lately: Memo<Vec<Changed>>) -> impl IntoView {
    let app = App::here();
    let world =
        Memo::new(move |_| mind.state.with(|state| state.as_ref().map(|s| s.world.clone())).unwrap_or_default());
    let open = RwSignal::new(None::<world::Open>);
    let rows = Memo::new(move |_| {
        let keys = lately.with(|lately| lately::keys(lately));
        world.with(|world| {
            let now = keys.into_iter().filter_map(|key| world.get(&key).cloned().map(|value| (key, value)));
            now.take(NEWEST).collect::<Vec<_>>()
        })
    });
    view! {
        <Show when=move || rows.with(|rows| !rows.is_empty())>
            <section class="note-section" data-testid="now-world">
                <h2>{app.t(M::NowWorld)}</h2>
                <FaultOf mind place=Place::World />
                <ul class="world-entries">
                    <For each=move || rows.get() key=|(key, value)| (key.clone(), value.to_string()) let:row>
                        <Entry mind world key=row.0 value=row.1 open />
                    </For>
                </ul>
            </section>
        </Show>
    }
}

#[component]
fn Lately(lately: Memo<Vec<Changed>>) -> impl IntoView {
    let app = App::here();
    let rows = move || {
        let language = app.language.get();
        let line = |change: &Change| {
            let why = cause(change).to_owned();
            view! {
                <p class="item-text">{change_words(change, language)}</p>
                {(!why.is_empty()).then(|| view! { <p class="item-aside">{why}</p> })}
            }
        };
        lately.with(|lately| {
            let rows = lately.iter().map(|Changed { turn, changes }| {
                view! {
                    <li class="timeline-entry" data-testid="now-turn" data-turn=turn.to_string()>
                        <TurnLink position=*turn />
                        {changes.iter().map(line).collect_view()}
                    </li>
                }
            });
            rows.collect_view()
        })
    };
    view! {
        <section class="note-section timeline" data-testid="now-lately">
            <h2>{app.t(M::NowLately)}</h2>
            <ol class="thread">{rows}</ol>
        </section>
    }
}
