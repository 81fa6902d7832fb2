//! What a file is, by its content and never by its name.

use serde_json::{Map, Value};

use super::{personas, quick, script};
use crate::story::{picture, script::KEY};

/// A file by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// An archive of ours, perhaps.
    Gzip,
    /// A CHARX card or an office document.
    Zip,
    /// A picture, perhaps with a card inside.
    Png,
    /// Of another kind.
    Picture,
    /// A text that begins as JSON does.
    Json,
    Unknown,
}

/// Looks at the first bytes; a dozen are enough unless the text begins with blanks.
pub fn sniff(first: &[u8]) -> FileKind {
    match first {
        [0x1f, 0x8b, ..] => FileKind::Gzip,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => FileKind::Zip,
        [0x89, b'P', b'N', b'G', ..] => FileKind::Png,
        _ if picture::kind(first).is_some() => FileKind::Picture,
        _ => {
            let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
            match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
                Some(b'{' | b'[') => FileKind::Json,
                _ => FileKind::Unknown,
            }
        }
    }
}

/// What a JSON file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Character,
    Background,
    Lorebook,
    Preset,
    /// Regex scripts.
    Scripts,
    QuickReplies,
    /// Of the reader.
    Personas,
    /// A conversation.
    Chat,
    /// The first line of an archive or backup of ours.
    Archive,
    Unknown,
}

const OF_CHARACTER: &[&str] = &[
    "character_id",
    "initial_profile",
    "first_mes",
    "mes_example",
    "personality",
    "char_name",
    "char_persona",
    "char_greeting",
    "world_scenario",
    "example_dialogue",
];
const OF_BACKGROUND: &[&str] = &["background_id", "world_setting", "world_rules", "initial_context", "story_outline"];

fn has_any(object: &Map<String, Value>, keys: &[&str]) -> bool {
    keys.iter().any(|key| object.contains_key(*key))
}

/// Whether a card lies under `data` (V2, V3 and whatever comes after them).
pub fn is_nested_card(object: &Map<String, Value>) -> bool {
    let card = object.get("spec").and_then(Value::as_str).is_some_and(|spec| spec.starts_with("chara_card"));
    object
        .get("data")
        .and_then(Value::as_object)
        .is_some_and(|data| card || (data.contains_key("name") && has_any(data, &["first_mes", "description"])))
}

/// A name and a description alone may be either a character or a background.
fn is_bare(object: &Map<String, Value>) -> bool {
    object.contains_key("name") && object.contains_key("description") && !object.contains_key("entries")
}

pub fn is_character(object: &Map<String, Value>) -> bool {
    // Agnai's.
    let has_persona = || object.get("persona").is_some_and(|persona| persona.get("attributes").is_some());
    is_nested_card(object)
        || is_of_backyard(object)
        || has_persona()
        || has_any(object, OF_CHARACTER)
        || (is_bare(object) && !has_any(object, OF_BACKGROUND) && !object.contains_key("spec"))
}

/// A character of Backyard AI, as a picture carries it.
pub fn is_of_backyard(object: &Map<String, Value>) -> bool {
    object.get("character").is_some_and(|character| character.get("aiName").is_some())
}

/// A system prompt of SillyTavern, and nothing else.
pub fn is_system_prompt(object: &Map<String, Value>) -> bool {
    let has = |key: &str| object.get(key).is_some_and(Value::is_string);
    has("name")
        && has("content")
        && object.keys().all(|key| ["name", "content", "post_history"].contains(&key.as_str()))
}

/// A preset of RisuAI.
pub fn is_risu_preset(object: &Map<String, Value>) -> bool {
    let is_other = is_nested_card(object) || object.contains_key("entries");
    let has = |key: &str, is: fn(&Value) -> bool| object.get(key).is_some_and(is);
    !is_other && (has("mainPrompt", Value::is_string) || has("promptTemplate", Value::is_array))
}

/// What samplers a file of them says, of SillyTavern's text completion, KoboldAI or NovelAI.
pub fn samplers(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let said = object.get("parameters").and_then(Value::as_object).unwrap_or(object);
    let has = |keys: [&str; 2]| keys.iter().all(|key| said.get(*key).is_some_and(Value::is_number));
    (has(["temp", "rep_pen"]) || has(["temperature", "repetition_penalty"])).then_some(said)
}

pub fn is_background(object: &Map<String, Value>) -> bool {
    !is_nested_card(object)
        && !has_any(object, OF_CHARACTER)
        && (has_any(object, OF_BACKGROUND) || (is_bare(object) && !object.contains_key("spec")))
}

/// The best guess, for a refusal that helps.
pub fn content(value: &Value) -> Content {
    let Some(object) = value.as_object() else {
        let is_scripts = value.as_array().is_some_and(|list| list.first().is_some_and(script::is_script));
        return if is_scripts { Content::Scripts } else { Content::Unknown };
    };
    let is_set = || object.keys().all(|key| [KEY, "name", "enabled"].contains(&key.as_str()));
    if script::is_script(value) || object.contains_key(KEY) && is_set() {
        Content::Scripts
    } else if personas::is_backup(object) {
        Content::Personas
    } else if quick::is_set(object) {
        Content::QuickReplies
    } else if object.contains_key("fabula") && object.contains_key("kind") {
        Content::Archive
    } else if object.contains_key("prompts") && object.contains_key("prompt_order")
        || has_any(object, &["story_string", "input_sequence", "fabula_preset"])
        || is_risu_preset(object)
        || has_any(object, &["instruct"]) && has_any(object, &["context", "sysprompt"])
        || is_system_prompt(object)
        || samplers(object).is_some()
    {
        Content::Preset
    } else if object.contains_key("entries")
        || object.get("type").is_some_and(|kind| kind == "risu")
        || object.get("spec").and_then(Value::as_str) == Some("lorebook_v3")
    {
        Content::Lorebook
    } else if is_character(object) {
        Content::Character
    } else if is_background(object) {
        Content::Background
    } else {
        Content::Unknown
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn first_bytes() {
        for (bytes, kind) in [
            (&b"\x1f\x8b\x08"[..], FileKind::Gzip),
            (b"PK\x03\x04....", FileKind::Zip),
            (b"\x89PNG\r\n\x1a\n", FileKind::Png),
            (b"\xff\xd8\xff\xe0", FileKind::Picture),
            (b"\xef\xbb\xbf \n{\"a\":1}", FileKind::Json),
            (b"[1]", FileKind::Json),
            (b"<!DOCTYPE html>", FileKind::Unknown),
            (b"", FileKind::Unknown),
        ] {
            assert_eq!(sniff(bytes), kind, "{bytes:?}");
        }
    }

    #[test]
    fn contents() {
        for (value, found) in [
            (json!({"fabula": 1, "kind": "library"}), Content::Archive),
            (json!({"entries": {}, "name": "x", "description": ""}), Content::Lorebook),
            (json!({"spec": "lorebook_v3", "data": {"name": "x", "entries": []}}), Content::Lorebook),
            (json!({"prompts": [], "prompt_order": []}), Content::Preset),
            (json!({"name": "x", "content": "y"}), Content::Preset),
            (json!({"temp": 0.7, "rep_pen": 1.1, "top_p": 0.9}), Content::Preset),
            (json!({"entries": {}, "mainPrompt": "y"}), Content::Lorebook),
            (json!({"hello": 1, "promptTemplate": "general"}), Content::Unknown),
            (json!({"name": "x", "mainPrompt": "y", "formatingOrder": []}), Content::Preset),
            (json!({"name": "x", "world_setting": ""}), Content::Background),
            (json!({"spec": "chara_card_v9", "data": {}}), Content::Character),
            (json!([{"name": "x"}]), Content::Unknown),
            (json!({"hello": 1}), Content::Unknown),
        ] {
            assert_eq!(content(&value), found, "{value}");
        }
    }
}
