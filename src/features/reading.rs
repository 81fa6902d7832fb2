//! From a reply's text to what modules take in, and what was odd about it.

use serde::Serialize;
use serde_json::Value;

use super::{Absorbed, PersonaUpdate};
use crate::{
    reply::{
        notice::ReplyNotice,
        parser::{self, parse},
        update::{Change, read_update},
    },
    story::{
        generation::Generation,
        persona::{Item, ItemKind},
    },
};

/// Reads a reply. Of one that `failed` nothing counts.
pub fn read_reply(text: &str, failed: bool) -> Absorbed {
    if failed {
        return Absorbed { failed, ..Default::default() };
    }
    let parsed = parse(text);
    // The first marker counts, as in the seed's `re.search`.
    let progress = parsed.progress.first().map(|progress| (progress.index, progress.status)).or(parsed.plot);
    let unreadable = parsed.notices.iter().find_map(|notice| match notice {
        ReplyNotice::BadJson { excerpt } => Some(excerpt.clone()),
        _ => None,
    });
    let (update, more) = parsed.update.as_ref().map(read_items).unwrap_or_default();
    let notices = parsed.notices.into_iter().chain(more).collect();
    Absorbed { progress, update, unreadable, world: parsed.world, failed, notices }
}

/// Under this name a reply carries what was odd about its text.
const READING: &str = "reading";

/// What was odd about a reply's text, as it was read (B4).
pub fn notices_of(reply: &Generation) -> Vec<ReplyNotice> {
    reply.list(READING)
}

pub(super) fn set_notices(reply: &mut Generation, notices: &[ReplyNotice]) {
    reply.set_list(READING, notices);
}

/// The reply as a model reads of it later: without its thoughts, its state update and its marks.
pub fn narrative(text: &str) -> String {
    parser::spoken(text).into_owned()
}

/// The key by which an update calls itself a major event (B5).
const MAJOR_EVENT: &str = "major_event";

/// The items of an update, `None` where it changes nothing; and what could not be taken from it.
fn read_items(update: &Value) -> (Option<PersonaUpdate>, Vec<ReplyNotice>) {
    let (changes, mut notices) = read_update(update);
    notices.retain(|notice| !matches!(notice, ReplyNotice::KeptAside { path } if path == MAJOR_EVENT));
    let mut items = Vec::new();
    collect(&mut items, ItemKind::Belief, &changes.beliefs);
    collect(&mut items, ItemKind::Pattern, &changes.patterns);
    collect(&mut items, ItemKind::Relationship, &changes.relationships);
    collect(&mut items, ItemKind::Emotion, &changes.emotions);
    collect(&mut items, ItemKind::Goal, &changes.goals);
    if let Some(physical) = &changes.physical {
        items.extend(item(ItemKind::Physical, physical));
    }
    let major_event = match &update[MAJOR_EVENT] {
        Value::Bool(true) => Some(String::new()),
        Value::String(reason) if !reason.trim().is_empty() => Some(reason.trim().to_owned()),
        _ => None,
    };
    ((!items.is_empty()).then_some(PersonaUpdate { items, major_event }), notices)
}

fn collect<T: Serialize>(items: &mut Vec<Item>, kind: ItemKind, changes: &[Change<T>]) {
    items.extend(changes.iter().filter_map(|change| item(kind, change.item())));
}

fn item<T: Serialize>(kind: ItemKind, stored: &T) -> Option<Item> {
    Item::read(kind, &serde_json::to_value(stored).ok()?)
}
