//! The scribe at work: after a turn it reads what it has not read yet; asked to, it catches up on what was told without it.
//!
//! What it has read is known from its notes on the path, so that what is due is derived from the store: a note that never
//! came is asked for again, one that is there is not. A note is stored in one commit with all states that follow from it.

mod unread;

use std::pin::pin;

use futures_util::{FutureExt, future::FusedFuture};

use super::{
    anew,
    budget::Leave,
    group, meter, plan,
    play::Conductor,
    scene::{self, Loaded},
    stream::{self, Stop, unless},
};
use crate::{
    features::{
        reading::read_note,
        scribe::{
            self, ScribeSettings,
            request::{self, Parts, Request},
        },
    },
    ports::till::Purpose,
    prompt::{
        context::ContextStore,
        tokens::{Calibration, estimate},
    },
    store::Batch,
    story::{
        character::Character,
        company::Voices,
        connection::Connection,
        fault::{Fault, FaultKind},
        generation::{Generation, Status},
        ids::{ConnectionId, GenerationId, StorylineId},
        noted::Noted,
        preset::Preset,
        settings::Config,
        spending::{Kind, Spent},
        state::State,
        storyline::Storyline,
        tree::{Node, Path},
        trigger::Trigger,
        warning::{Cause, Notice},
    },
};

/// Turns that it reads after a turn, at most: what is older, it catches up on.
const NEWEST: u32 = 24;

/// Of one request while it catches up: so many turns, and so many tokens of them. Of more than that it notes too little,
/// and what changed when is lost.
const MOST_TURNS: usize = 12;
const MOST_TOKENS: u32 = 3_000;

/// Tokens that a note may have, where the connection allows fewer; and what it mostly has.
const ANSWER: u32 = 1_024;
const ANSWERED: u32 = 160;

/// What catching up takes, before it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Whose model is asked: what it costs is by its prices.
    pub connection: ConnectionId,
    /// The first turn that will be read; where there is none, the end of the path.
    pub first: u32,
    pub turns: u32,
    pub calls: u32,
    /// Estimated, as the connection counts them: of all requests, and of all answers.
    pub prompt_tokens: u32,
    pub answer_tokens: u32,
}

/// The request that is being answered, from 1, and how many there will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub part: u32,
    pub parts: u32,
}

/// Why nothing was noted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Miss {
    #[error("{0}")]
    Fault(Fault),
    /// The answer says nothing that can be used.
    #[error("the scribe's answer cannot be used")]
    Unusable,
}

impl Miss {
    /// What stopped it, where that is none of its own.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Fault(fault) => Some(fault),
            Self::Unusable => None,
        }
    }
}

impl From<Fault> for Miss {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// What the scribe works with.
struct Desk {
    storyline: Storyline,
    preset: Preset,
    settings: ScribeSettings,
    connection: Connection,
    character: Character,
    voices: Voices,
    path: Path,
}

impl Desk {
    /// Uncalibrated tokens of a request.
    fn room(&self) -> u32 {
        Calibration::of(&self.connection).unscale(scene::budget(&self.connection))
    }
}

/// Turns that were not read, to be read together, each as it is told. The note goes to the last one's reply.
struct Stretch {
    turns: Vec<(u32, String)>,
    reply: Generation,
    /// Nothing after it was read either.
    is_newest: bool,
}

impl Stretch {
    /// The first and the last.
    fn span(&self) -> (u32, u32) {
        (self.turns.first().map_or(0, |(position, _)| *position), self.reply.position)
    }

    fn told(&self) -> Vec<String> {
        self.turns.iter().map(|(_, told)| told.clone()).collect()
    }

    fn cost(&self) -> u32 {
        self.turns.iter().map(|(_, told)| estimate(told)).sum()
    }
}

impl Conductor {
    /// Lets the scribe read what was told since it read last, where it is on and that is due; `asked`: in any case. True
    /// where it did.
    ///
    /// # Errors
    /// It could not be asked, or what it said cannot be used; that is noted at the reply. The story is as before.
    pub async fn scribe(&self, id: &StorylineId, asked: bool, stop: Stop) -> Result<bool, Miss> {
        self.own(id)?;
        let storyline = self.storyline(id).await?;
        let preset = scene::preset(&*self.ports.store, &storyline).await;
        if !asked && !scribe::is_on(&storyline, &preset) {
            return Ok(false);
        }
        let desk = self.desk(storyline, preset).await?;
        // Some of them may have failed, and are none.
        let newest = NEWEST.max(desk.settings.waits_for() * 2);
        let mut unread = self.unread(&desk, desk.path.end.saturating_sub(newest)).await?;
        unread.retain(|stretch| stretch.is_newest);
        let turns = unread.iter().flat_map(|stretch| &stretch.turns);
        let said: Vec<String> = turns.filter(|(position, _)| *position > 0).map(|(_, told)| told.clone()).collect();
        let failed = |stretch: &Stretch| stretch.reply.notices().iter().any(|notice| notice.module == scribe::NAME);
        let has_failed = unread.last().is_some_and(failed);
        if said.is_empty() || !asked && (has_failed || !desk.settings.is_due(&said)) {
            return Ok(false);
        }
        let newest = unread.last().map(|stretch| stretch.reply.id.clone()).unwrap_or_default();
        let mut stop = pin!(stop.reason().fuse());
        for mut stretch in unread {
            let loaded = self.loaded(&desk, &stretch).await?;
            if Parts::of(&loaded.scene()).is_none() {
                return Ok(false);
            }
            let room = desk.room().saturating_sub(Request::new(&loaded.scene()).cost());
            while stretch.turns.len() > 1 && stretch.cost() > room {
                stretch.turns.remove(0);
            }
            let leave = Leave::ask(&self.ports, &desk.storyline, Kind::Scribe).await;
            if let Err(fault) = &leave {
                self.store_miss(&desk, &newest, &Miss::Fault(fault.clone()), &[]).await?;
            }
            leave?;
            self.note(&desk, &stretch, &newest, &mut stop).await?;
        }
        Ok(true)
    }

    /// What it takes to catch up from a turn on: on the path, without what was read already. `None`: nothing is on that a
    /// note could change.
    ///
    /// # Errors
    /// The story cannot be read, or lacks its connection.
    pub async fn task(&self, id: &StorylineId, from: u32) -> Result<Option<Task>, Fault> {
        let desk = self.desk_of(id).await?;
        let calibration = Calibration::of(&desk.connection);
        let connection = desk.connection.id.clone();
        let mut task = Task { connection, first: desk.path.end, ..Task::default() };
        for stretch in self.to_catch_up(&desk, from).await? {
            let loaded = self.loaded(&desk, &stretch).await?;
            if Parts::of(&loaded.scene()).is_none() {
                return Ok(None);
            }
            let cost = Request::new(&loaded.scene()).cost() + stretch.cost();
            task.first = task.first.min(stretch.span().0);
            task.turns += stretch.turns.len() as u32;
            task.calls += 1;
            task.prompt_tokens += calibration.scale(cost);
            task.answer_tokens += calibration.scale(ANSWERED);
        }
        Ok(Some(task))
    }

    /// Reads what was not read from a turn on, piece by piece; what is done stays done, whatever ends it.
    ///
    /// # Errors
    /// As [`Self::scribe`].
    pub async fn catch_up(
        &self,
        id: &StorylineId,
        from: u32,
        stop: Stop,
        progress: &dyn Fn(Progress),
    ) -> Result<(), Miss> {
        self.own(id)?;
        let desk = self.desk_of(id).await?;
        let stretches = self.to_catch_up(&desk, from).await?;
        let parts = stretches.len() as u32;
        let mut stop = pin!(stop.reason().fuse());
        let leave = Leave::ask(&self.ports, &desk.storyline, Kind::Scribe).await?;
        for (part, stretch) in (1..).zip(stretches) {
            leave.holds().await?;
            progress(Progress { part, parts });
            self.note(&desk, &stretch, &stretch.reply.id, &mut stop).await?;
        }
        Ok(())
    }

    async fn desk_of(&self, id: &StorylineId) -> Result<Desk, Fault> {
        let storyline = self.storyline(id).await?;
        let preset = scene::preset(&*self.ports.store, &storyline).await;
        self.desk(storyline, preset).await
    }

    async fn desk(&self, storyline: Storyline, preset: Preset) -> Result<Desk, Fault> {
        let store = &*self.ports.store;
        let settings: ScribeSettings = storyline.settings(&preset);
        let mut connection = match &settings.connection {
            Some(id) => plan::named(&self.ports, id).await?,
            None => scene::connection(store, &storyline).await?,
        };
        connection.sampling.max_tokens = connection.sampling.max_tokens.map(|tokens| tokens.max(ANSWER));
        let character = group::own(store, &storyline).await?;
        let voices = group::voices(store, &storyline, &character.name).await?;
        let path = scene::path(store, &storyline).await?;
        Ok(Desk { storyline, preset, settings, connection, character, voices, path })
    }

    /// What there is to catch up on, in the pieces that it is read in.
    async fn to_catch_up(&self, desk: &Desk, from: u32) -> Result<Vec<Stretch>, Fault> {
        let most = MOST_TOKENS.min(desk.room() / 2);
        let mut pieces = Vec::new();
        for run in self.unread(desk, from).await? {
            let (_, last) = run.span();
            let mut turns: Vec<(u32, String)> = Vec::new();
            let mut cost = 0;
            for (position, told) in run.turns {
                cost += estimate(&told);
                turns.push((position, told));
                let is_full = cost >= most || turns.len() >= MOST_TURNS;
                if !is_full && position != last {
                    continue;
                }
                let node = scene::window(&*self.ports.store, &desk.path, position, position + 1).await?.pop();
                let Some(reply) = node.as_ref().and_then(Node::reply).cloned() else { continue };
                pieces.push(Stretch { turns: std::mem::take(&mut turns), reply, is_newest: false });
                cost = 0;
            }
        }
        Ok(pieces)
    }

    /// The story as it stands after a stretch.
    async fn loaded(&self, desk: &Desk, stretch: &Stretch) -> Result<Loaded, Fault> {
        let store = &*self.ports.store;
        let Desk { storyline, preset, connection, character, path, .. } = desk;
        // As it is by now: what was noted of the turns before is part of it.
        let reply = store.load::<Generation>(stretch.reply.id.as_str()).await?;
        let state = reply.and_then(|reply| reply.state).unwrap_or_else(|| storyline.initial_state.clone());
        let state = store.load::<State>(state.as_str()).await?;
        let mut state = state.ok_or_else(|| Fault::new(FaultKind::NoState, ""))?;
        storyline.introduce(&mut state);
        let character = match &stretch.reply.speaker {
            // Who spoke may be gone.
            Some(speaker) => store.load::<Character>(speaker.as_str()).await.ok().flatten(),
            None => None,
        }
        .unwrap_or_else(|| character.clone());
        let background = scene::background(store, storyline).await;
        let loaded = Loaded {
            storyline: storyline.clone(),
            speaker: stretch.reply.speaker.clone(),
            group: None,
            character,
            plays_as: None,
            background_fault: background.as_ref().err().map(|error| error.to_string()),
            background: background.ok(),
            state,
            preset: preset.clone(),
            trigger: Trigger::default(),
            connection: connection.clone(),
            history: Vec::new(),
            head: Vec::new(),
            path: path.clone(),
            opened: None,
            config: Config::default(),
            utc_offset: 0,
            past: None,
            context: ContextStore::default(),
            scripts: None,
            newest: None,
            purpose: Purpose::default(),
            question: None,
        };
        Ok(loaded.by(&*self.ports.clock))
    }

    /// Asks for a note of a stretch, and stores it; what keeps it from that is noted in its place.
    async fn note(
        &self,
        desk: &Desk,
        stretch: &Stretch,
        missed: &GenerationId,
        stop: &mut (impl FusedFuture<Output = FaultKind> + Unpin),
    ) -> Result<(), Miss> {
        let purpose = meter::purpose(Kind::Scribe, &desk.storyline);
        let noted = unless(stop, self.ask(desk, stretch, &purpose)).await;
        let spent = meter::taken(&purpose.tally);
        meter::book(&self.ports).await;
        match noted {
            Ok(noted) => Ok(self.store_note(stretch, &noted, &spent).await?),
            Err(miss) => {
                let is_elsewhere = |fault: &Fault| matches!(fault.kind, FaultKind::TakenOver | FaultKind::TabClosed);
                if !matches!(&miss, Miss::Fault(fault) if is_elsewhere(fault)) {
                    self.store_miss(desk, missed, &miss, &spent).await?;
                }
                Err(miss)
            }
        }
    }

    async fn ask(&self, desk: &Desk, stretch: &Stretch, purpose: &Purpose) -> Result<Noted, Miss> {
        let clock = &self.ports.clock;
        let began = clock.now();
        let loaded = self.loaded(desk, stretch).await?;
        let scene = loaded.scene();
        let messages = Request::new(&scene).about(&stretch.told());
        let shape = request::shape(Parts::of(&scene));
        // What is stopped from outside is dropped as a whole.
        let said = stream::shaped(&self.ports, &desk.connection, &messages, &shape, purpose, Stop::never()).await?;
        if said.text.trim().is_empty() || read_note(&said.text).unreadable.is_some() {
            return Err(Miss::Unusable);
        }
        let at = clock.now();
        let (length, print) = Noted::read(&stretch.reply);
        Ok(Noted {
            text: said.text.trim().to_owned(),
            model: said.model,
            usage: said.usage,
            at,
            millis: at.saturating_sub(began),
            turns: stretch.span(),
            length,
            print,
        })
    }

    /// The note, and all states that follow from it, in one commit. A reply that has gone, goes on or says something else
    /// by now is read again instead.
    async fn store_note(&self, stretch: &Stretch, noted: &Noted, spent: &[Spent]) -> Result<(), Fault> {
        let _alone = self.recent.settling.lock().await;
        let store = &*self.ports.store;
        let id = &stretch.reply.storyline;
        self.own(id)?;
        let storyline = self.storyline(id).await?;
        let reply = store.load::<Generation>(stretch.reply.id.as_str()).await?;
        let Some(mut reply) = reply.filter(|reply| is_answered(reply) && noted.is_of(reply)) else { return Ok(()) };
        reply.set_noted(noted);
        reply.add_spent(spent);
        reply.say_of(scribe::NAME, None);
        let mut batch = self.without_misses(stretch, &reply).await?;
        batch.ops.extend(anew::settled(&self.ports, &storyline, reply).await?.ops);
        store.commit(batch).await?;
        self.ports.tabs.announce(id.as_str());
        Ok(())
    }

    /// What was missed at earlier replies of a stretch is made up for.
    async fn without_misses(&self, stretch: &Stretch, reply: &Generation) -> Result<Batch, Fault> {
        let store = &*self.ports.store;
        let path = scene::path_to(store, reply).await?;
        let (first, last) = stretch.span();
        let mut batch = Batch::new();
        for node in scene::window(store, &path, first, last).await? {
            let missed = |reply: &&Generation| reply.notices().iter().any(|notice| notice.module == scribe::NAME);
            if let Some(mut reply) = node.reply().filter(missed).cloned() {
                reply.say_of(scribe::NAME, None);
                batch.push(&reply);
            }
        }
        Ok(batch)
    }

    /// At the newest of what was to be read, for all of it.
    async fn store_miss(&self, desk: &Desk, at: &GenerationId, miss: &Miss, spent: &[Spent]) -> Result<(), Fault> {
        let _alone = self.recent.settling.lock().await;
        let story = &desk.storyline.id;
        self.own(story)?;
        let store = &*self.ports.store;
        let reply = store.load::<Generation>(at.as_str()).await?;
        let Some(mut reply) = reply.filter(|reply| reply.open.is_none()) else { return Ok(()) };
        reply.add_spent(spent);
        let cause = Cause::NotNoted { fault: miss.fault().cloned(), whose: String::new() };
        reply.say_of(scribe::NAME, Some(Notice { module: scribe::NAME.to_owned(), cause }));
        self.write(story, Batch::new().put(&reply)).await
    }
}

/// Whether a reply says something, and says it to the end or as far as it came.
pub(super) fn is_answered(reply: &Generation) -> bool {
    reply.open.is_none() && matches!(reply.status, Status::Done | Status::Interrupted) && !reply.text.trim().is_empty()
}
