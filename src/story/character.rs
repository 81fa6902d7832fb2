//! A character of the global library: the fields of a V2 card and the definition of seed `001`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Extra, Millis,
    ids::{BlobId, CharacterId, LorebookId, ReaderPersonaId},
    recap::RecapSettings,
    state::{CoreIdentity, CurrentState, GrowthState, Persona},
};
use crate::store::record;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Character {
    pub id: CharacterId,
    pub name: String,
    /// Card fields, by the names of the V2 specification.
    #[serde(flatten)]
    pub card: Card,
    /// The three layers that a storyline starts from (seed `001`, `initial_profile`).
    pub initial_profile: Profile,
    pub avatar: Option<BlobId>,
    /// The avatar at the size of the page, where it is itself larger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail: Option<BlobId>,
    /// Files of its card beside that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assets: Vec<Asset>,
    /// Whom the reader plays with it, where it is not the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plays_as: Option<ReaderPersonaId>,
    /// Lorebooks that hang on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lorebooks: Vec<LorebookId>,
    /// When the middle of a long conversation with it is summarised (F4).
    #[serde(skip_serializing_if = "RecapSettings::is_default")]
    pub recap: RecapSettings,
    /// HTML, CSS and script of a status bar, run in a frame of its own (`features::status_bar`).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status_bar: String,
    pub created: Millis,
    pub updated: Millis,
    /// Set while in the bin: hidden, restorable, purged later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Millis>,
    /// The record as it was imported, untouched, for a loss-free export.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<Value>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Character, Characters);

impl Character {
    /// What else they are called (V3, `nickname`).
    pub fn nickname(&self) -> Option<&str> {
        let card = self.imported.as_ref();
        let places = [
            self.extra.get("nickname"),
            card.map(|card| &card["data"]["nickname"]),
            card.map(|card| &card["nickname"]),
        ];
        let said = places.into_iter().flatten().filter_map(serde_json::Value::as_str).map(str::trim);
        said.into_iter().find(|name| !name.is_empty())
    }

    /// The copy that a storyline owns from its beginning on (seed `001`: the core never changes after it).
    pub fn persona(&self) -> Persona {
        let profile = self.initial_profile.clone();
        Persona {
            base_persona: self.card.description.clone(),
            core_identity: profile.core_identity,
            growth_state: profile.growth_state,
            current_state: profile.current_state,
            ..Persona::default()
        }
    }
}

/// A file of a card: an expression, a background, a piece of a gallery (V3, `assets`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Asset {
    /// As the specification has it (`emotion`, `background`, `icon`, `x_…`); empty: the card does not list it.
    pub kind: String,
    pub name: String,
    /// By which the card's text names it.
    pub path: String,
    pub blob: BlobId,
}

/// The text fields of a character card (V2). All may be empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Card {
    pub description: String,
    pub personality: String,
    pub scenario: String,
    /// The opening of the story: turn 0.
    pub first_mes: String,
    /// Example dialogue, blocks begun by `<START>`.
    pub mes_example: String,
    /// For the reader of the card, never in a prompt.
    pub creator_notes: String,
    /// Replaces the preset's own instruction unless empty; `{{original}}` is what it replaces.
    pub system_prompt: String,
    /// Replaces the text after the history unless empty; `{{original}}` likewise.
    pub post_history_instructions: String,
    /// Further openings: swipes of turn 0.
    pub alternate_greetings: Vec<String>,
    pub tags: Vec<String>,
    pub creator: String,
    pub character_version: String,
    /// Free space of the specification: unknown keys survive.
    pub extensions: Extra,
    /// The card's own lorebook, as it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub character_book: Option<Value>,
}

impl Card {
    /// The lorebook that it is linked with (SillyTavern), by its name.
    pub fn world(&self) -> Option<&str> {
        self.extensions.get("world").and_then(Value::as_str).filter(|name| !name.is_empty())
    }
}

/// Seed `001`, `initial_profile`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Profile {
    pub core_identity: CoreIdentity,
    pub growth_state: GrowthState,
    pub current_state: CurrentState,
}
