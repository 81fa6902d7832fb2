//! What the model has told of a session so far, kept for the next attempt.

use serde::{Deserialize, Serialize};

use crate::{
    features::summary::Point,
    store::{SUMMARISE, record},
    story::ids::{SessionId, StorylineId},
};

/// What has been told of a session. One record a storyline, while an attempt is open.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    pub id: String,
    pub session: SessionId,
    /// The first turn that was told of, and the first that was not.
    pub from: u32,
    pub next: u32,
    /// Digest of the turns told of: of others, or of other wordings, this draft says nothing.
    pub print: String,
    pub parts: u32,
    pub points: Vec<Point>,
    pub summary: String,
}
record!(Draft, Settings);

/// The record of a storyline's draft, in the table of settings.
pub(super) fn id(storyline: &StorylineId) -> String {
    format!("{SUMMARISE}{storyline}")
}
