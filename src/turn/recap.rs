//! The summary of a conversation's middle, written after a turn (`004`, F4).
//!
//! A long middle is told in parts, the earliest first: each part makes a summary that holds, so that what breaks off goes on
//! from there, and a failed one changes nothing.

use std::pin::pin;

use futures_util::{FutureExt, future::FusedFuture};

use super::{
    anew,
    budget::Leave,
    group,
    hand::ByHandError,
    meter,
    play::Conductor,
    scene,
    scribe::is_answered,
    session,
    stream::{self, Stop, unless},
    wire,
};
use crate::{
    features::{
        recap::{
            self,
            due::{Volume, is_due, kept},
            request::{answer, cost, request},
        },
        summary,
        transcript::speech,
    },
    ports::till::Purpose,
    prompt::{
        sources::history::told,
        tokens::{Calibration, estimate},
    },
    reply::parser,
    store::Batch,
    story::{
        character::Character,
        company::Voices,
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::StorylineId,
        recap::Recap,
        spending::{Kind, Spent},
        state::{HandEdit, State},
        storyline::Storyline,
        tree::{Node, Path},
        warning::{Cause, Notice},
    },
};

/// Turns that are read at a time.
const WINDOW: u32 = 64;

/// Tokens of dialogue that one summary takes in, however much the model takes.
const MOST: u32 = 12_000;

/// Turns that hold the messages which stay: one has at least one.
const ENDS: u32 = recap::due::KEPT;

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Written,
    /// Nothing is to be told.
    Nothing,
    /// Why it was not written; without a fault the answer cannot be used.
    Missed(Option<Fault>),
}

/// The conversation as it stands.
struct Desk {
    storyline: Storyline,
    character: Character,
    voices: Voices,
    path: Path,
    /// Where the session begins.
    begins: u32,
    /// The newest reply, which a summary will lie with, and the state after it.
    reply: Generation,
    before: Recap,
}

/// A turn of it.
struct Said {
    position: u32,
    messages: u32,
    /// Of a prompt.
    chars: u32,
    /// As it is told to whoever summarises.
    speech: String,
}

/// What is to be taken in next.
struct Part {
    volume: Volume,
    /// The summary will stand for the turns up to this one.
    to: u32,
    dialogue: String,
}

impl Conductor {
    /// Summarises what is due of the conversation's middle, or all of it where it is asked for.
    ///
    /// # Errors
    /// The story cannot be read, or is another tab's. What keeps a summary alone from being written is in the outcome, and
    /// noted at the reply.
    pub async fn write_recap(&self, id: &StorylineId, asked: bool, stop: Stop) -> Result<Outcome, Fault> {
        self.own(id)?;
        let mut stop = pin!(stop.reason().fuse());
        let mut outcome = Outcome::Nothing;
        while let Some(desk) = self.conversation(id).await? {
            let has_failed = desk.reply.notices().iter().any(|notice| notice.module == recap::NAME);
            if !asked && has_failed {
                break;
            }
            let Some(part) = self.part(&desk).await? else { break };
            if !asked && !is_due(&desk.character.recap, part.volume) {
                break;
            }
            outcome = self.take_in(&desk, &part, &mut stop).await?;
            if !asked || outcome != Outcome::Written {
                break;
            }
        }
        Ok(outcome)
    }

    /// Gives the summary that holds at the head other words; blank: there is none.
    pub async fn word_recap(&self, id: &StorylineId, to: u32, text: &str) -> Result<State, ByHandError> {
        self.change(id, HandEdit::Recap { to, text: text.trim().to_owned() }).await
    }

    /// `None` where nothing can be summarised.
    async fn conversation(&self, id: &StorylineId) -> Result<Option<Desk>, Fault> {
        let store = &*self.ports.store;
        let storyline = self.storyline(id).await?;
        let character = group::own(store, &storyline).await?;
        if !recap::is_on(&storyline, &character) {
            return Ok(None);
        }
        let path = scene::path(store, &storyline).await?;
        let Some(reply) = scene::newest_reply(store, &path, path.end).await?.filter(is_answered) else {
            return Ok(None);
        };
        let path = path.until(reply.position + 1);
        let state = match &reply.state {
            Some(state) => store.load::<State>(state.as_str()).await?,
            None => None,
        };
        let state = state.ok_or_else(|| Fault::new(FaultKind::NoState, ""))?;
        let session = session::session_at(store, &storyline, &path, reply.position).await?;
        let begins = session.and_then(|session| session.opened.as_ref()).map_or(0, |opened| opened.at.end);
        let before = match state.recap.filter(|recap| begins <= recap.from && !recap.text.is_empty()) {
            Some(recap) => recap,
            None => {
                let first = scene::told(store, &path, begins, begins.saturating_add(ENDS).min(path.end)).await?;
                let kept = kept(first.iter().map(|node| told(node, true).len() as u32));
                let from = kept.checked_sub(1).map_or(begins, |last| first[last].turn.position + 1);
                Recap { from, to: from, ..Recap::default() }
            }
        };
        let voices = group::voices(store, &storyline, &character.name).await?;
        Ok(Some(Desk { storyline, character, voices, path, begins, reply, before }))
    }

    /// `None` where there is nothing between the messages that stay.
    async fn part(&self, desk: &Desk) -> Result<Option<Part>, Fault> {
        let Desk { path, before, storyline, voices, .. } = desk;
        let said = |node: &Node| {
            let messages = told(node, true);
            Said {
                position: node.turn.position,
                messages: messages.len() as u32,
                chars: messages.iter().map(|(_, text)| text.chars().count() as u32).sum(),
                speech: speech(node, voices.in_turn(node), storyline.reader()),
            }
        };
        let (mut turns, mut tokens, mut at): (Vec<Said>, _, _) = (Vec::new(), 0, before.to);
        while at < path.end && tokens <= MOST {
            let to = at.saturating_add(WINDOW).min(path.end);
            let read = scene::told(&*self.ports.store, path, at, to).await?;
            turns.extend(read.iter().map(said));
            tokens = turns.iter().map(|said| estimate(&said.speech)).sum();
            at = to;
        }
        // What is not read is newer still, and stays with the rest.
        let unread = path.end - at;
        let last = turns.iter().rev().map(|said| said.messages);
        let stays = kept(last).saturating_sub(unread as usize);
        let ending = turns.split_off(turns.len() - stays);
        let middle: u32 = turns.iter().map(|said| said.chars).sum();
        let first = scene::told(&*self.ports.store, path, desk.begins, before.from).await?;
        let beginning: u32 = first.iter().map(|node| said(node).chars).sum();
        let ending: u32 = ending.iter().map(|said| said.chars).sum();
        let volume = Volume { told: beginning + before.text.chars().count() as u32 + ending, middle };
        let mut left = MOST;
        let fits = |said: &&Said| {
            let cost = estimate(&said.speech);
            let is_fitting = cost <= left;
            left = left.saturating_sub(cost);
            is_fitting
        };
        let fitting = turns.iter().take_while(fits).count().max(1);
        turns.truncate(fitting);
        Ok(turns.last().map(|last| last.position + 1).map(|to| {
            let dialogue = turns.iter().map(|said| said.speech.as_str()).collect();
            Part { volume, to, dialogue }
        }))
    }

    /// Asks for the summary, and stores it; what keeps it from that is noted in its place.
    async fn take_in(
        &self,
        desk: &Desk,
        part: &Part,
        stop: &mut (impl FusedFuture<Output = FaultKind> + Unpin),
    ) -> Result<Outcome, Fault> {
        let purpose = meter::purpose(Kind::Summary, &desk.storyline);
        let said = unless(stop, self.summarised(desk, part, &purpose)).await;
        let spent = meter::taken(&purpose.tally);
        meter::book(&self.ports).await;
        let fault = match said {
            Ok(Some(recap)) => return self.store_recap(desk, &recap, &spent).await,
            Ok(None) => None,
            Err(fault) if matches!(fault.kind, FaultKind::TakenOver | FaultKind::TabClosed) => return Err(fault),
            Err(fault) => Some(fault),
        };
        self.note_missed(desk, fault.as_ref(), &spent).await?;
        Ok(Outcome::Missed(fault))
    }

    /// What the model writes; `None`: it cannot be used.
    async fn summarised(&self, desk: &Desk, part: &Part, purpose: &Purpose) -> Result<Option<Recap>, Fault> {
        let Desk { storyline, character, before, .. } = desk;
        let (settings, reader) = (&character.recap, storyline.reader());
        let leave = Leave::ask(&self.ports, storyline, Kind::Summary).await?;
        leave.holds().await?;
        let mut connection = scene::connection(&*self.ports.store, storyline).await?;
        connection.sampling.max_tokens = answer(settings, connection.sampling.max_tokens);
        let room = Calibration::of(&connection).unscale(scene::budget(&connection));
        let (mut told, mut rest) = (before.text.clone(), part.dialogue.as_str());
        let mut model = String::new();
        while !rest.trim().is_empty() {
            let room = room.saturating_sub(cost(settings, &told, reader)).max(summary::LEAST);
            let (now, later) = summary::split(rest, room);
            let messages = request(settings, &told, now, reader);
            let wire = wire::Wire::unlocked(&self.ports, &connection, &messages, purpose.clone()).await?;
            // What is stopped from outside is dropped as a whole.
            let said = stream::aside(&self.ports, wire, Stop::never()).await?;
            let whole = parser::shown(&said.text).trim().to_owned();
            if whole.is_empty() || said.is_cut_off() {
                return Ok(None);
            }
            (told, rest, model) = (whole, later, said.model);
        }
        // One that is longer than what it stands for helps nobody.
        let replaced = before.text.chars().count() + part.dialogue.chars().count();
        let is_shorter = told.chars().count() < replaced;
        let at = self.ports.clock.now();
        Ok(is_shorter.then_some(Recap { text: told, from: before.from, to: part.to, at, model }))
    }

    /// The summary, and all states that follow from it, in one commit. Where the story is another by now, nothing is said.
    async fn store_recap(&self, desk: &Desk, recap: &Recap, spent: &[Spent]) -> Result<Outcome, Fault> {
        let _alone = self.recent.settling.lock().await;
        let Desk { storyline: Storyline { id, .. }, reply: known, .. } = desk;
        self.own(id)?;
        let storyline = self.storyline(id).await?;
        let store = &*self.ports.store;
        let is_same = |reply: &Generation| is_answered(reply) && reply.text == known.text && reply.state == known.state;
        let Some(mut reply) = store.load::<Generation>(known.id.as_str()).await?.filter(is_same) else {
            return Ok(Outcome::Nothing);
        };
        reply.set_recap(recap);
        reply.add_spent(spent);
        reply.say_of(recap::NAME, None);
        store.commit(anew::settled(&self.ports, &storyline, reply).await?).await?;
        self.ports.tabs.announce(id.as_str());
        Ok(Outcome::Written)
    }

    async fn note_missed(&self, desk: &Desk, fault: Option<&Fault>, spent: &[Spent]) -> Result<(), Fault> {
        let _alone = self.recent.settling.lock().await;
        let id = &desk.storyline.id;
        self.own(id)?;
        let reply = self.ports.store.load::<Generation>(desk.reply.id.as_str()).await?;
        let Some(mut reply) = reply.filter(|reply| reply.open.is_none()) else { return Ok(()) };
        reply.add_spent(spent);
        let cause = Cause::NotNoted { fault: fault.cloned(), whose: String::new() };
        reply.say_of(recap::NAME, Some(Notice { module: recap::NAME.to_owned(), cause }));
        self.write(id, Batch::new().put(&reply)).await
    }
}
