//! What is seen from one place of the tree: the units on the path from the root to the head, in order.
//!
//! Everything that depends on the path stands here, so that nothing of a sibling branch can be found or move a score:
//! neighbours, lengths, sessions, words never said before, who has spoken.

use super::{
    dates::DateWord,
    index::{Doc, Index, NONE},
    weights::Weights,
    words,
};

/// The visible units. Made once for a branch and grown as it grows.
///
/// They are ranked as the story tells them, and those that stand alone behind the rest: so turns beside each other have
/// ranks beside each other. Growing moves the ranks of those that stand alone.
#[derive(Clone, Debug, Default)]
pub struct View {
    pub(super) weights: Weights,
    pub(super) turns: Vec<Place>,
    pub(super) alone: Vec<Place>,
    /// By number of unit: its place among the turns, or among those [`ALONE`]; [`NONE`] for what is not seen from here.
    at: Vec<u32>,
    /// Total of words by session.
    pub(super) sessions: Vec<u32>,
    /// Speakers in the order in which they first spoke, and the words of their names.
    pub(super) speakers: Vec<u32>,
    speaker_words: Vec<u32>,
    /// By number of word: how many of the units hold it.
    pub(super) holders: Vec<u32>,
    /// Total of all lengths.
    length: u64,
}

/// A unit where it stands on the path.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub doc: u32,
    /// How many turns stand before and after it in its session; [`NEAR`] at most.
    pub before: u8,
    pub after: u8,
    /// Number of its session on this path, or [`NONE`] where it stands alone.
    pub session: u32,
    pub speaker: u32,
    pub date: u32,
    /// Of its weighted counts, in twelfths.
    pub length: u32,
    /// Where facts are told: what it is worth before anything is asked.
    pub prior: f32,
    pub first_person: u8,
    /// It holds a question mark.
    pub asks: bool,
}

/// Marks a place among those that stand alone.
const ALONE: u32 = 1 << 31;

/// So many turns to each side are neighbours.
pub(super) const NEAR: usize = 4;

impl View {
    pub fn new(weights: Weights) -> Self {
        Self { weights, ..Self::default() }
    }

    /// A view of `docs`, in the order in which the story tells them.
    pub fn of(index: &Index, weights: Weights, docs: impl IntoIterator<Item = u32>) -> Self {
        let mut view = Self::new(weights);
        docs.into_iter().for_each(|doc| view.push(index, doc));
        view
    }

    /// How many units are seen.
    pub fn len(&self) -> usize {
        self.turns.len() + self.alone.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The units by rank.
    pub fn docs(&self) -> impl Iterator<Item = u32> {
        self.places().map(|place| place.doc)
    }

    /// The unit at a rank.
    ///
    /// # Panics
    /// There are not so many.
    pub fn doc(&self, rank: u32) -> u32 {
        self.place(rank).doc
    }

    /// The rank of `doc`, if it is seen from here.
    pub fn rank(&self, doc: u32) -> Option<u32> {
        match *self.at.get(doc as usize)? {
            NONE => None,
            at if at & ALONE == 0 => Some(at),
            at => Some(self.turns.len() as u32 + (at & !ALONE)),
        }
    }

    /// Ranks of the turns before and after `rank` in its session.
    pub fn beside(&self, rank: u32) -> (Option<u32>, Option<u32>) {
        let place = self.place(rank);
        ((0 < place.before).then(|| rank - 1), (0 < place.after).then(|| rank + 1))
    }

    pub(super) fn places(&self) -> impl Iterator<Item = &Place> {
        self.turns.iter().chain(&self.alone)
    }

    pub(super) fn place(&self, rank: u32) -> &Place {
        let rank = rank as usize;
        self.turns.get(rank).unwrap_or_else(|| &self.alone[rank - self.turns.len()])
    }

    /// Adds `doc` at the head. What was removed, or is there already, is passed over.
    pub fn push(&mut self, index: &Index, doc: u32) {
        if index.is_removed(doc) || self.rank(doc).is_some() {
            return;
        }
        if self.at.len() <= doc as usize {
            self.at.resize(index.docs.len(), NONE);
        }
        let unit = &index.docs[doc as usize];
        let place = Place {
            doc,
            before: 0,
            after: 0,
            session: NONE,
            speaker: unit.speaker,
            date: unit.date,
            length: self.weights.own * unit.length,
            prior: 0.0,
            first_person: unit.first_person,
            asks: unit.asks,
        };
        self.length += u64::from(place.length);
        if self.holders.len() < index.words.len() {
            self.holders.resize(index.words.len(), 0);
        }
        if unit.is_alone() {
            self.at[doc as usize] = ALONE | self.alone.len() as u32;
            self.alone.push(place);
        } else {
            self.at[doc as usize] = self.turns.len() as u32;
            self.join(index, unit, place);
        }
        for entry in index.entries_of(unit) {
            self.holders[entry.word() as usize] += 1;
        }
    }

    /// Puts a turn into its session, beside those that it follows.
    fn join(&mut self, index: &Index, unit: &Doc, mut place: Place) {
        let own = |place: &Place| &index.docs[place.doc as usize];
        if self.turns.last().is_none_or(|last| own(last).session != unit.session) {
            self.sessions.push(0);
        }
        place.session = self.sessions.len() as u32 - 1;
        self.sessions[place.session as usize] += unit.length;

        let mut length = 0;
        if unit.date != 0 {
            length += self.weights.date_words * DateWord::COUNT;
        }
        let before = self.turns.iter_mut().rev().take(NEAR).take_while(|before| before.session == place.session);
        for (before, near) in before.zip(self.weights.near) {
            if place.before == 0 && before.asks {
                length += self.weights.question * own(before).length;
            }
            place.before += 1;
            before.after += 1;
            before.length += near * unit.length;
            self.length += u64::from(near * unit.length);
            length += near * own(before).length;
        }
        place.length += length;
        self.length += u64::from(length);

        let heard = self.hear(index, unit);
        let answers = self.turns.last().filter(|_| 0 < place.before).map(|before| before.asks);
        place.prior = self.prior(unit, heard, answers);
        self.turns.push(place);
    }

    /// `answers`: whether the turn before holds a question mark; `None` where there is none.
    fn prior(&self, unit: &Doc, (new_words, names): (u32, u32), answers: Option<bool>) -> f32 {
        let weights = &self.weights;
        let mut prior = weights.new_words * (1.0 + new_words as f32).ln() + weights.names * names.min(3) as f32 / 3.0;
        if !unit.ends_asking {
            prior += weights.statement;
        }
        prior
            + match answers {
                None => weights.opens,
                Some(true) => weights.answers,
                Some(false) => 0.0,
            }
    }

    /// How many words of `unit` are new to this view, and how many are names of others than speakers.
    fn hear(&mut self, index: &Index, unit: &Doc) -> (u32, u32) {
        if !self.speakers.contains(&unit.speaker) {
            self.speakers.push(unit.speaker);
            words::read(&index.speakers[unit.speaker as usize], |word| {
                self.speaker_words.extend(index.words.get_index_of(word.text).map(|word| word as u32));
            });
        }
        let (mut new_words, mut names) = (0, 0);
        for entry in index.entries_of(unit) {
            new_words += u32::from(self.holders[entry.word() as usize] == 0);
            names += u32::from(entry.is_name() && !self.speaker_words.contains(&entry.word()));
        }
        (new_words, names)
    }

    /// Mean length, in twelfths.
    pub(super) fn mean_length(&self) -> f32 {
        (self.length as f64 / self.len().max(1) as f64) as f32
    }
}
