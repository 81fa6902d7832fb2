//! Character sheet and plot summary, written after a turn (`002`; D1, D2, D4, D8).
//!
//! What was told since is known from the path: a text that never came is due again, one that is there is not. Each is
//! stored with the last reply that it was written from, in one commit with all states that follow from it; one that fails
//! stops neither the other nor the chat. Of itself a text is written from the newest turns alone, where there are more than
//! one request holds; asked for, it is written from all of them, part by part.

use std::pin::pin;

use futures_util::{FutureExt, future::FusedFuture};

use super::{
    anew,
    budget::Leave,
    group,
    hand::ByHandError,
    meter, plan,
    play::Conductor,
    scene,
    scribe::is_answered,
    stream::{self, Stop, unless},
    wire,
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
    ports::till::Purpose,
    prompt::tokens::{Calibration, estimate},
    provider::Message,
    reply::parser,
    store::Batch,
    story::{
        character::Character,
        company::{self, Stretch, Voices},
        connection::Connection,
        count_words,
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::{GenerationId, StorylineId},
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
    voices: Voices,
    /// The turns that the story's own character did not hear: both texts are written of what they heard.
    missed: Vec<Stretch>,
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

/// The turns that a text does not tell of yet, in order.
#[derive(Default)]
struct Unread {
    turns: Vec<Told>,
    since: Since,
}

struct Told {
    position: u32,
    reply: GenerationId,
    /// As it is told.
    text: String,
    cost: u32,
}

impl Told {
    /// Puts before it what was said before it.
    fn lead_by(&mut self, said: &str) {
        self.text.insert_str(0, said);
        self.cost += estimate(said);
    }
}

impl Unread {
    /// Takes out what fits into so many tokens: the oldest of it, or of all the newest and no other.
    fn take(&mut self, room: u32, newest: bool) -> Vec<Told> {
        let mut left = room;
        let fits = |told: &&Told| {
            let is_fitting = told.cost <= left;
            left = left.saturating_sub(told.cost);
            is_fitting
        };
        if newest {
            let count = self.turns.iter().rev().take_while(fits).count().max(1);
            let from = self.turns.len().saturating_sub(count);
            std::mem::take(&mut self.turns).split_off(from)
        } else {
            let count = self.turns.iter().take_while(fits).count().max(1);
            self.turns.drain(..count.min(self.turns.len())).collect()
        }
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
        let character = group::own(store, &storyline).await?;
        let path = scene::path(store, &storyline).await?;
        let settings = Text::ALL.map(|text| sheet::settings(text, &storyline, &preset));
        let voices = group::voices(store, &storyline, &character.name).await?;
        let missed = group::missed(store, &storyline, &path, storyline.character()).await?;
        let desk = Desk { storyline, character, voices, missed, path, settings };
        let most = if asked.is_some() { u32::MAX } else { MOST };
        let mut unread =
            [self.told_since(&desk, Text::Sheet, most).await?, self.told_since(&desk, Text::Plot, most).await?];
        let told = |text: Text| (desk.settings(text), unread[text as usize].since);
        let mut stop = pin!(stop.reason().fuse());
        for text in due(asked, told(Text::Sheet), told(Text::Plot)) {
            let unread = std::mem::take(&mut unread[text as usize]);
            // Nothing was told that it does not tell of.
            let Some(newest) = unread.turns.last().map(|told| told.reply.clone()) else { continue };
            let reply = store.load::<Generation>(newest.as_str()).await?;
            let has_failed = reply.is_some_and(|reply| reply.notices().iter().any(|said| said.module == text.name()));
            if asked.is_none() && has_failed {
                continue;
            }
            let purpose = meter::purpose(Kind::Sheet, &desk.storyline);
            let said = self.text(&desk, text, unread, asked.is_none(), &purpose, &mut stop).await;
            let spent = meter::taken(&purpose.tally);
            meter::book(&self.ports).await;
            let fault = match said {
                Ok(true) => {
                    outcome.written.push(text);
                    continue;
                }
                Ok(false) => None,
                Err(fault) if matches!(fault.kind, FaultKind::TakenOver | FaultKind::TabClosed) => return Err(fault),
                Err(fault) => Some(fault),
            };
            self.store_missed(&desk.storyline.id, &newest, text, fault.as_ref(), &spent).await?;
            let is_stopped = fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Stopped);
            outcome.missed.push((text, fault));
            if is_stopped {
                break;
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

    /// What was told on the path since a text was written, or worded by the reader; the newest of it, about so many tokens.
    async fn told_since(&self, desk: &Desk, text: Text, most: u32) -> Result<Unread, Fault> {
        let mut unread = Unread::default();
        let (mut to, mut left) = (desk.path.end, most);
        'path: while to > 0 && left > 0 {
            let from = to.saturating_sub(WINDOW);
            for node in scene::window(&*self.ports.store, &desk.path, from, to).await?.into_iter().rev() {
                let Some(reply) = node.reply().filter(|reply| is_answered(reply)) else {
                    let heard = !company::is_in(&desk.missed, node.turn.position);
                    // What nobody answered in its own turn is told with what was said next.
                    if let Some(next) = unread.turns.last_mut().filter(|_| heard && node.reply().is_none()) {
                        next.lead_by(&speech(&node, "", desk.storyline.reader()));
                    }
                    continue;
                };
                if reply.written(text).is_some() || reply.worded(text).is_some() {
                    break 'path;
                }
                if company::is_in(&desk.missed, node.turn.position) {
                    continue;
                }
                let told = speech(&node, desk.voices.in_turn(&node), desk.storyline.reader());
                let said = node.turn.user.as_deref().is_some_and(|said| !said.trim().is_empty());
                unread.since.messages += 1 + u32::from(said);
                unread.since.words += count_words(&told) as u32;
                let cost = estimate(&told);
                left = left.saturating_sub(cost);
                unread.turns.push(Told { position: node.turn.position, reply: reply.id.clone(), text: told, cost });
            }
            to = from;
        }
        unread.turns.reverse();
        Ok(unread)
    }

    /// Has the model write it, in parts where one request does not hold what was told: each part makes a wording that holds
    /// from its last reply on, so that what breaks off goes on from there. `newest`: the last part alone. `false`: what it
    /// wrote cannot be used.
    async fn text(
        &self,
        desk: &Desk,
        text: Text,
        mut unread: Unread,
        newest: bool,
        purpose: &Purpose,
        stop: &mut (impl FusedFuture<Output = FaultKind> + Unpin),
    ) -> Result<bool, Fault> {
        let settings = desk.settings(text);
        let store = &*self.ports.store;
        while !unread.turns.is_empty() {
            let leave = Leave::ask(&self.ports, &desk.storyline, Kind::Sheet).await?;
            leave.holds().await?;
            let mut connection = self.writer(desk, settings).await?;
            connection.sampling.max_tokens = answer(settings, connection.sampling.max_tokens);
            let state = scene::state_before(store, &desk.storyline, &desk.path, desk.path.end).await?;
            let state = store.load::<State>(state.as_str()).await?;
            let state = state.ok_or_else(|| Fault::new(FaultKind::NoState, ""))?;
            let before = text.held(&state);
            let room = Calibration::of(&connection).unscale(scene::budget(&connection)).min(MOST);
            let part = unread.take(room.saturating_sub(cost(text, settings, before, desk.about())), newest);
            let (Some(first), Some(last)) = (part.first(), part.last()) else { break };
            let Some(reply) = store.load::<Generation>(last.reply.as_str()).await? else { break };
            let dialogue: String = part.iter().map(|told| told.text.as_str()).collect();
            let messages = request(text, settings, before, &dialogue, desk.about());
            let Some(written) = unless(stop, self.wording(&connection, &messages, first.position, purpose)).await?
            else {
                return Ok(false);
            };
            self.store_text(&reply, text, &written, &meter::taken(&purpose.tally)).await?;
            meter::book(&self.ports).await;
        }
        Ok(true)
    }

    /// What the model answers; `None`: it cannot be used.
    async fn wording(
        &self,
        connection: &Connection,
        messages: &[Message],
        from: u32,
        purpose: &Purpose,
    ) -> Result<Option<Written>, Fault> {
        let began = self.ports.clock.now();
        let wire = wire::Wire::unlocked(&self.ports, connection, messages, purpose.clone()).await?;
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
        id: &StorylineId,
        at: &GenerationId,
        text: Text,
        fault: Option<&Fault>,
        spent: &[Spent],
    ) -> Result<(), Fault> {
        let _alone = self.recent.settling.lock().await;
        self.own(id)?;
        let reply = self.ports.store.load::<Generation>(at.as_str()).await?;
        let Some(mut reply) = reply.filter(|reply| reply.open.is_none()) else { return Ok(()) };
        reply.add_spent(spent);
        let cause = Cause::NotNoted { fault: fault.cloned() };
        reply.say_of(text.name(), Some(Notice { module: text.name().to_owned(), cause }));
        self.write(id, Batch::new().put(&reply)).await
    }
}
