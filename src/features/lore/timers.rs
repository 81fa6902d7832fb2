//! What lasts beyond the turn that an entry came up in: it stays, rests, or never comes up again. Counted in messages of
//! the chat, and kept in the state, so that each branch has its own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{NAME, book::Ready};
use crate::{
    features::{Absorbed, Module, ModuleFault, Outcome, TurnContext},
    store::from_value,
    story::{generation::Generation, state::State},
};

/// Until how many messages the chat must have grown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timer {
    /// It stays told.
    pub stays: Option<u32>,
    /// It is not told.
    pub rests: Option<u32>,
}

/// For good.
const FOREVER: u32 = u32::MAX;

impl Timer {
    /// Of an entry that came up in a chat of `count` messages; `None`: nothing of it lasts.
    pub(super) fn of(ready: &Ready, count: u32) -> Option<Self> {
        let (entry, decorators) = (&ready.entry, &ready.decorators);
        let until = |start: u32, messages: u32| (messages > 0).then(|| start.saturating_add(messages));
        let stays = if decorators.keeps { Some(FOREVER) } else { until(count, entry.sticky) };
        // It rests when it has stayed, from the turn on that finds it so.
        let begins = stays
            .map_or(count, |stays| count.saturating_add((stays - count).div_ceil(PER_TURN).saturating_mul(PER_TURN)));
        let rests = if decorators.once { Some(FOREVER) } else { until(begins, entry.cooldown) };
        (stays.is_some() || rests.is_some()).then_some(Self { stays, rests })
    }

    pub(super) fn stays_at(self, count: u32) -> bool {
        self.stays.is_some_and(|stays| count < stays)
    }

    pub(super) fn rests_at(self, count: u32) -> bool {
        !self.stays_at(count) && self.rests.is_some_and(|rests| count < rests)
    }

    fn is_over(self, count: u32) -> bool {
        !self.stays_at(count) && !self.rests_at(count)
    }
}

/// Messages by which the chat grows with a turn.
const PER_TURN: u32 = 2;

/// Messages of the chat where the turn at `position` is answered: the opening, then two of each turn before, and the words
/// to answer.
pub fn messages_at(position: u32) -> u32 {
    position.saturating_mul(PER_TURN)
}

/// By the keys of their entries.
pub type Timers = BTreeMap<String, Timer>;

/// A timer as it is stored: with the reply that it begins with, and in the state as long as it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Started {
    /// The key of its entry.
    pub entry: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stays: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rests: Option<u32>,
}

impl Started {
    fn timer(&self) -> Timer {
        Timer { stays: self.stays, rests: self.rests }
    }
}

/// Lets go of those that run in a state: who was not there when they began knows nothing of them.
pub fn forget(state: &mut State) {
    keep(state, &[]);
}

/// Those that run in a state.
pub fn timers(state: &State) -> Timers {
    let mut timers = Timers::new();
    timers.extend(running(state).into_iter().map(|one| (one.entry.clone(), one.timer())));
    timers
}

fn running(state: &State) -> Vec<Started> {
    let stored = state.extra.get(NAME).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    stored.iter().filter_map(|one| from_value(one.clone()).ok()).collect()
}

fn keep(state: &mut State, running: &[Started]) {
    if running.is_empty() {
        state.extra.shift_remove(NAME);
    } else {
        state.extra.insert(NAME.into(), serde_json::to_value(running).expect("timers have text keys"));
    }
}

/// Those that begin with a reply.
pub fn started(reply: &Generation) -> Vec<Started> {
    reply.list(NAME)
}

pub fn set_started(reply: &mut Generation, started: &[Started]) {
    reply.set_list(NAME, started);
}

pub(super) struct Running;

impl Module for Running {
    fn name(&self) -> &'static str {
        NAME
    }

    fn absorb(&self, input: &Absorbed, context: &TurnContext, state: &mut State) -> Result<Outcome, ModuleFault> {
        let count = messages_at(context.position);
        let mut running = running(state);
        let before = running.len();
        running.retain(|one| !one.timer().is_over(count));
        let started = if input.failed { &[][..] } else { &input.started };
        if running.len() != before || !started.is_empty() {
            running.retain(|one| started.iter().all(|started| started.entry != one.entry));
            running.extend_from_slice(started);
            keep(state, &running);
        }
        Ok(Outcome::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::lorebook::{Entry, Lorebook};

    fn timer(entry: Entry) -> Option<Timer> {
        let entry = Entry { content: format!("{}Text", entry.content), ..entry };
        let book = super::super::book::Book::of(Lorebook { entries: vec![entry], ..Default::default() });
        Timer::of(&book.entries[0], 10)
    }

    #[test]
    fn what_lasts_and_how_long() {
        assert_eq!(timer(Entry::default()), None);
        let sticky = timer(Entry { sticky: 3, ..Default::default() }).unwrap();
        assert_eq!([10, 12, 13, 14].map(|count| sticky.stays_at(count)), [true, true, false, false]);
        let both = timer(Entry { sticky: 3, cooldown: 4, ..Default::default() }).unwrap();
        assert_eq!([10, 12, 14, 16, 18].map(|count| both.rests_at(count)), [false, false, true, true, false]);
        assert!(both.is_over(18) && !both.is_over(16));
        let cooldown = timer(Entry { cooldown: 4, ..Default::default() }).unwrap();
        assert_eq!([12, 14].map(|count| cooldown.rests_at(count)), [true, false]);
        let kept = timer(Entry { content: "@@keep_activate_after_match\n".into(), ..Default::default() }).unwrap();
        assert!(kept.stays_at(1_000_000));
        let once = timer(Entry { content: "@@dont_activate_after_match\n".into(), ..Default::default() }).unwrap();
        assert!(once.rests_at(1_000_000));
    }
}
