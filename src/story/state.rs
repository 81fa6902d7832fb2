//! The state of a story as of a turn: persona in three layers, plot, world, sheet, summary.
//!
//! Persona is text and time (seed `001`): no numbers for feelings.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Extra, Millis,
    ids::{StateId, StorylineId},
    record::record,
};

/// A snapshot, stored only when something changed. Generations point at the one that holds after them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    pub id: StateId,
    pub storyline: StorylineId,
    pub created: Millis,
    pub persona: Persona,
    pub plot: PlotState,
    /// Typed key-values (seed `003`).
    pub world: Extra,
    pub sheet: String,
    pub summary: String,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(State, States);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Persona {
    /// Seed `000`: who the character is, in prose.
    pub base_persona: String,
    /// Seed `000`: who the character has become, in prose.
    pub evolved_persona: String,
    /// Copied from the character once, never changed afterwards.
    pub core_identity: CoreIdentity,
    /// Changes on a major event.
    pub growth_state: GrowthState,
    /// Changes often.
    pub current_state: CurrentState,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CoreIdentity {
    pub archetype: String,
    pub core_goal: String,
    pub core_traits: Vec<String>,
    pub background_story: String,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GrowthState {
    /// Each `{content, formed_from, timestamp}`; kept as it came.
    pub beliefs: Vec<Value>,
    pub behavioral_patterns: Vec<Value>,
    pub relationships: Vec<Value>,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CurrentState {
    /// A text, or `{content, context, timestamp}`.
    pub emotions: Vec<Value>,
    /// A text, or `{condition, timestamp}`.
    pub physical: Value,
    pub immediate_goals: Vec<Value>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// Seed `000`, `plot_state`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlotState {
    pub current_plot_index: u32,
    /// `pending`, `in_progress` or `completed`.
    pub current_status: String,
    pub no_update_count: u32,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Default for PlotState {
    fn default() -> Self {
        Self { current_plot_index: 1, current_status: "pending".into(), no_update_count: 0, extra: Extra::new() }
    }
}
