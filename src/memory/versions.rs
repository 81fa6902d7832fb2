//! Facts that change: of hits that tell of the same thing, the newest comes first and the older ones say so.
//!
//! A key that is moved, a boat that is renamed: the later turn names the thing again, and often the old state of it, so
//! that the two share rare words. Only hits change places, so that what is found stays what it was.

use std::cmp::Ordering;

use super::{
    index::{Doc, Index, NONE},
    rank::Parts,
    view::{NEAR, View},
    words,
};

/// So many hits are put in order among themselves.
pub(super) const HITS: usize = 10;

/// English words and Chinese ones that ask how things were, not how they are.
const PAST: &str = "did was were had before first originally used";
const PAST_CHINESE: &str = "曾 以前 之前 从前 從前 过去 過去 原来 原來 当时 當時 那时 那時 当初 當初 最早 第一";

/// Rarity is counted in 1024ths, for whole numbers add up to the same in any order.
const WHOLE: f32 = 1024.0;

/// Puts the newer of two versions directly before the older. Gives, by hit, the rank of what supersedes it.
pub(super) fn settle(index: &Index, view: &View, text: &str, hits: &mut [(u32, Parts)]) -> Vec<Option<u32>> {
    let mut superseded = vec![None; hits.len()];
    if view.weights.versions == 0.0 || asks_for_the_past(text) {
        return superseded;
    }
    let first = hits.len().min(HITS);
    let hits = &mut hits[..first];
    let mut at = 0;
    while at < first {
        let is_newer = |other: &usize| is_version(index, view, hits[at].0, hits[*other].0);
        match (0..first).filter(is_newer).max_by_key(|other| hits[*other].0) {
            // It takes this place, and is looked at in turn.
            Some(newest) if at < newest => hits[at..=newest].rotate_right(1),
            newest => {
                superseded[at] = newest.map(|newest| hits[newest].0);
                at += 1;
            }
        }
    }
    superseded
}

/// Whether the turn at `newer` tells again of what the one at `older` told.
fn is_version(index: &Index, view: &View, older: u32, newer: u32) -> bool {
    let (old, new) = (view.place(older), view.place(newer));
    // Turns of one scene tell one story; what stands alone was not told at any time.
    let apart = older + (NEAR as u32) < newer && old.session != NONE && new.session != NONE;
    let doc = |doc: u32| &index.docs[doc as usize];
    apart && view.weights.versions * WHOLE <= shared(index, view, doc(old.doc), doc(new.doc)) as f32
}

/// The words that two units share, each by how rare it is in the view.
fn shared(index: &Index, view: &View, a: &Doc, b: &Doc) -> u32 {
    let (mut a, mut b) = (index.entries_of(a), index.entries_of(b));
    let mut sum = 0;
    while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
        let order = x.word().cmp(&y.word());
        if order != Ordering::Greater {
            a = a_rest;
        }
        if order != Ordering::Less {
            b = b_rest;
        }
        if order == Ordering::Equal {
            sum += rarity(index, view, x.word());
        }
    }
    sum
}

/// From [`WHOLE`] for a word that one unit holds to 0 for one that all hold. A Chinese word is two characters and their
/// pair, which count a quarter, a quarter and a half.
fn rarity(index: &Index, view: &View, word: u32) -> u32 {
    let rarity = 1.0 - (view.holders[word as usize] as f32).ln() / (1.0 + view.len() as f32).ln();
    let text = &index.words[word as usize];
    let share = match text.chars().next() {
        Some(c) if words::is_cjk(c) => 0.25 * text.chars().count() as f32,
        _ => 1.0,
    };
    (WHOLE * share * rarity) as u32
}

fn asks_for_the_past(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| PAST.split(' ').any(|past| past == word))
        || PAST_CHINESE.split(' ').any(|past| text.contains(past))
}
