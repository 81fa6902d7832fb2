//! The context: what sources and features have to say, before anyone decides where it goes (seed `003`).

use std::collections::BTreeMap;

use super::steady::Steady;
use crate::story::preset::{Role, Section};

/// Named texts that features put in for one turn. One of a source's name goes before the source; one without entries
/// silences it. Any other name is open to a marker of that name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextStore {
    named: BTreeMap<String, Vec<Entry>>,
    /// Before and after a source.
    around: BTreeMap<String, [Vec<Entry>; 2]>,
    /// At a depth of the chat.
    pub(super) at_depth: Vec<AtDepth>,
    /// What there was no room for, by the source that it would have come from.
    pub(super) left_out: Vec<(&'static str, Vec<String>)>,
}

/// A text that stands at a depth of the chat for this turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtDepth {
    /// The source that it is told as.
    pub source: &'static str,
    /// The same from turn to turn.
    pub identifier: String,
    pub name: String,
    pub entry: Entry,
    pub depth: u32,
    pub order: i32,
    pub role: Role,
}

/// One text of the store, and why it is there (score, key, …).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub text: String,
    pub reason: String,
}

impl ContextStore {
    pub fn put(&mut self, name: &str, text: impl Into<String>) {
        self.put_entries(name, vec![Entry { text: text.into(), reason: String::new() }]);
    }

    /// Entries, the most important first: what does not fit is dropped from the end.
    pub fn put_entries(&mut self, name: &str, mut entries: Vec<Entry>) {
        entries.retain(|entry| !entry.text.trim().is_empty());
        self.named.insert(name.to_owned(), entries);
    }

    pub fn silence(&mut self, name: &str) {
        self.named.insert(name.to_owned(), Vec::new());
    }

    pub fn get(&self, name: &str) -> Option<&[Entry]> {
        self.named.get(name).map(Vec::as_slice)
    }

    /// Puts entries before and after what a source says, wherever that stands.
    pub fn put_around(&mut self, name: &str, around: [Vec<Entry>; 2]) {
        self.around.insert(name.to_owned(), around);
    }

    pub(super) fn around(&self, name: &str) -> [&[Entry]; 2] {
        self.around.get(name).map_or([&[], &[]], |[before, after]| [before, after])
    }

    pub fn put_at_depth(&mut self, text: AtDepth) {
        self.at_depth.push(text);
    }

    /// Notes what there was no room for, each with its reason.
    pub fn leave_out(&mut self, source: &'static str, reasons: Vec<String>) {
        self.left_out.push((source, reasons));
    }
}

/// What gives way: the lower, the sooner. [`Priority::FIXED`] never does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Priority(pub u8);

impl Priority {
    /// The head of seed `000` and every text of a preset's own.
    pub const FIXED: Self = Self(100);
    pub const REMINDER: Self = Self(90);
    pub const RECALL: Self = Self(80);
    pub const LORE: Self = Self(70);
    /// A text under a name that is no source's.
    pub const OTHER: Self = Self(60);
    pub const HISTORY: Self = Self(50);
    pub const EXAMPLES: Self = Self(40);

    /// The order of seed `000`, step 4: head, reminder, recalled events, conversation. What a feature puts in for a
    /// turn says its own ([`super::sources::Give::Turn`]).
    pub fn of(source: &str) -> Self {
        match source {
            "history" => Self::HISTORY,
            "examples" | "mes_example" => Self::EXAMPLES,
            _ => Self::FIXED,
        }
    }
}

/// What one source or block brings.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// The preset block's identifier and name.
    pub identifier: String,
    pub name: String,
    /// Empty for a preset's own text.
    pub source: String,
    pub role: Role,
    pub section: Section,
    pub priority: Priority,
    pub reason: String,
    pub content: Content,
    /// Depth in the chat and order there; `None` = in the order of the preset.
    pub depth: Option<(u32, i32)>,
    /// Pieces that were left out for the budget, or not loaded for it.
    pub trimmed: u32,
    /// Of the history: replies are told as they are read.
    pub shown_only: bool,
    /// Of the history: where it begins if it does not fit.
    pub steady: Option<Steady>,
    /// Of the history: the first turn of those that a summary in it stands for.
    pub recap: Option<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Messages of the chat.
    Chat(Vec<Piece>),
    /// One text: pieces between a beginning and an end.
    Text { before: String, pieces: Vec<Piece>, joint: &'static str, after: String, empty: Option<String> },
}

/// What can be left out on its own: a turn, a memory, an example.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    pub said: Vec<(Role, String)>,
    /// Uncalibrated.
    pub tokens: u32,
    /// Never left out: the turn to answer.
    pub must: bool,
    pub position: Option<u32>,
    pub reason: String,
}

impl Contribution {
    pub fn pieces(&self) -> &[Piece] {
        match &self.content {
            Content::Chat(pieces) | Content::Text { pieces, .. } => pieces,
        }
    }

    pub fn pieces_mut(&mut self) -> &mut Vec<Piece> {
        match &mut self.content {
            Content::Chat(pieces) | Content::Text { pieces, .. } => pieces,
        }
    }

    /// The text of a text block as it goes out; blank = it falls away.
    pub fn text(&self) -> String {
        let Content::Text { before, joint, after, .. } = &self.content else { return String::new() };
        let Some(said) = self.said() else { return String::new() };
        let text = [before, said.join(joint).as_str(), after].concat();
        // A whole session is not copied once more for nothing.
        if text.trim().len() == text.len() { text } else { text.trim().to_owned() }
    }

    /// Whether the text is blank, told without writing it.
    pub fn is_blank(&self) -> bool {
        let Content::Text { before, after, .. } = &self.content else { return true };
        let is_blank = |text: &&str| text.trim().is_empty();
        self.said()
            .is_none_or(|said| said.iter().all(is_blank) && [before, after].map(String::as_str).iter().all(is_blank))
    }

    /// What stands between the beginning and the end of a text block.
    fn said(&self) -> Option<Vec<&str>> {
        let Content::Text { pieces, empty, .. } = &self.content else { return None };
        let said: Vec<&str> = pieces.iter().flat_map(|piece| &piece.said).map(|(_, text)| text.as_str()).collect();
        if said.is_empty() { empty.as_deref().map(|empty| vec![empty]) } else { Some(said) }
    }
}

/// All that a prompt may say, in the order of the preset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextSnapshot {
    pub entries: Vec<Contribution>,
}
