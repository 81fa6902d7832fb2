//! What one object of a provider's stream says, in the terms that all providers share.

use serde_json::Value;

use super::Finish;

/// Read by each protocol without memory; `stream` keeps what must be remembered between chunks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Chunk {
    /// Whether this object belongs to the protocol at all.
    pub known: bool,
    pub model: Option<String>,
    pub parts: Vec<Part>,
    /// A tool is called. What is said to one is no reply, unless it was offered for the answer.
    pub calls: bool,
    pub prompt_tokens: Option<u32>,
    pub completion_tokens: Option<u32>,
    /// Of the prompt's: read from the provider's cache, and written to it.
    pub cached_tokens: Option<u32>,
    pub written_tokens: Option<u32>,
    /// Why the reply ended, as soon as it is told.
    pub finish: Option<Finish>,
    /// The protocol's end sign: the reply is whole, unless more of it comes. Usage may follow.
    pub ended: bool,
    /// Nothing follows.
    pub last: bool,
    /// The prompt itself was refused.
    pub refused: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(String),
    Reasoning(String),
    /// Of what is said to a tool: the answer, where one of a shape was asked for.
    Argument(String),
}

impl Part {
    pub fn is_blank(&self) -> bool {
        let (Self::Text(text) | Self::Reasoning(text) | Self::Argument(text)) = self;
        text.trim().is_empty()
    }
}

impl Chunk {
    /// Adds text where `value` is a text that is not empty.
    pub fn text(&mut self, value: &Value) {
        self.part(Part::Text, value);
    }

    /// Adds reasoning where `value` is a text that is not empty.
    pub fn reasoning(&mut self, value: &Value) {
        self.part(Part::Reasoning, value);
    }

    /// Adds a piece of what is said to a tool.
    pub fn argument(&mut self, value: &Value) {
        self.part(Part::Argument, value);
    }

    fn part(&mut self, kind: fn(String) -> Part, value: &Value) {
        if let Some(text) = text(value) {
            self.parts.push(kind(text.to_owned()));
        }
    }
}

/// A text that is not empty.
pub(super) fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

/// A count; some servers write counts as `12.0`.
pub(super) fn count(value: &Value) -> Option<u32> {
    value.as_f64().map(|number| number as u32)
}

/// A reason with the words that came beside it.
pub(super) fn because(reason: &str, words: &Value) -> String {
    text(words).map_or(reason.to_owned(), |words| format!("{reason}: {words}"))
}
