//! A storyline: one isolated story world (seed `001`).

use serde::{Deserialize, Serialize};

use super::{
    Extra, Millis,
    ids::{BackgroundId, CharacterId, ConnectionId, PresetId, SessionId, StateId, StorylineId},
    record::record,
    tree::Head,
};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Storyline {
    pub id: StorylineId,
    pub title: String,
    pub status: StorylineStatus,
    pub character: CharacterId,
    pub background: Option<BackgroundId>,
    pub preset: PresetId,
    /// The connection it is played with; `None` follows the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<ConnectionId>,
    /// What the character calls the reader: `{{user}}`.
    pub user_name: String,
    /// Language of the built-in prompts of this story.
    pub language: Language,
    pub created: Millis,
    pub last_active: Millis,
    /// Turns on the newest path, without the opening.
    pub total_turns: u32,
    /// Where the reader is in the tree.
    pub head: Head,
    pub sessions: Vec<Session>,
    pub current_session: SessionId,
    /// The state before the first turn.
    pub initial_state: StateId,
    /// A story that ships with the program and plays without a key.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub demo: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Millis>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Storyline, Storylines);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StorylineStatus {
    #[default]
    Active,
    Paused,
    Finished,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    #[default]
    Zh,
    En,
}

/// A stretch of a storyline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    pub id: SessionId,
    pub created: Millis,
    pub turns: u32,
    #[serde(flatten)]
    pub extra: Extra,
}
