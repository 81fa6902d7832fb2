//! The account of a prompt: what is in it, from where, why, and at what cost.

use serde::{Deserialize, Serialize};

use super::preset::Role;

/// Stored with the generation that the prompt was for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
    pub preset: String,
    pub blocks: Vec<AccountBlock>,
    /// Estimated tokens of all messages.
    pub total_tokens: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AccountBlock {
    /// The preset block's identifier.
    pub identifier: String,
    /// The source that filled it; empty for the preset's own text.
    pub source: String,
    pub role: Role,
    pub tokens: u32,
    /// Why it is in, or what was left out.
    pub reason: String,
    /// Turns or entries that were left out for the budget.
    pub trimmed: u32,
}
