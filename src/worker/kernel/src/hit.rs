//! What a search finds.

use std::{cmp::Ordering, collections::BinaryHeap};

/// A document and its cosine with the query, −1 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub doc: u32,
    pub score: f32,
}

/// A hit ordered by worth: better ones are less, so that a heap has the worst on top.
#[derive(PartialEq)]
struct Ranked(Hit);

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    /// Among equals the earlier document is better: the order must not depend on the way of the search.
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.score.total_cmp(&self.0.score).then(self.0.doc.cmp(&other.0.doc))
    }
}

/// The best `k` hits of a stream.
pub struct Best {
    k: usize,
    heap: BinaryHeap<Ranked>,
}

impl Best {
    pub fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::new() }
    }

    /// Whether `hit` would be kept: ask it before a costly question about the document.
    pub fn wants(&self, hit: Hit) -> bool {
        self.heap.len() < self.k || self.heap.peek().is_some_and(|worst| Ranked(hit) < *worst)
    }

    pub fn push(&mut self, hit: Hit) {
        if self.wants(hit) {
            self.heap.push(Ranked(hit));
            if self.heap.len() > self.k {
                self.heap.pop();
            }
        }
    }

    /// The score that a further hit must beat; `None` while there is room.
    pub fn bar(&self) -> Option<f32> {
        self.heap.peek().filter(|_| self.heap.len() == self.k).map(|worst| worst.0.score)
    }

    /// Best first.
    pub fn into_hits(self) -> Vec<Hit> {
        self.heap.into_sorted_vec().into_iter().map(|ranked| ranked.0).collect()
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_kept(scores in prop::collection::vec(-4..4i8, 0..40), k in 0..12usize) {
            let hits: Vec<_> = (0..).zip(&scores).map(|(doc, &score)| Hit { doc, score: score.into() }).collect();
            let mut best = Best::new(k);
            hits.iter().for_each(|&hit| best.push(hit));
            let mut sorted = hits;
            sorted.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.doc.cmp(&b.doc)));
            prop_assert_eq!(best.bar(), sorted.get(k.wrapping_sub(1)).map(|hit| hit.score));
            sorted.truncate(k);
            prop_assert_eq!(best.into_hits(), sorted);
        }
    }
}
