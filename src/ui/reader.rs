//! A story without its machinery: its title and its text, and nothing that could be done to it.

use leptos::{ev, prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::{
    aloud,
    app::App,
    focus::focus,
    icons::{Icon, Shape},
};
use crate::{
    locales::aloud::T,
    web::{clock::BrowserClock, voice, window},
};

/// Puts the machinery away, or takes it out again. What is being looked at stays where it is.
pub async fn read(app: App, on: bool) {
    if app.story.reading.get_untracked() == on {
        return;
    }
    let before = first_seen();
    app.panels.put_sheets_away();
    app.story.reading.set(on);
    // At once: a frame later somebody may be typing already.
    focus("story");
    BrowserClock.frame().await;
    if let Some((position, offset)) = before
        && let Some((scroller, turn)) = turn_at(position)
    {
        let now = top_of(&turn) - top_of(&scroller);
        scroller.set_scroll_top(scroller.scroll_top() + (now - offset).round() as i32);
    }
}

/// The first turn that is seen, and its distance from the top of the story.
fn first_seen() -> Option<(String, f64)> {
    let scroller = window().document()?.get_element_by_id("story")?;
    let turns = scroller.get_elements_by_class_name("turn");
    let top = top_of(&scroller);
    let turns = (0..turns.length()).filter_map(|at| turns.item(at));
    let seen = turns.into_iter().find(|turn| turn.get_bounding_client_rect().bottom() > top + 1.0)?;
    Some((seen.get_attribute("data-turn")?, top_of(&seen) - top))
}

fn turn_at(position: String) -> Option<(HtmlElement, Element)> {
    let scroller = window().document()?.get_element_by_id("story")?;
    let turn = scroller.query_selector(&format!("[data-turn=\"{position}\"]")).ok().flatten()?;
    Some((scroller.dyn_into().ok()?, turn))
}

fn top_of(element: &Element) -> f64 {
    element.get_bounding_client_rect().top()
}

/// The ways out, and to a voice.
#[component]
pub fn ReaderBar() -> impl IntoView {
    let app = App::here();
    let leave = move || spawn_local(read(app, false));
    let escape = window_event_listener(ev::keydown, move |event| {
        if event.key() == "Escape" && !event.default_prevented() {
            event.prevent_default();
            leave();
        }
    });
    on_cleanup(move || escape.remove());
    let aloud = move |_| {
        let from = first_seen().and_then(|(position, _)| position.parse().ok()).unwrap_or(0);
        spawn_local(aloud::begin(app, from));
    };
    view! {
        <div class="reader-bar" role="toolbar" aria-label=app.t(T::Read)>
            {voice::is_there().then(|| view! {
                <button type="button" class="icon-button" data-testid="reader-aloud" aria-label=app.t(T::Aloud) title=app.t(T::Aloud) on:click=aloud><Icon shape=Shape::VOLUME /></button>
            })}
            <button type="button" class="icon-button" data-testid="reader-leave" aria-label=app.t(T::Leave) title=app.t(T::Leave) on:click=move |_| leave()><Icon shape=Shape::X /></button>
        </div>
    }
}
