//! From a reply's text to what modules take in.

use serde_json::Value;

use super::{Absorbed, PersonaUpdate};
use crate::story::{
    persona::{Item, ItemKind},
    plot::PointStatus,
};

const OPEN: &str = "<state_update_json>";
const CLOSE: &str = "</state_update_json>";

/// Reads a reply. Of one that `failed` nothing counts.
pub fn read_reply(text: &str, failed: bool) -> Absorbed {
    if failed {
        return Absorbed { failed, ..Default::default() };
    }
    let (update, unreadable) = match update_text(text).map(serde_json::from_str::<Value>) {
        Some(Ok(Value::Object(update))) => (read_update(&Value::Object(update)), None),
        Some(Ok(_)) => (None, Some("not an object".to_owned())),
        Some(Err(error)) => (None, Some(error.to_string())),
        None => (None, None),
    };
    Absorbed { progress: progress(text), update, unreadable, failed }
}

/// The first `[PROGRESS:X:status]`. A number beyond all outlines stays one.
fn progress(text: &str) -> Option<(u32, PointStatus)> {
    text.match_indices("[PROGRESS:").find_map(|(at, start)| {
        let (digits, rest) = text[at + start.len()..].split_once(':')?;
        let (status, _) = rest.split_once(']')?;
        let numbered = !digits.is_empty() && digits.chars().all(|char| char.is_ascii_digit());
        let status = PointStatus::from_name(status).filter(|_| numbered)?;
        Some((digits.parse().unwrap_or(u32::MAX), status))
    })
}

fn update_text(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(OPEN)?;
    let (json, _) = rest.split_once(CLOSE)?;
    Some(json.trim()).filter(|json| !json.is_empty())
}

/// The reply without its state update.
pub fn narrative(text: &str) -> String {
    match text.split_once(OPEN) {
        Some((before, rest)) => before.to_owned() + rest.split_once(CLOSE).map_or("", |(_, after)| after),
        None => text.to_owned(),
    }
}

/// The items of an update: each field's `add` and `update`. `None` where it changes nothing.
fn read_update(update: &Value) -> Option<PersonaUpdate> {
    const FIELDS: [(&str, &str, ItemKind); 5] = [
        ("growth_state", "beliefs", ItemKind::Belief),
        ("growth_state", "behavioral_patterns", ItemKind::Pattern),
        ("growth_state", "relationships", ItemKind::Relationship),
        ("current_state", "emotions", ItemKind::Emotion),
        ("current_state", "immediate_goals", ItemKind::Goal),
    ];
    let mut items = Vec::new();
    for (layer, field, kind) in FIELDS {
        for way in ["add", "update"] {
            let entries = update[layer][field][way].as_array().map_or(&[][..], Vec::as_slice);
            items.extend(entries.iter().filter_map(|entry| Item::read(kind, entry)));
        }
    }
    items.extend(Item::read(ItemKind::Physical, &update["current_state"]["physical"]));
    let major_event = match &update["major_event"] {
        Value::Bool(true) => Some(String::new()),
        Value::String(reason) if !reason.trim().is_empty() => Some(reason.trim().to_owned()),
        _ => None,
    };
    (!items.is_empty()).then_some(PersonaUpdate { items, major_event })
}
