//! A story without its machinery: its title and its text, and nothing that could be done to it.

use leptos::{ev, prelude::*, task::spawn_local};

use super::{
    aloud,
    app::App,
    chat::place,
    focus::focus,
    icons::{Icon, Shape},
};
use crate::{
    locales::aloud::T,
    web::{clock::BrowserClock, voice},
};

/// Puts the machinery away, or takes it out again. What is being looked at stays where it is.
pub async fn read(app: App, on: bool) {
    if app.story.reading.get_untracked() == on {
        return;
    }
    let before = place::first_seen();
    app.panels.put_sheets_away();
    app.story.reading.set(on);
    // At once: a frame later somebody may be typing already.
    focus("story");
    BrowserClock.frame().await;
    if let Some((position, offset)) = before
        && let (Some(scroller), Some(now)) = (place::scroller(), place::offset_of(position))
    {
        scroller.set_scroll_top(scroller.scroll_top() + (now - offset).round() as i32);
    }
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
        let from = place::first_seen().map_or(0, |(position, _)| position);
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
