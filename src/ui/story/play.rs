//! Playing turns of the open story: taking it, showing what is stored, and letting go of it.

use std::{cell::RefCell, collections::HashSet, sync::Arc};

use leptos::{prelude::*, task::spawn_local};

use super::{READY_AFTER, change::changes_stored, view_of};
use crate::ui::state::Story;
use crate::{
    desk::commands::{Source, said},
    ports::Clock,
    story::{
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::StorylineId,
        spending::Kind,
        tree::Node,
    },
    turn::{
        Ahead, Ask, Shown, SummariseError, recover,
        stream::{Stop, stopper},
        summarise::Progress,
    },
    ui::app::App,
    web::clock::BrowserClock,
};

/// Milliseconds after which the page says that a turn is being played, though its reply has no place yet.
const SAID_AFTER: u32 = 100;
/// Milliseconds after which is looked whether a storyline is still held.
const HELD_AGAIN: u32 = 16;
/// Milliseconds after which is looked for room again.
const ROOM_AGAIN: u32 = 2_000;

thread_local! {
    /// The storyline that is being brought up to what other devices told: for a moment nothing else writes it.
    static HELD: RefCell<Option<StorylineId>> = const { RefCell::new(None) };
}

impl Story {
    /// Whether a turn of this tab is being played in a storyline.
    pub fn is_taken(&self, id: &StorylineId) -> bool {
        self.taken.with_value(|taken| taken.iter().any(|(taken, _)| taken == id))
    }

    /// Whether that is so, or it is held.
    pub fn is_busy(&self, id: &StorylineId) -> bool {
        self.is_taken(id) || Self::is_held(id)
    }

    fn is_held(id: &StorylineId) -> bool {
        HELD.with_borrow(|held| held.as_ref() == Some(id))
    }

    /// Waits until a storyline is not held.
    pub async fn unheld(id: &StorylineId) {
        while Self::is_held(id) {
            BrowserClock.sleep(HELD_AGAIN).await;
        }
    }

    /// Holds a storyline, or none. A turn that is asked for meanwhile waits.
    pub fn hold(id: Option<StorylineId>) {
        HELD.set(id);
    }

    /// Whether a turn of this tab is being played in the open one.
    pub fn is_open_taken(&self) -> bool {
        self.id().is_some_and(|id| self.is_taken(&id))
    }

    /// The storylines in which it is.
    pub fn all_taken(&self) -> Vec<StorylineId> {
        self.taken.with_value(|taken| taken.iter().map(|(id, _)| id.clone()).collect())
    }

    fn take(self, id: &StorylineId) -> Stop {
        let (stopper, stop) = stopper();
        self.taken.update_value(|taken| taken.push((id.clone(), stopper)));
        stop
    }

    fn free(self, id: &StorylineId) {
        self.taken.update_value(|taken| taken.retain(|(taken, _)| taken != id));
        self.playing.update(|playing| playing.retain(|playing| playing != id));
    }

    /// Lets the page say that a turn is being played.
    fn say_playing(self, id: &StorylineId) {
        if self.is_taken(id) && !self.playing.with_untracked(|playing| playing.contains(id)) {
            self.playing.update(|playing| playing.push(id.clone()));
        }
    }

    /// The same where what comes before the reply takes long.
    async fn say_late(self, id: StorylineId) {
        BrowserClock.sleep(SAID_AFTER).await;
        self.say_playing(&id);
    }

    /// Plays a turn; first asks for the key where it is not at hand. `None`: the reader would not give it, and nothing has
    /// happened. Words that are said are those of the composer.
    pub async fn play(self, app: App, ask: Ask) -> Result<Option<Generation>, Fault> {
        self.play_of(app, ask, Source::Composer).await
    }

    /// The same with words that do not stand in the composer.
    pub async fn say(self, app: App, words: String) -> Result<Option<Generation>, Fault> {
        self.play_of(app, Ask::New(words), Source::Button).await
    }

    async fn play_of(self, app: App, ask: Ask, source: Source) -> Result<Option<Generation>, Fault> {
        let mut is_again = false;
        let attempt = async || {
            let ask = match &ask {
                Ask::New(words) if is_again => {
                    Ask::New(self.composed.with_untracked(|composed| source.again(words, composed).to_owned()))
                }
                ask => ask.clone(),
            };
            is_again = true;
            match &ask {
                Ask::New(words) if words.trim().is_empty() => Ok(None),
                _ => self.attempt(app, ask, source).await.map(Some),
            }
        };
        let Some(id) = self.id() else { return Ok(None) };
        app.asking_key.until_given(app, &id, Kind::Chat, attempt, |fault| Some(fault)).await.map(Option::flatten)
    }

    /// Plays a turn. What the conductor shows has been stored.
    async fn attempt(self, app: App, ask: Ask, source: Source) -> Result<Generation, Fault> {
        // What plays comes after what reads. Where it is here, nothing waits.
        let aside = match app.chunks.aside.here() {
            Some(aside) => aside,
            None => app.chunks.aside.get().await.ok_or_else(|| Fault::new(FaultKind::Offline, ""))?,
        };
        let Some(id) = self.id() else { return Err(Fault::new(FaultKind::NoStoryline, "")) };
        // What was set before the words were sent holds for their reply.
        if !self.is_taken(&id) {
            changes_stored(&id).await;
        }
        Self::unheld(&id).await;
        if self.is_taken(&id) {
            return Err(Fault::new(FaultKind::BadRequest, "a turn is already being played"));
        }
        let stop = self.take(&id);
        let words = match &ask {
            Ask::New(words) => Some(words.clone()),
            _ => None,
        };
        let says = words.is_some();
        let appends = says || matches!(ask, Ask::Speak(_));
        let ask = match ask {
            Ask::New(words) => {
                let (words, to) = (said(&words).to_owned(), self.whisper.get_untracked());
                if to.is_empty() { Ask::New(words) } else { Ask::Whisper(words, to) }
            }
            ask => ask,
        };
        if says {
            if source == Source::Composer {
                self.send_unsent(app);
            }
            spawn_local(self.say_late(id.clone()));
        } else {
            self.say_playing(&id);
        }
        let shown = id.clone();
        let show = move |shown_now: Shown| {
            let is_open = self.is_open(shown.as_str());
            match (&shown_now, &words) {
                (Shown::Turn { turn, .. }, Some(words)) if is_open && turn.user.is_some() => {
                    self.whisper.set(Vec::new());
                    // What was kept has gone with the turn: what stays in the composer is kept anew.
                    self.unsent_is_said(&shown);
                    self.composed.update(|composed| *composed = source.left(words, composed).to_owned());
                }
                (Shown::Turn { .. }, _) => {}
                _ => self.say_playing(&shown),
            }
            if is_open {
                self.show(app, shown_now);
            }
        };
        let outcome = (aside.play)(app, id.clone(), ask, stop, Box::new(show)).await;
        self.planning.update(|planning| planning.retain(|(story, _)| *story != id));
        self.free(&id);
        if says && outcome.is_err() && self.is_open(id.as_str()) {
            self.unsent_stays(app);
        }
        if self.is_open(id.as_str()) {
            // A new turn that went its way was shown as it was stored; all else is read anew.
            if !appends || outcome.is_err() {
                self.reload(app).await;
            }
        } else {
            self.rest(app, &id);
        }
        if outcome.as_ref().is_err_and(|fault| matches!(fault.kind, FaultKind::StorageFull | FaultKind::StorageFailed))
        {
            spawn_local(self.close_when_there_is_room(app, id.clone()));
        }
        spawn_local(async move {
            BrowserClock.sleep(READY_AFTER).await;
            self.look_ahead(app, &id, Ahead::Read).await;
            spawn_local({
                let id = id.clone();
                async move { self.let_scribe_read(app, &id).await }
            });
            if let Some(aside) = app.chunks.aside.get().await {
                (aside.behind)(app, id).await;
            }
        });
        outcome
    }

    /// Closes what a turn could not close for want of room, as soon as there is room again.
    async fn close_when_there_is_room(self, app: App, id: StorylineId) {
        thread_local!(static WAITING: RefCell<HashSet<StorylineId>> = RefCell::default());
        // One is enough.
        if !WAITING.with_borrow_mut(|waiting| waiting.insert(id.clone())) {
            return;
        }
        self.try_to_close(app, &id).await;
        WAITING.with_borrow_mut(|waiting| waiting.remove(&id));
    }

    async fn try_to_close(self, app: App, id: &StorylineId) {
        while self.is_open(id.as_str()) && app.browser().ports.tabs.owns(id.as_str()) {
            if !self.is_taken(id) {
                match recover::close_unfinished(&app.browser().ports, id).await {
                    Ok(0) => return,
                    Ok(_) => return self.reload(app).await,
                    Err(error) if !error.is_full() => return app.notify_store(error),
                    Err(_) => {}
                }
            }
            BrowserClock.sleep(ROOM_AGAIN).await;
        }
    }

    /// Summarises the session; asks for the key as [`Self::play`] does.
    pub async fn summarise(self, app: App, progress: &dyn Fn(Progress)) -> Result<Option<()>, SummariseError> {
        let attempt = async || self.attempt_to_summarise(app, progress).await;
        let Some(id) = self.id() else { return Ok(None) };
        app.asking_key.until_given(app, &id, Kind::Summary, attempt, SummariseError::fault).await
    }

    /// Like a turn, it has the story to itself meanwhile.
    async fn attempt_to_summarise(self, app: App, progress: &dyn Fn(Progress)) -> Result<(), SummariseError> {
        let Some(id) = self.id() else { return Err(Fault::new(FaultKind::NoStoryline, "").into()) };
        if self.is_taken(&id) {
            return Err(SummariseError::Streaming);
        }
        let stop = self.take(&id);
        self.say_playing(&id);
        let outcome = app.conductor().summarise(&id, stop, progress).await;
        self.free(&id);
        if self.is_open(id.as_str()) {
            self.reload(app).await;
        } else {
            self.rest(app, &id);
        }
        app.refresh().await;
        outcome.map(drop)
    }

    /// What the reader might say next. `None`: it was stopped; `Some(None)`: the model wrote none of their words.
    ///
    /// # Errors
    /// As [`crate::turn::Conductor::impersonate`].
    pub async fn impersonate(self, app: App, id: &StorylineId, hint: &str) -> Result<Option<Option<String>>, Fault> {
        let attempt = async || {
            let stop = self.take(id);
            self.say_playing(id);
            let wrote = app.conductor().impersonate(id, hint, stop).await;
            self.free(id);
            self.rest(app, id);
            wrote
        };
        match app.asking_key.until_given(app, id, Kind::Chat, attempt, |fault| Some(fault)).await {
            Err(fault) if fault.kind == FaultKind::Stopped => Ok(None),
            wrote => wrote,
        }
    }

    fn show(self, app: App, shown: Shown) {
        match shown {
            Shown::Turn { storyline, path, turn } => {
                let follows = self.loaded().1 == turn.position || self.turns.with_untracked(Vec::is_empty);
                self.path.set(path);
                self.tip.set(None);
                self.storyline.set(Some(*storyline));
                if follows {
                    let node = Node { turn: *turn, generations: Vec::new(), seen: None };
                    self.turns.update(|turns| turns.push(view_of(node)));
                }
            }
            Shown::Storyline(storyline) => {
                let moved =
                    self.storyline.with_untracked(|now| now.as_ref().is_none_or(|now| now.head != storyline.head));
                app.relist(&storyline);
                self.storyline.set(Some(*storyline));
                if moved {
                    spawn_local(self.reload(app));
                }
            }
            Shown::Planning(turn) => self.planning.update(|planning| planning.extend(self.id().map(|id| (id, turn)))),
            Shown::Reply(generation) => {
                if self.planning.with_untracked(|planning| !planning.is_empty()) {
                    self.planning.update(|planning| planning.retain(|(_, turn)| *turn != generation.turn));
                }
                self.update_reply(Arc::unwrap_or_clone(generation));
            }
        }
    }

    fn update_reply(self, generation: Generation) {
        let Some(node) = self.node_of(&generation.turn) else { return };
        node.update(|node| {
            let node = Arc::make_mut(node);
            match node.generations.iter_mut().find(|known| known.id == generation.id) {
                Some(known) => *known = generation,
                None => {
                    node.generations.push(generation);
                    node.seen = Some(node.generations.len() - 1);
                }
            }
        });
    }

    /// Stops the turn of the open story.
    pub fn stop(self, reason: FaultKind) {
        if let Some(id) = self.id() {
            self.stop_turn_of(&id, reason);
        }
    }

    /// Stops the turn of a story, if there is one.
    pub fn stop_turn_of(self, id: &StorylineId, reason: FaultKind) {
        self.taken.update_value(|taken| {
            if let Some((_, stopper)) = taken.iter_mut().find(|(taken, _)| taken == id) {
                stopper.stop(reason);
            }
        });
    }

    /// Whether this tab streams into any story.
    pub fn plays_any(&self) -> bool {
        self.playing.with(|playing| !playing.is_empty())
    }

    /// Whether it streams into the open one.
    pub fn is_playing(&self) -> bool {
        self.storyline.with(|storyline| {
            storyline.as_ref().is_some_and(|storyline| self.playing.with(|playing| playing.contains(&storyline.id)))
        })
    }
}
