//! A lorebook of the global library: entries that are told where their words come up. It hangs on whatever names it: a
//! character, a background, a storyline, or the preferences for all stories.
//!
//! This is the shape that is read and kept. What other programs say of a book or an entry beside it stays in `extra`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Extra, Millis, ids::LorebookId, preset::Role};
use crate::store::record;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lorebook {
    pub id: LorebookId,
    pub name: String,
    pub description: String,
    pub entries: Vec<Entry>,
    pub created: Millis,
    pub updated: Millis,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Millis>,
    /// The record as it was imported, untouched, for a loss-free export.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<Value>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Lorebook, Lorebooks);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// Within its book.
    pub id: String,
    pub name: String,
    /// One of them has to come up; `/…/flags` is a pattern.
    pub keys: Vec<String>,
    /// What else has to come up, or must not: see `logic`. None: nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secondary_keys: Vec<String>,
    pub logic: Logic,
    pub content: String,
    /// Told whether or not its words come up.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub constant: bool,
    pub enabled: bool,
    /// The lower, the earlier it is told.
    pub order: i32,
    pub position: Position,
    /// Messages from the end, where it stands at a depth of the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Whose message it is there.
    pub role: Role,
    /// Times in a hundred that it is told where it could be.
    pub probability: u32,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Default for Entry {
    fn default() -> Self {
        Self {
            id: String::new(),
            name: String::new(),
            keys: Vec::new(),
            secondary_keys: Vec::new(),
            logic: Logic::default(),
            content: String::new(),
            constant: false,
            enabled: true,
            order: 100,
            position: Position::default(),
            depth: None,
            role: Role::default(),
            probability: 100,
            extra: Extra::new(),
        }
    }
}

/// What the secondary keys ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Logic {
    #[default]
    Any,
    All,
    NotAny,
    NotAll,
}

/// Where an entry is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    #[default]
    BeforeCharacter,
    AfterCharacter,
    BeforeExamples,
    AfterExamples,
    BeforeNote,
    AfterNote,
    AtDepth,
}
