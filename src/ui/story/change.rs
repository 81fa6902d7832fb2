//! The one way in which the page changes the record of a storyline: as its only writer, and not amid a turn, which writes
//! the record as it read it when it began.

use std::cell::Cell;

use leptos::{ev, prelude::*, task::spawn_local};

use crate::{
    locales::T,
    ports::{Clock, Tabs},
    store::Stored,
    story::{ids::StorylineId, storyline::Storyline},
    ui::{app::App, focus::finish_field, notices::NoticeKind},
    web::clock::BrowserClock,
};

thread_local! {
    /// Changes of the open storyline that are not stored yet.
    static UNSTORED: Cell<u32> = const { Cell::new(0) };
}

/// A page that is closed while a setting of a story is typed or on its way asks first.
pub fn ask_before_closing() {
    let asks = |event: web_sys::BeforeUnloadEvent| {
        finish_field();
        if UNSTORED.get() > 0 {
            event.prevent_default();
            // Older browsers ask only where this is set.
            event.set_return_value("unsaved");
        }
    };
    // As long as the page.
    let _ = window_event_listener(ev::beforeunload, asks);
}

/// Changes the open storyline in the store, and on the page; one change after the other.
pub fn change_story(app: App, change: impl FnOnce(&mut Storyline) + 'static) {
    let Some(id) = app.story.storyline.with_untracked(|storyline| storyline.as_ref().map(|s| s.id.clone())) else {
        return;
    };
    UNSTORED.set(UNSTORED.get() + 1);
    spawn_local(async move {
        change_story_of(app, &id, change).await;
        UNSTORED.set(UNSTORED.get() - 1);
    });
}

/// Changes a storyline, open or not, and shows it; false (and a notice) where it was not stored.
pub async fn change_story_of(app: App, id: &StorylineId, change: impl FnOnce(&mut Storyline)) -> bool {
    let is_stored = match write(app, id, change).await {
        Ok(is_stored) => is_stored,
        Err(error) => {
            app.notify_store(error);
            false
        }
    };
    if is_stored {
        app.browser().tabs.announce(id.as_str());
    }
    if app.story.is_open(id.as_str()) {
        app.story.reload(app).await;
    }
    app.refresh().await;
    is_stored
}

/// What is changed during a turn waits for its end. False where another tab writes the story, or it is gone.
async fn write(app: App, id: &StorylineId, change: impl FnOnce(&mut Storyline)) -> Stored<bool> {
    thread_local!(static WRITING: Cell<bool> = const { Cell::new(false) });
    let is_playing = || app.story.is_taken(id);
    let tabs = app.browser().tabs;
    let mut borrowed = false;
    let loaded: Stored<Option<Storyline>> = loop {
        while is_playing() || WRITING.get() {
            BrowserClock.sleep(50).await;
        }
        // The reader may have gone to another story while this one's turn came to its end.
        if !tabs.owns(id.as_str()) {
            borrowed = tabs.acquire(id.as_str()).await;
            if !borrowed {
                let is_here = app.story.is_open(id.as_str());
                app.notify(NoticeKind::Warning, if is_here { T::ReadOnly } else { T::PlayedElsewhere });
                return Ok(false);
            }
        }
        if is_playing() || WRITING.replace(true) {
            continue;
        }
        let loaded = app.store().load(id.as_str()).await;
        if !is_playing() {
            break loaded;
        }
        WRITING.set(false);
    };
    // Between the last look and the write nothing else runs.
    let written = match loaded {
        Ok(Some(mut storyline)) => {
            change(&mut storyline);
            app.store().save(&storyline).await.map(|()| true)
        }
        Ok(None) => Ok(false),
        Err(error) => Err(error),
    };
    WRITING.set(false);
    if borrowed && !app.story.is_open(id.as_str()) {
        tabs.release(id.as_str());
    }
    written
}
