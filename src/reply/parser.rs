//! One parser for every dialect that a reply may be written in, in any mixture: SXML (`003`), `<narrative>` and
//! `<state_update_json>` (`001`), `[PROGRESS:X:status]` (`000`), `<changes>` (our own: [`lines`]), and plain text.
//!
//! The text is taken apart into parts that cover it byte for byte; nothing is dropped. What a reply says depends on its
//! whole text alone, never on how the stream was cut. Tags are read by [`super::sxml`], what they mean by `resolve`.

mod lines;
mod pieces;
mod resolve;
mod state;
#[cfg(test)]
pub(crate) mod tests;

use std::{borrow::Cow, ops::Range};

use serde_json::Value;

pub use self::state::{is_nothing, pairs, plain, world_ops};
pub use super::{notice::ReplyNotice, progress::Progress};

use super::{
    progress, signs,
    sxml::{Token, TokenKind, Tokenizer},
};
use crate::story::plot::PointStatus;

/// A reply, as far as it has come. All ranges are in bytes of the whole text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedReply {
    /// In order, without a gap.
    pub parts: Vec<Part>,
    /// The marks in what is shown, in order. The director takes the first.
    pub progress: Vec<Progress>,
    /// What `<state_update_json>` said; several are merged. Read it with [`super::update::read_update`].
    pub update: Option<Value>,
    pub world: Vec<WorldOp>,
    /// Where the plot stands by what `<changes>` said; a mark in what is shown goes before it.
    pub plot: Option<(u32, PointStatus)>,
    pub notices: Vec<ReplyNotice>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub kind: PartKind,
    /// Tags included.
    pub raw: Range<usize>,
    /// Without tags and the white space inside of them.
    pub text: Range<usize>,
    /// Whether its end has been seen: a tag that never closes leaves its last part open.
    pub closed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Narrative, reply, and text outside of any tag.
    Shown,
    /// Folded.
    Thought,
    /// Folded: `<state_update>`, `<state_update_json>`.
    State,
    /// Other tags, code fences around tags, blank space, comments: not shown.
    Frame,
}

/// A change of the world state. Values are as written; [`Self::Add`] adds numbers and appends to lists, and [`Self::Note`]
/// is a thing in somebody's own words, which may be there under others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorldOp {
    Set { key: String, value: String },
    Add { key: String, value: String },
    Note { key: String, value: String },
}

impl WorldOp {
    /// The key that it is for, and the value as written.
    pub fn said(&self) -> (&str, &str) {
        let (Self::Set { key, value } | Self::Add { key, value } | Self::Note { key, value }) = self;
        (key, value)
    }
}

/// Reads a whole reply.
pub fn parse(text: &str) -> ParsedReply {
    let mut parser = ReplyParser::new();
    parser.push(text);
    parser.finish()
}

/// Signs without which a text has no tag and no update: such a text is shown as it is.
const SIGNS: &[&str] = &["<", "＜", "【", "{", "｛"];

/// Whether a text has nothing to fold, told without reading it.
pub fn is_plain(text: &str) -> bool {
    signs::first(text, SIGNS).is_none() && pieces::bare_lines(text, 0..text.len()).is_none()
}

/// What of a whole reply is shown; see [`ParsedReply::shown`].
pub fn shown(text: &str) -> Cow<'_, str> {
    if is_plain(text) { text.into() } else { parse(text).shown(text).into() }
}

/// What of a whole reply is told again to a model that reads of the past: what is shown, without marks of progress.
pub fn spoken(text: &str) -> Cow<'_, str> {
    match shown(text) {
        Cow::Borrowed(shown) => progress::without(shown),
        Cow::Owned(shown) => progress::without(&shown).into_owned().into(),
    }
}

/// What of a whole reply is told again as it came. What a form of ours frames is told as it is shown, marks of progress
/// included: mostly another preset asked for that form, and the state that it changed is told elsewhere. All else, other
/// tags too, stays.
pub fn unformed(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return text.into();
    }
    let reply = parse(text);
    let is_formed = reply.parts.iter().any(|part| match part.kind {
        PartKind::State => true,
        PartKind::Shown => !text[part.raw.start..part.text.start].trim().is_empty(),
        PartKind::Thought | PartKind::Frame => false,
    });
    if is_formed { reply.shown(text).into() } else { text.into() }
}

#[derive(Clone, Debug, Default)]
pub struct ReplyParser {
    text: String,
    tokenizer: Tokenizer,
    tokens: Vec<Token>,
}

impl ReplyParser {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        let mut found = Vec::new();
        self.tokenizer.push(text, &mut found);
        self.take(found);
    }

    /// What has come so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The reply as it stands: parts and progress, for showing. Half a tag at the end is not shown; updates, changes
    /// of the world and notices are for [`Self::finish`].
    pub fn view(&self) -> ParsedReply {
        let end = self.text.len() - self.tokenizer.pending();
        resolve::resolve(&self.text[..end], self.text.len(), &self.tokens, false)
    }

    pub fn finish(mut self) -> ParsedReply {
        let mut found = Vec::new();
        std::mem::take(&mut self.tokenizer).finish(&mut found);
        self.take(found);
        resolve::resolve(&self.text, self.text.len(), &self.tokens, true)
    }

    /// Texts are joined, so that the tokens do not show how the stream was cut.
    fn take(&mut self, found: Vec<Token>) {
        for token in found {
            match (self.tokens.last_mut(), &token.kind) {
                (_, TokenKind::Close { auto: true, .. }) => {}
                (Some(last), TokenKind::Text) if last.kind == TokenKind::Text => last.raw.end = token.raw.end,
                _ => self.tokens.push(token),
            }
        }
    }
}

impl ParsedReply {
    /// What a reader sees and the history of a prompt may carry, marks of progress included.
    pub fn shown(&self, text: &str) -> String {
        let mut out = String::new();
        let mut gap = Gap::default();
        for part in &self.parts {
            match part.kind {
                PartKind::Shown if !part.text.is_empty() => {
                    gap.take(&text[part.raw.start..part.text.start]);
                    if !out.is_empty() {
                        out.push_str(gap.between());
                    }
                    push_dedented(text, part, &mut out);
                    gap = Gap::default();
                    gap.take(&text[part.text.end..part.raw.end]);
                }
                PartKind::Frame | PartKind::Shown => gap.take(&text[part.raw.clone()]),
                PartKind::Thought | PartKind::State => {}
            }
        }
        out
    }
}

/// What stood between two shown parts.
#[derive(Default)]
struct Gap {
    newlines: usize,
    space: bool,
    /// A tag or a fence: what follows is a new paragraph.
    solid: bool,
}

impl Gap {
    fn take(&mut self, text: &str) {
        self.newlines += text.matches('\n').count();
        self.space |= text.contains(char::is_whitespace);
        self.solid |= !text.trim().is_empty();
    }

    fn between(&self) -> &'static str {
        match self {
            Self { solid: true, .. } => "\n\n",
            Self { newlines: 0, space: false, .. } => "",
            Self { newlines: 0, .. } => " ",
            Self { newlines: 1, .. } => "\n",
            _ => "\n\n",
        }
    }
}

/// Within indented tags the text is indented too, which Markdown would take for code.
fn push_dedented(text: &str, part: &Part, out: &mut String) {
    let shown = &text[part.text.clone()];
    let lead = &text[part.raw.start..part.text.start];
    let indent = lead.rsplit_once('\n').map_or("", |(_, indent)| indent);
    if indent.is_empty() || !indent.bytes().all(|byte| matches!(byte, b' ' | b'\t')) {
        return out.push_str(shown);
    }
    for (at, line) in shown.split_inclusive('\n').enumerate() {
        let own = line.len() - line.trim_start_matches([' ', '\t']).len();
        out.push_str(if at == 0 { line } else { &line[own.min(indent.len())..] });
    }
}
