//! Answers of a given shape: how each protocol is asked for an object of a schema, and what a model has been found to take.
//!
//! OpenAI-compatible (llama.cpp, vLLM, LM Studio and Ollama make a grammar of it): `response_format` with a
//! `json_schema`, or a bare `json_object`. Gemini: `responseMimeType` and `responseSchema`. Anthropic: one tool that must be
//! called, whose arguments are the answer. Whatever of it is taken, the answer is read by a parser that forgives.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::request::put;
use crate::story::connection::{Connection, ProviderKind};

/// What an answer shall look like. Each object of the schema names all of its fields as required and takes no others, as
/// the strictest of the providers wants it.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Letters, digits, `_` and `-`.
    pub name: &'static str,
    pub schema: Value,
}

/// An object of exactly these fields.
pub fn object(fields: Vec<(&str, Value)>) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: Map<_, _> = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

/// A list of such.
pub fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

pub fn string() -> Value {
    json!({"type": "string"})
}

pub fn boolean() -> Value {
    json!({"type": "boolean"})
}

pub fn integer() -> Value {
    json!({"type": "integer"})
}

/// How much of a shape a model is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Takes {
    /// The schema.
    #[default]
    Schema,
    /// That it be an object.
    Object,
    /// Nothing: the prompt alone says it.
    Prose,
}

/// What is learnt of a connection's model, in [`Connection::extra`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Learned {
    model: String,
    takes: Takes,
}

impl Takes {
    /// Where it stands among what is known of a connection.
    pub const FIELD: &str = "shapes";

    /// What the connection's model takes, as far as is known.
    pub fn of(connection: &Connection) -> Self {
        let stored = connection.extra.get(Self::FIELD).and_then(|value| serde_json::from_value(value.clone()).ok());
        let stored: Learned = stored.unwrap_or_default();
        if stored.model == connection.model { stored.takes } else { Self::Schema }
    }

    pub fn store(self, connection: &mut Connection) {
        let learned = Learned { model: connection.model.clone(), takes: self };
        let learned = serde_json::to_value(learned).expect("a record has text keys");
        connection.extra.insert(Self::FIELD.to_owned(), learned);
    }

    /// What to ask for after a refusal; `None`: there is nothing left to leave out.
    pub fn less(self, kind: ProviderKind) -> Option<Self> {
        match (self, kind) {
            (Self::Schema, ProviderKind::Openai | ProviderKind::Gemini) => Some(Self::Object),
            (Self::Schema, ProviderKind::Anthropic) | (Self::Object, _) => Some(Self::Prose),
            (Self::Prose, _) => None,
        }
    }
}

/// OpenAI's field.
pub(super) fn openai(body: &mut Map<String, Value>, shape: &Shape, takes: Takes) {
    let format = match takes {
        Takes::Schema => json!({
            "type": "json_schema",
            "json_schema": {"name": shape.name, "strict": true, "schema": shape.schema},
        }),
        Takes::Object => json!({"type": "json_object"}),
        Takes::Prose => return,
    };
    put(body, "response_format", Some(format));
}

/// Gemini's fields, among those of its `generationConfig`.
pub(super) fn gemini(config: &mut Map<String, Value>, shape: &Shape, takes: Takes) {
    if takes == Takes::Prose {
        return;
    }
    put(config, "responseMimeType", Some("application/json"));
    if takes == Takes::Schema {
        put(config, "responseSchema", Some(open(&shape.schema)));
    }
}

/// Anthropic's one tool.
pub(super) fn anthropic(body: &mut Map<String, Value>, shape: &Shape, takes: Takes) {
    if takes != Takes::Schema {
        return;
    }
    put(body, "tools", Some(json!([{"name": shape.name, "input_schema": shape.schema}])));
    put(body, "tool_choice", Some(json!({"type": "tool", "name": shape.name})));
}

/// Gemini's schemas know no `additionalProperties`, and refuse it.
fn open(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => map
            .iter()
            .filter(|(name, _)| *name != "additionalProperties")
            .map(|(name, value)| (name.clone(), open(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(list) => list.iter().map(open).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_learnt_is_of_one_model() {
        let mut connection = Connection { model: "a".into(), ..Default::default() };
        assert_eq!(Takes::of(&connection), Takes::Schema, "until it is known better");
        Takes::Object.store(&mut connection);
        assert_eq!(connection.extra["shapes"], json!({"model": "a", "takes": "object"}));
        assert_eq!(Takes::of(&connection), Takes::Object);
        connection.model = "b".into();
        assert_eq!(Takes::of(&connection), Takes::Schema);
        connection.extra.insert(Takes::FIELD.into(), json!({"model": "b", "takes": "more than all"}));
        assert_eq!(Takes::of(&connection), Takes::Schema);
    }

    #[test]
    fn a_refusal_leaves_out_more_until_nothing_is_left() {
        for (kind, steps) in [(ProviderKind::Openai, 2), (ProviderKind::Gemini, 2), (ProviderKind::Anthropic, 1)] {
            let asked: Vec<_> = std::iter::successors(Some(Takes::Schema), |takes| takes.less(kind)).collect();
            assert_eq!((asked.len() - 1, asked.last()), (steps, Some(&Takes::Prose)), "{kind:?}");
        }
    }
}
