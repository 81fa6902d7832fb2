//! What of a reply is shown and what is folded, as it comes.

use serde_json::Value;

use crate::{
    reply::parser::{ParsedReply, PartKind, ReplyParser, is_plain},
    story::ids::GenerationId,
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub shown: String,
    pub thoughts: String,
    /// State updates, indented where they are JSON.
    pub state: String,
}

/// Reads a growing reply; what has been read is not read again.
#[derive(Default)]
pub struct Reading {
    id: GenerationId,
    parser: Option<ReplyParser>,
}

impl Reading {
    pub fn read(&mut self, id: &GenerationId, text: &str, ended: bool) -> Seen {
        if self.id != *id {
            *self = Self { id: id.clone(), parser: None };
        }
        if self.parser.is_none() && is_plain(text) {
            return Seen { shown: text.to_owned(), ..Seen::default() };
        }
        let mut parser = self.parser.take().filter(|parser| text.starts_with(parser.text())).unwrap_or_default();
        let rest = parser.text().len();
        parser.push(&text[rest..]);
        if ended {
            return seen(&parser.finish(), text);
        }
        let seen = seen(&parser.view(), text);
        self.parser = Some(parser);
        seen
    }
}

fn seen(parsed: &ParsedReply, text: &str) -> Seen {
    let of = |kind: PartKind| {
        parsed
            .parts
            .iter()
            .filter(|part| part.kind == kind)
            .map(|part| text[part.text.clone()].trim())
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
    };
    let state: Vec<String> = of(PartKind::State).into_iter().map(indented).collect();
    Seen { shown: parsed.shown(text), thoughts: of(PartKind::Thought).join("\n\n"), state: state.join("\n\n") }
}

fn indented(text: &str) -> String {
    serde_json::from_str::<Value>(text)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| text.to_owned())
}
