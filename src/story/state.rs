//! The state of a story as of a turn: persona in three layers, plot, world, sheet, summary.
//!
//! Persona is text and time (seed `001`): no numbers for feelings.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Extra, Millis,
    event::{EventState, Stage},
    ids::{CharacterId, StateId, StorylineId},
    persona::{EvolvedVersion, Item, PendingGrowth, PersonaEdit},
    plot::PointStatus,
    recap::Recap,
    world::WorldEdit,
    written::Text,
};
use crate::store::{record, tagged};

/// A snapshot, stored only when something changed. Generations point at the one that holds after them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, from = "super::damage::StoredState")]
pub struct State {
    pub id: StateId,
    pub storyline: StorylineId,
    pub created: Millis,
    /// Of each character by its id; that of the storyline's own goes by none, and is always there.
    pub personas: BTreeMap<CharacterId, Persona>,
    pub plot: PlotState,
    /// Typed key-values (seed `003`).
    pub world: Extra,
    /// Where the events of the background stand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventState>,
    /// Who the storyline's own character is by now, in their own view (`002`, Sₙ).
    pub sheet: String,
    /// The same of others, by their ids.
    #[serde(skip_serializing_if = "Extra::is_empty")]
    pub sheets: Extra,
    /// What has happened (`002`, Pₙ).
    pub summary: String,
    /// What stands in a prompt for the middle of the conversation (F4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recap: Option<Recap>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(State, States);

impl Default for State {
    fn default() -> Self {
        Self::of(Persona::default())
    }
}

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
    /// Growth that waits for the reader's word.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending_growth: Vec<PendingGrowth>,
    /// The evolved personas so far, in the order they were made; the one that holds is among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evolved_versions: Vec<EvolvedVersion>,
    /// Turn of the last change by a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_updated_turn: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_maintenance_turn: Option<u32>,
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
    /// Each `{content, formed_from, timestamp}`, and what `persona::Origin` adds; kept as it came.
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
    /// Turn at which the current point became the current one; `None` = from the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u32>,
    /// The current point's text as of when it became the current one: by it the point is found again in an outline that
    /// was put in another order.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub current_content: String,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Default for PlotState {
    fn default() -> Self {
        Self {
            current_plot_index: 1,
            current_status: "pending".into(),
            no_update_count: 0,
            since: None,
            current_content: String::new(),
            extra: Extra::new(),
        }
    }
}

/// What a reply changed: a note in its margin. Stored with the generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum Change {
    /// The persona has a new item, or one that changed; `was` is the status or condition before.
    Item {
        item: Item,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        was: Option<String>,
    },
    /// Why growth was let in.
    MajorEvent { event: MajorEvent },
    /// Growth that waits for the reader's word.
    GrowthHeld { items: Vec<Item> },
    /// Maintenance took out this many old or double items.
    Maintained { removed: u32 },
    /// The plot moved.
    Plot {
        index: u32,
        status: PointStatus,
        /// The point's text as of then.
        content: String,
        from_index: u32,
        from_status: String,
        /// The reply named a point that was finished.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        jumped_back: bool,
    },
    /// An event of the background began or was settled.
    Event { id: String, name: String, stage: Stage },
    /// A text was written anew; `whose` sheet, by name, where it is not the own character's.
    Text {
        of: Text,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        whose: String,
    },
    /// A key of the world; `None` = it is not there.
    World {
        key: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Value>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Value>,
    },
}
tagged!(Change, "kind");

/// What makes a reply's growth count (B5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum MajorEvent {
    /// The reply says so; its reason may be empty.
    Said {
        reason: String,
    },
    Relationship {
        entity: String,
    },
    Belief {
        formed_from: String,
    },
}
tagged!(MajorEvent, "by");

/// A change that the reader made in the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ByHand {
    pub at: Millis,
    #[serde(flatten)]
    pub edit: HandEdit,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum HandEdit {
    Plot {
        index: u32,
        status: PointStatus,
        /// The point's text as of then.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        content: String,
    },
    Persona {
        edit: PersonaEdit,
        /// Whose persona; `None`: that of the storyline's own character.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<CharacterId>,
    },
    World {
        edit: WorldEdit,
    },
    Text {
        of: Text,
        text: String,
        /// Whose sheet; `None`: that of the storyline's own character.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        whose: Option<CharacterId>,
    },
    /// Other words for the summary of the turns before `to`; blank: there is none.
    Recap {
        to: u32,
        text: String,
    },
}
tagged!(HandEdit, "part");

/// Of whom nothing is known.
static BLANK: LazyLock<Persona> = LazyLock::new(Persona::default);

impl State {
    /// One that knows nothing but its storyline's own character.
    pub fn of(persona: Persona) -> Self {
        let mut personas = BTreeMap::new();
        personas.insert(CharacterId::default(), persona);
        Self {
            id: StateId::default(),
            storyline: StorylineId::default(),
            created: 0,
            personas,
            plot: PlotState::default(),
            world: Extra::new(),
            events: Vec::new(),
            sheet: String::new(),
            sheets: Extra::new(),
            summary: String::new(),
            recap: None,
            extra: Extra::new(),
        }
    }

    /// The persona of who speaks; `None`: the storyline's own character.
    pub fn persona(&self, speaker: Option<&CharacterId>) -> &Persona {
        self.personas.get(speaker.unwrap_or(&CharacterId::default())).unwrap_or(&BLANK)
    }

    /// As [`Self::persona`], to change it.
    pub fn persona_mut(&mut self, speaker: Option<&CharacterId>) -> &mut Persona {
        self.personas.entry(speaker.cloned().unwrap_or_default()).or_default()
    }

    /// Whether it says the same as `other`, whatever their ids and times.
    pub fn says_the_same(&self, other: &Self) -> bool {
        let Self { id: _, storyline: _, created: _, personas, plot, world, events, .. } = self;
        let Self { sheet, sheets, summary, recap, extra, .. } = self;
        (personas, plot, world, events) == (&other.personas, &other.plot, &other.world, &other.events)
            && (sheet, sheets, summary) == (&other.sheet, &other.sheets, &other.summary)
            && (recap, extra) == (&other.recap, &other.extra)
    }
}
