//! Two branches side by side: what was said from the fork on, and how their persona, plot and world differ.

use std::{collections::HashSet, sync::Arc};

use leptos::{ev::KeyboardEvent, html, prelude::*, task::spawn_local};

use super::{Tree, place_words};
use crate::{
    desk::tree::Pair,
    locales::{T, changes::sentence, fill, tree::T as R},
    reply::parser,
    story::{
        persona::{Item, ItemKind},
        state::{Persona, State},
        storyline::Language,
        tree::Node,
    },
    ui::{
        app::App,
        icons::{Icon, Shape},
    },
};

/// Turns that are shown at first, and added at a time.
const PAGE: u32 = 20;

/// A modal dialog, so that the browser keeps the focus in it and gives it back afterwards.
#[component]
pub fn Compare(tree: Tree) -> impl IntoView {
    let app = tree.app;
    let dialog = NodeRef::<html::Dialog>::new();
    let pair = RwSignal::new(None::<Arc<Pair>>);
    let count = RwSignal::new(PAGE);
    let with = tree.comparing;
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        match with.get() {
            None => {
                pair.set(None);
                count.set(PAGE);
                dialog.close();
            }
            Some(place) => {
                if !dialog.open() {
                    let _ = dialog.show_modal();
                }
                let count = count.get();
                let Some(storyline) = app.story.storyline.get_untracked() else { return };
                spawn_local(async move {
                    match app.desk().compare(&storyline, &place, count).await {
                        Ok(found) => drop(pair.try_set(found.map(Arc::new))),
                        Err(error) => app.notify_store(error),
                    }
                });
            }
        }
    });
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            with.set(None);
        }
    };
    view! {
        <dialog class="compare" data-testid="tree-compare-dialog" aria-label=app.t(R::Compare) node_ref=dialog on:keydown=on_key
            on:close=move |_| with.set(None)>
            <header class="compare-head">
                <h2>{app.t(R::Compare)}</h2>
                <button class="icon-button" data-testid="compare-close" aria-label=app.t(T::Close) on:click=move |_| with.set(None)>
                    <Icon shape=Shape::X />
                </button>
            </header>
            {move || pair.get().map(|pair| view! { <Sides app pair more=Callback::new(move |()| count.update(|count| *count += PAGE)) /> })}
        </dialog>
    }
}

#[component]
fn Sides(app: App, pair: Arc<Pair>, more: Callback<()>) -> impl IntoView {
    let [here, there] = pair.ends;
    let fork = pair.fork;
    let is_whole = pair.is_whole;
    let rows = pair.rows.iter().zip(fork..).map(|(row, position)| {
        let cell = |node: &Option<Node>| match node {
            Some(node) => {
                let user = node.turn.user.clone();
                let reply = node.reply().map(|reply| parser::shown(&reply.text).trim().to_owned());
                view! { <div class="compare-cell">
                    {user.map(|text| view! { <p class="tree-said-user">{text}</p> })}
                    {reply.map(|text| view! { <p class="compare-text">{text}</p> })}
                </div> }
                .into_any()
            }
            None => view! { <div class="compare-cell item-aside">{app.t(R::NothingHere)}</div> }.into_any(),
        };
        let [left, right] = row.each_ref().map(cell);
        view! {
            <div class="compare-row" data-testid="compare-row" data-turn=position.to_string()>
                <span class="number">{position}</span>{left}{right}
            </div>
        }
    });
    let states = pair.clone();
    let differences = move || {
        let language = app.language.get();
        let [a, b] = states.states.each_ref().map(|state| state.as_ref().map(|state| lines(app, state, language)));
        let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
        let parts =
            [(R::Persona, "persona"), (R::Plot, "plot"), (R::World, "world")].into_iter().zip(a.into_iter().zip(b));
        parts
            .map(|((title, kind), (a, b))| {
                let only = |own: &[String], other: &[String]| {
                    let other: HashSet<&String> = other.iter().collect();
                    let own = own.iter().filter(|line| !other.contains(line)).cloned();
                    own.map(|line| view! { <p class="item-text">{line}</p> }).collect_view()
                };
                let same = a == b;
                let (left, right) = (only(&a, &b), only(&b, &a));
                view! {
                    <div class="compare-row compare-state" data-testid="compare-state" data-part=kind data-same=same.to_string()>
                        <span class="compare-part">{app.t(title)}</span>
                        <div class="compare-cell">{same.then(|| view! { <p class="item-aside">{app.t(R::NoDifference)}</p> })}{left}</div>
                        <div class="compare-cell">{right}</div>
                    </div>
                }
            })
            .collect_view()
    };
    let parting = move || fill(app.t(R::CompareFork)(), &[&fork.saturating_sub(1).to_string()]);
    view! {
        <p class="item-aside" data-testid="compare-fork">{parting}</p>
        <div class="compare-row compare-names">
            <span></span>
            <b>{move || format!("{} · {}", app.t(R::CompareHereSide)(), place_words(app, here))}</b>
            <b>{move || place_words(app, there)}</b>
        </div>
        {differences}
        {rows.collect_view()}
        {(!is_whole).then(|| view! {
            <button class="button quiet" data-testid="compare-more" on:click=move |_| more.run(())>{app.t(R::CompareMore)}</button>
        })}
    }
}

/// What a state says, line by line: persona, plot, world.
fn lines(app: App, state: &State, language: Language) -> [Vec<String>; 3] {
    let several = state.personas.len() > 1;
    let who = state.personas.iter().flat_map(|(id, persona)| {
        let name = app.story.storyline.with_untracked(|open| {
            let open = open.as_ref().filter(|_| several)?;
            let id = if id.as_str().is_empty() { open.character() } else { id };
            app.character(id).map(|character| character.name)
        });
        let said = of_persona(persona, language).into_iter();
        said.map(move |line| name.as_ref().map_or_else(|| line.clone(), |name| format!("{name}: {line}")))
    });
    let who = who.collect();
    let plot = &state.plot;
    let point = fill(R::PlotAt.text(language), &[&plot.current_plot_index.to_string()]);
    let plot = [point, plot.current_status.clone(), plot.current_content.clone()];
    let plot = plot.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" · ");
    let world = state.world.iter().map(|(key, value)| format!("{key}: {}", told(value))).collect();
    [who, vec![plot], world]
}

fn of_persona(persona: &Persona, language: Language) -> Vec<String> {
    let (growth, current) = (&persona.growth_state, &persona.current_state);
    let physical = std::slice::from_ref(&current.physical);
    let lists: [(ItemKind, &[serde_json::Value]); 6] = [
        (ItemKind::Relationship, &growth.relationships),
        (ItemKind::Belief, &growth.beliefs),
        (ItemKind::Pattern, &growth.behavioral_patterns),
        (ItemKind::Emotion, &current.emotions),
        (ItemKind::Physical, physical),
        (ItemKind::Goal, &current.immediate_goals),
    ];
    let items = lists.into_iter().flat_map(|(kind, list)| list.iter().filter_map(move |value| Item::read(kind, value)));
    let mut who: Vec<String> = items.map(|item| sentence(&item, language)).collect();
    who.extend(Some(persona.evolved_persona.clone()).filter(|text| !text.is_empty()));
    who
}

fn told(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
