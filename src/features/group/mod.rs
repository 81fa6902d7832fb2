//! Scenes of several characters: who speaks, and what a prompt says of that.

pub mod choose;
pub mod who;

use serde::{Deserialize, Serialize};

use crate::{
    prompt::{
        draft::Draft,
        sources::{COMPANY, Give, Source},
    },
    story::{Extra, features::Settings, ids::CharacterId, storyline::Language},
};

pub const NAME: &str = "group";

/// Who speaks where the reader names nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// One after the other, one each time.
    #[default]
    Turns,
    /// All who are there.
    All,
    /// As talkative as their cards say.
    Chance,
    /// Whom the model chooses.
    Model,
    /// Whom the reader lets speak.
    Hand,
}

impl Mode {
    pub const ALL: [Self; 5] = [Self::Turns, Self::All, Self::Chance, Self::Model, Self::Hand];

    pub fn name(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::All => "all",
            Self::Chance => "chance",
            Self::Model => "model",
            Self::Hand => "hand",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GroupSettings {
    pub mode: Mode,
    /// How many may answer the reader's words: each is a call.
    pub most: u32,
    #[serde(flatten)]
    pub extra: Extra,
}

impl GroupSettings {
    pub const MOST: std::ops::RangeInclusive<u32> = 1..=8;

    /// How many may answer.
    pub fn bound(&self) -> u32 {
        self.most.clamp(*Self::MOST.start(), *Self::MOST.end())
    }
}

impl Default for GroupSettings {
    fn default() -> Self {
        Self { mode: Mode::default(), most: 2, extra: Extra::new() }
    }
}

impl Settings for GroupSettings {
    const NAME: &'static str = NAME;
}

pub struct Feature;

impl super::Feature for Feature {
    fn name(&self) -> &'static str {
        NAME
    }

    /// Who speaks is chosen before the reply begins.
    fn works_apart(&self) -> bool {
        true
    }

    fn sources(&self) -> &'static [Source] {
        &[Source { name: COMPANY, title: ["在场的人", "Who is there"], give: Give::Text(company) }]
    }
}

/// Who is there, and whose words are wanted; nothing where only one character is in the story.
pub fn company(draft: &mut Draft) -> String {
    let scene = draft.scene;
    let Some(group) = scene.group else { return String::new() };
    let (speaker, reader) = (scene.character.name.as_str(), scene.storyline.reader().told().plain);
    let language = draft.language();
    let comma = language.pick("、", ", ");
    let there: Vec<&str> = [reader].into_iter().chain(group.there()).collect();
    let there = there.join(comma);
    match (language, group.is_whisper) {
        (Language::Zh, false) => format!(
            "（在场的有：{there}。这些人里，现在只写{speaker}这一次的话、动作和念头，开头不写名字；别的人各有人来写，不替他们说话或行动。{speaker}只知道自己在场时听到、看到的事，和别人告诉过自己的事。）"
        ),
        (Language::Zh, true) => format!(
            "（这是悄悄话，只有这几个人听得见：{there}；回答也只有他们听得见。这些人里，现在只写{speaker}这一次的话、动作和念头，开头不写名字；别的人各有人来写，不替他们说话或行动。{speaker}只知道自己在场时听到、看到的事，和别人告诉过自己的事。）"
        ),
        (Language::En, false) => format!(
            "(Present: {there}. Of these, write {speaker}'s next reply and nobody else's: what {speaker} says, does and thinks, without a name before it; the others have writers of their own. {speaker} knows only what happened while {speaker} was there, and what somebody has told {speaker}.)"
        ),
        (Language::En, true) => format!(
            "(This is whispered, and nobody hears it or the answer but: {there}. Of these, write {speaker}'s next reply and nobody else's: what {speaker} says, does and thinks, without a name before it; the others have writers of their own. {speaker} knows only what happened while {speaker} was there, and what somebody has told {speaker}.)"
        ),
    }
}

/// What a transcript calls a character that is deleted.
pub fn gone(language: Language) -> &'static str {
    language.pick("已经不在的人", "Somebody who is gone")
}

/// What changes in the company.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// One of the library joins the story, and comes in.
    Joins(CharacterId),
    /// One of the cast leaves the room.
    Leaves(CharacterId),
    Returns(CharacterId),
    /// One leaves the story; what they said stays.
    Quits(CharacterId),
}

impl Move {
    pub fn who(&self) -> &CharacterId {
        match self {
            Self::Joins(who) | Self::Leaves(who) | Self::Returns(who) | Self::Quits(who) => who,
        }
    }

    pub fn comes(&self) -> bool {
        matches!(self, Self::Joins(_) | Self::Returns(_))
    }

    /// As the story tells it.
    pub fn told(&self, name: &str, language: Language) -> String {
        match (self, language) {
            (Self::Joins(_), Language::Zh) => format!("（{name}来了。）"),
            (Self::Joins(_), Language::En) => format!("({name} joins them.)"),
            (Self::Returns(_), Language::Zh) => format!("（过了一阵，{name}回来了。）"),
            (Self::Returns(_), Language::En) => format!("(After a while {name} is back.)"),
            (Self::Leaves(_), Language::Zh) => format!("（{name}走开了。）"),
            (Self::Leaves(_), Language::En) => format!("({name} leaves.)"),
            (Self::Quits(_), Language::Zh) => format!("（{name}走了，不再回来。）"),
            (Self::Quits(_), Language::En) => format!("({name} is gone for good.)"),
        }
    }
}
