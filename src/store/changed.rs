//! Notes that a record has changed, for the reader's other devices: in the commit that changes it, so that a crash loses
//! none.

use serde_json::{Value, json};

use super::{Op, Query, Table};

/// How the ids of such notes begin in [`Table::Sync`]; the table and the id of the record follow.
pub const CHANGED: &str = "!";

/// How the ids of versions begin there that lost against newer ones and are kept to be looked at; the id of the record
/// (`characters/ada`) and a time follow. Their field `value` has the record, or the fields that lost.
pub const LOST: &str = "~";

/// The id of what this device notes there of itself. Its field `telling` has the notes of what is being told.
pub const ME: &str = "=";

/// The records of [`Table::Sync`] whose ids begin so.
pub fn beginning(with: &str, limit: Option<u32>) -> Query {
    let to = format!("{with}\u{ffff}");
    Query { from: Some(with.into()), to: Some(to.as_str().into()), limit, ..Query::all(Table::Sync) }
}

/// Whether a note was taken up, and it is not known yet that the others can hear of it.
pub fn is_being_told(me: &Value, note: &str) -> bool {
    me["telling"].as_array().is_some_and(|telling| telling.iter().any(|mark| mark["id"] == note))
}

/// The id of a record's note.
pub fn id(table: Table, id: &str) -> String {
    [CHANGED, table.name(), "/", id].concat()
}

/// Whether a change of a record is one that the others want to know: of settings they share a few fields.
pub fn is_news(table: Table, id: &str, before: Option<&Value>, after: &Value) -> bool {
    let shared = table.shared(id);
    let field = |name: &str| before.and_then(|before| before.get(name));
    shared.is_empty() || shared.iter().any(|name| field(name) != after.get(*name))
}

/// The notes that belong to these changes, made at a time (milliseconds since 1970). What the syncing itself writes (it keeps
/// its books in the same commit) is news to nobody, and a reply is told of when it is whole.
pub fn notes(ops: &[Op], now: u64) -> impl Iterator<Item = Op> {
    let is_syncing = ops.iter().any(|op| op.place().0 == Table::Sync);
    let is_told = move |op: &&Op| {
        let (table, name) = op.place();
        let is_whole = !matches!(op, Op::Put(_, doc) if !doc.value["open"].is_null());
        !is_syncing && is_whole && (table.is_part() || !table.shared(name).is_empty())
    };
    let note = move |op: &Op| {
        let (table, name) = op.place();
        Op::Put(Table::Sync, json!({ "id": id(table, name), "at": now }).into())
    };
    ops.iter().filter(is_told).map(note)
}
