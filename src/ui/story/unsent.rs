//! What stands in the composer, kept while it is typed: a moment after each change, and at once where the page goes.

use leptos::{prelude::*, task::spawn_local};

use crate::ui::state::{Story, Typed};
use crate::{
    locales::keys::T as K,
    ports::{Clock, Tabs},
    story::ids::StorylineId,
    turn::unsent::{self, MOST, Unsent},
    ui::{app::App, state::NoticeKind},
    web::{clock::BrowserClock, storage},
};

/// Milliseconds after a change until it is kept, with all that came meanwhile.
const PAUSE: u32 = 400;

/// Keeps it at once, whatever becomes of the page, and gives it as it stands there.
fn leave(unsent: &Unsent) -> String {
    let left = serde_json::to_string(unsent).expect("texts alone");
    storage::leave(&unsent.id, &left);
    left
}

fn left(id: &StorylineId) -> Option<Unsent> {
    serde_json::from_str(&storage::left(&unsent::id(id))?).ok()
}

impl Story {
    /// As long as the composer stands.
    pub fn follow_composer(self, app: App) {
        Effect::new(move |before: Option<()>| {
            self.composed.track();
            self.whisper.track();
            if before.is_some() {
                self.keep_soon(app);
            }
        });
        // A page that is hidden may never be heard of again.
        let events = ["pagehide", "visibilitychange"];
        let listeners = events.map(|event| window_event_listener_untyped(event, move |_| self.keep_unsent(app)));
        on_cleanup(move || listeners.into_iter().for_each(WindowListenerHandle::remove));
    }

    fn keep_soon(self, app: App) {
        if self.unsent.waits.get_value() {
            return;
        }
        self.unsent.waits.set_value(true);
        spawn_local(async move {
            BrowserClock.sleep(PAUSE).await;
            self.unsent.waits.set_value(false);
            self.store_unsent(app).await;
        });
    }

    /// Keeps what stands in the composer, from now on whatever becomes of the page.
    pub fn keep_unsent(self, app: App) {
        spawn_local(self.store_unsent(app));
    }

    /// The same, and gives what waits until it is in the database.
    pub(super) fn store_unsent(self, app: App) -> impl Future<Output = ()> {
        let unsent = self.change_of_unsent(app).map(|unsent| (leave(&unsent), unsent));
        // What was not read is not written over.
        let unsent = unsent.filter(|_| self.unsent.unread.with_value(Option::is_none));
        async move {
            let Some((left, unsent)) = unsent else { return };
            match app.desk().keep_unsent(&unsent).await {
                // Newer words may stand there meanwhile.
                Ok(()) if storage::left(&unsent.id) == Some(left) => storage::forget_left(&unsent.id),
                Ok(()) => {}
                // Said once: it is tried again with each further change.
                Err(error) => {
                    if self.unsent.kept.try_update_value(Option::take).flatten().is_some() {
                        app.notify_store(error);
                    }
                }
            }
        }
    }

    /// What is not kept yet, and counts as kept from now on. Only the tab that writes the story has a say.
    fn change_of_unsent(self, app: App) -> Option<Unsent> {
        let Typed { kept, kept_whisper, is_sent, .. } = self.unsent;
        let id = self.id().filter(|id| app.browser().tabs.owns(id.as_str()))?;
        let (now, whisper) = (self.composed.get_untracked(), self.whisper.get_untracked());
        // Without words there is nobody to keep.
        let is_same = kept.with_value(|kept| kept.as_ref() == Some(&now))
            && (now.trim().is_empty() || kept_whisper.get_value() == whisper);
        if is_sent.get_value() || is_same {
            return None;
        }
        let is_too_long = |text: &str| text.len() > MOST && text.chars().nth(MOST).is_some();
        if is_too_long(&now) && !kept.with_value(|kept| kept.as_deref().is_some_and(is_too_long)) {
            app.notify(NoticeKind::Warning, K::UnsentTooLong.with(&[&MOST.to_string()]));
        }
        let suggested = self.suggested.with_value(|last| *last == now);
        kept.set_value(Some(now.clone()));
        kept_whisper.set_value(whisper.clone());
        let before = self.unsent.unread.get_value();
        let added = before.as_ref().is_some_and(|left| left.as_ref().is_none_or(|left| left.added));
        let text = before.flatten().map_or_else(String::new, |left| left.text) + &now;
        Some(Unsent { suggested, whisper, added, ..Unsent::new(&id, text, BrowserClock.now()) })
    }

    /// Puts what is kept into the composer.
    pub(super) fn stands(self, unsent: Unsent) {
        let Unsent { text, suggested, whisper, .. } = unsent;
        self.unsent.kept.set_value(Some(text.clone()));
        self.unsent.kept_whisper.set_value(whisper.clone());
        if !whisper.is_empty() {
            self.whisper.set(whisper);
        }
        self.unsent.is_sent.set_value(false);
        self.suggested.set_value(if suggested { text.clone() } else { String::new() });
        self.composed.set(text);
    }

    /// The same for a story that has just opened. It does not wait for it, for settings may still be on their way to the
    /// disk. What a status bar has put there meanwhile gives way; what was typed is added.
    pub(super) fn fetch_unsent(self, app: App, id: StorylineId) -> impl Future<Output = ()> {
        let version = self.version.get_value();
        let left = left(&id);
        self.unsent.unread.set_value(Some(left.clone()));
        async move {
            match app.desk().unsent(&id, left).await {
                // Whoever has left the story and come back asks anew: what is kept is added once.
                Ok(unsent) if self.version.get_value() == version => {
                    self.unsent.unread.set_value(None);
                    self.stands_with_what_came(unsent);
                    self.keep_left(app, &id);
                }
                Ok(_) => {}
                Err(error) => app.notify_store(error),
            }
        }
    }

    /// What a page has left is stored by whoever writes the story now.
    fn keep_left(self, app: App, id: &StorylineId) {
        if storage::left(&unsent::id(id)).is_some() && app.browser().tabs.owns(id.as_str()) {
            self.unsent.kept.set_value(None);
            self.keep_soon(app);
        }
    }

    fn stands_with_what_came(self, unsent: Unsent) {
        let (kept, typed) = (unsent.text.clone(), self.composed.get_untracked());
        let is_typed = typed != kept && self.suggested.with_value(|last| *last != typed);
        let is_sent = self.unsent.is_sent.get_value();
        self.stands(unsent);
        if is_typed {
            self.suggested.set_value(String::new());
            self.unsent.is_sent.set_value(is_sent);
            // What is on its way leaves from the front.
            self.composed.set(if is_sent { typed + &kept } else { kept + &typed });
        }
    }

    /// The same for a story whose writer this tab has just become: the words are what the tab before has left.
    pub(super) async fn read_unsent(self, app: App, id: &StorylineId) {
        match app.desk().unsent(id, left(id)).await {
            // Whoever writes already may have typed.
            Ok(unsent) if self.is_open(id.as_str()) && !self.writer.get_untracked() => {
                self.unsent.unread.set_value(None);
                self.stands(unsent);
                self.keep_left(app, id);
            }
            Ok(_) => {}
            Err(error) => app.notify_store(error),
        }
    }

    /// The words are on their way to become a turn; until they are one, they are left where no end of the page reaches.
    pub(super) fn send_unsent(self, app: App) {
        if let Some(unsent) = self.change_of_unsent(app) {
            leave(&unsent);
            self.unsent.kept.set_value(None);
        }
        self.unsent.is_sent.set_value(true);
    }

    /// They are one: what is kept has gone with that.
    pub(super) fn unsent_is_said(self, id: &StorylineId) {
        storage::forget_left(&unsent::id(id));
        self.unsent.kept.set_value(Some(String::new()));
        self.unsent.kept_whisper.set_value(Vec::new());
        self.unsent.is_sent.set_value(false);
    }

    /// They did not become one.
    pub(super) fn unsent_stays(self, app: App) {
        self.unsent.is_sent.set_value(false);
        self.keep_soon(app);
    }
}
