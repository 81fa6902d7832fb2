//! Settings: the reader's preferences, and the config of seed `000`.

use serde::{Deserialize, Serialize};

use super::{
    Extra, Millis,
    connection::Connection,
    ids::{ConnectionId, StorylineId},
    record::record,
    storyline::Language,
};

/// How the page looks and what it last did. One record, named `preferences`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    pub id: String,
    /// `None` follows the browser.
    pub language: Option<Language>,
    pub theme: Theme,
    /// Size of the story's type, percent of the design's own.
    pub type_size: u32,
    pub user_name: String,
    pub last_storyline: Option<StorylineId>,
    pub default_connection: Option<ConnectionId>,
    pub last_backup: Option<Millis>,
    /// Turns played since the last backup.
    pub turns_since_backup: u32,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Preferences, Settings);

impl Preferences {
    pub const ID: &str = "preferences";
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            id: Self::ID.into(),
            language: None,
            theme: Theme::default(),
            type_size: 100,
            user_name: String::new(),
            last_storyline: None,
            default_connection: None,
            last_backup: None,
            turns_since_backup: 0,
            extra: Extra::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// All connections. One record, named `connections`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Connections {
    pub id: String,
    pub list: Vec<Connection>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Connections, Settings);

impl Connections {
    pub const ID: &str = "connections";
}

impl Default for Connections {
    fn default() -> Self {
        Self { id: Self::ID.into(), list: Vec::new(), extra: Extra::new() }
    }
}
