//! What the persona can be told.

use serde::{Deserialize, Serialize};

use crate::story::{Extra, features::Settings};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PersonaSettings {
    pub enabled: bool,
    pub growth: GrowthPolicy,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Settings for PersonaSettings {
    const NAME: &'static str = super::NAME;
}

/// Who lets growth in (B5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrowthPolicy {
    /// On a major event at once; anything else waits for the reader.
    #[default]
    Auto,
    /// Everything waits for the reader.
    Ask,
    /// Everything at once.
    Always,
    /// Nothing: growth changes by hand alone.
    Never,
}

impl GrowthPolicy {
    pub const ALL: [Self; 4] = [Self::Auto, Self::Ask, Self::Always, Self::Never];

    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Ask => "ask",
            Self::Always => "always",
            Self::Never => "never",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }
}
