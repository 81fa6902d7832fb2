//! Maintenance every ten turns (seed `001`, `cleanup_character_state`): no decay, only tidying.

use serde_json::Value;

use crate::story::{
    persona::{Item, ItemKind, iso},
    state::Persona,
};

const EVERY: u32 = 10;
const EMOTIONS: usize = 5;
const GOALS: usize = 3;

/// Due at every tenth turn; where that was missed (the module was off), at the next.
pub fn is_due(persona: &Persona, position: u32) -> bool {
    position / EVERY > persona.last_maintenance_turn.unwrap_or(0) / EVERY
}

/// Tidies up, and says how many items went.
pub fn tidy(persona: &mut Persona, position: u32) -> u32 {
    let (growth, current) = (&mut persona.growth_state, &mut persona.current_state);
    let removed = keep_newest(&mut current.emotions, EMOTIONS)
        + keep_newest(&mut current.immediate_goals, GOALS)
        + merge(&mut growth.beliefs, ItemKind::Belief)
        + merge(&mut growth.relationships, ItemKind::Relationship);
    persona.last_maintenance_turn = Some(position);
    removed as u32
}

/// The last of the list are the newest: items are only ever added at its end.
fn keep_newest(list: &mut Vec<Value>, count: usize) -> usize {
    let surplus = list.len().saturating_sub(count);
    list.drain(..surplus);
    surplus
}

/// Of the items that are about the same (a belief's content, a relationship's entity) the newest stays, in the place
/// of the first. An item that does not say what it is about is left alone.
fn merge(list: &mut Vec<Value>, kind: ItemKind) -> usize {
    let before = list.len();
    let mut merged: Vec<(Option<String>, Value)> = Vec::new();
    for value in list.drain(..) {
        let about = Item::read(kind, &value).map(|item| item.texts()[0].to_owned());
        match merged.iter_mut().find(|(known, _)| known.is_some() && *known == about) {
            Some((_, kept)) if age(&value) > age(kept) => *kept = value,
            Some(_) => {}
            None => merged.push((about, value)),
        }
    }
    list.extend(merged.into_iter().map(|(_, value)| value));
    before - list.len()
}

/// What sorts items by time: the timestamp, and within the same second the turn. No timestamp is the oldest.
pub fn age(item: &Value) -> (String, u64) {
    let timestamp = match &item["timestamp"] {
        Value::String(text) => text.clone(),
        Value::Number(millis) => millis.as_u64().map(iso).unwrap_or_default(),
        _ => String::new(),
    };
    (timestamp, item["turn"].as_u64().unwrap_or(0))
}
