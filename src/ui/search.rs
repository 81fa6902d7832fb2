//! The search over everything said (G6): all stories, all branches, as one types.

use leptos::{ev, html, prelude::*, task::spawn_local};

use super::{
    about,
    app::App,
    focus::focus,
    latest::Latest,
    memory::{
        faults_words, kind_word,
        marks::{Snippet, stretches},
        say,
    },
    route::Route,
    state::Place,
};
use crate::{
    locales::{
        fill,
        memory::{T as M, turn_words},
    },
    ports::{
        Clock,
        recall::{Hit, Request, Source},
    },
    web::{clock::BrowserClock, window},
};

/// Milliseconds without typing before the memory is asked.
const PAUSE: u32 = 80;
const HITS: u32 = 60;
/// An answer that takes longer is waited for with a word on why.
const LONG: u32 = 600;

/// What an answer was for, and what it was.
#[derive(Clone, Default, PartialEq)]
struct Answered {
    text: String,
    hits: Vec<Hit>,
}

/// `words` are looked for at once; those that follow stand in the address, so that one comes back to them.
#[component]
pub fn Search(words: String) -> impl IntoView {
    let app = App::here();
    let text = RwSignal::new(words);
    let answered = RwSignal::new(None::<Answered>);
    let fault = RwSignal::new(None::<String>);
    let waits = RwSignal::new(false);
    // It asks with each letter.
    let latest = Latest::new();
    let has_searched = StoredValue::new(false);
    // Enter was pressed before the answer to these words was there.
    let wants_first = StoredValue::new(false);
    let ask = move |words: String| {
        let asked = latest.ask();
        waits.set(false);
        fault.set(None);
        wants_first.set_value(false);
        if words.trim().is_empty() {
            return answered.set(None);
        }
        spawn_local(async move {
            BrowserClock.sleep(LONG).await;
            if asked.is_last()
                && answered.with_untracked(|answered| answered.as_ref().is_none_or(|a| a.text != words_of(text)))
            {
                waits.set(fault.with_untracked(Option::is_none));
            }
        });
        spawn_local(async move {
            BrowserClock.sleep(PAUSE).await;
            if !asked.is_last() {
                return;
            }
            let request = Request::LookUp { text: words.trim().to_owned(), memories_of: None, limit: HITS };
            let outcome = app.browser().ports.recall.hits(request).await;
            if !asked.is_last() {
                return;
            }
            has_searched.set_value(true);
            waits.set(false);
            match outcome {
                Ok(hits) => {
                    answered.set(Some(Answered { text: words.trim().to_owned(), hits }));
                    if wants_first.get_value() {
                        BrowserClock.frame().await;
                        open_first();
                    }
                }
                Err(found) => fault.set(Some(faults_words(&found, app.language.get_untracked()))),
            }
        });
    };
    ask(text.get_untracked());
    let enter =
        move || match answered.with_untracked(|answered| answered.as_ref().map(|answered| answered.text.clone())) {
            Some(answered) if answered == words_of(text) => open_first(),
            _ => wants_first.set_value(true),
        };
    let input = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            let _ = input.focus();
        }
    });
    let said = move || {
        if waits.get() {
            return say(app, if has_searched.get_value() { M::Searching } else { M::Indexing })().to_owned();
        }
        answered.with(|answered| match answered {
            Some(Answered { text, hits }) if hits.is_empty() => fill(say(app, M::SearchNothing)(), &[text]),
            Some(Answered { hits, .. }) if hits.len() == HITS as usize => {
                fill(say(app, M::FoundMore)(), &[&HITS.to_string()])
            }
            Some(Answered { hits, .. }) => fill(say(app, M::Found)(), &[&hits.len().to_string()]),
            None if app.storylines.with(Vec::is_empty) => say(app, M::SearchEmpty)().to_owned(),
            None => say(app, M::SearchHint)().to_owned(),
        })
    };
    let hits =
        move || answered.with(|answered| answered.as_ref().map(|answered| answered.hits.clone()).unwrap_or_default());
    view! {
        <section class="sheet-page search-page">
            <h1>{say(app, M::SearchTitle)}</h1>
            <form class="field" role="search" on:submit=move |event| { event.prevent_default(); enter() }>
                <input type="search" id="search-input" data-testid="search-input" dir="auto" node_ref=input autocomplete="off" spellcheck="false"
                    aria-label=say(app, M::SearchTitle) placeholder=say(app, M::SearchPlaceholder)
                    prop:value=move || text.get()
                    on:input=move |event| {
                        let words = event_target_value(&event);
                        Route::Search(words.clone()).note();
                        text.set(words.clone());
                        ask(words);
                    }
                    on:keydown=move |event| if event.key() == "ArrowDown" { event.prevent_default(); step(1) } />
            </form>
            <p class="search-said" role="status" data-testid="search-status">{said}</p>
            {move || fault.get().map(|text| view! { <p class="place-fault" role="alert" data-testid="search-error">{text}</p> })}
            <ol class="search-hits" on:keydown=move |event: ev::KeyboardEvent| match event.key().as_str() {
                "ArrowDown" => { event.prevent_default(); step(1) }
                "ArrowUp" => { event.prevent_default(); step(-1) }
                _ => {}
            }>
                <For each=hits key=|hit| (hit.storyline.clone(), hit.source.clone(), hit.words.clone()) let:hit>
                    <Result hit />
                </For>
            </ol>
        </section>
    }
}

fn words_of(text: RwSignal<String>) -> String {
    text.try_get_untracked().unwrap_or_default().trim().to_owned()
}

#[component]
fn Result(hit: Hit) -> impl IntoView {
    let app = App::here();
    let Hit { storyline, source, kind, turn, position, text, detail, said, words, .. } = hit;
    // What was looked for may stand in the detail of a memory alone.
    let is_in_detail = stretches(&text, &words).is_empty() && !detail.trim().is_empty();
    let text = if is_in_detail { format!("{text} — {detail}") } else { text };
    let title = {
        let id = storyline.clone();
        Memo::new(move |_| {
            let list = app.storylines.get();
            list.into_iter().find(|known| known.id == id).map(|known| known.title).unwrap_or_default()
        })
    };
    let who = match (&source, kind) {
        (_, Some(kind)) => kind_word(kind),
        (Source::User(_), None) => M::SaidByReader,
        (Source::Reply(_) | Source::Memory(_), None) => M::SaidInReply,
    };
    let reply = match source {
        Source::Reply(id) => Some(id),
        Source::User(_) | Source::Memory(_) => None,
    };
    let href = Route::Story(storyline.clone()).hash();
    let place = StoredValue::new(Place { storyline, turn, reply, position });
    view! {
        <li>
            <a class="search-hit" data-testid="search-hit" href=href on:click=move |_| app.story.wanted.set_value(Some(place.get_value()))>
                <span class="search-place">
                    <b dir="auto">{move || title.get()}</b>
                    <span>{move || turn_words(position, app.language.get())}</span>
                    <span>{say(app, who)}</span>
                    <span>{move || about::date(said, app.language.get())}</span>
                </span>
                <span class="search-text"><Snippet text words /></span>
            </a>
        </li>
    }
}

fn links() -> Vec<web_sys::HtmlElement> {
    use wasm_bindgen::JsCast;
    let document = window().document().expect("a page has a document");
    let found = document.get_elements_by_class_name("search-hit");
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}

fn open_first() {
    if let Some(link) = links().first() {
        link.click();
    }
}

/// Moves the focus along the hits; before the first is the box.
fn step(by: isize) {
    let links = links();
    let active = window().document().and_then(|document| document.active_element());
    let at = active.and_then(|active| links.iter().position(|link| **link == active));
    let next = at.map_or(0, |at| at as isize + by);
    match usize::try_from(next) {
        Ok(next) => drop(links.get(next).map(|link| link.focus())),
        Err(_) => focus_box(),
    }
}

fn focus_box() {
    focus("search-input");
}

/// Ctrl+K (⌘K) from anywhere, and `/` outside of fields, lead to the search; `?` there to the list of keys. Called once, in
/// the shell.
pub fn listen(app: App) {
    let listener = window_event_listener(ev::keydown, move |event| {
        let chord = (event.ctrl_key() || event.meta_key()) && !event.alt_key() && event.key().eq_ignore_ascii_case("k");
        let is_alone = |key: &str| event.key() == key && is_plain(&event) && !is_typing();
        let (slash, mark) = (is_alone("/"), is_alone("?"));
        if !(chord || slash || mark) || event.default_prevented() || has_dialog() {
            return;
        }
        event.prevent_default();
        if mark {
            app.show_shortcuts();
        } else {
            if !matches!(Route::current(), Route::Search(_)) {
                app.go(Route::Search(String::new()));
            }
            focus_box();
        }
    });
    on_cleanup(move || listener.remove());
}

fn is_typing() -> bool {
    let active = window().document().and_then(|document| document.active_element());
    active.is_some_and(|active| active.matches("input, textarea, select, [contenteditable]").unwrap_or(false))
}

/// Whether a key is pressed without another but Shift.
pub fn is_plain(event: &ev::KeyboardEvent) -> bool {
    !event.ctrl_key() && !event.meta_key() && !event.alt_key()
}

pub fn has_dialog() -> bool {
    let document = window().document().expect("a page has a document");
    document.query_selector("dialog[open]").ok().flatten().is_some()
}
