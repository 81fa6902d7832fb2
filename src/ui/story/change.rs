//! Changes of a storyline's record, as the page sees them.

use std::cell::RefCell;

use futures_util::lock::OwnedMutexGuard;
use leptos::{ev, prelude::*, task::spawn_local};

use crate::{
    desk::{Changed, Stored, Writer},
    locales::T,
    ports::Clock,
    story::{ids::StorylineId, preset::Preset, storyline::Storyline},
    ui::{app::App, focus::finish_field, state::NoticeKind},
    web::clock::BrowserClock,
};

/// Another tab that was just told of a story has it for a moment, to see what it is to do with it: so often it is asked
/// again, after so many milliseconds.
const LOOKS: u32 = 6;
const LOOK: u32 = 50;
/// Milliseconds after which is looked again whether all changes are stored.
const STORED_AGAIN: u32 = 10;

thread_local! {
    /// The stories of changes that are not stored yet.
    static UNSTORED: RefCell<Vec<StorylineId>> = const { RefCell::new(Vec::new()) };
}

/// A page that is closed while a setting of a story is typed or on its way asks first.
pub fn ask_before_closing() {
    let asks = |event: web_sys::BeforeUnloadEvent| {
        finish_field();
        if UNSTORED.with_borrow(|unstored| !unstored.is_empty()) {
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
    UNSTORED.with_borrow_mut(|unstored| unstored.push(id.clone()));
    spawn_local(async move {
        change_story_of(app, &id, change).await;
        UNSTORED.with_borrow_mut(|unstored| {
            let stored = unstored.iter().position(|changed| *changed == id);
            stored.map(|at| unstored.swap_remove(at))
        });
    });
}

/// Waits until what was changed in a story is stored.
pub async fn changes_stored(id: &StorylineId) {
    while UNSTORED.with_borrow(|unstored| unstored.contains(id)) {
        BrowserClock.sleep(STORED_AGAIN).await;
    }
}

/// The same of what the preset has its say in.
pub fn change_played(app: App, change: impl FnOnce(&mut Storyline, &Preset) + 'static) {
    // This story's: by the time it is written another may be open.
    let preset = app.story.preset.get_untracked();
    change_story(app, move |story| change(story, &preset));
}

/// This tab and a storyline.
struct Here<'a> {
    app: App,
    id: &'a StorylineId,
}

impl Writer for Here<'_> {
    fn is_playing(&self) -> bool {
        self.app.story.is_busy(self.id)
    }

    fn stays(&self) -> bool {
        self.app.story.is_open(self.id.as_str()) || self.app.story.is_opening(self.id.as_str())
    }

    async fn acquire(&self) -> bool {
        let tabs = &self.app.browser().tabs;
        for _ in 0..LOOKS {
            if tabs.acquire(self.id.as_str()).await {
                return true;
            }
            BrowserClock.sleep(LOOK).await;
        }
        false
    }

    fn release(&self) {
        self.app.story.rest(self.app, self.id);
    }

    type Alone = OwnedMutexGuard<()>;

    async fn alone(&self) -> Self::Alone {
        self.app.browser().recent.settling.clone().lock_owned().await
    }
}

/// Changes a storyline, open or not, and shows it; false (and a notice) where it was not stored.
pub async fn change_story_of(app: App, id: &StorylineId, change: impl FnOnce(&mut Storyline)) -> bool {
    let changed = changed(app, id, change).await;
    match &changed {
        Ok(Changed::Stored | Changed::Gone) => {}
        Ok(Changed::Elsewhere) => app.notify(NoticeKind::Warning, elsewhere(app, id)),
        Err(error) => app.notify_store(error.clone()),
    }
    changed == Ok(Changed::Stored)
}

/// The same; that it was not stored is for the caller to say.
pub async fn changed(app: App, id: &StorylineId, change: impl FnOnce(&mut Storyline)) -> Stored<Changed> {
    let mut is_gone = false;
    let changing = |story: &mut Storyline| {
        change(story);
        is_gone = story.deleted.is_some();
    };
    let changed = app.desk().change_storyline(id, &Here { app, id }, changing).await;
    // Who puts it into the bin here goes elsewhere.
    if !is_gone {
        app.story.follow(app, id).await;
    }
    app.refresh().await;
    changed
}

/// What is said of a story that another tab plays.
pub fn elsewhere(app: App, id: &StorylineId) -> T {
    if app.story.is_open(id.as_str()) { T::ReadOnly } else { T::PlayedElsewhere }
}
