//! What other tabs say of the open story, and what ended ones left behind.

use std::cell::Cell;

use leptos::{prelude::*, task::spawn_local};

use crate::ui::state::Story;
use crate::{
    ports::{Clock, Tabs},
    story::generation::Generation,
    turn::recover,
    ui::app::App,
    web::{clock::BrowserClock, tabs::Heard},
};

/// Milliseconds.
const QUIET: u32 = 1_500;

thread_local! {
    /// How often another tab told of a change.
    static HEARD: Cell<u32> = const { Cell::new(0) };
}

impl Story {
    pub fn hear(self, app: App, heard: Heard) {
        match heard {
            Heard::Changed(id) => {
                if self.is_open(&id) {
                    self.changed_elsewhere(app);
                }
                spawn_local(async move {
                    self.follow_preset(app, &id).await;
                    read_lists_again(app).await;
                });
            }
            Heard::Freed(id) => {
                if self.is_open(&id) && !self.writer.get_untracked() {
                    spawn_local(self.claim(app));
                }
            }
            Heard::Release(id) => {
                let browser = app.browser();
                if !browser.tabs.owns(&id) {
                    return;
                }
                spawn_local(async move {
                    self.let_go(app, &id).await;
                    browser.tabs.release(&id);
                });
            }
            Heard::Lost(id) => {
                if self.is_open(&id) {
                    self.writer.set(false);
                    self.changed_elsewhere(app);
                }
            }
        }
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

/// A5: closes what ended tabs left open, in every story that no other tab is writing.
pub async fn close_left_open(app: App) {
    let browser = app.browser();
    let Ok(open) = recover::unfinished(&browser.ports).await else { return };
    let mut stories = Vec::new();
    for Generation { storyline, .. } in open {
        if !stories.contains(&storyline) {
            stories.push(storyline);
        }
    }
    for id in stories {
        if browser.tabs.acquire(id.as_str()).await {
            if let Err(error) = recover::close_unfinished(&browser.ports, &id).await {
                app.notify_store(error);
            }
            browser.tabs.release(id.as_str());
        }
    }
}
