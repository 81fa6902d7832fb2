//! What a search gives back, and how the best are taken.

use std::{cmp::Ordering, collections::BinaryHeap};

use super::view::View;

/// A unit that was found, and why. Hits come in order of score, but that a newer version stands before the older.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Number of the unit.
    pub doc: u32,
    /// Where it stands in the view.
    pub rank: u32,
    pub score: f32,
    pub parts: Parts,
    /// Words that were looked for and that it or its neighbours hold, as the index writes them.
    pub words: Vec<String>,
    /// A newer unit among the hits that tells of the same thing.
    pub superseded_by: Option<u32>,
}

/// What each term adds to a score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    pub words: f32,
    pub session: f32,
    pub speaker: f32,
    pub date: f32,
    pub prior: f32,
    pub dense: f32,
    /// Never above 0.
    pub spacing: f32,
}

impl Parts {
    /// By the name of the term.
    pub fn named(&self) -> [(&'static str, f32); 7] {
        [
            ("words", self.words),
            ("session", self.session),
            ("speaker", self.speaker),
            ("date", self.date),
            ("prior", self.prior),
            ("dense", self.dense),
            ("spacing", self.spacing),
        ]
    }

    pub fn total(&self) -> f32 {
        self.words + self.session + self.speaker + self.date + self.prior + self.dense + self.spacing
    }
}

/// A rank and its score; the newer of two equals is the better.
#[derive(PartialEq)]
struct Scored {
    score: f32,
    rank: u32,
    lowered: f32,
}

impl Eq for Scored {}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.rank.cmp(&other.rank))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The best `k` of those that `may` be taken, each with what was taken from its score: one that is taken lowers those
/// beside it by `spacing`.
pub(super) fn best(
    view: &View,
    scored: Vec<(u32, f32)>,
    k: usize,
    spacing: f32,
    may: &dyn Fn(u32) -> bool,
) -> Vec<(u32, f32)> {
    let mut scored: Vec<_> = scored.into_iter().map(|(rank, score)| Scored { score, rank, lowered: 0.0 }).collect();
    // Each one that is taken lowers two: the best k are among the first 3k.
    let enough = k.saturating_mul(3);
    let mut allowed = Vec::new();
    // Leave is asked for the best alone, more and more of them until they are enough: it costs more than a score.
    let mut asked = enough.saturating_mul(2);
    while allowed.len() < enough && !scored.is_empty() {
        let rest = scored.len().saturating_sub(asked);
        if 0 < rest {
            scored.select_nth_unstable(rest);
        }
        allowed.extend(scored.drain(rest..).filter(|scored| may(scored.rank)));
        asked = asked.saturating_mul(4);
    }
    let mut heap = BinaryHeap::from(allowed);
    let mut taken: Vec<(u32, f32)> = Vec::new();
    while taken.len() < k {
        let Some(top) = heap.pop() else { break };
        let (before, after) = view.beside(top.rank);
        let beside = taken.iter().filter(|(rank, _)| Some(*rank) == before || Some(*rank) == after).count();
        let lowered = spacing * beside as f32;
        if top.lowered < lowered {
            heap.push(Scored { score: top.score - (lowered - top.lowered), lowered, ..top });
        } else {
            taken.push((top.rank, lowered));
        }
    }
    taken
}
