//! The account of a prompt: what is in it, from where, why, and at what cost.

use serde::{Deserialize, Serialize};

use super::preset::{Role, Section};

/// Stored with the generation that the prompt was for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
    pub preset: String,
    /// In the order of the preset; what stands at a depth of the chat comes after them.
    pub blocks: Vec<AccountBlock>,
    /// Estimated tokens of all messages.
    pub total_tokens: u32,
    /// Those of the blocks in the middle section (A7).
    #[serde(skip_serializing_if = "is_zero")]
    pub middle_tokens: u32,
    /// The total before the connection's calibration: what the next calibration is measured against.
    #[serde(skip_serializing_if = "is_zero")]
    pub raw_tokens: u32,
}

/// `reason` is one of `preset` (its own text), `card` (a card's text in place of it), `source`, `store` (a module put
/// it there), `story` (the storyline or the card placed it), `answered` (the reader's words or a reply to go on with,
/// which no block held). The reasons of single entries follow, a line each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AccountBlock {
    /// The preset block's identifier.
    pub identifier: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The source that filled it; empty for the preset's own text.
    pub source: String,
    pub role: Role,
    pub tokens: u32,
    /// Why it is in, or what was left out.
    pub reason: String,
    /// Turns or entries that were left out for the budget.
    pub trimmed: u32,
    #[serde(skip_serializing_if = "Section::is_head")]
    pub section: Section,
    /// Where it stands at a depth of the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// What it says; empty for history, which is given by its turns.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// First and last position of the turns in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
