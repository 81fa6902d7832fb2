//! Trimming: what does not fit gives way, the lowest priority first; in a block, the oldest turn or the last entry.

use super::{
    context::{Content, ContextSnapshot, Contribution, Priority},
    sources::HISTORY,
    tokens::{PER_MESSAGE, estimate},
};
use crate::story::order;

/// Trims to `budget` uncalibrated tokens. What is fixed and the turn to answer always stay.
pub fn trim(snapshot: &mut ContextSnapshot, budget: u32) {
    let must = |entry: &Contribution| match entry.priority {
        Priority::FIXED => cost(entry),
        _ => base(entry),
    };
    let mut left = snapshot.entries.iter().map(must).fold(budget, u32::saturating_sub);
    let mut entries: Vec<&mut Contribution> =
        snapshot.entries.iter_mut().filter(|entry| entry.priority != Priority::FIXED).collect();
    order::by_key(&mut entries, |entry| std::cmp::Reverse(entry.priority));
    for entry in entries {
        left = left.saturating_sub(fit(entry, left));
    }
}

/// Leaves in `entry` what `left` has room for beside what must stay, and says what that takes.
fn fit(entry: &mut Contribution, left: u32) -> u32 {
    let is_open = base(entry) > 0 || matches!(entry.content, Content::Chat(_));
    let mut taken = 0;
    // The frame is paid for with the first piece.
    let mut next = if is_open { 0 } else { frame(entry) };
    let newest_first = entry.source == HISTORY;
    let (steady, is_whole) = (entry.steady, entry.trimmed == 0);
    let pieces = entry.pieces_mut();
    let count = pieces.len();
    let mut keep = vec![false; count];
    let mut full = false;
    for nth in 0..count {
        let at = if newest_first { count - 1 - nth } else { nth };
        let piece = &pieces[at];
        if piece.must {
            keep[at] = true;
            continue;
        }
        full |= taken + next + piece.tokens > left;
        if !full {
            keep[at] = true;
            taken += next + piece.tokens;
            next = 0;
        }
    }
    if let Some(steady) = steady.filter(|_| full || !is_whole) {
        let kept = || pieces.iter().zip(&keep).filter(|(piece, keep)| **keep && !piece.must);
        let fits = kept().find_map(|(piece, _)| piece.position);
        let end = pieces.last().and_then(|piece| piece.position);
        let begins = fits.zip(end).map(|(fits, end)| steady.begin(fits, end));
        for (piece, keep) in pieces.iter().zip(&mut keep).filter(|(piece, keep)| **keep && !piece.must) {
            if piece.position < begins {
                *keep = false;
                taken = taken.saturating_sub(piece.tokens);
            }
        }
    }
    let mut kept = keep.iter();
    pieces.retain(|_| *kept.next().expect("one for each"));
    let dropped = count - pieces.len();
    entry.trimmed += dropped as u32;
    taken
}

/// Uncalibrated tokens of a contribution as it is.
pub fn cost(entry: &Contribution) -> u32 {
    let pieces: u32 = entry.pieces().iter().map(|piece| piece.tokens).sum();
    match &entry.content {
        Content::Chat(_) => pieces,
        Content::Text { .. } if entry.is_blank() => 0,
        Content::Text { empty, .. } if entry.pieces().is_empty() => frame(entry) + empty.as_deref().map_or(0, estimate),
        Content::Text { .. } => frame(entry) + pieces,
    }
}

/// What it takes at the least: the turn to answer, and a frame that stands whatever is in it.
fn base(entry: &Contribution) -> u32 {
    let must: u32 = entry.pieces().iter().filter(|piece| piece.must).map(|piece| piece.tokens).sum();
    match &entry.content {
        Content::Chat(_) => must,
        Content::Text { empty: None, .. } if must == 0 => 0,
        Content::Text { empty, .. } => frame(entry) + empty.as_deref().map_or(0, estimate) + must,
    }
}

fn frame(entry: &Contribution) -> u32 {
    match &entry.content {
        Content::Chat(_) => 0,
        Content::Text { before, after, .. } => estimate(before) + estimate(after) + PER_MESSAGE,
    }
}
