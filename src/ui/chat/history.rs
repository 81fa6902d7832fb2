//! The history, virtualised: what is near the screen is in the page, no more. The stretches before and after it are
//! spacers of their probable height; the view follows the end only while the reader is at the end.

use std::collections::HashMap;

use leptos::{ev, html::Div, prelude::*, task::spawn_local};
use wasm_bindgen::prelude::*;
use web_sys::{HtmlDivElement, ResizeObserver};

use super::{place, turn::Turn};
use crate::{
    locales::T,
    ui::{
        app::App,
        icons::{Icon, Shape},
        state::{PAGE, WINDOW},
    },
    web::{clock::BrowserClock, has_fingers},
};

/// Pixels beyond the screen at which more turns are loaded.
const MARGIN: f64 = 1200.0;
/// Turns added at a time while one reads on: as many as are drawn without holding up the page.
const STEP: u32 = 8;
/// Pixels from the end at which the reader counts as being there.
const AT_END: f64 = 48.0;
/// The probable height of a turn until some have been measured.
const GUESS: f64 = 260.0;

/// Heights of the turns that were once on the page.
#[derive(Default)]
struct Heights {
    known: HashMap<u32, f64>,
    total: f64,
}

impl Heights {
    fn put(&mut self, position: u32, height: f64) {
        self.total += height - self.known.insert(position, height).unwrap_or(0.0);
    }

    fn average(&self) -> f64 {
        if self.known.is_empty() { GUESS } else { self.total / self.known.len() as f64 }
    }

    fn of(&self, from: u32, to: u32) -> f64 {
        // What was measured counts as it was; a long unknown stretch is its length times the average.
        let (mut known, mut count) = (0.0, 0);
        for (_, height) in self.known.iter().filter(|(position, _)| (from..to).contains(position)) {
            known += height;
            count += 1;
        }
        known + f64::from(to.saturating_sub(from) - count) * self.average()
    }
}

#[component]
pub fn History() -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let scroller = NodeRef::<Div>::new();
    let column = NodeRef::<Div>::new();
    let heights = StoredValue::new_local(Heights::default());
    let at_end = story.at_end;
    at_end.set(true);
    let loading = StoredValue::new(false);
    let last_top = StoredValue::new(0.0);
    // Rises with each measurement, so that the spacers follow.
    let measured = RwSignal::new(0u32);

    let before = move || {
        measured.track();
        let from = story.turns.with(|turns| turns.first().map_or(0, |turn| turn.position));
        heights.with_value(|heights| heights.of(0, from))
    };
    let after = move || {
        measured.track();
        let to = story.turns.with(|turns| turns.last().map_or(0, |turn| turn.position + 1));
        let end = story.path.with(|path| path.end);
        heights.with_value(|heights| heights.of(to, end))
    };

    // Asked after waiting, too, when the story may have been left.
    let followed = StoredValue::new(0);
    let to_end = move || {
        if let Some(scroller) = scroller.try_get_untracked().flatten() {
            let height = scroller.scroll_height();
            followed.set_value(height);
            scroller.set_scroll_top(height);
        }
    };
    // Who is led elsewhere is not at the end any more, though no event has said so yet.
    let follows = move || at_end.try_get_untracked() == Some(true) && !story.jumping.get_value();
    let measure = move || {
        let Some(column) = column.try_get_untracked().flatten() else { return };
        heights.update_value(|heights| {
            for (position, element) in place::turns_in(&column) {
                let height = element.offset_height();
                if height > 0 {
                    heights.put(position, height.into());
                }
            }
        });
    };
    // A story opens at its end, and stays there while it grows.
    let observer = StoredValue::new_local(None::<(ResizeObserver, Closure<dyn Fn()>)>);
    Effect::new(move |_| {
        let Some(column) = column.get() else { return };
        let resized = Closure::<dyn Fn()>::new(move || {
            if follows() {
                to_end();
            }
        });
        if let Ok(watch) = ResizeObserver::new(resized.as_ref().unchecked_ref()) {
            watch.observe(&column);
            // The composer grows too.
            if let Some(scroller) = scroller.get_untracked() {
                watch.observe(&scroller);
            }
            observer.set_value(Some((watch, resized)));
        }
    });
    on_cleanup(move || {
        observer.update_value(|observer| {
            if let Some((watch, _)) = observer.take() {
                watch.disconnect();
            }
        })
    });

    // Loads a stretch while what the reader looks at stays where it is.
    let load = move |from: u32, to: u32, keep: bool| async move {
        if loading.get_value() {
            return;
        }
        loading.set_value(true);
        measure();
        let anchor = if keep { place::first_seen() } else { None };
        story.load(app, from, to).await;
        measured.update(|n| *n = n.wrapping_add(1));
        leptos::task::tick().await;
        measure();
        if let (Some((position, offset)), Some(scroller)) = (anchor, scroller.try_get_untracked().flatten())
            && let Some(now) = place::offset_of(position)
        {
            scroller.set_scroll_top(scroller.scroll_top() + (now - offset).round() as i32);
        }
        loading.set_value(false);
    };
    let follow = move || {
        let (Some(scroller), Some(column)) = (scroller.get_untracked(), column.get_untracked()) else { return };
        let top = f64::from(scroller.scroll_top());
        let view = f64::from(scroller.client_height());
        let end = story.path.with_untracked(|path| path.end);
        // What grows beneath the reader does not take them from the end: only going up does.
        let is_there = top + view >= f64::from(scroller.scroll_height()) - AT_END;
        if is_there || top < last_top.get_value() {
            at_end.set(is_there);
        }
        last_top.set_value(top);
        if story.jumping.get_value() {
            return;
        }
        let (from, to) = story.loaded();
        let column_top = f64::from(column.offset_top());
        let column_end = column_top + f64::from(column.offset_height());
        if column_end + MARGIN < top || top + view + MARGIN < column_top {
            // A leap: the place is found by the probable heights.
            let total = heights.with_value(|heights| heights.of(0, end)).max(1.0);
            let middle = ((top + view / 2.0) / total * f64::from(end)) as u32;
            let from = middle.saturating_sub(PAGE / 2).min(end.saturating_sub(PAGE));
            spawn_local(load(from, (from + PAGE).min(end), false));
        } else if from > 0 && top - MARGIN < column_top {
            let from = from.saturating_sub(STEP);
            spawn_local(load(from, to.min(from + WINDOW), true));
        } else if to < end && column_end - MARGIN < top + view {
            let to = (to + STEP).min(end);
            spawn_local(load(from.max(to.saturating_sub(WINDOW)), to, true));
        }
    };
    // A story opens with a screen of turns. What else of a page of them is shown beside it comes once these are seen.
    // Under fingers the row of an earlier turn has its height of them.
    let seen = RwSignal::new(has_fingers());
    let complete = move || async move {
        for _ in 0..PAGE {
            BrowserClock.frame().await;
            if seen.try_get_untracked() == Some(false) {
                seen.set(true);
                leptos::task::tick().await;
            }
            let (from, to) = story.loaded();
            let end = story.path.with_untracked(|path| path.end);
            let wanted = end.saturating_sub(PAGE);
            if scroller.try_get_untracked().flatten().is_none() || from <= wanted {
                return;
            }
            // No frame has come to a hidden page: it stands at its beginning yet.
            if at_end.get_untracked() {
                to_end();
            }
            if to == end && !story.jumping.get_value() {
                load(from.saturating_sub(STEP).max(wanted), to, true).await;
            }
        }
    };
    Effect::new(move |_| {
        if column.get().is_some() {
            spawn_local(complete());
        }
    });
    let jump = move |_: ev::MouseEvent| {
        let end = story.path.with_untracked(|path| path.end);
        spawn_local(async move {
            story.load(app, end.saturating_sub(PAGE), end).await;
            leptos::task::tick().await;
            at_end.set(true);
            to_end();
        });
    };
    // What a reply grows by is followed before the frame that draws it: to follow it after that takes a frame of its own,
    // for the event of scrolling.
    Effect::new(move |_| {
        if let Some(last) = story.turns.with(|turns| turns.last().copied()) {
            last.node.track();
        }
        spawn_local(async move {
            leptos::task::tick().await;
            // Where nothing has grown, a reader who begins to go up is left alone; and one who is elsewhere costs no layout.
            let has_grown = |scroller: HtmlDivElement| scroller.scroll_height() != followed.get_value();
            if follows() && scroller.try_get_untracked().flatten().is_some_and(has_grown) {
                to_end();
            }
        });
    });
    // The story's own language, which need not be the page's: quotation marks and line breaks follow it.
    let lang =
        Memo::new(move |_| story.storyline.with(|storyline| storyline.as_ref().map(|story| story.language.tag())));
    let is_empty = move || {
        story.path.with(|path| path.end <= 1)
            && story.turns.with(|turns| turns.iter().all(|turn| turn.node.with(|node| node.generations.is_empty())))
    };
    // The reader's own turn brings them back to the end.
    Effect::new(move |before: Option<u32>| {
        let end = story.path.with(|path| path.end);
        // Who is there already stays there as the column grows.
        if before.is_some_and(|before| before < end) && story.is_open_taken() && !at_end.get_untracked() {
            at_end.set(true);
            to_end();
        }
        end
    });
    let held = move || !story.writer.get() || story.is_playing();
    view! {
        <div class="stage">
            <div class="history" data-testid="history" id="story" tabindex="0" aria-label=app.t(T::TabStory) role="region"
                node_ref=scroller on:scroll=move |_| follow()>
                <div class="spacer" style:height=move || format!("{}px", before())></div>
                <div class="column" class:held=held node_ref=column lang=move || lang.get()>
                    <For each=move || story.turns.get() key=|turn| turn.node.with_untracked(|node| node.turn.id.clone()) let:turn>
                        <Turn turn seen />
                    </For>
                    <Show when=is_empty><p class="history-empty">{app.t(T::EmptyStory)}</p></Show>
                </div>
                <div class="spacer" style:height=move || format!("{}px", after())></div>
            </div>
            <Show when=move || !at_end.get()>
                <div class="to-end">
                    <button class="icon-button raised" data-testid="to-end" aria-label=app.t(T::JumpToEnd) title=app.t(T::JumpToEnd) on:click=jump>
                        <Icon shape=Shape::DOWN />
                    </button>
                </div>
            </Show>
        </div>
    }
}
