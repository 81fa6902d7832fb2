//! Relationships and feelings over the story, as text along the turns.

use std::collections::BTreeMap;

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::{changes::sentence, mind::T as M},
    story::{ids::CharacterId, persona::Item, tree::Path},
    ui::{app::App, mind::TurnLink},
};

/// Turns read at a time.
const PAGE: u32 = 60;

/// What was noted at each turn.
type Entries = BTreeMap<u32, Vec<Item>>;

#[component]
pub fn Timeline(of: Option<CharacterId>) -> impl IntoView {
    let of = StoredValue::new(of);
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
            let of = of.get_value();
            let found = app.desk().timeline(&path, first, to, of.as_ref()).await;
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
                <summary>{app.t(M::Timeline)}</summary>
                <Show when=move || entries.with(BTreeMap::is_empty)><p class="item-aside">{app.t(M::TimelineEmpty)}</p></Show>
                <ol class="thread">{rows}</ol>
                <Show when=move || { from.get() > 0 }>
                    <button class="link" data-testid="timeline-more" on:click=move |_| read(path.get_untracked(), from.get_untracked(), false)>
                        {app.t(M::TimelineEarlier)}
                    </button>
                </Show>
            </details>
        </section>
    }
}
