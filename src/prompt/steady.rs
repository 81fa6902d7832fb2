//! Where a history begins that does not fit whole: at the same turn as in the prompt before, for as long as that fits.
//!
//! A provider keeps of a prompt what the next one begins with. One that drops its oldest turn each time shares nothing
//! with the next but its head; one that drops several at once shares nearly all of it until they are used up.

use super::{Scene, sources};
use crate::story::preset::{Block, Form};

/// The share of the history that is dropped at once, and by how much it may be shorter than what fits. What is dropped
/// costs history, each drop costs the provider a whole prompt: an eighth was dropped twice as often and shared less.
const AT_ONCE: u32 = 4;
const SHORTER: u32 = 2;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steady {
    /// Where the history of the prompt before began, if it was not whole.
    last: Option<u32>,
}

impl Steady {
    /// `None` where it is of no use: what changes with each turn stands before this history, or the preset counts its
    /// turns.
    pub fn of(scene: &Scene, history: &Block) -> Option<Self> {
        let blocks = scene.preset.blocks.iter().filter(|block| scene.tells(block));
        let mut before = blocks.take_while(|block| block.identifier != history.identifier);
        let changes = |block: &Block| block.depth.is_none() && sources::is_of_the_turn(scene, block);
        let counts = history.turns.is_some() || history.current_session || history.form != Form::Messages;
        if counts || before.any(changes) {
            return None;
        }
        let earlier = scene.history.split_last().and_then(|(_, past)| past.last()?.reply()?.prompt);
        Some(Self { last: earlier.and_then(|prompt| prompt.from) })
    }

    /// Where to begin, if what fits goes from `fits` to `end`.
    pub fn begin(self, fits: u32, end: u32) -> u32 {
        let room = end.saturating_sub(fits);
        match self.last {
            Some(last) if fits <= last && last - fits <= room / SHORTER => last,
            _ if fits == 0 => 0,
            _ => fits + room / AT_ONCE,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_beginning_holds_while_it_fits() {
        let begin = |last, fits, end| Steady { last }.begin(fits, end);
        assert_eq!(begin(None, 0, 30), 0, "all of it");
        assert_eq!(begin(None, 2, 34), 10);
        assert_eq!(begin(Some(10), 3, 35), 10);
        assert_eq!(begin(Some(10), 10, 42), 10);
        assert_eq!(begin(Some(10), 11, 43), 19, "used up");
        assert_eq!(begin(Some(90), 20, 100), 40, "another model takes far more");
        assert_eq!(begin(Some(6), 0, 40), 6, "the memory needed less for once");
        assert_eq!(begin(Some(6), 0, 11), 0);
    }

    proptest! {
        /// Never more than fits, and never much less.
        #[test]
        fn it_fits(last in proptest::option::of(0u32..400), fits in 0u32..300, room in 0u32..200) {
            let begins = Steady { last }.begin(fits, fits + room);
            prop_assert!(fits <= begins && begins <= fits + room / SHORTER);
        }
    }
}
