//! A generation: one reply to a turn, from its first byte to its end.

use serde::{Deserialize, Serialize};

use super::{
    Extra, Millis,
    account::Reckoned,
    fault::Fault,
    ids::{BranchId, CharacterId, ConnectionId, GenerationId, StateId, StorylineId, TurnId},
    turn::Edit,
};
use crate::store::record;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Generation {
    pub id: GenerationId,
    pub turn: TurnId,
    pub storyline: StorylineId,
    /// Branch and position of its turn: a window of history is one range read of each table.
    pub branch: BranchId,
    pub position: u32,
    /// Who speaks; `None`: the storyline's own character.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<CharacterId>,
    /// The reply as the model wrote it, markers and all.
    pub text: String,
    /// What a reasoning model thought aloud, kept apart from the reply.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    pub status: Status,
    /// Present (1) while the stream is open, so that start-up finds unfinished ones by an index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<u8>,
    /// Why it ended, of the words of [`finish`] or the provider's own; `None` while it has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish: Option<String>,
    /// Why it ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    pub model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<ConnectionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    pub started: Millis,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_text: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished: Option<Millis>,
    /// What its prompt came to. The whole of it says the [`super::account::Account`] of the same id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Reckoned>,
    /// The state that holds after this reply; the same id as before where nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<StateId>,
    /// Earlier wordings of `text`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edit>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Generation, Generations);

/// Why a reply ended.
pub mod finish {
    pub const STOP: &str = "stop";
    /// At the limit of tokens: the model had more to say.
    pub const LENGTH: &str = "length";
    pub const FILTERED: &str = "filtered";
    /// The model called a tool.
    pub const CALLS: &str = "tool_calls";
}

impl Generation {
    pub fn finished_by(&self, reason: &str) -> bool {
        self.finish.as_deref() == Some(reason)
    }

    /// It ended well, but at the limit of tokens.
    pub fn is_cut_off(&self) -> bool {
        self.status == Status::Done && self.finished_by(finish::LENGTH)
    }
}

/// Where a reply stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    #[default]
    Streaming,
    Done,
    /// Stopped by the reader, the network or the end of the tab; what came is kept.
    Interrupted,
    Error,
    Empty,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::Streaming => "streaming",
            Self::Done => "done",
            Self::Interrupted => "interrupted",
            Self::Error => "error",
            Self::Empty => "empty",
        }
    }
}

/// Tokens as the provider counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// All of the prompt, whether it came out of a cache or went into one.
    pub prompt_tokens: u32,
    pub completion_tokens: u32,
    /// Of the prompt, what came out of the provider's cache; `None`: it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u32>,
    /// Of the prompt, what was put into it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_tokens: Option<u32>,
}
