//! A memory: what is worth finding again, apart from the words in which it was said.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Extra, Millis,
    ids::{BranchId, CharacterId, GenerationId, MemoryId, SessionId, StorylineId},
};
use crate::store::record;

/// Belongs to a place in the tree, and is seen wherever that place is on the path to the root; see
/// [`super::tree::Path`]. Nothing is repaired when the reader branches or goes back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    pub id: MemoryId,
    pub storyline: StorylineId,
    pub session: SessionId,
    pub kind: Kind,
    /// The turn that it hangs on.
    pub branch: BranchId,
    pub position: u32,
    /// The reply that made it: seen only where that reply is. `None` = at whatever reply, as one by the reader's hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<GenerationId>,
    /// Of several in a story the one whose it is, and who alone is told it. `None` = whoever was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<CharacterId>,
    /// The turns that it tells of, first and last.
    pub turns: (u32, u32),
    /// One or two sentences: what is found and what the model is told.
    pub text: String,
    /// How it went, at length; told when the reader asks how.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Seed `001`: `evt_{storyline}_{session}_{turn}`. All events of one turn share it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// Seed `001`: what the event changed in the persona and the plot, by the name of the part.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub state_changes: Value,
    /// The reader has worded it: no later reading of its reply words it otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub worded: bool,
    /// Always told, before anything that was searched for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Never told.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    pub created: Millis,
    pub updated: Millis,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Memory, Memories);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A change of state, as it happened (seed `001`).
    Event,
    /// A point of the story, from summarising a session (seed `000`, Summaries).
    Summary,
    /// How such a point went (seed `000`, Plots).
    Plot,
    /// Written by the reader.
    #[default]
    Note,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Event, Self::Summary, Self::Plot, Self::Note];

    pub fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Summary => "summary",
            Self::Plot => "plot",
            Self::Note => "note",
        }
    }
}
