//! From a reply's text to what modules take in.

use serde::Serialize;
use serde_json::Value;

use super::{Absorbed, PersonaUpdate};
use crate::{
    reply::{
        notice::ReplyNotice,
        parser::parse,
        update::{Change, read_update},
    },
    story::persona::{Item, ItemKind},
};

/// Reads a reply. Of one that `failed` nothing counts.
pub fn read_reply(text: &str, failed: bool) -> Absorbed {
    if failed {
        return Absorbed { failed, ..Default::default() };
    }
    let parsed = parse(text);
    // The first marker counts, as in the seed's `re.search`.
    let progress = parsed.progress.first().map(|progress| (progress.index, progress.status));
    let unreadable = parsed.notices.iter().find_map(|notice| match notice {
        ReplyNotice::BadJson { excerpt } => Some(excerpt.clone()),
        _ => None,
    });
    Absorbed { progress, update: parsed.update.as_ref().and_then(read_items), unreadable, failed }
}

/// The reply without its thoughts and its state update.
pub fn narrative(text: &str) -> String {
    parse(text).shown(text)
}

/// The items of an update. `None` where it changes nothing.
fn read_items(update: &Value) -> Option<PersonaUpdate> {
    let (changes, _) = read_update(update);
    let mut items = Vec::new();
    collect(&mut items, ItemKind::Belief, &changes.beliefs);
    collect(&mut items, ItemKind::Pattern, &changes.patterns);
    collect(&mut items, ItemKind::Relationship, &changes.relationships);
    collect(&mut items, ItemKind::Emotion, &changes.emotions);
    collect(&mut items, ItemKind::Goal, &changes.goals);
    if let Some(physical) = &changes.physical {
        items.extend(item(ItemKind::Physical, physical));
    }
    let major_event = match &update["major_event"] {
        Value::Bool(true) => Some(String::new()),
        Value::String(reason) if !reason.trim().is_empty() => Some(reason.trim().to_owned()),
        _ => None,
    };
    (!items.is_empty()).then_some(PersonaUpdate { items, major_event })
}

fn collect<T: Serialize>(items: &mut Vec<Item>, kind: ItemKind, changes: &[Change<T>]) {
    items.extend(changes.iter().filter_map(|change| item(kind, change.item())));
}

fn item<T: Serialize>(kind: ItemKind, stored: &T) -> Option<Item> {
    Item::read(kind, &serde_json::to_value(stored).ok()?)
}
