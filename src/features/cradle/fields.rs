//! What of a character grows: its texts, and what it knows, which is its card's own lorebook.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Change, request::Said};
use crate::story::{
    character::Character,
    lines::{Shape, from_blocks, from_lines, to_blocks, to_lines},
};

/// A field that grows. A list is a text with an entry a line; greetings are blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Field {
    Name,
    Description,
    Personality,
    Scenario,
    Examples,
    Archetype,
    CoreGoal,
    CoreTraits,
    BackgroundStory,
    Beliefs,
    FirstMessage,
    Greetings,
    Emotions,
    Goals,
}

impl From<Field> for &'static str {
    fn from(field: Field) -> Self {
        field.name()
    }
}

impl TryFrom<String> for Field {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Self::named(&name).ok_or(name)
    }
}

impl Field {
    /// Those that each piece may change.
    pub const GROWING: [Self; 10] = [
        Self::Name,
        Self::Description,
        Self::Personality,
        Self::Scenario,
        Self::Examples,
        Self::Archetype,
        Self::CoreGoal,
        Self::CoreTraits,
        Self::BackgroundStory,
        Self::Beliefs,
    ];
    /// Those that come at the end.
    pub const RIPE: [Self; 4] = [Self::FirstMessage, Self::Greetings, Self::Emotions, Self::Goals];

    /// As a step names it, and as the model does.
    pub fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::Personality => "personality",
            Self::Scenario => "scenario",
            Self::Examples => "examples",
            Self::Archetype => "archetype",
            Self::CoreGoal => "core_goal",
            Self::CoreTraits => "core_traits",
            Self::BackgroundStory => "background_story",
            Self::Beliefs => "beliefs",
            Self::FirstMessage => "first_message",
            Self::Greetings => "other_greetings",
            Self::Emotions => "emotions",
            Self::Goals => "goals",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::GROWING.into_iter().chain(Self::RIPE).find(|field| field.name() == name)
    }

    /// Whether the model gives it as a list.
    pub fn is_list(self) -> bool {
        matches!(self, Self::CoreTraits | Self::Beliefs | Self::Greetings | Self::Emotions | Self::Goals)
    }

    pub fn get(self, character: &Character) -> String {
        let Character { card, initial_profile: profile, .. } = character;
        match self {
            Self::Name => character.name.clone(),
            Self::Description => card.description.clone(),
            Self::Personality => card.personality.clone(),
            Self::Scenario => card.scenario.clone(),
            Self::Examples => card.mes_example.clone(),
            Self::Archetype => profile.core_identity.archetype.clone(),
            Self::CoreGoal => profile.core_identity.core_goal.clone(),
            Self::CoreTraits => profile.core_identity.core_traits.join("\n"),
            Self::BackgroundStory => profile.core_identity.background_story.clone(),
            Self::Beliefs => to_lines(&profile.growth_state.beliefs),
            Self::FirstMessage => card.first_mes.clone(),
            Self::Greetings => to_blocks(&card.alternate_greetings),
            Self::Emotions => to_lines(&profile.current_state.emotions),
            Self::Goals => to_lines(&profile.current_state.immediate_goals),
        }
    }

    fn set(self, character: &mut Character, text: &str) {
        let Character { card, initial_profile: profile, .. } = character;
        let own = || text.to_owned();
        let lines = |before: &[Value]| from_lines(text, before, Shape::Text);
        match self {
            Self::Name => character.name = own(),
            Self::Description => card.description = own(),
            Self::Personality => card.personality = own(),
            Self::Scenario => card.scenario = own(),
            Self::Examples => card.mes_example = own(),
            Self::Archetype => profile.core_identity.archetype = own(),
            Self::CoreGoal => profile.core_identity.core_goal = own(),
            Self::CoreTraits => {
                profile.core_identity.core_traits =
                    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
            }
            Self::BackgroundStory => profile.core_identity.background_story = own(),
            Self::Beliefs => profile.growth_state.beliefs = lines(&profile.growth_state.beliefs),
            Self::FirstMessage => card.first_mes = own(),
            Self::Greetings => card.alternate_greetings = from_blocks(text),
            Self::Emotions => profile.current_state.emotions = lines(&profile.current_state.emotions),
            Self::Goals => profile.current_state.immediate_goals = lines(&profile.current_state.immediate_goals),
        }
    }
}

/// What a change of the book is called.
pub const KNOWLEDGE: &str = "knowledge";

fn entries(character: &Character) -> &[Value] {
    let entries = character.card.character_book.as_ref().and_then(|book| book.get("entries")).and_then(Value::as_array);
    entries.map_or(&[], Vec::as_slice)
}

fn title_of(entry: &Value) -> &str {
    ["name", "comment"]
        .into_iter()
        .find_map(|field| entry.get(field)?.as_str().filter(|text| !text.is_empty()))
        .unwrap_or_default()
}

/// What the character knows: title, keys and text of each.
pub(super) fn known(character: &Character) -> impl Iterator<Item = (&str, Vec<&str>, &str)> {
    entries(character).iter().map(|entry| {
        let keys = entry.get("keys").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        (title_of(entry), keys.collect(), entry.get("content").and_then(Value::as_str).unwrap_or_default())
    })
}

/// What the character knows, by titles.
pub fn titles(character: &Character) -> Vec<&str> {
    entries(character).iter().map(title_of).filter(|title| !title.is_empty()).collect()
}

/// An entry as a text: its keys, and below them what it says. Empty: there is none.
pub fn entry(character: &Character, title: &str) -> String {
    entries(character).iter().find(|entry| title_of(entry) == title).map(entry_text).unwrap_or_default()
}

fn entry_text(entry: &Value) -> String {
    let keys = entry.get("keys").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let keys = keys.collect::<Vec<_>>().join(", ");
    format!("{keys}\n{}", entry.get("content").and_then(Value::as_str).unwrap_or_default())
}

fn entry_whole(character: &Character, title: &str) -> Option<Value> {
    entries(character).iter().find(|entry| title_of(entry) == title).cloned()
}

/// Puts an entry as it was, or takes it out where there was none.
fn restore_entry(character: &mut Character, title: &str, before: Option<&Value>) {
    let book =
        character.card.character_book.as_mut().and_then(|book| book.get_mut("entries")).and_then(Value::as_array_mut);
    let Some(entries) = book else { return };
    let Some(at) = entries.iter().position(|entry| title_of(entry) == title) else { return };
    match before {
        Some(before) => entries[at] = before.clone(),
        None => drop(entries.remove(at)),
    }
}

/// Puts an entry.
fn set_entry(character: &mut Character, title: &str, text: &str) {
    let name = character.name.clone();
    let book =
        character.card.character_book.get_or_insert_with(|| json!({ "name": name, "extensions": {}, "entries": [] }));
    if !book.get("entries").is_some_and(Value::is_array) {
        book["entries"] = json!([]);
    }
    let Some(entries) = book["entries"].as_array_mut() else { return };
    let at = entries.iter().position(|entry| title_of(entry) == title);
    let Some((keys, content)) = text.split_once('\n') else { return };
    let keys: Vec<&str> = keys.split(", ").filter(|key| !key.is_empty()).collect();
    let number = entries.len();
    match at {
        Some(at) => (entries[at]["keys"], entries[at]["content"]) = (json!(keys), json!(content)),
        None => entries.push(json!({
            "id": number, "name": title, "comment": title, "keys": keys, "content": content, "enabled": true,
            "insertion_order": 100, "constant": false, "extensions": {},
        })),
    }
}

/// Takes in what was said; what came of it. What is no longer as it was told stays as it is, and so do a name and an entrance
/// that somebody has written.
pub(super) fn apply(character: &mut Character, said: &Said, told: &Character) -> Vec<Change> {
    let mut changes = Vec::new();
    for (field, after) in &said.fields {
        let before = field.get(character);
        let is_own = *field == Field::Name || Field::RIPE.contains(field);
        if before != field.get(told) || is_own && !before.trim().is_empty() {
            continue;
        }
        field.set(character, after);
        // As the character has it: a list may have been tidied.
        let after = field.get(character);
        if after != before {
            changes.push(Change { field: field.name().into(), before, after, ..Change::default() });
        }
    }
    for (title, after) in &said.knowledge {
        let before = entry(character, title);
        if before != *after && before == entry(told, title) {
            let whole = entry_whole(character, title);
            set_entry(character, title, after);
            let (field, title, after) = (KNOWLEDGE.into(), title.clone(), after.clone());
            changes.push(Change { field, title, before, after, entry: whole });
        }
    }
    changes
}

/// As it was before, unless it is something else by now.
pub(super) fn undo(character: &mut Character, change: &Change) {
    match Field::named(&change.field) {
        Some(field) if field.get(character) == change.after => field.set(character, &change.before),
        None if change.field == KNOWLEDGE && entry(character, &change.title) == change.after => {
            restore_entry(character, &change.title, change.entry.as_ref());
        }
        _ => {}
    }
}
