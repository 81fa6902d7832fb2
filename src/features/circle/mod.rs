//! The social circle (seed `004`, `CircleManager`; F7): characters post, like and answer each other in their own voice, and
//! the reader among them.
//!
//! Who takes part is kept with the character ([`Member`], under [`KEY`]), what was said in posts ([`crate::story::post`]).
//! What comes next, and when, follows from these and the clock alone ([`due`]); what a character remembers of the circle, from
//! the posts that it wrote and looked at ([`memory`]). A story is told of it where its switch is on, and the circle knows of a
//! story as far as the reader lets it ([`CircleSettings`]).

pub mod due;
pub mod memory;
pub mod request;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::due::{Act, Due, Pace};
use crate::{
    prompt::sources::{
        Give, Source,
        note::{DEPTH, Place},
    },
    store::from_value,
    story::{
        Extra, Millis, character::Character, features::Settings, ids::CharacterId, preset::Role, settings::Preferences,
        storyline::Language,
    },
};

/// The feature's name; under it the story is told of the circle.
pub const NAME: &str = "circle";

/// Where a character keeps that it takes part, beside its fields; and the preferences, how the circle goes.
pub const KEY: &str = "circle";

/// Characters of a post, and of a comment, of whomever.
pub const POST: usize = 4_000;
pub const COMMENT: usize = 1_000;

/// How far back a circle goes: what is older is read, and neither told nor answered.
pub const SPAN: Millis = 90 * 24 * 60 * 60 * 1000;

pub struct Feature;

impl super::Feature for Feature {
    fn name(&self) -> &'static str {
        NAME
    }

    /// At a depth, as an author's note: it changes as the circle goes on, and what stands before it in the prompt stays.
    fn sources(&self) -> &'static [Source] {
        const PLACE: Give = Give::Note(|_| String::new(), |_| Place::Chat(DEPTH, Role::System));
        &[Source { name: NAME, title: ["朋友圈", "The circle"], give: PLACE }]
    }

    /// That the circle knows of a story, only the reader says.
    fn leave_home(&self, settings: &mut super::Features) {
        settings.forget_field(NAME, "tells");
    }
}

/// Of a story.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CircleSettings {
    /// It is told what who speaks remembers of the circle.
    pub enabled: bool,
    /// In the circle its characters know what they have lived through in it.
    pub tells: bool,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Settings for CircleSettings {
    const NAME: &'static str = NAME;
}

/// How a character takes part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    #[default]
    Active,
    /// It says nothing by itself; what it said is read.
    Rests,
    /// It says nothing, and what it said is not shown.
    Muted,
}

impl Standing {
    pub const ALL: [Self; 3] = [Self::Active, Self::Rests, Self::Muted];

    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Rests => "rests",
            Self::Muted => "muted",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.name() == name)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Member {
    pub standing: Standing,
    pub joined: Millis,
    /// When it last posted, or was asked to and had nothing to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posted: Option<Millis>,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Member {
    /// A character's; `None`: it does not take part, or what is kept is none.
    pub fn of(character: &Character) -> Option<Self> {
        from_value(character.extra.get(KEY)?.clone()).ok()
    }

    pub fn keep(&self, character: &mut Character) {
        character.extra.insert(KEY.into(), serde_json::to_value(self).expect("its keys are texts"));
    }
}

/// A record that comes in a file rests: it calls a model only where the reader says so here.
pub fn lay_to_rest(record: &mut Value) {
    if let Some(member) = record.get_mut(KEY).and_then(Value::as_object_mut)
        && member.get("standing").is_none_or(|standing| standing != Standing::Muted.name())
    {
        member.insert("standing".into(), Standing::Rests.name().into());
    }
}

/// How the circle goes on this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rhythm {
    pub pace: Pace,
    /// At most so many calls and tokens a day.
    pub calls: u32,
    pub tokens: u32,
    /// What is written in; `None`: what the page speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// What the reader has seen.
    pub read: Millis,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Rhythm {
    pub const MOST_CALLS: std::ops::RangeInclusive<u32> = 1..=1_000;
    pub const MOST_TOKENS: std::ops::RangeInclusive<u32> = 1_000..=10_000_000;

    pub fn of(preferences: &Preferences) -> Self {
        preferences.extra.get(KEY).and_then(|stored| from_value(stored.clone()).ok()).unwrap_or_default()
    }

    pub fn keep(&self, preferences: &mut Preferences) {
        preferences.extra.insert(KEY.into(), serde_json::to_value(self).expect("its keys are texts"));
    }
}

impl Default for Rhythm {
    fn default() -> Self {
        Self { pace: Pace::Hand, calls: 40, tokens: 100_000, language: None, read: 0, extra: Extra::new() }
    }
}

/// Who takes part, as far as it matters to what comes next.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub who: CharacterId,
    pub member: Member,
}

/// All of a library who take part.
pub fn parts<'a>(characters: impl IntoIterator<Item = &'a Character>) -> Vec<Part> {
    let part = |one: &Character| Some(Part { who: one.id.clone(), member: Member::of(one)? });
    characters.into_iter().filter(|one| one.deleted.is_none()).filter_map(part).collect()
}
