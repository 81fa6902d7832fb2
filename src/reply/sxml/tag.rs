//! The tags that are tags, and how models misspell them.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tag {
    Root,
    Thought,
    Narrative,
    Reply,
    StateUpdate,
    StateUpdateJson,
    Changes,
    Set,
    Add,
}

/// In lower case, without the separators `_`, `-` and space.
const NAMES: &[(&str, Tag)] = &[
    ("root", Tag::Root),
    ("thought", Tag::Thought),
    ("thoughts", Tag::Thought),
    ("think", Tag::Thought),
    ("thinking", Tag::Thought),
    ("thougth", Tag::Thought),
    ("思考", Tag::Thought),
    ("思维", Tag::Thought),
    ("narrative", Tag::Narrative),
    ("narration", Tag::Narrative),
    ("narative", Tag::Narrative),
    ("narritive", Tag::Narrative),
    ("叙事", Tag::Narrative),
    ("叙述", Tag::Narrative),
    ("reply", Tag::Reply),
    ("replay", Tag::Reply),
    ("回复", Tag::Reply),
    ("stateupdate", Tag::StateUpdate),
    ("stateupdates", Tag::StateUpdate),
    ("状态更新", Tag::StateUpdate),
    ("stateupdatejson", Tag::StateUpdateJson),
    ("stateupdatesjson", Tag::StateUpdateJson),
    ("stateupdatajson", Tag::StateUpdateJson),
    ("changes", Tag::Changes),
    ("change", Tag::Changes),
    ("变化", Tag::Changes),
    ("变更", Tag::Changes),
    ("set", Tag::Set),
    ("add", Tag::Add),
];

impl Tag {
    pub const ALL: [Self; 9] = [
        Self::Root,
        Self::Thought,
        Self::Narrative,
        Self::Reply,
        Self::StateUpdate,
        Self::StateUpdateJson,
        Self::Changes,
        Self::Set,
        Self::Add,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Thought => "thought",
            Self::Narrative => "narrative",
            Self::Reply => "reply",
            Self::StateUpdate => "state_update",
            Self::StateUpdateJson => "state_update_json",
            Self::Changes => "changes",
            Self::Set => "set",
            Self::Add => "add",
        }
    }

    /// Whether it holds what a reply changes, and nothing to read.
    pub fn is_state(self) -> bool {
        matches!(self, Self::StateUpdate | Self::StateUpdateJson | Self::Changes)
    }

    /// By a name in lower case and without separators.
    pub(super) fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, tag)| *tag)
    }

    pub(super) fn may_begin(name: &str) -> bool {
        NAMES.iter().any(|(known, _)| known.starts_with(name))
    }
}
