//! What lore can be told in a preset or a storyline.

use serde::{Deserialize, Serialize};

use crate::story::{Extra, features};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoreSettings {
    pub enabled: bool,
    /// Messages from the end that entries look at, where neither they nor their book say it.
    pub scan_depth: u32,
    /// What all entries together may take of the prompt's room, in percent.
    pub budget_percent: u32,
    /// The same in tokens; 0: no such bound.
    pub budget_tokens: u32,
    /// Entries look into each other's texts.
    pub recursive: bool,
    /// How often; 0: until nothing new comes up.
    pub max_steps: u32,
    pub case_sensitive: bool,
    /// Keys of one word are found as whole words only. Where words are not set apart, as in Chinese, this means nothing.
    pub whole_words: bool,
    /// Who says a message is looked at, too.
    pub with_names: bool,
    /// Entries that are told because what is said is like them, at most.
    pub by_meaning: u32,
    /// How like it has to be, in hundredths.
    pub likeness: u32,
    #[serde(flatten)]
    pub extra: Extra,
}

impl features::Settings for LoreSettings {
    const NAME: &'static str = super::NAME;
}

/// The field's own defaults.
impl Default for LoreSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            scan_depth: 2,
            budget_percent: 25,
            budget_tokens: 0,
            recursive: true,
            max_steps: 0,
            case_sensitive: false,
            whole_words: true,
            with_names: true,
            by_meaning: 5,
            likeness: 25,
            extra: Extra::new(),
        }
    }
}

impl LoreSettings {
    pub const SCAN_DEPTH: std::ops::RangeInclusive<u32> = 0..=1_000;
    pub const BUDGET_PERCENT: std::ops::RangeInclusive<u32> = 1..=100;
    pub const BY_MEANING: std::ops::RangeInclusive<u32> = 0..=100;
    pub const LIKENESS: std::ops::RangeInclusive<u32> = 0..=100;
}
