//! The scribe: what changed is noted by a second call after the reply, so that the story's model writes prose alone.
//!
//! It is asked when the reply is stored and shown, and delays nobody. Its note lies with the newest reply that it read
//! ([`crate::story::noted`]) and is taken in with that reply by the modules of the other features: all that is true of what
//! a reply says is true of it. When it is asked says [`Cadence`], what it is asked [`request`](mod@request).

mod due;
pub mod request;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::story::{
    Extra,
    features::{Features, Settings},
    ids::ConnectionId,
    preset::Preset,
    storyline::Storyline,
};

pub const NAME: &str = "scribe";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScribeSettings {
    pub enabled: bool,
    /// `None`: the story's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<ConnectionId>,
    pub cadence: Cadence,
    /// Turns that [`Cadence::SomeTurns`] waits for.
    pub turns: u32,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Settings for ScribeSettings {
    const NAME: &'static str = NAME;
}

impl Default for ScribeSettings {
    fn default() -> Self {
        Self { enabled: false, connection: None, cadence: Cadence::EveryTurn, turns: 5, extra: Extra::new() }
    }
}

/// When the scribe reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cadence {
    #[default]
    EveryTurn,
    /// When so many turns have been told since it read last.
    SomeTurns,
    /// When something seems to have happened: much was told, or a word of it speaks of a change. No model is asked.
    Eventful,
}

impl Cadence {
    pub const ALL: [Self; 3] = [Self::EveryTurn, Self::SomeTurns, Self::Eventful];

    pub fn name(self) -> &'static str {
        match self {
            Self::EveryTurn => "every_turn",
            Self::SomeTurns => "some_turns",
            Self::Eventful => "eventful",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cadence| cadence.name() == name)
    }
}

/// Whether a scribe notes what changes in a story that is told by this preset: then its replies are asked for prose alone.
pub fn is_on(storyline: &Storyline, preset: &Preset) -> bool {
    storyline.is_on(preset, NAME) && !storyline.demo
}

pub struct Feature;

impl super::Feature for Feature {
    fn name(&self) -> &'static str {
        NAME
    }

    fn works_apart(&self) -> bool {
        true
    }

    fn leave_home(&self, settings: &mut Features) {
        settings.forget_field(NAME, "connection");
    }
}
