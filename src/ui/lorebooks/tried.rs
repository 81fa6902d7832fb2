//! A text to try the book on: which entries it would bring up, and why.

use leptos::{prelude::*, task::spawn_local};

use super::{book::Book, words::say};
use crate::{
    desk::lorebooks::Draft,
    features::lore::{tell::Reason, tried::tried},
    locales::{lore, lorebooks::T as L},
    ports::Clock,
    ui::{app::App, fields::TextArea, latest::Latest},
    web::clock::BrowserClock,
};

/// Milliseconds without typing before it is tried.
const PAUSE: u32 = 250;

#[component]
pub fn Tried(book: Book) -> impl IntoView {
    let app = App::here();
    let text = RwSignal::new(String::new());
    let found = RwSignal::new(None::<Vec<Reason>>);
    let latest = Latest::new();
    Effect::new(move |_| {
        // What is changed in the book is tried, too.
        book.with(|_| ());
        let words = text.get();
        let asked = latest.ask();
        spawn_local(async move {
            BrowserClock.sleep(PAUSE).await;
            if !asked.is_last() {
                return;
            }
            let woken = (!words.trim().is_empty()).then(|| tried(book.with_untracked(Draft::whole), &words));
            found.try_set(woken);
        });
    });
    let lines = move || {
        let language = app.language.get();
        let line = move |reason: &Reason| view! { <li data-testid="lorebook-woken">{lore::one(reason, language)}</li> };
        found.with(|found| found.as_ref().map(|found| found.iter().map(line).collect_view()))
    };
    let nothing = move || found.with(|found| found.as_ref().is_some_and(Vec::is_empty));
    view! {
        <details class="field-group" data-testid="lorebook-try">
            <summary>{say(app, L::Try)}</summary>
            <div class="form">
                <TextArea label=Signal::derive(say(app, L::TryText)) value=text testid="lorebook-try-text" rows=3 hint=Signal::derive(say(app, L::TryHint)) />
                <div role="status">
                    <ul class="lore-woken">{lines}</ul>
                    <Show when=nothing><p class="field-note">{say(app, L::TryNothing)}</p></Show>
                </div>
            </div>
        </details>
    }
}
