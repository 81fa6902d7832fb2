//! What became of one key of the world along the path, with links to the turns that changed it.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::{T, fill, mind::T as M},
    story::world::{self, Step},
    ui::{
        app::App,
        mind::{Mind, TurnLink},
    },
};

/// Turns read at a time.
const PAGE: u32 = 60;

#[component]
pub fn WorldHistory(mind: Mind, key: String) -> impl IntoView {
    let app = App::here();
    let key = StoredValue::new(key);
    // The newest first.
    let steps = RwSignal::new(Vec::<(u32, Step)>::new());
    // The first position that has been read.
    let from = RwSignal::new(u32::MAX);
    let read = move |to: u32| {
        let path = app.story.path.get_untracked();
        spawn_local(async move {
            let first = to.saturating_sub(PAGE);
            let Some(key) = key.try_get_value() else { return };
            match app.desk().world_steps(&path, first, to, &key).await {
                Ok(found) => {
                    steps.try_update(|steps| steps.extend(found));
                    from.try_set(first);
                }
                Err(error) => app.notify_store(error),
            }
        });
    };
    // Where the path or its newest reply changes, it is read again.
    let newest = Memo::new(move |_| {
        let path = app.story.path.get();
        let state =
            app.story.turns.with(|turns| turns.last().and_then(|t| t.node.with(|node| node.reply()?.state.clone())));
        (path, state)
    });
    Effect::new(move |_| {
        let (path, _) = newest.get();
        steps.update(Vec::clear);
        read(path.end);
    });
    let rows = move || {
        let language = app.language.get();
        let row = |(at, (position, step)): (usize, (u32, Step))| {
            // What one sees was made by hand: it can be taken back.
            let can_undo = at == 0 && step.by_hand;
            let value = match &step.to {
                Some(value) => world::words(value, language),
                None => M::WorldTakenOut.text(language).to_owned(),
            };
            view! {
                <li class="world-step" data-testid="world-step" data-turn=position.to_string()>
                    <span class="world-value">{value}</span>
                    <TurnLink position />
                    {step.by_hand.then(|| view! { <span class="world-hand">{app.t(M::ByHand)}</span> })}
                    {can_undo.then(|| view! {
                        <button class="link" data-testid="world-step-undo" disabled=move || !app.story.writer.get() || mind.busy.get()
                            on:click=move |_| mind.undo_world_key(key.get_value())>
                            {app.t(T::Undo)}
                        </button>
                    })}
                </li>
            }
        };
        steps.get().into_iter().enumerate().map(row).collect_view()
    };
    let label = move || key.with_value(|key| fill(app.t(M::WorldHistoryOf)(), &[key]));
    view! {
        <div class="world-history">
            <ol aria-label=label>{rows}</ol>
            <Show when=move || steps.with(Vec::is_empty) && from.get() != u32::MAX>
                <p class="item-aside">{app.t(M::WorldHistoryEmpty)}</p>
            </Show>
            <Show when=move || { let from = from.get(); from > 0 && from != u32::MAX }>
                <button class="link" data-testid="world-earlier" on:click=move |_| read(from.get_untracked())>
                    {app.t(M::TimelineEarlier)}
                </button>
            </Show>
        </div>
    }
}
