//! Which of two versions of a record stays.

use serde_json::Value;

use crate::exchange::archive::Part;

/// What to write for a record of the file where the store has `stored` under its id; `None` = leave the store's.
///
/// | part | stays |
/// |---|---|
/// | characters, backgrounds, presets | the later `updated` |
/// | storylines | the later `last_active`, then more turns; with the sessions and save points of both |
/// | branches | the longer; with the named turns and the landmarks of both |
/// | turns | more edits, then one with a chosen reply, then one with a name |
/// | generations | an ended one before a running one, then more edits, then the longer text |
/// | memories | the later `updated` |
/// | states, blobs | the store's: they never change |
///
/// Where nothing of this differs, the store's stays.
pub fn settle(part: Part, file: Value, stored: Option<&Value>) -> Option<Value> {
    let Some(stored) = stored else { return Some(file) };
    let file_wins = match part {
        Part::States | Part::Blobs => false,
        Part::Characters | Part::Backgrounds | Part::Presets | Part::Memories => {
            by(&file, stored, |r| r["updated"].as_u64())
        }
        Part::Storylines => by(&file, stored, |r| (r["last_active"].as_u64(), r["total_turns"].as_u64())),
        Part::Branches => by(&file, stored, |r| r["length"].as_u64()),
        Part::Turns => by(&file, stored, |r| (items(&r["edits"]), r["chosen"].is_string(), r["name"].is_string())),
        Part::Generations => {
            by(&file, stored, |r| (r["status"] != "streaming", items(&r["edits"]), r["text"].as_str().map(str::len)))
        }
    };
    let lists: &[&str] = match part {
        Part::Storylines => &["sessions", "savepoints"],
        Part::Branches => &["named", "beads", "swipes"],
        _ => return file_wins.then_some(file),
    };
    let (mut winner, other) = if file_wins { (file, stored) } else { (stored.clone(), &file) };
    let added = lists.iter().filter(|list| add_missing(&mut winner, other, list)).count();
    (file_wins || added > 0).then_some(winner)
}

fn by<K: Ord>(file: &Value, stored: &Value, key: impl Fn(&Value) -> K) -> bool {
    key(file) > key(stored)
}

fn items(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

/// Puts what only `other` has in a list to the winner's. Both sides hold things that belong to it.
fn add_missing(winner: &mut Value, other: &Value, list: &str) -> bool {
    let missing: Vec<Value> = {
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

/// An item of a list by its id, or an id itself.
fn name(item: &Value) -> &Value {
    item.get("id").unwrap_or(item)
}
