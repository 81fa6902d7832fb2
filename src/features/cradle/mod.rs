//! The cradle (seed `004`; F6): a character that grows out of texts which the reader feeds it, over a set time or at once.
//!
//! What grows is a character of the library like any other. What it was fed, and what each piece of that changed in it, is
//! kept with it ([`Cradle`], under [`KEY`]); the texts themselves are assets. When the next piece is due follows from what is
//! kept and the clock alone: what fell due while the page was closed is worked off at the next start, and nothing twice.

mod fields;
mod pieces;
pub mod request;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

pub use self::{
    fields::{Field, titles},
    pieces::pieces,
};
use crate::story::{
    Extra, Millis, character::Character, fault::Fault, generation::Usage, ids::BlobId, storyline::Language,
};

/// Where a character keeps it, beside its fields.
pub const KEY: &str = "cradle";

/// The seed's: seven.
pub const DAYS: u32 = 7;
pub const MOST_DAYS: u32 = 365;
const DAY: Millis = 24 * 60 * 60 * 1000;

/// No time is after this one: JavaScript's own bound.
const MOST_TIME: Millis = 8_640_000_000_000_000;
/// Pieces that all texts together may have; the longest has a tenth of that.
const MOST_PIECES: u32 = 20_000;

/// Bytes that a text may have.
pub const MOST_BYTES: usize = 4 << 20;

/// What a text is to a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It speaks of the character, and is true.
    #[default]
    AboutMe,
    /// A manner, a voice, a life is drawn from it.
    Material,
    /// What the character knows.
    Knowledge,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::AboutMe, Self::Material, Self::Knowledge];

    pub fn name(self) -> &'static str {
        match self {
            Self::AboutMe => "about_me",
            Self::Material => "material",
            Self::Knowledge => "knowledge",
        }
    }
}

/// A text that was fed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Feed {
    pub id: String,
    pub kind: Kind,
    pub title: String,
    pub blob: BlobId,
    pub fed: Millis,
    /// In how many it is read.
    pub pieces: u32,
    /// By our estimate.
    pub tokens: u32,
    /// Pieces that are not to be read: what they taught was taken back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<u32>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// What a piece changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Step {
    pub at: Millis,
    /// `None`: the last one, by which it became a full character.
    pub piece: Option<Piece>,
    pub changes: Vec<Change>,
    /// What it changed is not kept any more: it can no longer be taken back.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub faded: bool,
    pub model: String,
    pub usage: Usage,
    #[serde(flatten)]
    pub extra: Extra,
}

/// A piece of a text, from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub feed: String,
    pub number: u32,
}

/// One thing of a character, before and after.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Change {
    /// By its name ([`Field`]).
    pub field: String,
    /// Which entry of what it knows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    pub before: String,
    pub after: String,
    /// The entry before, whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<Value>,
}

/// A step that was asked for ahead of its time: it is looked at, and waits until it is due, let in or left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ahead {
    /// With what it would change.
    pub step: Step,
    /// What the model said.
    pub said: request::Said,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Ahead {
    /// Of what the model said, to a character as it is.
    pub fn of(character: &Character, mut step: Step, said: request::Said) -> Self {
        step.changes = fields::apply(&mut character.clone(), &said, character);
        Self { step, said, extra: Extra::new() }
    }

    /// It still is what comes next, and changes what was shown: nobody has changed those things since.
    fn holds(&self, next: &Next, character: &Character) -> bool {
        let changes = || fields::apply(&mut character.clone(), &self.said, character);
        self.step.is_next(next) && changes() == self.step.changes
    }
}

impl Step {
    fn is_next(&self, next: &Next) -> bool {
        match (next, &self.piece) {
            (Next::Read(next), Some(piece)) => next == piece,
            (Next::Ripen, None) => true,
            _ => false,
        }
    }
}

/// Why the newest try came to nothing; without a fault its answer cannot be used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Missed {
    pub at: Millis,
    pub fault: Option<Fault>,
    /// How many in a row.
    pub times: u32,
}

/// What failed is not tried again by itself within this, and each time within twice as long.
const PATIENCE: Millis = 10 * 60_000;
/// So many answers that cannot be used are paid for before the reader is waited for.
const UNUSABLE: u32 = 3;

impl Missed {
    /// Whether it is tried again without being asked to.
    pub fn is_over(&self, now: Millis) -> bool {
        let wait = PATIENCE << self.times.saturating_sub(1).min(10);
        (self.fault.is_some() || self.times < UNUSABLE) && self.at + wait < now
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cradle {
    pub language: Language,
    /// Over how many days it grows; 0: at once.
    pub days: u32,
    /// `None`: it has not begun.
    pub begun: Option<Millis>,
    /// What was due up to here was read.
    pub grown_to: Millis,
    /// Since when it rests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<Millis>,
    pub feeds: Vec<Feed>,
    pub steps: Vec<Step>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "readable")]
    pub ahead: Option<Ahead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<Missed>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    Read(Piece),
    /// All is read and the time is over: it becomes a full character.
    Ripen,
}

impl Cradle {
    /// A character's; `None`: it did not grow here, or what is kept is none. A file may have said anything: what is counted
    /// has a bound.
    pub fn of(character: &Character) -> Option<Self> {
        let mut cradle: Self = serde_json::from_value(character.extra.get(KEY)?.clone()).ok()?;
        cradle.days = cradle.days.min(MOST_DAYS);
        for at in cradle.begun.iter_mut().chain([&mut cradle.grown_to]).chain(&mut cradle.paused) {
            *at = (*at).min(MOST_TIME);
        }
        let mut room = MOST_PIECES;
        for feed in &mut cradle.feeds {
            feed.pieces = feed.pieces.min(room);
            room -= feed.pieces;
        }
        Some(cradle)
    }

    pub fn keep(&self, character: &mut Character) {
        character.extra.insert(KEY.into(), serde_json::to_value(self).expect("its keys are texts"));
    }

    /// It is a full character.
    pub fn is_ripe(&self) -> bool {
        self.steps.last().is_some_and(|step| step.piece.is_none())
    }

    /// Pieces that are still to be read, in the order in which they were fed.
    pub fn left(&self) -> Vec<Piece> {
        let read: BTreeSet<(&str, u32)> = self
            .steps
            .iter()
            .filter_map(|step| step.piece.as_ref())
            .map(|piece| (piece.feed.as_str(), piece.number))
            .collect();
        let of = |feed: &Feed| {
            let (id, left_out) = (feed.id.clone(), feed.left_out.iter().copied().collect::<BTreeSet<_>>());
            (0..feed.pieces)
                .filter(move |number| !left_out.contains(number))
                .map(move |number| Piece { feed: id.clone(), number })
        };
        self.feeds.iter().flat_map(of).filter(|piece| !read.contains(&(piece.feed.as_str(), piece.number))).collect()
    }

    /// Pieces of a text that were read.
    pub fn read(&self, feed: &str) -> usize {
        self.steps.iter().filter(|step| step.piece.as_ref().is_some_and(|piece| piece.feed == feed)).count()
    }

    /// When its time is over.
    pub fn ends(&self) -> Option<Millis> {
        Some(self.begun? + Millis::from(self.days) * DAY)
    }

    /// What comes next, and when: the pieces that are left share the time that is left. `None`: nothing, as long as it rests
    /// or has nothing to grow from.
    pub fn next(&self) -> Option<(Millis, Next)> {
        self.planned().filter(|_| self.paused.is_none())
    }

    /// The same as if it did not rest.
    pub fn planned(&self) -> Option<(Millis, Next)> {
        let ends = self.ends().filter(|_| !self.is_ripe())?;
        let left = self.left();
        let share = ends.saturating_sub(self.grown_to) / (left.len() as Millis).max(1);
        match left.into_iter().next() {
            Some(piece) => Some((self.grown_to + share, Next::Read(piece))),
            None if self.steps.is_empty() => None,
            None => Some((ends.max(self.grown_to), Next::Ripen)),
        }
    }

    /// What is due by now.
    pub fn due(&self, now: Millis) -> Option<Next> {
        self.next().filter(|(at, _)| *at <= now).map(|(_, next)| next)
    }

    /// The step that was looked at ahead, where it still is what comes next.
    pub fn shown(&self, character: &Character) -> Option<&Ahead> {
        let (_, next) = self.planned()?;
        self.ahead.as_ref().filter(|ahead| ahead.holds(&next, character))
    }

    /// What was looked at ahead is not let in: its piece is left out. `at`: when that was; another by now stays.
    pub fn leave_out_ahead(&mut self, at: Millis) {
        if let Some(Ahead { step, .. }) = self.ahead.take_if(|ahead| ahead.step.at == at)
            && let Some(piece) = &step.piece
        {
            self.leave_out(piece);
            self.missed = None;
        }
    }

    fn leave_out(&mut self, piece: &Piece) {
        if let Some(feed) = self.feeds.iter_mut().find(|feed| feed.id == piece.feed) {
            feed.left_out.push(piece.number);
        }
    }

    pub fn begin(&mut self, now: Millis) {
        if self.begun.is_none() {
            (self.begun, self.grown_to) = (Some(now), now);
        }
    }

    pub fn pause(&mut self, now: Millis) {
        self.paused.get_or_insert(now);
    }

    /// The time of its rest is no time of its growth.
    pub fn go_on(&mut self, now: Millis) {
        if let Some(since) = self.paused.take() {
            let rest = now.saturating_sub(since);
            self.grown_to += rest;
            self.begun = self.begun.map(|begun| begun + rest);
        }
    }

    /// One more text, which was fed now.
    pub fn feed(&mut self, feed: Feed) {
        // What is fed late is not overdue at once: it shares the time that is left by then. What was due before it stays so.
        let now = self.paused.unwrap_or(feed.fed);
        if let Some(ends) = self.ends()
            && self.planned().is_none_or(|(at, _)| at > now)
        {
            self.grown_to = self.grown_to.max(now.min(ends));
        }
        self.feeds.push(feed);
    }

    /// A text is not to be read any further; what it taught stays.
    pub fn drop_feed(&mut self, id: &str) {
        self.feeds.retain(|feed| feed.id != id || self.steps.iter().any(|step| of_feed(step, id)));
        let read: Vec<u32> = self
            .steps
            .iter()
            .filter_map(|step| step.piece.as_ref())
            .filter(|piece| piece.feed == id)
            .map(|piece| piece.number)
            .collect();
        if let Some(feed) = self.feeds.iter_mut().find(|feed| feed.id == id) {
            feed.left_out = (0..feed.pieces).filter(|number| !read.contains(number)).collect();
        }
    }

    /// Takes that back: `whole` is the text as it was, at its place.
    pub fn put_back(&mut self, at: usize, whole: Feed) {
        match self.feeds.iter_mut().find(|feed| feed.id == whole.id) {
            Some(feed) => *feed = whole,
            None => self.feeds.insert(at.min(self.feeds.len()), whole),
        }
    }

    /// What was left out of a text is to be read after all.
    pub fn read_again(&mut self, id: &str) {
        if let Some(feed) = self.feeds.iter_mut().find(|feed| feed.id == id) {
            feed.left_out.clear();
        }
    }
}

/// One that another version wrote is looked at anew.
fn readable<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Ahead>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).ok())
}

/// A record that comes in a file rests: it calls a model only where the reader says so here.
pub fn lay_to_rest(record: &mut Value, now: Millis) {
    if let Some(cradle) = record.get_mut(KEY).and_then(Value::as_object_mut)
        && cradle.get("begun").is_some_and(|begun| !begun.is_null())
        && cradle.get("paused").is_none_or(Value::is_null)
    {
        cradle.insert("paused".into(), now.into());
    }
}

fn of_feed(step: &Step, id: &str) -> bool {
    step.piece.as_ref().is_some_and(|piece| piece.feed == id)
}

/// Steps of which it is kept what they changed.
const KEPT: usize = 120;

/// Enters a step into a character: what it changed, and that it was done. `told`: the character as it was when that was asked;
/// what a hand has changed since stays. False where that is not what comes next, for another tab has done it, or it rests.
pub fn enter(character: &mut Character, step: Step, said: &request::Said, told: &Character) -> bool {
    let Some(cradle) = Cradle::of(character) else { return false };
    let Some((at, _)) = cradle.next().filter(|(_, next)| step.is_next(next)) else { return false };
    put(character, cradle, at, step, said, told);
    true
}

/// Lets in what was looked at ahead, before its time and though it rests; the others share the time that is left. `of`: when
/// it was looked at. False where it does not hold any more.
pub fn let_in(character: &mut Character, of: Millis, now: Millis) -> bool {
    let Some(cradle) = Cradle::of(character) else { return false };
    let Some(ahead) = cradle.shown(character).filter(|ahead| ahead.step.at == of).cloned() else { return false };
    let due = cradle.planned().map_or(now, |(at, _)| at);
    let at = due.min(cradle.paused.unwrap_or(now));
    let told = character.clone();
    put(character, cradle, at, Step { at: now, ..ahead.step }, &ahead.said, &told);
    true
}

fn put(
    character: &mut Character,
    mut cradle: Cradle,
    at: Millis,
    mut step: Step,
    said: &request::Said,
    told: &Character,
) {
    step.changes = fields::apply(character, said, told);
    cradle.grown_to = at;
    (cradle.missed, cradle.ahead) = (None, None);
    cradle.steps.push(step);
    let old = cradle.steps.len().saturating_sub(KEPT);
    for step in cradle.steps[..old].iter_mut().filter(|step| !step.changes.is_empty()) {
        step.changes.clear();
        step.faded = true;
    }
    cradle.keep(character);
}

/// Takes the newest of so many steps back: what it changed is as it was, unless somebody has changed it since. Its piece is
/// left out, until the reader wants it read again. False where there are more or fewer by now, or it has faded.
pub fn take_back(character: &mut Character, of: usize) -> bool {
    let Some(mut cradle) = Cradle::of(character).filter(|cradle| cradle.steps.len() == of) else { return false };
    let Some(step) = cradle.steps.pop().filter(|step| !step.faded) else { return false };
    step.changes.iter().rev().for_each(|change| fields::undo(character, change));
    match &step.piece {
        Some(piece) => cradle.leave_out(piece),
        // It would ripen again at once.
        None => cradle.pause(step.at),
    }
    cradle.keep(character);
    true
}
