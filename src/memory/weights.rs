//! The terms that a score is the sum of, in one table. A weight of 0 switches its term off.

use super::view::NEAR;

/// What each term weighs. The same for every story and language.
///
/// Source: a linear listwise model, fitted on public chats with one conversation left out at a time; forward selection
/// kept what helped, and the mean weights were divided by that of the words and rounded. The rounded sum finds as much
/// as the fitted one. Each term is small against the words' 1, for stories are not chats.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Counts of a unit's own words, in twelfths (so that halves, thirds and quarters add up exactly in any order).
    pub own: u32,
    /// Counts of the words of the neighbours 1 to 4 steps away in the same session, in twelfths: what a turn is about
    /// is often said beside it.
    pub near: [u32; NEAR],
    /// Counts of the words of the turn before, if it holds a question mark, in twelfths: the words of a question belong
    /// to its answer.
    pub question: u32,
    /// Counts of the words of the date, in twelfths.
    pub date_words: u32,
    /// The words, as a share of the best unit's. All below are measured against this 1.
    pub words: f32,
    /// The whole session is about it, least to most.
    pub session: f32,
    /// The question names one speaker, and this is theirs.
    pub speaker: f32,
    /// … and they speak of themselves: three words of the first person earn it all.
    pub first_person: f32,
    /// The question names a date, and this was said then.
    pub date: f32,
    /// It does not end in a question mark.
    pub statement: f32,
    /// It opens a session: news comes first.
    pub opens: f32,
    /// The turn before holds a question mark.
    pub answers: f32,
    /// Capitalised words within sentences that are no speaker's name: three earn it all.
    pub names: f32,
    /// Times ln(1 + words never said before in this story).
    pub new_words: f32,
    /// Taken from the two neighbours of a unit that was found: they hold the same words.
    pub spacing: f32,
    /// Of the words of earlier utterances, where the last one is the query.
    pub earlier: f32,
    /// … together at most so much of what the query's own words weigh, …
    pub earlier_most: f32,
    /// … and where they ask, of this, …
    pub earlier_asked: f32,
    /// … or what those lack of this: three rare words.
    pub enough: f32,
    /// Of the words of a kind that the question names ([`super::Query::text`]: "hobbies"), together as one word.
    pub classes: f32,
    /// Of each word of [`super::Query::expansions`].
    pub expansions: f32,
    /// The likeness of vectors, least to most.
    pub dense: f32,
    /// So many rare words do two hits share that are versions of one fact: the newer then comes first.
    pub versions: f32,
}

impl Weights {
    /// What recall uses.
    pub const RECALL: Self = Self {
        own: 36,
        near: [12, 6, 4, 3],
        question: 24,
        date_words: 24,
        words: 1.0,
        session: 0.25,
        speaker: 0.1,
        first_person: 0.1,
        date: 0.35,
        statement: 0.1,
        opens: 0.12,
        answers: 0.12,
        names: 0.2,
        new_words: 0.07,
        spacing: 0.05,
        earlier: 0.5,
        earlier_most: 2.0,
        earlier_asked: 0.3,
        enough: 40.0,
        classes: 0.5,
        expansions: 0.5,
        dense: 1.0,
        versions: 2.0,
    };
}

impl Default for Weights {
    fn default() -> Self {
        Self::RECALL
    }
}
