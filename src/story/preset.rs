//! A preset: ordered prompt blocks with markers (seed `004`).

use serde::{Deserialize, Serialize};

use super::{Extra, Millis, ids::PresetId, record::record};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preset {
    pub id: PresetId,
    pub name: String,
    pub blocks: Vec<Block>,
    pub created: Millis,
    pub updated: Millis,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Preset, Presets);

/// One block of a preset: its own text, or the place of a source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Block {
    pub identifier: String,
    pub name: String,
    pub role: Role,
    pub enabled: bool,
    /// Text with macros; `None` for a marker.
    pub content: Option<String>,
    /// The source that fills this place.
    pub marker: Option<String>,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            identifier: String::new(),
            name: String::new(),
            role: Role::System,
            enabled: true,
            content: None,
            marker: None,
            extra: Extra::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    #[default]
    System,
    User,
    Assistant,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}
