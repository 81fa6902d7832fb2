//! Start-up: open the database, read what is needed, show the page.

use std::{cell::Cell, rc::Rc};

use leptos::{mount::mount_to_body, prelude::*, task::spawn_local};

use super::{
    app::App,
    chunks::Rest,
    route::{self, Route},
    shell::Shell,
    state::NoticeKind,
    story::ask_before_closing,
};
use crate::{
    desk::{Desk, Start, StoreError, Stored, tools},
    locales::{T, faults, fill},
    ports::Clock,
    story::{
        settings::{Connections, Preferences},
        storyline::Language,
    },
    turn::{aside::Read, circle},
    web::{
        Browser, archive,
        clock::BrowserClock,
        idb::{self, OpenError, migrate::STEPS},
        policy, storage,
        tabs::Heard,
        vault, window,
    },
};

/// Milliseconds for which other tabs have changed nothing.
const QUIET: u32 = 1_500;

thread_local! {
    /// How often another tab told of a change.
    static HEARD: Cell<u32> = const { Cell::new(0) };
}

/// Opens the store and mounts the page; or says why it cannot.
pub async fn start(rest: Rest) {
    // Before anything else: nothing shall find it there.
    let handed = vault::take_handed();
    policy::watch();
    let language = page_language();
    let blocked = move || boot_message(T::DatabaseBlocked.text(language));
    let page = Rc::new(Cell::new(None::<App>));
    let outdated = {
        let page = page.clone();
        move |close: idb::Close| {
            let is_at_work = move |app: App| untrack(|| app.story.plays_any()) || archive::is_mine(&app.browser());
            let let_go = move || {
                close();
                boot_message(T::DatabaseOutdated.text(page_language()));
            };
            match page.get().filter(|app| is_at_work(*app)) {
                None => let_go(),
                // A reply that comes is stored to its end: the newer version waits so long.
                Some(app) => spawn_local(async move {
                    while is_at_work(app) {
                        BrowserClock.sleep(QUIET).await;
                    }
                    let_go();
                }),
            }
        }
    };
    let store = match idb::open("fabula", STEPS, blocked, outdated).await {
        Ok(store) => Rc::new(store),
        Err(OpenError::Newer) => return boot_message(T::DatabaseNewer.text(language)),
        Err(OpenError::Failed(error)) => {
            return boot_message(&fill(T::DatabaseFailed.text(language), &[&faults::of_store(&error, language)]));
        }
    };
    let browser = Browser::new(store);
    let desk = Desk::new(browser.ports.clone());
    let receives = async {
        if let Some(handed) = handed {
            browser.vault.receive(handed).await;
        }
    };
    let (Start { preferences, connections, config, has_stories }, ()) = futures_util::join!(desk.start(), receives);
    let mut unread = Unread::default();
    let preferences = unread.take(T::Appearance, preferences);
    let connections = unread.take(T::Connections, connections);
    unread.take(T::PromptLimits, config);
    // Whoever deleted all stories has preferences left; a browser that wipes leaves nothing.
    let wiped = has_stories == Ok(false) && preferences.is_none() && storage::is_marked();
    let preferences = preferences.unwrap_or_default();
    let connections = connections.unwrap_or_default();

    mount_to_body(move || {
        let app = App::new(browser, preferences, connections, route::follow(), rest);
        page.set(Some(app));
        provide_context(app);
        ask_before_closing();
        spawn_local(async move {
            if wiped {
                app.notify(NoticeKind::Warning, T::WipedBody);
            }
            unread.tell(app);
        });
        app.browser().tabs.listen(move |heard| hear(app, heard));
        // A page that slept may not have been told.
        window_event_listener(leptos::ev::visibilitychange, move |_| {
            spawn_local(app.follow_settings());
            if let Some(id) = app.story.id().filter(|_| !app.story.writer.get_untracked()) {
                hear(app, Heard::Changed(id.0.clone()));
                hear(app, Heard::Freed(id.0));
            }
        });
        view! { <Ready app /> }
    });
}

/// Settings that could not be read.
#[derive(Default)]
struct Unread {
    /// What of the settings, and under which name it was put aside.
    aside: Vec<(T, String)>,
    /// Those that could not even be put aside: they stay as they are, and nothing is written over them.
    failed: Vec<StoreError>,
}

impl Unread {
    fn take<R>(&mut self, what: T, read: Stored<Read<R>>) -> Option<R> {
        match read {
            Ok(Read { record, aside }) => {
                self.aside.extend(aside.map(|name| (what, name)));
                record
            }
            Err(error) => {
                self.failed.push(error);
                None
            }
        }
    }

    fn tell(self, app: App) {
        for (what, name) in self.aside {
            app.notify(NoticeKind::Warning, move |language| {
                fill(T::SettingsAside.text(language), &[what.text(language), &name])
            });
        }
        for error in self.failed {
            app.notify_store(error);
        }
    }
}

/// The page, once the libraries are there.
#[component]
fn Ready(app: App) -> impl IntoView {
    let loaded = RwSignal::new(false);
    spawn_local(async move {
        recover_import(app).await;
        app.refresh().await;
        // Before a story opens and takes its lock for itself.
        close_what_was_left_open(app).await;
        loaded.set(true);
        first_page_is_there(app).await;
        // What was read is on the page a frame later.
        BrowserClock.frame().await;
        ready();
        fetch_the_rest(app).await;
    });
    view! { <Show when=move || loaded.get()><Shell /></Show> }
}

/// Milliseconds after the page can be used until what it may need next is fetched.
const IDLE: u32 = 3_000;

/// What has not been asked for yet comes when the page has been quiet for a while, so that nothing is waited for, and the
/// page works on where the network goes; what a story needs comes before, for whoever has stories is about to open one.
async fn fetch_the_rest(app: App) {
    if app.chunks.story.is_away() && app.storylines.with_untracked(|storylines| !storylines.is_empty()) {
        app.chunks.story.get().await;
    }
    BrowserClock.sleep(IDLE).await;
    let has_story = app.chunks.story.get().await.is_some() && app.chunks.aside.get().await.is_some();
    if let Some(desk) = app.chunks.desk.get().await {
        if has_story {
            note("data-whole");
        }
        (desk.look_after)(app).await;
    }
}

/// An import that was cut off is seen to before anything is shown.
async fn recover_import(app: App) {
    if app.desk().has_open_import().await
        && let Some(desk) = app.chunks.desk.get().await
    {
        (desk.recover_import)(app).await;
    }
}

/// Where the first page is a story, it can be used once that story is read; one that is not there counts as read, as does
/// one whose page did not come. Every other page can be used once it has come.
async fn first_page_is_there(app: App) {
    let shows_story = match app.route.get_untracked() {
        Route::Story(_) => true,
        Route::Home => app.storylines.with_untracked(|list| !list.is_empty()),
        _ => {
            app.chunks.desk.get().await;
            false
        }
    };
    if shows_story && app.chunks.story.get().await.is_none() {
        return;
    }
    let story = app.story;
    let route = app.route.get_untracked();
    let waits = || story.storyline.with_untracked(Option::is_none) && !story.missing.get_untracked();
    // A reader who goes elsewhere meanwhile waits for nothing.
    while shows_story && waits() && app.route.get_untracked() == route {
        BrowserClock.sleep(5).await;
    }
}

/// The page can be used.
fn ready() {
    let document = window().document().expect("a page has a document");
    if let Some(boot) = document.get_element_by_id("boot") {
        boot.remove();
    }
    note("data-ready");
}

/// The language of the page as it is shown: the reader's own, which the first frame puts on and the program keeps.
fn page_language() -> Language {
    let root = window().document().and_then(|document| document.document_element());
    let tag = root.and_then(|root| root.get_attribute("lang")).unwrap_or_default();
    if tag.starts_with("zh") { Language::Zh } else { Language::En }
}

fn note(what: &str) {
    let document = window().document();
    if let Some(root) = document.and_then(|document| document.document_element()) {
        let _ = root.set_attribute(what, "1");
    }
}

/// After a panic nothing of the page works any more: says so, with a way on. What was shown has been stored.
pub fn say_that_it_broke() {
    say_that_it_ended(T::Broken.text(page_language()));
}

/// The page goes on no more: says why over whatever is shown, with a way on.
fn say_that_it_ended(why: &str) {
    let Some(document) = window().document() else { return };
    let (Ok(place), Ok(text), Ok(link)) =
        (document.create_element("div"), document.create_element("p"), document.create_element("a"))
    else {
        return;
    };
    place.set_class_name("broken");
    let _ = place.set_attribute("role", "alert");
    text.set_text_content(Some(why));
    link.set_class_name("button primary");
    link.set_text_content(Some(T::Reload.text(page_language())));
    // An empty address is this page's own.
    let _ = link.set_attribute("href", "");
    let _ = place.append_child(&text);
    let _ = place.append_child(&link);
    if let Some(body) = document.body() {
        let _ = body.append_child(&place);
    }
}

/// Says on the boot screen why there is no page; where that is gone, why the page goes on no more.
fn boot_message(text: &str) {
    let document = window().document().expect("a page has a document");
    let Some(place) = document.get_element_by_id("boot") else { return say_that_it_ended(text) };
    let Ok(message) = document.create_element("p") else { return };
    message.set_class_name("boot-text");
    let _ = message.set_attribute("role", "alert");
    message.set_text_content(Some(text));
    let _ = place.append_child(&message);
}

/// A5: what an ended tab left open. There is rarely any.
async fn close_what_was_left_open(app: App) {
    if app.desk().has_open_reply().await
        && let Some(story) = app.chunks.story.get().await
    {
        (story.close_left_open)(app).await;
    }
}

fn hear(app: App, heard: Heard) {
    match &heard {
        Heard::Changed(id) if [Preferences::ID, Connections::ID].contains(&id.as_str()) => {
            return spawn_local(app.follow_settings());
        }
        Heard::Changed(id) if [tools::CHANGED, circle::CHANGED].contains(&id.as_str()) => {
            app.browser().recent.forget();
            return app.shared_elsewhere.update(|times| *times = times.wrapping_add(1));
        }
        Heard::Changed(_) => {
            app.browser().recent.forget();
            spawn_local(read_lists_again(app));
        }
        Heard::Lost(_) => app.browser().recent.forget(),
        Heard::Freed(_) | Heard::Release(_) => {}
    }
    match (app.chunks.story.here(), heard) {
        (Some(story), heard) => (story.hear)(app, heard),
        // No turn is being played here.
        (None, Heard::Release(id)) => app.browser().tabs.release(&id),
        (None, _) => {}
    }
}

/// Reads the libraries once the other tabs have been quiet for a while: a reply that comes there is told of piece by piece.
async fn read_lists_again(app: App) {
    let mine = HEARD.get() + 1;
    HEARD.set(mine);
    BrowserClock.sleep(QUIET).await;
    if HEARD.get() == mine {
        app.refresh().await;
    }
}
