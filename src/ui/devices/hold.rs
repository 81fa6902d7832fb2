//! A storyline while what other devices told of it is taken in.

use futures_util::lock::OwnedMutexGuard;

use crate::{
    ports,
    story::ids::StorylineId,
    sync::MayWrite,
    ui::{app::App, state::Story},
    web::archive,
};

/// Stories that are taken in, one at a time: not while a turn is played, nor where another tab writes.
pub struct Holding {
    app: App,
    held: Option<Held>,
    /// A turn was being played in one of them: what has come for it waits for the turn's end.
    pub waits: bool,
}

struct Held {
    id: StorylineId,
    /// What is changed by hand meanwhile waits.
    _alone: OwnedMutexGuard<()>,
}

impl Holding {
    pub fn new(app: App) -> Self {
        Self { app, held: None, waits: false }
    }

    fn is_taken(&mut self, id: &StorylineId) -> bool {
        let is_taken = self.app.story.is_taken(id);
        self.waits |= is_taken;
        is_taken
    }

    pub fn free(&mut self) {
        Story::hold(None);
        // Also what was this tab's before: whoever would have let go of it meanwhile found it held.
        if let Some(Held { id, .. }) = self.held.take() {
            self.app.story.rest(self.app, &id);
        }
    }
}

impl MayWrite for Holding {
    fn asked<'a>(&'a mut self, story: &'a str) -> ports::Future<'a, bool> {
        Box::pin(async move {
            self.free();
            let id = StorylineId::from(story);
            let browser = self.app.browser();
            // Half of an import is nobody's: what is heard of its stories waits.
            if archive::is_under_way(&browser).await {
                return false;
            }
            let borrowed = !ports::Tabs::owns(&*browser.tabs, story);
            if self.is_taken(&id) || borrowed && !browser.tabs.acquire(story).await {
                return false;
            }
            let alone = browser.recent.settling.clone().lock_owned().await;
            self.held = Some(Held { id: id.clone(), _alone: alone });
            // Meanwhile a turn may have begun, or the story may be another tab's.
            if self.is_taken(&id) || !ports::Tabs::owns(&*browser.tabs, story) {
                self.free();
                return false;
            }
            Story::hold(Some(id));
            true
        })
    }

    fn done(&mut self) {
        self.free();
    }
}
