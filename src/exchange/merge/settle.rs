//! Which of two versions of a record stays.

use serde_json::Value;

use crate::exchange::archive::Part;

/// What to write for a record of the file where the store has `stored` under its id; `None` = leave the store's.
///
/// | part | stays |
/// |---|---|
/// | characters, backgrounds, presets | the later `updated` |
/// | storylines | the later `last_active`, then more turns; with the sessions of both |
/// | branches | the longer |
/// | turns | more edits, then one with a chosen reply |
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
        Part::Turns => by(&file, stored, |r| (items(&r["edits"]), r["chosen"].is_string())),
        Part::Generations => {
            by(&file, stored, |r| (r["status"] != "streaming", items(&r["edits"]), r["text"].as_str().map(str::len)))
        }
    };
    if part == Part::Storylines {
        let (mut winner, other) = if file_wins { (file, stored) } else { (stored.clone(), &file) };
        let added = add_sessions(&mut winner, other);
        return (file_wins || added).then_some(winner);
    }
    file_wins.then_some(file)
}

fn by<K: Ord>(file: &Value, stored: &Value, key: impl Fn(&Value) -> K) -> bool {
    key(file) > key(stored)
}

fn items(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

/// Turns of both sides point to them.
fn add_sessions(winner: &mut Value, other: &Value) -> bool {
    let Some(sessions) = winner.get_mut("sessions").and_then(Value::as_array_mut) else { return false };
    let before = sessions.len();
    for session in other["sessions"].as_array().into_iter().flatten() {
        if sessions.iter().all(|known| known["id"] != session["id"]) {
            sessions.push(session.clone());
        }
    }
    sessions.len() > before
}
