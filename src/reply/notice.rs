//! What was odd about a reply: kept with the turn, put into words by `locales`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{repair::Repair, sxml::Tag};
use crate::store::tagged;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum ReplyNotice {
    /// The tag was opened and not closed.
    UnclosedTag { tag: Tag },
    /// The tag stands where it means nothing: closed without being opened, or an operation outside of an update.
    MisplacedTag { tag: Tag },
    /// The whole reply is thought or state: there is nothing to read.
    NothingShown,
    /// A state update stood in the reply without its tags.
    UntaggedState,
    /// The update could not be read, and nothing of it was applied.
    BadJson { excerpt: String },
    /// The update could be read after this.
    RepairedJson { what: Vec<Repair> },
    /// A change of the world that could not be read.
    BadWorldOp { excerpt: String },
    /// Looks like `[PROGRESS:X:status]` and is none.
    BadMarker { excerpt: String },
    /// The core of a persona never changes.
    CoreRefused { value: Value },
    /// No numbers for feelings.
    NumberDropped { path: String, value: Value },
    /// Not a part of an update; see [`super::update::StateUpdate::aside`].
    KeptAside { path: String },
}
tagged!(ReplyNotice, "kind");

const EXCERPT: usize = 120;

/// The beginning of a text, for a notice.
pub(super) fn excerpt(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Stored with the turn: to change this form is to decide on migration.
    #[test]
    fn stored_form() {
        insta::assert_json_snapshot!([
            ReplyNotice::UnclosedTag { tag: Tag::StateUpdateJson },
            ReplyNotice::MisplacedTag { tag: Tag::Thought },
            ReplyNotice::NothingShown,
            ReplyNotice::UntaggedState,
            ReplyNotice::BadJson { excerpt: excerpt(&"很".repeat(EXCERPT + 1)) },
            ReplyNotice::RepairedJson { what: vec![Repair::TrailingComma, Repair::CutOff] },
            ReplyNotice::BadWorldOp { excerpt: "hp: 90".into() },
            ReplyNotice::BadMarker { excerpt: "[PROGRESS:X:status]".into() },
            ReplyNotice::CoreRefused { value: json!({"core_goal": "peace"}) },
            ReplyNotice::NumberDropped { path: "emotions.intensity".into(), value: json!(8) },
            ReplyNotice::KeptAside { path: "mood".into() },
        ]);
    }
}
