//! A text of the store, as the keeper knows it: where it hangs in the tree, and how to tell that it has changed.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{
    memory::words::says_more_than_a_word,
    ports::recall::Source,
    reply::{parser::spoken, progress},
    story::{
        Millis,
        generation::Status,
        ids::{BranchId, CharacterId, GenerationId, SessionId, TurnId},
        memory::{Kind, Memory},
        print::print,
    },
};

/// What the index reads of a turn: the rest of the record, as of a reply's, is nothing to it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Turn {
    pub id: TurnId,
    pub branch: BranchId,
    pub position: u32,
    pub session: SessionId,
    pub user: Option<String>,
    pub created: Millis,
    pub chosen: Option<GenerationId>,
    pub is_stage: bool,
}

/// What the index reads of a generation.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Reply {
    pub id: GenerationId,
    pub turn: TurnId,
    pub branch: BranchId,
    pub position: u32,
    pub text: String,
    pub status: Status,
    pub started: Millis,
}

/// What the index holds of one record. Its texts are read from the store when they are wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub source: Source,
    /// Empty for a memory: it hangs on a place.
    pub turn: TurnId,
    pub branch: BranchId,
    pub position: u32,
    /// Empty for a reply: it is its turn's.
    pub session: SessionId,
    /// Of a turn: the reply that the branch continues from.
    pub chosen: Option<GenerationId>,
    /// Of a memory: the reply that made it.
    pub maker: Option<GenerationId>,
    /// Of a memory: who alone may be told it; empty: whoever was there.
    pub owner: CharacterId,
    /// Of a memory.
    pub kind: Option<Kind>,
    pub pinned: bool,
    pub hidden: bool,
    pub at: Millis,
    /// Of the text: another print is another text.
    pub print: u64,
    /// Of what it tells: both layers of a point of the story tell the same (seed `000`), and so do two texts that are alike.
    pub fact: u64,
    /// One word or none: it is no reason to be recalled.
    pub is_brief: bool,
    /// The turns that it tells of, first and last.
    pub tells: (u32, u32),
}

impl Entry {
    pub fn of_turn(turn: &Turn) -> (Self, String) {
        let text = progress::without(turn.user.as_deref().unwrap_or_default()).into_owned();
        let entry = Self {
            source: Source::User(turn.id.clone()),
            turn: turn.id.clone(),
            branch: turn.branch.clone(),
            position: turn.position,
            session: turn.session.clone(),
            chosen: turn.chosen.clone(),
            maker: None,
            owner: CharacterId::default(),
            kind: None,
            pinned: false,
            hidden: false,
            at: turn.created,
            print: print(&text),
            fact: print(&text),
            // Who came and went is no memory.
            is_brief: turn.is_stage || !says_more_than_a_word(&text),
            tells: (turn.position, turn.position),
        };
        (entry, text)
    }

    /// A reply as the reader sees it, without thoughts, state and marks.
    pub fn of_reply(reply: &Reply) -> (Self, String) {
        let said = !matches!(reply.status, Status::Error | Status::Empty);
        let text = if said { spoken(&reply.text).into_owned() } else { String::new() };
        let entry = Self {
            source: Source::Reply(reply.id.clone()),
            turn: reply.turn.clone(),
            branch: reply.branch.clone(),
            position: reply.position,
            session: SessionId::default(),
            chosen: None,
            maker: None,
            owner: CharacterId::default(),
            kind: None,
            pinned: false,
            hidden: false,
            at: reply.started,
            print: print(&text),
            fact: print(&text),
            is_brief: !says_more_than_a_word(&text),
            tells: (reply.position, reply.position),
        };
        (entry, text)
    }

    pub fn of_memory(memory: &Memory) -> (Self, String) {
        let text = text_of(memory);
        let entry = Self {
            source: Source::Memory(memory.id.clone()),
            turn: TurnId::default(),
            branch: memory.branch.clone(),
            position: memory.position,
            session: memory.session.clone(),
            chosen: None,
            maker: memory.generation.clone(),
            owner: memory.owner.clone().unwrap_or_default(),
            kind: Some(memory.kind),
            pinned: memory.pinned,
            hidden: memory.hidden,
            at: memory.created,
            print: print(&text),
            fact: print(&told(&memory.text)),
            is_brief: false,
            tells: if memory.turns == (0, 0) { (memory.position, memory.position) } else { memory.turns },
        };
        (entry, text)
    }

    pub fn is_memory(&self) -> bool {
        self.kind.is_some()
    }
}

/// What of a memory is searched: its text and how it went.
fn text_of(memory: &Memory) -> String {
    let (text, detail) = (told(&memory.text), told(&memory.detail));
    if detail.is_empty() { text.into_owned() } else { format!("{text}\n{detail}") }
}

/// A memory's text as it is told: one that was written down with a mark is told without.
pub fn told(text: &str) -> Cow<'_, str> {
    progress::without(text)
}
