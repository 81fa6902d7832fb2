//! Items of a persona in words. They are read here and nowhere else: a text, or an object of seed `001`.

use serde_json::Value;

use crate::story::{reader::Reader, storyline::Language};

/// A belief: `{content, formed_from}`.
pub fn belief(item: &Value, language: Language) -> String {
    with(text(item, &["content", "belief"]), text(item, &["formed_from"]), language)
}

/// A pattern: `{pattern}`.
pub fn pattern(item: &Value) -> String {
    text(item, &["pattern", "content"]).to_owned()
}

/// A relationship: `{entity, status, history}`. One with the reader names them as the prompt does.
pub fn relationship(item: &Value, reader: Reader) -> String {
    let (entity, status) = (text(item, &["entity"]), text(item, &["status"]));
    let entity = if reader.is(entity) { reader.told().opening } else { entity };
    let colon = match reader.language {
        Language::Zh => "：",
        Language::En => ": ",
    };
    let head = match (entity, status) {
        ("", "") => text(item, &["content"]).to_owned(),
        ("", one) | (one, "") => one.to_owned(),
        _ => format!("{entity}{colon}{status}"),
    };
    with(&head, text(item, &["history"]), reader.language)
}

/// An emotion: `{content, context}`.
pub fn emotion(item: &Value, language: Language) -> String {
    with(text(item, &["content", "emotion"]), text(item, &["context"]), language)
}

/// A goal: `{goal, reason}`.
pub fn goal(item: &Value, language: Language) -> String {
    with(text(item, &["goal", "content"]), text(item, &["reason"]), language)
}

/// The physical state: `{condition}`.
pub fn condition(item: &Value) -> &str {
    text(item, &["condition", "content"])
}

/// The item itself where it is a text, else the first of these fields that is one.
fn text<'a>(item: &'a Value, fields: &[&str]) -> &'a str {
    match item {
        // A plain text has a content and nothing beside it.
        Value::String(text) if fields.iter().any(|field| CONTENT.contains(field)) => text.trim(),
        Value::Object(object) => {
            let found = fields.iter().find_map(|field| object.get(*field)?.as_str());
            found.unwrap_or_default().trim()
        }
        _ => "",
    }
}

const CONTENT: [&str; 2] = ["content", "condition"];

fn with(text: &str, aside: &str, language: Language) -> String {
    match (text, aside, language) {
        ("", ..) => String::new(),
        (text, "", _) => text.to_owned(),
        (text, aside, Language::Zh) => format!("{text}（{aside}）"),
        (text, aside, Language::En) => format!("{text} ({aside})"),
    }
}
