//! The fields of a card, by the names that the specifications and older tools give them.

use serde_json::{Map, Value};

use crate::{
    exchange::{names::tidy_name, refusal::Warning},
    story::character::{Card, Character},
};

pub(super) type Object = Map<String, Value>;

/// A text field: its name in V2, its names elsewhere, its place in [`Card`].
pub(super) struct Text {
    pub key: &'static str,
    pub old: &'static [&'static str],
    pub of: fn(&mut Card) -> &mut String,
}

/// All but the name. The old names are those of Pygmalion and text-generation-webui, and SillyTavern's flat files.
pub(super) const TEXTS: [Text; 10] = [
    Text { key: "description", old: &["char_persona"], of: |card| &mut card.description },
    Text { key: "personality", old: &[], of: |card| &mut card.personality },
    Text { key: "scenario", old: &["world_scenario"], of: |card| &mut card.scenario },
    Text { key: "first_mes", old: &["char_greeting"], of: |card| &mut card.first_mes },
    Text { key: "mes_example", old: &["example_dialogue"], of: |card| &mut card.mes_example },
    Text { key: "creator_notes", old: &["creatorcomment"], of: |card| &mut card.creator_notes },
    Text { key: "system_prompt", old: &[], of: |card| &mut card.system_prompt },
    Text { key: "post_history_instructions", old: &[], of: |card| &mut card.post_history_instructions },
    Text { key: "creator", old: &[], of: |card| &mut card.creator },
    Text { key: "character_version", old: &[], of: |card| &mut card.character_version },
];

pub(super) const NAME: (&str, &[&str]) = ("name", &["char_name"]);

/// A list of texts; the separator splits a single text (tags came as `a, b` in old files).
pub(super) struct List {
    pub key: &'static str,
    pub separator: Option<char>,
    pub of: fn(&mut Card) -> &mut Vec<String>,
}

pub(super) const LISTS: [List; 2] = [
    List { key: "alternate_greetings", separator: None, of: |card| &mut card.alternate_greetings },
    List { key: "tags", separator: Some(','), of: |card| &mut card.tags },
];

/// Reads the card fields. Each is looked for in `places` in turn; in each under its own name, then its old ones.
pub(super) fn read(places: &[&Object], warnings: &mut Vec<Warning>) -> Character {
    let mut character = Character::default();
    let card = &mut character.card;
    for field in &TEXTS {
        *(field.of)(card) = text(find(places, field.key, field.old), field.key, warnings);
    }
    for field in &LISTS {
        *(field.of)(card) = list(find(places, field.key, &[]), field, warnings);
    }
    match find(places, "extensions", &[]) {
        Some(Value::Object(extensions)) => card.extensions = extensions.clone(),
        None | Some(Value::Null) => {}
        Some(_) => warnings.push(ignored("extensions")),
    }
    card.character_book = find(places, "character_book", &[]).filter(|book| !book.is_null()).cloned();

    let (name, warning) = tidy_name(&text(find(places, NAME.0, NAME.1), NAME.0, warnings));
    warnings.extend(warning);
    if name.is_empty() {
        warnings.push(Warning::NoName);
    }
    character.name = name;
    character
}

fn find<'a>(places: &[&'a Object], key: &str, old: &[&str]) -> Option<&'a Value> {
    let said = |place: &&'a Object, key: &str| place.get(key).filter(|value| !value.is_null());
    places.iter().find_map(|place| said(place, key).or_else(|| old.iter().find_map(|key| said(place, key))))
}

/// A text; numbers and truth values as they are written.
pub(super) fn text(value: Option<&Value>, field: &str, warnings: &mut Vec<Warning>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
        Some(_) => {
            warnings.push(ignored(field));
            String::new()
        }
    }
}

fn list(value: Option<&Value>, field: &List, warnings: &mut Vec<Warning>) -> Vec<String> {
    match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => text
            .split(|c| Some(c) == field.separator)
            .map(|part| if field.separator.is_some() { part.trim() } else { part })
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect(),
        Some(Value::Array(items)) => {
            if items.iter().any(|item| !item.is_string()) {
                warnings.push(ignored(field.key));
            }
            items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
        }
        Some(_) => {
            warnings.push(ignored(field.key));
            Vec::new()
        }
    }
}

pub(super) fn ignored(field: &str) -> Warning {
    Warning::FieldIgnored { field: field.to_owned() }
}
