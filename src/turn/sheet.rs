//! Character sheet and plot summary, written after a turn (`002`; D1, D2, D4, D8).
//!
//! What was told since is known from the path: a text that never came is due again, one that is there is not. Each is
//! stored with the newest reply, in one commit with all states that follow from it; one that fails stops neither the other
//! nor the chat.

use std::pin::pin;

use futures_util::FutureExt;

use super::{
    anew,
    budget::Leave,
    hand::ByHandError,
    meter, plan,
    play::Conductor,
    scene,
    scribe::is_answered,
    stream::{self, Stop, unless},
};
use crate::{
    features::{
        sheet::{
            self, TextSettings,
            due::{Since, due},
            request::{About, answer, cost, request},
        },
        transcript::speech,
    },
    prompt::tokens::{Calibration, estimate},
    reply::parser,
    store::Batch,
    story::{
        character::Character,
        connection::Connection,
        count_words,
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::StorylineId,
        spending::{Kind, Spent},
        state::{HandEdit, State},
        storyline::Storyline,
        tree::Path,
        warning::{Cause, Notice},
        written::{Text, Written},
    },
};

/// Turns that are looked through at a time.
const WINDOW: u32 = 32;

/// Tokens of dialogue in one request, however much the model takes.
const MOST: u32 = 12_000;

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    pub written: Vec<Text>,
    /// What was not, and why; without a fault the answer cannot be used.
    pub missed: Vec<(Text, Option<Fault>)>,
}

/// Where both texts are written.
struct Desk {
    storyline: Storyline,
    character: Character,
    path: Path,
    settings: [TextSettings; 2],
}

impl Desk {
    fn settings(&self, text: Text) -> &TextSettings {
        &self.settings[text as usize]
    }

    fn about(&self) -> About<'_> {
        let Storyline { language, .. } = self.storyline;
        About { name: &self.character.name, reader: self.storyline.reader(), language }
    }
}

/// The turns that a text does not tell of yet, each as it is told, in order; the newest ones, where they are many.
#[derive(Default)]
struct Unread {
    turns: Vec<(u32, String)>,
    since: Since,
    /// The reply that the text will lie with: the newest on the path.
    reply: Option<Generation>,
}

impl Unread {
    /// What fits into so many tokens, the newest first; the oldest of it is the first turn.
    fn fitting(&self, room: u32) -> (u32, String) {
        let mut left = room;
        let fits = |(_, told): &&(u32, String)| {
            let cost = estimate(told);
            let is_fitting = cost <= left;
            left = left.saturating_sub(cost);
            is_fitting
        };
        let count = self.turns.iter().rev().take_while(fits).count().max(1);
        let turns = &self.turns[self.turns.len().saturating_sub(count)..];
        (turns.first().map_or(0, |(position, _)| *position), turns.iter().map(|(_, told)| told.as_str()).collect())
    }
}

impl Conductor {
    /// Writes the texts that are due, or the one that is asked for; in lock mode both (`002`, 4.2).
    ///
    /// # Errors
    /// The story cannot be read, or is another tab's. What keeps a text alone from being written is in the outcome, and
    /// noted at the reply.
    pub async fn write_texts(&self, id: &StorylineId, asked: Option<Text>, stop: Stop) -> Result<Outcome, Fault> {
        self.own(id)?;
        let storyline = self.storyline(id).await?;
        let preset = scene::preset(&*self.ports.store, &storyline).await;
        let mut outcome = Outcome::default();
        if storyline.demo || asked.is_none() && !sheet::is_on(&storyline, &preset) {
            return Ok(outcome);
        }
        let store = &*self.ports.store;
        let character = store.load::<Character>(storyline.character().as_str()).await?;
        let character = character.ok_or_else(|| Fault::new(FaultKind::NoCharacter, ""))?;
        let path = scene::path(store, &storyline).await?;
        let settings = Text::ALL.map(|text| sheet::settings(text, &storyline, &preset));
        let desk = Desk { storyline, character, path, settings };
        let unread = [self.told_since(&desk, Text::Sheet).await?, self.told_since(&desk, Text::Plot).await?];
        let told = |text: Text| (desk.settings(text), unread[text as usize].since);
        let mut stop = pin!(stop.reason().fuse());
        for text in due(asked, told(Text::Sheet), told(Text::Plot)) {
            let unread = &unread[text as usize];
            // Nothing was told that it does not tell of.
            let Some(reply) = unread.reply.as_ref().filter(|_| !unread.turns.is_empty()) else { continue };
            let has_failed = reply.notices().iter().any(|notice| notice.module == text.name());
            if asked.is_none() && has_failed {
                continue;
            }
            let purpose = meter::purpose(Kind::Sheet, &desk.storyline);
            let said = unless(&mut stop, self.text(&desk, text, unread, &purpose)).await;
            let spent = meter::taken(&purpose.tally);
            meter::book(&self.ports).await;
            match said {
                Ok(Some(written)) => {
                    self.store_text(reply, text, &written, &spent).await?;
                    outcome.written.push(text);
                }
                Ok(None) => outcome.missed.push((text, None)),
                Err(fault) if matches!(fault.kind, FaultKind::TakenOver | FaultKind::TabClosed) => return Err(fault),
                Err(fault) => outcome.missed.push((text, Some(fault))),
            }
            if let Some((missed, fault)) = outcome.missed.last().filter(|(missed, _)| *missed == text) {
                self.store_missed(reply, *missed, fault.as_ref(), &spent).await?;
            }
        }
        Ok(outcome)
    }

    /// Gives a text other words, at the newest reply of the path.
    pub async fn word_text(&self, id: &StorylineId, of: Text, text: &str) -> Result<State, ByHandError> {
        self.change(id, HandEdit::Text { of, text: text.trim().to_owned() }).await
    }

    /// Puts other words in all wordings of a text on the path, the earliest first. Gives in how many replies it did; where it
    /// breaks off, those before it have them.
    ///
    /// # Errors
    /// The story cannot be read, or is another tab's.
    pub async fn replace_in_texts(
        &self,
        id: &StorylineId,
        of: Text,
        words: &str,
        by: &str,
    ) -> Result<u32, ByHandError> {
        let _alone = self.recent.settling.lock().await;
        let storyline = self.storyline(id).await?;
        let store = &*self.ports.store;
        let path = scene::path(store, &storyline).await?;
        let (mut from, mut count) = (0, 0);
        while from < path.end && !words.is_empty() {
            let to = from.saturating_add(WINDOW).min(path.end);
            for node in scene::window(store, &path, from, to).await? {
                let Some(seen) = node.reply().filter(|reply| Generation::clone(reply).replace_in(of, words, by)) else {
                    continue;
                };
                // As it is by now: those before it may have given it another state.
                let Some(mut reply) = store.load::<Generation>(seen.id.as_str()).await? else { continue };
                if reply.open.is_some() || !reply.replace_in(of, words, by) {
                    continue;
                }
                self.own(id)?;
                store.commit(anew::settled(&self.ports, &storyline, reply).await?).await?;
                count += 1;
            }
            from = to;
        }
        if count > 0 {
            self.ports.tabs.announce(id.as_str());
        }
        Ok(count)
    }

    /// What was told on the path since a text was written, or worded by the reader; no more than a request can hold.
    async fn told_since(&self, desk: &Desk, text: Text) -> Result<Unread, Fault> {
        let mut unread = Unread::default();
        let (mut to, mut cost) = (desk.path.end, 0);
        while to > 0 && cost <= MOST {
            let from = to.saturating_sub(WINDOW);
            for node in scene::window(&*self.ports.store, &desk.path, from, to).await?.into_iter().rev() {
                let Some(reply) = node.reply().filter(|reply| is_answered(reply)) else { continue };
                unread.reply.get_or_insert_with(|| reply.clone());
                if reply.written(text).is_some() || reply.worded(text).is_some() {
                    return Ok(unread);
                }
                let told = speech(&node, &desk.character.name, desk.storyline.reader());
                let said = node.turn.user.as_deref().is_some_and(|said| !said.trim().is_empty());
                unread.since.messages += 1 + u32::from(said);
                unread.since.words += count_words(&told) as u32;
                cost += estimate(&told);
                unread.turns.insert(0, (node.turn.position, told));
            }
            to = from;
        }
        Ok(unread)
    }

    /// What the model writes; `None`: it cannot be used.
    async fn text(
        &self,
        desk: &Desk,
        text: Text,
        unread: &Unread,
        purpose: &crate::ports::till::Purpose,
    ) -> Result<Option<Written>, Fault> {
        let Desk { storyline, .. } = desk;
        let settings = desk.settings(text);
        let leave = Leave::ask(&self.ports, storyline, Kind::Sheet).await?;
        leave.holds().await?;
        let mut connection = self.writer(desk, settings).await?;
        connection.sampling.max_tokens = answer(settings, connection.sampling.max_tokens);
        let store = &*self.ports.store;
        let state = scene::state_before(store, storyline, &desk.path, desk.path.end).await?;
        let state = store.load::<State>(state.as_str()).await?.ok_or_else(|| Fault::new(FaultKind::NoState, ""))?;
        let before = text.held(&state);
        let room = Calibration::of(&connection).unscale(scene::budget(&connection)).min(MOST);
        let (from, dialogue) = unread.fitting(room.saturating_sub(cost(text, settings, before, desk.about())));
        let messages = request(text, settings, before, &dialogue, desk.about());
        let began = self.ports.clock.now();
        let wire = stream::Wire::unlocked(&self.ports, &connection, &messages, purpose.clone()).await?;
        // What is stopped from outside is dropped as a whole.
        let said = stream::aside(&self.ports, wire, Stop::never()).await?;
        let at = self.ports.clock.now();
        let whole = parser::shown(&said.text).trim().to_owned();
        let is_usable = !whole.is_empty() && !said.is_cut_off();
        Ok(is_usable.then_some(Written {
            text: whole,
            at,
            model: said.model,
            usage: said.usage,
            millis: at - began,
            from,
        }))
    }

    async fn writer(&self, desk: &Desk, settings: &TextSettings) -> Result<Connection, Fault> {
        match &settings.connection {
            Some(id) => plan::named(&self.ports, id).await,
            None => scene::connection(&*self.ports.store, &desk.storyline).await,
        }
    }

    /// The text, and all states that follow from it, in one commit. A reply that is gone or goes on by now is read again.
    async fn store_text(&self, at: &Generation, text: Text, written: &Written, spent: &[Spent]) -> Result<(), Fault> {
        let _alone = self.recent.settling.lock().await;
        let store = &*self.ports.store;
        self.own(&at.storyline)?;
        let storyline = self.storyline(&at.storyline).await?;
        let reply = store.load::<Generation>(at.id.as_str()).await?;
        let Some(mut reply) = reply.filter(|reply| is_answered(reply) && reply.text == at.text) else { return Ok(()) };
        reply.set_written(text, written);
        reply.add_spent(spent);
        reply.say_of(text.name(), None);
        store.commit(anew::settled(&self.ports, &storyline, reply).await?).await?;
        self.ports.tabs.announce(at.storyline.as_str());
        Ok(())
    }

    async fn store_missed(
        &self,
        at: &Generation,
        text: Text,
        fault: Option<&Fault>,
        spent: &[Spent],
    ) -> Result<(), Fault> {
        let _alone = self.recent.settling.lock().await;
        self.own(&at.storyline)?;
        let reply = self.ports.store.load::<Generation>(at.id.as_str()).await?;
        let Some(mut reply) = reply.filter(|reply| reply.open.is_none()) else { return Ok(()) };
        reply.add_spent(spent);
        let cause = Cause::NotNoted { fault: fault.cloned() };
        reply.say_of(text.name(), Some(Notice { module: text.name().to_owned(), cause }));
        self.write(&at.storyline, Batch::new().put(&reply)).await
    }
}
