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
    /// Messages from the end that its entries look at, where they do not say it; `None`: as the story's settings say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scan_depth: Option<u32>,
    /// Tokens that its entries may take together; `None`: as the story's settings say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u32>,
    /// Whether its entries look into each other's texts; `None`: as the story's settings say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recursive: Option<bool>,
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
    /// Told where what is said is like it, too, though none of its words comes up (World Info's `vectorized`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_meaning: bool,
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
    /// `None`: as the story's settings say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case_sensitive: Option<bool>,
    /// Keys of one word are found as whole words only; `None`: as the story's settings say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_words: Option<bool>,
    /// Messages from the end that it looks at; `None`: as its book says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scan_depth: Option<u32>,
    /// Of those that share a group, one is told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// It goes before the others of its groups, without a draw.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub group_first: bool,
    /// What it counts for in the draw of its groups.
    #[serde(skip_serializing_if = "is_default_weight")]
    pub group_weight: u32,
    /// Messages for which it stays once it was told.
    #[serde(skip_serializing_if = "is_zero")]
    pub sticky: u32,
    /// Messages for which it is not told again.
    #[serde(skip_serializing_if = "is_zero")]
    pub cooldown: u32,
    /// Messages that the chat must have before it is told.
    #[serde(skip_serializing_if = "is_zero")]
    pub delay: u32,
    /// Other entries' texts do not bring it up.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exclude_recursion: bool,
    /// Its text brings up no other entry.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub prevent_recursion: bool,
    /// It is looked at only after all others, lower levels before higher ones. 0: with the others.
    #[serde(skip_serializing_if = "is_zero")]
    pub recursion_level: u32,
    /// It is told whatever room is left.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ignore_budget: bool,
    /// The lower, the sooner it gives way where the room is small; `None`: its order counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// Whom it is told of; `None`: anybody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<Filter>,
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
            by_meaning: false,
            enabled: true,
            order: 100,
            position: Position::default(),
            depth: None,
            role: Role::default(),
            probability: 100,
            case_sensitive: None,
            whole_words: None,
            scan_depth: None,
            groups: Vec::new(),
            group_first: false,
            group_weight: DEFAULT_WEIGHT,
            sticky: 0,
            cooldown: 0,
            delay: 0,
            exclude_recursion: false,
            prevent_recursion: false,
            recursion_level: 0,
            ignore_budget: false,
            priority: None,
            only: None,
            extra: Extra::new(),
        }
    }
}

/// The field's own default (`groupWeight`).
const DEFAULT_WEIGHT: u32 = 100;

fn is_default_weight(weight: &u32) -> bool {
    *weight == DEFAULT_WEIGHT
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Characters by name or tag: any of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    pub names: Vec<String>,
    pub tags: Vec<String>,
    /// All but these.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exclude: bool,
    #[serde(flatten)]
    pub extra: Extra,
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
