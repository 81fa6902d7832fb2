//! Characters of programs that have forms of their own, as a V2 card would have them. The original stands under the program's
//! name in `extensions`, and goes out again with it.

use serde_json::{Value, json};

use super::{backyard, fields::Object};
use crate::exchange::{lorebook, yaml};

/// `None`: it is no such character.
pub(super) fn as_v2(file: &Object) -> Option<Object> {
    agnai(file).or_else(|| backyard::as_v2(file))
}

/// text-generation-webui: texts in YAML, of which `context` tells who it is. `None`: it is no such character.
pub(super) fn webui(text: &str) -> Option<Object> {
    let texts = yaml::texts(text)?;
    let file: Object = texts.into_iter().map(|(key, text)| (key, text.into())).collect();
    let text = |key: &str| file.get(key).and_then(Value::as_str);
    let (name, context) = (text("name")?, text("context").or(text("char_persona")));
    let greeting = text("greeting").or(text("char_greeting"));
    if context.is_none() && greeting.is_none() {
        return None;
    }
    let data = json!({
        "name": name,
        "description": context.unwrap_or_default(),
        "first_mes": greeting.unwrap_or_default(),
        "scenario": text("world_scenario").unwrap_or_default(),
        "mes_example": text("example_dialogue").unwrap_or_default(),
        "extensions": {"webui": file},
    });
    json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}).as_object().cloned()
}

/// Agnai: a `persona` of attributes, `greeting`, `sampleChat`, `characterBook`. Its description is for people.
fn agnai(file: &Object) -> Option<Object> {
    let persona = file.get("persona").and_then(Value::as_object)?;
    let attributes = persona.get("attributes").and_then(Value::as_object)?;
    let text = |key: &str| file.get(key).and_then(Value::as_str).unwrap_or_default();
    let list = |values: &Value| {
        let texts = values.as_array().into_iter().flatten().filter_map(Value::as_str);
        texts.collect::<Vec<_>>().join("; ")
    };
    let lines = attributes.iter().map(|(name, values)| match name.as_str() {
        // All in one, without a name.
        "text" => list(values),
        name => format!("{name}: {}", list(values)),
    });
    let book = file.get("characterBook").and_then(lorebook::foreign_as_v3).map(|mut book| book["data"].take());
    let card = json!({
        "spec": "chara_card_v2",
        "spec_version": "2.0",
        "data": {
            "name": text("name"),
            "description": lines.collect::<Vec<_>>().join("\n"),
            "scenario": text("scenario"),
            "first_mes": text("greeting"),
            "mes_example": text("sampleChat"),
            "creator_notes": text("description"),
            "system_prompt": text("systemPrompt"),
            "post_history_instructions": text("postHistoryInstructions"),
            "alternate_greetings": file.get("alternateGreetings").cloned().unwrap_or_else(|| json!([])),
            "tags": file.get("tags").cloned().unwrap_or_else(|| json!([])),
            "creator": text("creator"),
            "character_version": text("characterVersion"),
            "character_book": book,
            "extensions": {"agnai": file},
        },
    });
    card.as_object().cloned()
}
