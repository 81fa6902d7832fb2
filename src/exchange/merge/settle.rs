//! Which of two versions of a record stays.

use serde_json::Value;

use crate::store::{More, Part};

/// What to write for a record of the file where the store has `stored` under its id; `None` = leave the store's.
///
/// What makes one version win over the other, and which lists hold the items of both, says the description of the
/// table. Where nothing of that differs, the store's stays.
pub fn settle(part: Part, file: Value, stored: Option<&Value>) -> Option<Value> {
    let Some(stored) = stored else { return Some(file) };
    let about = part.table().describe();
    let weight = |record: &Value| about.stays.iter().map(|more: &More| more.of(record)).collect::<Vec<_>>();
    let file_wins = weight(&file) > weight(stored);
    if about.unites.is_empty() {
        return file_wins.then_some(file);
    }
    let (mut winner, other) = if file_wins { (file, stored) } else { (stored.clone(), &file) };
    let added = about.unites.iter().filter(|list| add_missing(&mut winner, other, list)).count();
    (file_wins || added > 0).then_some(winner)
}

/// Puts what only `other` has in a list to the winner's. Both sides hold things that belong to it.
fn add_missing(winner: &mut Value, other: &Value, list: &str) -> bool {
    let missing: Vec<Value> = {
        let name = |item| name(list, item);
        let known: Vec<&Value> = winner[list].as_array().into_iter().flatten().map(name).collect();
        let theirs = other[list].as_array().into_iter().flatten();
        theirs.filter(|item| !known.contains(&name(item))).cloned().collect()
    };
    let Some(fields) = winner.as_object_mut().filter(|_| !missing.is_empty()) else { return false };
    match fields.entry(list).or_insert_with(|| Value::Array(Vec::new())) {
        Value::Array(items) => items.extend(missing),
        _ => return false,
    }
    true
}

/// An item of a list by its id, or an id itself; of the turns that no model is told, each by its place.
fn name<'a>(list: &str, item: &'a Value) -> &'a Value {
    let field = if list == "untold" { "at" } else { "id" };
    item.get(field).unwrap_or(item)
}
