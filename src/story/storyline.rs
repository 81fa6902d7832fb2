//! A storyline: one isolated story world (seed `001`).

use serde::{Deserialize, Serialize};

use super::{
    Extra, Millis,
    event::StoryEvent,
    ids::{
        BackgroundId, BranchId, CharacterId, ConnectionId, GenerationId, LorebookId, PresetId, SessionId, StateId,
        StorylineId, TurnId,
    },
    preset::Preset,
    reader::Reader,
    tree::Head,
};
use crate::store::record;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Storyline {
    pub id: StorylineId,
    pub title: String,
    pub status: StorylineStatus,
    /// Who speaks in it. The first is its own character: who speaks where a reply names nobody.
    pub cast: Vec<CharacterId>,
    pub background: Option<BackgroundId>,
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
    /// Switches and settings of its modules, where they differ from the preset's.
    #[serde(skip_serializing_if = "Modules::is_empty")]
    pub modules: Modules,
    /// Where the whole is longer than its connection takes, its newest turns are sent without asking again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sends_newest: bool,
    /// A story that ships with the program and plays without a key.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub demo: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Millis>,
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
    #[serde(skip_serializing_if = "Modules::is_empty")]
    pub modules: Modules,
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

/// Settings of modules: what a preset turns on, or what the reader set for one storyline. What is not set there follows
/// the preset.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Modules {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub director: Option<DirectorSettings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persona: Option<PersonaSettings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<RecallSettings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub world: Option<WorldSettings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planner: Option<PlannerSettings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<EventsSettings>,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DirectorSettings {
    pub enabled: bool,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PersonaSettings {
    pub enabled: bool,
    pub growth: GrowthPolicy,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorldSettings {
    pub enabled: bool,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlannerSettings {
    pub enabled: bool,
    /// `None`: the story's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<ConnectionId>,
    /// What the planner is told; empty: as the program words it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub instruction: String,
    #[serde(flatten)]
    pub extra: Extra,
}

/// In what the events of a story differ from those of its background.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EventsSettings {
    /// Ids of events, of the background or its own, that do not happen in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub off: Vec<String>,
    /// Events of this story alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<StoryEvent>,
    #[serde(flatten)]
    pub extra: Extra,
}

impl EventsSettings {
    /// Lets an event happen, or not.
    pub fn switch(&mut self, id: &str, on: bool) {
        self.off.retain(|known| known != id);
        if !on {
            self.off.push(id.to_owned());
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecallSettings {
    pub policy: RecallPolicy,
    /// Summaries and notes that are told at most where the words ask for the past (seed `000`).
    pub limit: u32,
    /// Percent of the prompt's room that the memory may take.
    pub share: u32,
    /// One call of the chat's own model before each recall, for other words that mean the same.
    pub expand: bool,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Default for RecallSettings {
    fn default() -> Self {
        Self { policy: RecallPolicy::Always, limit: 5, share: 25, expand: false, extra: Extra::new() }
    }
}

/// When memories are recalled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecallPolicy {
    /// At every turn (seed `001`).
    #[default]
    Always,
    /// When the reader's words ask for the past (seed `000`).
    Asked,
    Never,
}

impl RecallPolicy {
    pub const ALL: [Self; 3] = [Self::Always, Self::Asked, Self::Never];

    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Asked => "asked",
            Self::Never => "never",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }
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

impl Modules {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Whom a storyline without a cast has for its character.
static NOBODY: CharacterId = CharacterId(String::new());

impl Storyline {
    /// Its own character.
    pub fn character(&self) -> &CharacterId {
        self.cast.first().unwrap_or(&NOBODY)
    }

    /// Who speaks in a reply that names this speaker.
    pub fn speaker<'a>(&'a self, speaker: Option<&'a CharacterId>) -> &'a CharacterId {
        speaker.unwrap_or(self.character())
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

    /// The director's settings: the reader's, or those of the preset that it is told by.
    pub fn director(&self, preset: &Preset) -> DirectorSettings {
        set(&self.modules.director, &preset.modules.director)
    }

    /// The persona's settings, likewise.
    pub fn persona(&self, preset: &Preset) -> PersonaSettings {
        set(&self.modules.persona, &preset.modules.persona)
    }

    /// The world's settings, likewise.
    pub fn world(&self, preset: &Preset) -> WorldSettings {
        set(&self.modules.world, &preset.modules.world)
    }

    /// The planner's settings, likewise.
    pub fn planner(&self, preset: &Preset) -> PlannerSettings {
        set(&self.modules.planner, &preset.modules.planner)
    }

    /// What may happen in it: the events of its background, then its own, without those that are switched off.
    pub fn events(&self, of_background: &[StoryEvent]) -> Vec<StoryEvent> {
        let Some(settings) = &self.modules.events else { return of_background.to_vec() };
        let all = of_background.iter().chain(&settings.own);
        all.filter(|event| !settings.off.contains(&event.id)).cloned().collect()
    }

    /// Recall's settings, likewise; a preset that says nothing of it recalls as seed `001` does.
    pub fn recall(&self, preset: &Preset) -> RecallSettings {
        set(&self.modules.recall, &preset.modules.recall)
    }
}

fn set<T: Clone + Default>(by_reader: &Option<T>, by_preset: &Option<T>) -> T {
    by_reader.as_ref().or(by_preset.as_ref()).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preset_decides_until_the_reader_does() {
        let on = |story: &Storyline, preset: &Preset| {
            [story.director(preset).enabled, story.persona(preset).enabled, story.world(preset).enabled]
        };
        let mut story = Storyline { preset: "any".into(), ..Default::default() };
        assert_eq!(on(&story, &Preset::default()), [false; 3]);
        assert_eq!(story.recall(&Preset::default()).limit, 5);
        assert!(serde_json::to_value(&story).unwrap().get("modules").is_none());
        let declared = r#"{"director": {"enabled": true}, "recall": {"policy": "asked", "limit": 20}}"#;
        let preset = Preset { modules: serde_json::from_str(declared).unwrap(), ..Default::default() };
        assert_eq!(on(&story, &preset), [true, false, false]);
        assert_eq!((story.recall(&preset).policy, story.recall(&preset).limit), (RecallPolicy::Asked, 20));
        story.modules.director = Some(DirectorSettings::default());
        assert_eq!(on(&story, &preset), [false; 3]);
        // Of the events, those of the background, in their order, and then its own.
        let events = |ids: &[&str]| -> Vec<StoryEvent> {
            ids.iter().map(|id| StoryEvent { id: (*id).into(), ..Default::default() }).collect()
        };
        let mut story = Storyline::default();
        assert_eq!(story.events(&events(&["a", "b"])), events(&["a", "b"]));
        let mut settings = EventsSettings { own: events(&["c", "d"]), ..Default::default() };
        for (id, on) in [("a", false), ("a", false), ("d", false), ("d", true), ("gone", false)] {
            settings.switch(id, on);
        }
        story.modules.events = Some(settings);
        assert_eq!(story.events(&events(&["a", "b"])), events(&["b", "c", "d"]));
        let set = r#"{"preset": "plain", "modules": {"persona": {"enabled": true, "growth": "ask"}, "later": 1}}"#;
        let story: Storyline = serde_json::from_str(set).unwrap();
        let persona = story.persona(&preset);
        assert_eq!((persona.enabled, persona.growth, story.director(&preset).enabled), (true, GrowthPolicy::Ask, true));
        assert_eq!(serde_json::to_value(&story).unwrap()["modules"]["later"], 1);
    }
}
