//! Relationships and feelings over the story, as text along the turns.

use std::collections::{BTreeMap, HashSet};

use futures_util::future::try_join_all;
use leptos::{prelude::*, task::spawn_local};
use serde_json::Value;

use super::{TurnLink, sentence, word};
use crate::{
    locales::mind::T as M,
    store::StoreError,
    story::{
        ids::StateId,
        persona::{Item, ItemKind},
        state::State,
        tree::{Node, Path},
    },
    turn::scene,
    ui::app::App,
};

/// Turns read at a time.
const PAGE: u32 = 60;

/// What was noted at each turn.
type Entries = BTreeMap<u32, Vec<Item>>;

#[component]
pub fn Timeline() -> impl IntoView {
    let app = App::here();
    let is_open = RwSignal::new(false);
    let entries = RwSignal::new(Entries::new());
    // The first position that has been read.
    let from = RwSignal::new(0u32);
    let path = app.story.path;
    let newest = Memo::new(move |_| {
        app.story.turns.with(|turns| turns.last().and_then(|t| t.node.with(|node| node.reply()?.state.clone())))
    });
    let read = move |path: std::sync::Arc<Path>, to: u32, fresh: bool| {
        spawn_local(async move {
            let first = to.saturating_sub(PAGE);
            let found = collect(app, &path, first, to).await;
            if app.story.path.get_untracked() != path {
                return;
            }
            match found {
                Ok(found) => {
                    from.try_set(first);
                    entries.try_update(|entries| {
                        if fresh {
                            entries.clear();
                        }
                        for (turn, items) in found {
                            let known = entries.entry(turn).or_default();
                            for item in items {
                                if !known.contains(&item) {
                                    known.push(item);
                                }
                            }
                        }
                    });
                }
                Err(error) => app.notify_store(error),
            }
        });
    };
    Effect::new(move |_| {
        newest.track();
        let path = path.get();
        if is_open.get() {
            let end = path.end;
            read(path, end, true);
        }
    });
    let rows = move || {
        let language = app.language.get();
        let entries = entries.get().into_iter().rev();
        entries
            .map(|(position, items)| {
                let items = items
                    .iter()
                    .map(|item| view! { <p class="item-text" data-kind=item.kind().name()>{sentence(item, language)}</p> })
                    .collect_view();
                view! { <li class="timeline-entry" data-testid="timeline-entry" data-turn=position.to_string()><TurnLink position />{items}</li> }
            })
            .collect_view()
    };
    view! {
        <section class="note-section">
            <details class="timeline" data-testid="timeline"
                on:toggle=move |event| is_open.set(event_target::<web_sys::Element>(&event).has_attribute("open"))>
                <summary>{word(app, M::Timeline)}</summary>
                <Show when=move || entries.with(BTreeMap::is_empty)><p class="item-aside">{word(app, M::TimelineEmpty)}</p></Show>
                <ol class="thread">{rows}</ol>
                <Show when=move || { from.get() > 0 }>
                    <button class="link" data-testid="timeline-more" on:click=move |_| read(path.get_untracked(), from.get_untracked(), false)>
                        {word(app, M::TimelineEarlier)}
                    </button>
                </Show>
            </details>
        </section>
    }
}

/// What the states of a stretch of the path say, each item at the turn that made it.
async fn collect(app: App, path: &Path, from: u32, to: u32) -> Result<Entries, StoreError> {
    let store = app.store();
    let nodes = scene::window(&*store, path, from, to).await?;
    let mut known = HashSet::<StateId>::new();
    let ids: Vec<_> = nodes
        .iter()
        .filter_map(|node: &Node| node.reply()?.state.clone())
        .filter(|id| known.insert(id.clone()))
        .collect();
    let states = try_join_all(ids.iter().map(|id| store.load::<State>(id.as_str()))).await?;
    let mut entries = Entries::new();
    for State { persona, .. } in states.into_iter().flatten() {
        let lists = [
            (ItemKind::Relationship, persona.growth_state.relationships),
            (ItemKind::Emotion, persona.current_state.emotions),
        ];
        for (kind, list) in lists {
            for stored in list {
                let turn = stored.get("turn").and_then(Value::as_u64).unwrap_or_default() as u32;
                let items = entries.entry(turn).or_default();
                if let Some(item) = Item::read(kind, &stored)
                    && !items.contains(&item)
                {
                    items.push(item);
                }
            }
        }
    }
    Ok(entries)
}
