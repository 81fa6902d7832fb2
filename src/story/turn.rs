//! A turn: one input of the reader, and one or more generations that answer it.

use serde::{Deserialize, Serialize};

use super::{
    Extra, Millis,
    ids::{BranchId, CharacterId, GenerationId, SessionId, StorylineId, TurnId},
};
use crate::store::record;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Turn {
    pub id: TurnId,
    pub storyline: StorylineId,
    pub branch: BranchId,
    /// Distance from the root. Position 0 is the opening, so this is also the turn's number.
    pub position: u32,
    pub session: SessionId,
    /// `None` where nobody asked for it: at the opening, and where one more speaks after another (`group`).
    pub user: Option<String>,
    pub created: Millis,
    /// The generation that this branch continues from, once there is one.
    pub chosen: Option<GenerationId>,
    /// The reader's name for this place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Who hears it, where not all do who are there: a whisper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heard_by: Option<Vec<CharacterId>>,
    /// `user` says who comes or goes, and nobody need answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_stage: bool,
    /// Earlier wordings of `user`, oldest first: an edit in place loses nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edit>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Turn, Turns);

/// A wording that was replaced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    pub replaced: Millis,
    pub text: String,
}
