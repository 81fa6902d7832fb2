//! The open story as the page sees it: a window of turns that follows the store.

mod change;
mod hear;
mod load;
mod play;
mod scribe;
mod travel;
mod unsent;

use std::sync::Arc;

use futures_util::join;
use leptos::{prelude::*, task::spawn_local};

pub use self::{
    change::{ask_before_closing, change_played, change_story, change_story_of, changed, elsewhere},
    hear::close_left_open,
};
use super::{
    app::App,
    state::{PAGE, SCREEN, Story, TurnView, WINDOW},
};
use crate::{
    desk::Sight,
    ports::{Clock, Tabs},
    story::{
        fault::FaultKind,
        generation::{Generation, Status},
        ids::StorylineId,
        preset::Preset,
        storyline::Storyline,
        tree::Node,
    },
    turn::{Ahead, recover, unsent::Unsent},
    web::{clock::BrowserClock, window},
};

/// Milliseconds after a story is on the page, or a turn has ended, until what the next turn needs is read.
const READY_AFTER: u32 = 150;

impl Story {
    pub fn id(&self) -> Option<StorylineId> {
        self.storyline.with_untracked(|storyline| storyline.as_ref().map(|storyline| storyline.id.clone()))
    }

    /// Reads of the open story and what it is told by.
    pub fn played<T>(self, read: impl FnOnce(&Storyline, &Preset) -> T) -> Option<T> {
        self.storyline.with(|story| self.preset.with(|preset| Some(read(story.as_ref()?, preset))))
    }

    pub fn is_open(&self, id: &str) -> bool {
        self.storyline
            .with_untracked(|storyline| storyline.as_ref().is_some_and(|storyline| storyline.id.as_str() == id))
    }

    /// Whether a story is on its way to the page.
    pub fn is_opening(&self, id: &str) -> bool {
        self.opening.with_value(|opening| opening.as_ref().is_some_and(|opening| opening.as_str() == id))
    }

    /// A story will be opened: from now on its lock is not let go, and what other tabs tell of it is not missed.
    pub fn expect(self, id: &StorylineId) {
        self.opening.set_value(Some(id.clone()));
        self.told.set_value(false);
    }

    /// A story, while it is the open one.
    pub fn opened(&self, id: &StorylineId) -> Option<Storyline> {
        self.storyline.get_untracked().filter(|storyline| storyline.id == *id)
    }

    /// Opens a story at its end: becomes its writer if no other tab is, and closes what an ended tab left open (A5).
    pub async fn open(self, app: App, id: StorylineId) {
        if self.is_open(id.as_str()) {
            return self.opening.set_value(None);
        }
        self.expect(&id);
        self.version.update_value(|version| *version += 1);
        let version = self.version.get_value();
        let browser = app.browser();
        self.keep_unsent(app);
        let current = move || self.version.get_value() == version;
        Self::unheld(&id).await;
        let writer = browser.tabs.acquire(id.as_str()).await;
        if writer
            && !self.is_busy(&id)
            && let Err(error) = recover::close_unfinished(&browser.ports, &id).await
        {
            app.notify_store(error);
        }
        let seen = app.desk().sight(&id, |end| end.saturating_sub(SCREEN)..end).await;
        if !current() {
            // The reader went elsewhere before it stood.
            return self.rest(app, &id);
        }
        self.opening.set_value(None);
        let before = self.id();
        match seen {
            Ok(Some(Sight { storyline, preset, path, tip, nodes })) if storyline.deleted.is_none() => {
                self.missing.set(false);
                self.preset.set(preset);
                self.stands(Unsent::default());
                if self.last.get_value() != id.as_str() {
                    self.last.set_value(id.0.clone());
                    self.whisper.set(Vec::new());
                }
                // It may have been let go of, or granted, meanwhile.
                let writer = browser.tabs.owns(id.as_str());
                self.writer.set(writer);
                self.path.set(Arc::new(path));
                self.tip.set(tip);
                self.turns.set(nodes.into_iter().map(view_of).collect());
                self.storyline.set(Some(storyline.clone()));
                spawn_local(self.fetch_unsent(app, id));
                let was_told = self.told.get_value();
                if writer {
                    spawn_local(async move {
                        if was_told {
                            self.reload(app).await;
                        }
                        self.make_ready(app, storyline).await;
                    });
                } else if was_told {
                    self.changed_elsewhere(app);
                    spawn_local(self.claim(app));
                }
            }
            none => {
                self.stands_empty(app, &id);
                if let Err(error) = none {
                    app.notify_store(error);
                }
            }
        }
        if let Some(before) = before {
            self.leave(app, before);
        }
    }

    /// Lets go of a story that is not open any more.
    fn leave(self, app: App, id: StorylineId) {
        // Whoever goes to the same story has said so by then: between two locks another tab would get it.
        let at_work = app.browser().recent.settling.clone();
        spawn_local(async move {
            // What was asked for before it was left is done first.
            let _ = at_work.lock().await;
            self.rest(app, &id);
        });
    }

    /// In the place of a story that is not there is said so.
    fn stands_empty(self, app: App, id: &StorylineId) {
        // Whoever stands in its place tries once more at most.
        if !self.missing.get_untracked() {
            self.missing.set(true);
        }
        // What was read before is no answer any more.
        self.version.update_value(|version| *version += 1);
        self.turns.set(Vec::new());
        self.storyline.set(None);
        self.rest(app, id);
    }

    /// Once the page stands.
    async fn make_ready(self, app: App, storyline: Storyline) {
        BrowserClock.sleep(READY_AFTER).await;
        if self.is_open(storyline.id.as_str()) {
            self.look_ahead(app, &storyline.id, Ahead::Told).await;
            self.let_scribe_read(app, &storyline.id).await;
        }
    }

    /// Reads what the next turn needs, and lets the memory take in what was said: now, and not when the turn asks.
    async fn look_ahead(self, app: App, id: &StorylineId, ahead: Ahead) {
        let browser = app.browser();
        let reads = async {
            if let Some(aside) = app.chunks.aside.get().await
                && self.is_open(id.as_str())
                && !self.is_taken(id)
            {
                (aside.get_ready)(app, id.clone(), ahead).await;
            }
        };
        let _ = join!(browser.ports.recall.catch_up(id, ""), reads);
    }

    /// Lets go of the open story.
    pub fn close(self, app: App) {
        self.keep_unsent(app);
        self.version.update_value(|version| *version += 1);
        self.reading.set(false);
        self.missing.set(false);
        self.opening.set_value(None);
        if let Some(id) = self.id() {
            self.storyline.set(None);
            self.turns.set(Vec::new());
            self.leave(app, id);
        }
    }

    /// The loaded positions: first, and one past the last.
    pub fn loaded(&self) -> (u32, u32) {
        self.turns.with_untracked(|turns| match (turns.first(), turns.last()) {
            (Some(first), Some(last)) => (first.position, last.position + 1),
            _ => (0, 0),
        })
    }

    /// Leads the reader to a turn, loading its surroundings where they are not on the page.
    pub async fn jump_to(self, app: App, position: u32) {
        app.panels.put_sheets_away();
        self.jumping.set_value(true);
        let mut found = None;
        // A stretch that was on its way when the jump began may take the place of the one around the turn.
        for _ in 0..3 {
            let (from, to) = self.loaded();
            if !(from..to).contains(&position) {
                // What comes to stand around the turn is no end to follow.
                self.at_end.set(false);
                let end = self.path.with_untracked(|path| path.end);
                let from = position.saturating_sub(PAGE / 2).min(end.saturating_sub(PAGE));
                self.load(app, from, (from + PAGE).min(end)).await;
            }
            BrowserClock.frame().await;
            found = window().document().and_then(|document| {
                document.query_selector(&format!("#story [data-turn=\"{position}\"]")).ok().flatten()
            });
            if let Some(turn) = &found {
                turn.scroll_into_view_with_bool(true);
            }
            BrowserClock.frame().await;
            if found.as_ref().is_some_and(|turn| turn.is_connected()) {
                break;
            }
        }
        self.jumping.set_value(false);
        if let Some(turn) = found {
            let _ = turn.class_list().add_1("found");
            BrowserClock.sleep(1_600).await;
            let _ = turn.class_list().remove_1("found");
        }
    }

    /// Reads the loaded stretch anew, with what has come at its end.
    pub async fn reload(self, app: App) {
        let Some(id) = self.id() else { return };
        let (version, choices) = (self.version.get_value(), self.choices.get_value());
        let (from, to) = self.loaded();
        let at_end = to >= self.path.with_untracked(|path| path.end);
        let wanted = |end: u32| {
            let to = if at_end { end } else { to.min(end) };
            from.min(to.saturating_sub(SCREEN)).max(to.saturating_sub(WINDOW))..to
        };
        match app.desk().sight(&id, wanted).await {
            // Another tab has put it into the bin, or emptied that.
            Ok(seen)
                if seen.as_ref().is_none_or(|seen| seen.storyline.deleted.is_some())
                    && self.version.get_value() == version =>
            {
                self.keep_unsent(app);
                app.unlist(&id);
                self.stands_empty(app, &id);
            }
            // A reply that was chosen meanwhile would be taken back; who chose it reads anew.
            Ok(Some(Sight { storyline, preset, path, tip, nodes }))
                if self.version.get_value() == version && self.choices.get_value() == choices =>
            {
                self.path.set(Arc::new(path));
                self.tip.set(tip);
                self.merge(nodes);
                self.preset.set(preset);
                self.storyline.set(Some(storyline));
            }
            Ok(_) => {}
            Err(error) => app.notify_store(error),
        }
    }

    /// This tab has changed a story: what is on the page, or on its way there, shows it.
    pub async fn follow(self, app: App, id: &StorylineId) {
        if self.is_opening(id.as_str()) {
            self.told.set_value(true);
        }
        if self.is_open(id.as_str()) {
            self.reload(app).await;
        }
    }

    /// The preset of this id was changed: where the open story is told by it, it goes on by what it is now.
    pub async fn follow_preset(self, app: App, id: &str) {
        let of_it = |storyline: &Storyline| storyline.preset.as_str() == id;
        let Some(storyline) = self.storyline.get_untracked().filter(of_it) else { return };
        let preset = app.desk().preset_of(&storyline).await;
        // Meanwhile the reader may have opened another, or given this one another preset.
        let is_so = |now: &Option<Storyline>| now.as_ref().is_some_and(|now| now.id == storyline.id && of_it(now));
        if self.storyline.with_untracked(is_so) {
            self.preset.set(preset);
        }
    }

    /// Puts nodes in the place of the loaded ones; turns that stay keep their signals, so that the page keeps them.
    fn merge(self, nodes: Vec<Node>) {
        let before = self.turns.get_untracked();
        let views: Vec<TurnView> = nodes
            .into_iter()
            .map(|node| {
                let same = before.iter().find(|view| view.node.with_untracked(|old| old.turn.id == node.turn.id));
                match same {
                    Some(view) => {
                        if view.node.with_untracked(|old| **old != node) {
                            view.node.set(Arc::new(node));
                        }
                        *view
                    }
                    None => view_of(node),
                }
            })
            .collect();
        if views != before {
            self.turns.set(views);
        }
    }

    /// The store changed by another tab's hand.
    pub fn changed_elsewhere(self, app: App) {
        if self.writer.get_untracked() {
            return;
        }
        self.news.update_value(|news| *news += 1);
        if self.news.get_value() > 1 {
            return;
        }
        // One after the other: of two that read at once, the one that read first may be shown last.
        spawn_local(async move {
            loop {
                BrowserClock.frame().await;
                let taken_in = self.news.get_value();
                self.reload(app).await;
                if self.news.get_value() == taken_in {
                    return self.news.set_value(0);
                }
            }
        });
    }

    /// Becomes the writer, now that nobody is.
    pub async fn claim(self, app: App) {
        let Some(id) = self.id() else { return };
        if app.browser().tabs.acquire(id.as_str()).await {
            self.read_unsent(app, &id).await;
            self.writes(app, &id).await;
        }
    }

    /// Becomes the writer although another tab is.
    pub async fn take_over(self, app: App) {
        let Some(id) = self.id() else { return };
        let browser = app.browser();
        browser.tabs.take_over(id.as_str()).await;
        self.read_unsent(app, &id).await;
        if self.is_open(id.as_str())
            && !self.is_busy(&id)
            && let Err(error) = recover::close_unfinished(&browser.ports, &id).await
        {
            app.notify_store(error);
        }
        self.writes(app, &id).await;
    }

    /// What was waited for is here: the story is written by this tab if it owns it, or let go if the reader has left it.
    async fn writes(self, app: App, id: &StorylineId) {
        if !self.is_open(id.as_str()) {
            return self.rest(app, id);
        }
        self.writer.set(app.browser().tabs.owns(id.as_str()));
        self.reload(app).await;
    }

    /// Ends what this tab is writing and turns to reading: another tab takes the story over.
    pub async fn let_go(self, app: App, id: &str) {
        let own = StorylineId::from(id);
        self.stop_turn_of(&own, FaultKind::TakenOver);
        self.stop_scribe_of(&own, FaultKind::TakenOver);
        if self.is_open(id) {
            self.store_unsent(app).await;
        }
        while self.keeps(&own) {
            BrowserClock.sleep(20).await;
        }
        if self.is_open(id) {
            self.writer.set(false);
            self.reload(app).await;
        }
    }
}

fn view_of(node: Node) -> TurnView {
    TurnView { position: node.turn.position, node: RwSignal::new(Arc::new(node)), editing: RwSignal::default() }
}

/// Whether a reply may be asked to go on.
pub fn can_continue(generation: &Generation) -> bool {
    generation.status != Status::Streaming && !generation.text.trim().is_empty()
}
