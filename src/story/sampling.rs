//! Sampling: what a model is told of how to choose its words.

use serde::{Deserialize, Serialize};

use super::Extra;

/// Sampling parameters; `None` = leave it to the provider (and send no field).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sampling {
    /// 0 to 2.
    pub temperature: Option<f64>,
    /// 0 to 1.
    pub top_p: Option<f64>,
    pub top_k: Option<u32>,
    /// -2 to 2.
    pub frequency_penalty: Option<f64>,
    /// -2 to 2.
    pub presence_penalty: Option<f64>,
    pub max_tokens: Option<u32>,
    pub stop: Vec<String>,
    pub seed: Option<i64>,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Sampling {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// These, and where they say nothing the others.
    pub fn over(&self, other: Self) -> Self {
        Self {
            temperature: self.temperature.or(other.temperature),
            top_p: self.top_p.or(other.top_p),
            top_k: self.top_k.or(other.top_k),
            frequency_penalty: self.frequency_penalty.or(other.frequency_penalty),
            presence_penalty: self.presence_penalty.or(other.presence_penalty),
            max_tokens: self.max_tokens.or(other.max_tokens),
            seed: self.seed.or(other.seed),
            stop: if self.stop.is_empty() { other.stop } else { self.stop.clone() },
            extra: other.extra,
        }
    }
}
