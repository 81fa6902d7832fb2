//! What recall can be told.

use serde::{Deserialize, Serialize};

use crate::story::{Extra, features::Settings};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecallSettings {
    pub policy: RecallPolicy,
    /// Summaries and notes that are told at most where the words ask for the past (seed `000`).
    pub limit: u32,
    /// Percent of the prompt's room that the memory may take.
    pub share: u32,
    /// One call of the chat's own model before each recall, for other words that mean the same.
    pub expand: bool,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Settings for RecallSettings {
    const NAME: &'static str = super::NAME;
}

impl Default for RecallSettings {
    fn default() -> Self {
        Self { policy: RecallPolicy::Always, limit: 5, share: 25, expand: false, extra: Extra::new() }
    }
}

/// When memories are recalled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecallPolicy {
    /// At every turn (seed `001`).
    #[default]
    Always,
    /// When the reader's words ask for the past (seed `000`).
    Asked,
    Never,
}

impl RecallPolicy {
    pub const ALL: [Self; 3] = [Self::Always, Self::Asked, Self::Never];

    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Asked => "asked",
            Self::Never => "never",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }
}
