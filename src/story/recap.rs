//! The memory summary of seed `004` (F4): in a prompt it stands for the middle of a long conversation, of which the first and
//! the last messages are told as they are. The conversation itself stays whole.

use serde::{Deserialize, Serialize};

use super::{Millis, generation::Generation};
use crate::store::from_value;

/// When one is written, and how long: of a character, in all stories with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecapSettings {
    pub enabled: bool,
    /// Characters of a conversation beyond which its middle is summarised.
    pub threshold: u32,
    /// Characters that a summary is to have.
    pub length: u32,
}

impl RecapSettings {
    pub const THRESHOLD: std::ops::RangeInclusive<u32> = 3_000..=10_000;
    pub const LENGTH: std::ops::RangeInclusive<u32> = 500..=2_000;

    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for RecapSettings {
    fn default() -> Self {
        Self { enabled: false, threshold: 6_000, length: 1_000 }
    }
}

/// A summary as it was written; it lies with the reply that was the newest then, and holds from there on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recap {
    pub text: String,
    /// The turns that it stands for: from the first up to, but not with, the last.
    pub from: u32,
    pub to: u32,
    pub at: Millis,
    pub model: String,
}

const FIELD: &str = "recap";

impl Generation {
    /// What was written after this reply.
    pub fn recap(&self) -> Option<Recap> {
        from_value(self.extra.get(FIELD)?.clone()).ok()
    }

    pub fn set_recap(&mut self, recap: &Recap) {
        self.extra.insert(FIELD.into(), serde_json::to_value(recap).expect("a record of texts and numbers"));
    }
}
