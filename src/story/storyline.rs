//! A storyline: one isolated story world (seed `001`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    Extra, Millis,
    budget::Budget,
    features::{Features, Settings},
    ids::{
        BackgroundId, BranchId, CharacterId, ConnectionId, GenerationId, LorebookId, PresetId, ReaderPersonaId,
        SessionId, StateId, StorylineId, TurnId,
    },
    preset::Preset,
    reader::Reader,
    state::{Persona, State},
    tree::Head,
};
use crate::store::{from_value, record};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Storyline {
    pub id: StorylineId,
    pub title: String,
    pub status: StorylineStatus,
    /// Who speaks in it. The first is its own character: who speaks where a reply names nobody.
    pub cast: Vec<CharacterId>,
    /// What those came with who joined later: their [`Persona`] by their id, until the state has one of theirs. Read where it
    /// is asked for: lists and memory do without.
    #[serde(skip_serializing_if = "Extra::is_empty")]
    pub personas: Extra,
    pub background: Option<BackgroundId>,
    /// Whom the reader plays; `user_name` is their name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plays_as: Option<ReaderPersonaId>,
    /// Lorebooks that hang on it alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lorebooks: Vec<LorebookId>,
    pub preset: PresetId,
    /// The connection it is played with; `None` follows the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<ConnectionId>,
    /// What the character calls the reader: `{{user}}`.
    pub user_name: String,
    /// Language of the built-in prompts of this story.
    pub language: Language,
    pub created: Millis,
    pub last_active: Millis,
    /// Turns on the newest path, without the opening.
    pub total_turns: u32,
    /// Where the reader is in the tree.
    pub head: Head,
    pub sessions: Vec<Session>,
    pub current_session: SessionId,
    /// The state before the first turn.
    pub initial_state: StateId,
    /// Places that the reader may come back to, in the order in which they were made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub savepoints: Vec<SavePoint>,
    /// Switches and settings of its features, where they differ from the preset's.
    #[serde(rename = "modules", skip_serializing_if = "Features::is_empty")]
    pub features: Features,
    /// Where the whole is longer than its connection takes, its newest turns are sent without asking again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sends_newest: bool,
    /// A story that ships with the program and plays without a key.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub demo: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Millis>,
    /// For all that it ever costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Storyline, Storylines);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StorylineStatus {
    #[default]
    Active,
    Paused,
    Finished,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    #[default]
    Zh,
    En,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::Zh, Self::En];

    /// As it is stored, and as BCP 47 has it.
    pub fn name(self) -> &'static str {
        self.pick("zh", "en")
    }

    /// In itself, so that whoever ended up in the wrong one finds the way back.
    pub fn own_name(self) -> &'static str {
        self.pick("中文", "English")
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name() == name)
    }
}

/// A stretch of a storyline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    pub id: SessionId,
    pub created: Millis,
    pub turns: u32,
    /// `None`: it begins with the story.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened: Option<Opened>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// A place of the tree that the reader may come back to, with what the story was played with there. The state there
/// hangs on the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavePoint {
    pub id: String,
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    pub created: Millis,
    pub branch: BranchId,
    pub turn: TurnId,
    /// The turn's number.
    pub position: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<GenerationId>,
    pub preset: PresetId,
    #[serde(rename = "modules", skip_serializing_if = "Features::is_empty")]
    pub features: Features,
    #[serde(flatten)]
    pub extra: Extra,
}

/// How a session begins that follows a summary (seed `000`): with the summary, and with the last turns before it.
///
/// It belongs to a place in the tree. Turns that come after that place on their path are of this session; where the
/// reader goes back before it, the session before it goes on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Opened {
    /// The session that was summarised.
    pub before: SessionId,
    /// The branch of the last turn before it, and the position after that turn.
    pub at: Head,
    /// The reply to that turn: after another one there, the session before goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<GenerationId>,
    pub summary: String,
    /// Turns before it that are told beside the summary.
    pub carried: u32,
    #[serde(flatten)]
    pub extra: Extra,
}

/// Whom a storyline without a cast has for its character.
static NOBODY: CharacterId = CharacterId(String::new());

impl Storyline {
    /// Its own character.
    pub fn character(&self) -> &CharacterId {
        self.cast.first().unwrap_or(&NOBODY)
    }

    /// Its own variables: texts, and whatever else as it is written in JSON.
    pub fn variables(&self) -> BTreeMap<String, String> {
        let stored = self.extra.get("variables").and_then(|value| value.as_object());
        let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        stored.into_iter().flatten().map(|(name, value)| (name.clone(), text(value))).collect()
    }

    /// Who speaks in a reply that names this speaker.
    pub fn speaker<'a>(&'a self, speaker: Option<&'a CharacterId>) -> &'a CharacterId {
        speaker.unwrap_or(self.character())
    }

    /// The same, as a reply and a state name them: the storyline's own character by none.
    pub fn as_speaker(&self, character: &CharacterId) -> Option<CharacterId> {
        (character != self.character()).then(|| character.clone())
    }

    /// Whether several speak in it.
    pub fn is_group(&self) -> bool {
        self.cast.len() > 1
    }

    /// Gives a state the personas of those who joined since.
    pub fn introduce(&self, state: &mut State) {
        for id in self.personas.keys().map(|id| CharacterId::from(id.as_str())) {
            if !state.personas.contains_key(&id) {
                state.personas.insert(id.clone(), self.came_with(&id));
            }
        }
    }

    /// What somebody who joined came with; a blank persona, where nothing readable is kept.
    pub fn came_with(&self, who: &CharacterId) -> Persona {
        self.personas.get(who.as_str()).and_then(|kept| from_value(kept.clone()).ok()).unwrap_or_default()
    }

    /// Keeps it; what was kept before stays.
    pub fn comes_with(&mut self, who: &CharacterId, persona: &Persona) {
        let kept = || serde_json::to_value(persona).unwrap_or_default();
        self.personas.entry(who.as_str()).or_insert_with(kept);
    }

    pub fn session(&self, id: &SessionId) -> Option<&Session> {
        self.sessions.iter().find(|session| session.id == *id)
    }

    /// Which session of its line this is, from 1.
    pub fn session_number(&self, session: &Session) -> u32 {
        let before = |session: &&Session| self.session(&session.opened.as_ref()?.before);
        let line = std::iter::successors(Some(session), before);
        // Sessions that name each other in a circle are no line.
        line.take(self.sessions.len()).count() as u32
    }

    /// Who `{{user}}` is.
    pub fn reader(&self) -> Reader<'_> {
        Reader::new(&self.user_name, self.language)
    }

    /// The settings of a feature: the reader's, or those of the preset that it is told by.
    pub fn settings<S: Settings>(&self, preset: &Preset) -> S {
        self.settings_of(preset, S::NAME)
    }

    /// The same of one of several features that are told the same things.
    pub fn settings_of<S: DeserializeOwned + Default>(&self, preset: &Preset, feature: &str) -> S {
        self.decides(preset, feature).get_of(feature).unwrap_or_default()
    }

    /// Whether a feature that has a switch is on: as the reader set it, or as the preset has it.
    pub fn is_on(&self, preset: &Preset, feature: &str) -> bool {
        self.decides(preset, feature).is_on(feature)
    }

    /// The same of one that is on where nothing is said of it: whether it is switched off.
    pub fn is_off(&self, preset: &Preset, feature: &str) -> bool {
        self.decides(preset, feature).is_off(feature)
    }

    /// What the reader set goes before what the preset says.
    fn decides<'a>(&'a self, preset: &'a Preset, feature: &str) -> &'a Features {
        if self.features.has(feature) { &self.features } else { &preset.features }
    }

    /// Turns it on or off; what else the preset says of it stays.
    pub fn switch(&mut self, preset: &Preset, feature: &str, on: bool) {
        if !self.features.has(feature) {
            self.features.copy(feature, &preset.features);
        }
        self.features.switch(feature, on);
    }

    /// Changes them for this storyline.
    pub fn change_settings<S: Settings>(&mut self, preset: &Preset, change: impl FnOnce(&mut S)) {
        let mut settings = self.settings(preset);
        change(&mut settings);
        self.features.set(&settings);
    }
}
