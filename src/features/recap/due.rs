//! When the middle of a conversation is summarised, and what of it.

use crate::story::recap::RecapSettings;

/// Messages that stay as they are at either end (`004`).
pub const KEPT: u32 = 3;

/// How many turns hold the first messages that stay, of turns with so many messages each. Counted from the other end it
/// is the same for the last ones.
pub fn kept(turns: impl IntoIterator<Item = u32>) -> usize {
    let mut messages = 0;
    let is_kept = |turn: &u32| {
        let is_kept = messages < KEPT;
        messages += turn;
        is_kept
    };
    turns.into_iter().take_while(is_kept).count()
}

/// Characters of a conversation as a prompt tells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// Of the messages that stay, and of the summary so far.
    pub told: u32,
    /// Of what is between them.
    pub middle: u32,
}

/// Whether it is beyond the threshold. What stays may be more than that alone, where messages are long: then the middle is
/// left to grow to half of it, or each turn would be summarised by itself.
pub fn is_due(settings: &RecapSettings, volume: Volume) -> bool {
    let RecapSettings { threshold, .. } = *settings;
    volume.told.saturating_add(volume.middle) > threshold && volume.middle >= threshold / 2
}
