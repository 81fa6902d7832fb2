//! Keys and a finger that do something in a story where nothing is typed, and the list of all keys.

use leptos::{ev, html, prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;

use super::{
    app::App,
    focus::is_composing,
    palette,
    search::{has_dialog, is_plain},
    state::{Editing, TurnView},
};
use crate::{
    desk::{
        commands::Command,
        shortcuts::{Deed, Whence, pressed, swiped},
    },
    locales::{T as Page, shortcuts::T},
    web::{selection::selected_within, window},
};

/// Listens while a story is open.
#[component]
pub fn Keys() -> impl IntoView {
    let app = App::here();
    let keys = window_event_listener(ev::keydown, move |event| {
        let is_meant = is_plain(&event) && !event.shift_key() && !event.repeat() && !event.default_prevented();
        let deed = whence(app, event.target()).filter(|_| is_meant).and_then(|whence| pressed(&event.key(), whence));
        if let Some(deed) = deed.filter(|_| !is_composing(&event) && may_act(app)) {
            event.prevent_default();
            act(app, deed);
        }
    });
    // Where the finger that is down began, in pixels of the view.
    let began = StoredValue::new(None::<(i32, i32)>);
    let down = window_event_listener(ev::pointerdown, move |event| {
        let is_finger = event.pointer_type() == "touch" && event.is_primary();
        let is_over = is_finger && is_over_last_reply(app, event.target());
        began.set_value(is_over.then(|| (event.client_x(), event.client_y())));
    });
    let up = window_event_listener(ev::pointerup, move |event| {
        let Some(from) = began.try_update_value(Option::take).flatten() else { return };
        let width = window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or_default();
        let swipe = swiped(from, (event.client_x(), event.client_y()), width as i32);
        if let Some(swipe) = swipe.filter(|_| may_act(app) && !is_choosing()) {
            act(app, Deed::Swipe(swipe));
        }
    });
    on_cleanup(move || {
        keys.remove();
        down.remove();
        up.remove();
    });
}

fn act(app: App, deed: Deed) {
    match deed {
        // Past the first reply nothing is said: the page shows what there is.
        Deed::Swipe(to) => spawn_local(async move { drop(palette::run(app, Command::Swipe(to)).await) }),
        Deed::Reword => {
            let (turns, end) = (app.story.turns.get_untracked(), app.story.path.with_untracked(|path| path.end));
            // What was said last is on the page where the story's end is.
            let is_whole = turns.last().is_some_and(|last| last.position + 1 == end);
            let says =
                |turn: &&TurnView| turn.node.with_untracked(|node| node.turn.user.is_some() && !node.turn.is_stage);
            if let Some(turn) = turns.iter().rev().find(says).filter(|_| is_whole) {
                turn.editing.set(Some(Editing::User));
            }
        }
    }
}

/// Not while one only reads, a turn is played, another tab writes, or something is asked.
fn may_act(app: App) -> bool {
    let story = app.story;
    let is_editing =
        || story.turns.with_untracked(|turns| turns.iter().any(|turn| turn.editing.with_untracked(Option::is_some)));
    untrack(|| {
        story.writer.get()
            && !story.reading.get()
            && !story.is_playing()
            && !story.is_open_taken()
            && !app.panels.has_sheet()
    }) && !has_dialog()
        && !is_editing()
}

/// `None` where the key belongs to what has the focus.
fn whence(app: App, target: Option<web_sys::EventTarget>) -> Option<Whence> {
    let element = target?.dyn_into::<web_sys::Element>().ok()?;
    let is_in = |what: &str| element.closest(what).ok().flatten().is_some();
    match element.id().as_str() {
        "composer-input" => app.story.composed.with_untracked(String::is_empty).then_some(Whence::Composer),
        _ if element.tag_name() == "BODY" => Some(Whence::Story),
        _ => (is_in("#story, #page") && !is_in(OWN)).then_some(Whence::Story),
    }
}

/// What has arrows of its own, or scrolls sideways.
const OWN: &str = "input, textarea, select, [contenteditable], [role=listbox], [role=menu], [role=tablist], [role=tree], pre, table, summary, .dock, .dock-notes";

fn is_over_last_reply(app: App, target: Option<web_sys::EventTarget>) -> bool {
    let Some(element) = target.and_then(|target| target.dyn_into::<web_sys::Element>().ok()) else { return false };
    let is_in = |what: &str| element.closest(what).ok().flatten().is_some();
    let last = app.story.path.with_untracked(|path| path.end.saturating_sub(1));
    is_in(&format!("[data-turn=\"{last}\"] .turn-body")) && !is_in(OWN)
}

/// A finger that chooses words goes sideways, too.
fn is_choosing() -> bool {
    let body = document().body();
    body.is_some_and(|body| selected_within(&body).is_some())
}

/// Keys that are pressed together, and what they do.
type Row = (&'static [&'static str], T);

const ROWS: &[(T, &[Row])] = &[
    (
        T::Writing,
        &[
            (&["Enter"], T::Send),
            (&["Shift", "Enter"], T::Line),
            (&["Enter"], T::GoOn),
            (&["↑"], T::Reword),
            (&["/"], T::Commands),
            (&["Ctrl", "Enter"], T::Save),
        ],
    ),
    (T::Reading, &[(&["←"], T::Previous), (&["→"], T::Next), (&["↑ ↓ ← →"], T::Walk)]),
    (
        T::Anywhere,
        &[(&["Esc"], T::GiveUp), (&["Ctrl", "K"], T::Search), (&["Alt", "↑ ↓"], T::Move), (&["?"], T::These)],
    ),
];

/// The list of all keys. It is there while it is open.
#[component]
pub fn Shortcuts() -> impl IntoView {
    let app = App::here();
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        if let Some(dialog) = dialog.get().filter(|dialog| !dialog.open()) {
            let _ = dialog.show_modal();
            // It is read from its beginning, and not from the button at its end.
            let _ = dialog.focus();
            dialog.set_scroll_top(0);
        }
    });
    let close = move || app.shortcuts.set(false);
    let row = move |(keys, does): &Row| {
        let keys: Vec<_> = keys.iter().map(|key| view! { <kbd>{*key}</kbd> }).collect();
        view! { <div><dt>{keys}</dt><dd>{app.t(*does)}</dd></div> }
    };
    let groups = ROWS.iter().map(|(title, rows)| {
        view! { <section><h3>{app.t(*title)}</h3><dl>{rows.iter().map(row).collect_view()}</dl></section> }
    });
    view! {
        <dialog class="import-dialog shortcuts" data-testid="shortcuts" aria-modal="true" aria-labelledby="shortcuts-title" tabindex="-1"
            node_ref=dialog on:close=move |_| close()>
            <h2 id="shortcuts-title">{app.t(T::Title)}</h2>
            {groups.collect_view()}
            <p class="field-note">{app.t(T::Finger)}</p>
            <div class="row">
                <button type="button" class="button" data-testid="shortcuts-close" on:click=move |_| close()>{app.t(Page::Close)}</button>
            </div>
        </dialog>
    }
}
