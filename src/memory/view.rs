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

/// The visible units, ranked as the story tells them. Made once for a branch and grown as it grows.
#[derive(Clone, Debug, Default)]
pub struct View {
    pub(super) weights: Weights,
    pub(super) places: Vec<Place>,
    /// Rank by number of unit; [`NONE`] for what is not seen from here.
    ranks: Vec<u32>,
    /// Total of words by session.
    pub(super) sessions: Vec<u32>,
    /// Speakers in the order in which they first spoke, and the words of their names.
    pub(super) speakers: Vec<u32>,
    speaker_words: Vec<u32>,
    /// By number of word: it has been said.
    said: Vec<bool>,
    /// Rank of the turn that the next one follows.
    last: Option<u32>,
    /// Total of all lengths.
    length: u64,
}

/// A unit where it stands on the path.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub doc: u32,
    /// Ranks of the turns beside it in its session, or [`NONE`].
    pub before: u32,
    pub after: u32,
    /// Number of its session on this path, or [`NONE`] where it stands alone.
    pub session: u32,
    pub speaker: u32,
    pub date: u32,
    /// Of its weighted counts, in twelfths.
    pub length: u32,
    /// ln(1 + words never said before).
    pub new_words: f32,
    pub names: u8,
    pub first_person: u8,
    /// It holds a question mark.
    pub asks: bool,
    pub ends_asking: bool,
}

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
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The units in order.
    pub fn docs(&self) -> impl Iterator<Item = u32> {
        self.places.iter().map(|place| place.doc)
    }

    /// Where `doc` stands, if it is seen from here.
    pub fn rank(&self, doc: u32) -> Option<u32> {
        self.ranks.get(doc as usize).copied().filter(|rank| *rank != NONE)
    }

    /// Ranks of the turns before and after `rank` in its session.
    pub fn beside(&self, rank: u32) -> (Option<u32>, Option<u32>) {
        let place = &self.places[rank as usize];
        let some = |rank: u32| (rank != NONE).then_some(rank);
        (some(place.before), some(place.after))
    }

    /// Adds `doc` at the head. What was removed, or is there already, is passed over.
    pub fn push(&mut self, index: &Index, doc: u32) {
        if index.is_removed(doc) || self.rank(doc).is_some() {
            return;
        }
        let rank = self.places.len() as u32;
        if self.ranks.len() <= doc as usize {
            self.ranks.resize(index.docs.len(), NONE);
        }
        self.ranks[doc as usize] = rank;
        let unit = &index.docs[doc as usize];
        self.places.push(Place {
            doc,
            before: NONE,
            after: NONE,
            session: NONE,
            speaker: unit.speaker,
            date: unit.date,
            length: self.weights.own * unit.length,
            new_words: 0.0,
            names: 0,
            first_person: unit.first_person,
            asks: unit.asks,
            ends_asking: unit.ends_asking,
        });
        if !unit.is_alone() {
            self.join(index, unit, rank);
        }
        self.length += u64::from(self.places[rank as usize].length);
    }

    /// Puts a turn into its session, beside those that it follows.
    fn join(&mut self, index: &Index, unit: &Doc, rank: u32) {
        let before =
            self.last.filter(|last| index.docs[self.places[*last as usize].doc as usize].session == unit.session);
        self.last = Some(rank);
        if before.is_none() {
            self.sessions.push(0);
        }
        let session = self.sessions.len() - 1;
        self.sessions[session] += unit.length;

        let mut length = 0;
        if unit.date != 0 {
            length += self.weights.date_words * DateWord::COUNT;
        }
        if let Some(before) = before {
            let place = &mut self.places[before as usize];
            place.after = rank;
            if place.asks {
                length += self.weights.question * index.docs[place.doc as usize].length;
            }
        }
        let mut at = before.unwrap_or(NONE);
        for near in self.weights.near {
            let Some(place) = self.places.get_mut(at as usize) else { break };
            place.length += near * unit.length;
            self.length += u64::from(near * unit.length);
            length += near * index.docs[place.doc as usize].length;
            at = place.before;
        }

        let (new_words, names) = self.hear(index, unit);
        let place = &mut self.places[rank as usize];
        place.before = before.unwrap_or(NONE);
        place.session = session as u32;
        place.length += length;
        place.new_words = (1.0 + new_words as f32).ln();
        place.names = names.min(255) as u8;
    }

    /// How many words of `unit` were never said before, and how many of its words are names of others than speakers.
    fn hear(&mut self, index: &Index, unit: &Doc) -> (u32, u32) {
        if !self.speakers.contains(&unit.speaker) {
            self.speakers.push(unit.speaker);
            words::read(&index.speakers[unit.speaker as usize], |word| {
                self.speaker_words.extend(index.words.get_index_of(word.text).map(|word| word as u32));
            });
        }
        if self.said.len() < index.words.len() {
            self.said.resize(index.words.len(), false);
        }
        let (mut new_words, mut names) = (0, 0);
        for entry in index.entries_of(unit) {
            let said = &mut self.said[entry.word() as usize];
            new_words += u32::from(!*said);
            *said = true;
            names += u32::from(entry.is_name() && !self.speaker_words.contains(&entry.word()));
        }
        (new_words, names)
    }

    /// Mean length, in twelfths.
    pub(super) fn mean_length(&self) -> f32 {
        (self.length as f64 / self.places.len().max(1) as f64) as f32
    }
}
