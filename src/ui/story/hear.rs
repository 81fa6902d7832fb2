//! What other tabs say of the open story, and what ended ones left behind.

use leptos::{prelude::*, task::spawn_local};

use crate::ui::state::Story;
use crate::{ports::Tabs, story::generation::Generation, turn::recover, ui::app::App, web::tabs::Heard};

impl Story {
    pub fn hear(self, app: App, heard: Heard) {
        if let Heard::Changed(id) | Heard::Freed(id) = &heard
            && self.is_opening(id)
        {
            self.told.set_value(true);
        }
        match heard {
            Heard::Changed(id) => {
                if self.is_open(&id) {
                    self.changed_elsewhere(app);
                }
                spawn_local(async move { self.follow_preset(app, &id).await });
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
