//! Notes that a record has changed, for the reader's other devices: in the commit that changes it, so that a crash loses
//! none.

use serde_json::json;

use super::{Op, Part, Table};

/// How the ids of such notes begin in [`Table::Sync`]; the table and the id of the record follow.
pub const CHANGED: &str = "!";

/// The notes that belong to these changes at a time (milliseconds since 1970). What the syncing itself writes (it keeps
/// its books in the same commit) is news to nobody, and a reply is told of when it is whole.
pub fn notes(ops: &[Op], now: u64) -> Vec<Op> {
    if ops.iter().any(|op| op.place().0 == Table::Sync) {
        return Vec::new();
    }
    let is_news = |op: &&Op| {
        let is_whole = !matches!(op, Op::Put(_, doc) if !doc.value["open"].is_null());
        is_whole && Part::of(op.place().0).is_some()
    };
    let note = |op: &Op| {
        let (table, id) = op.place();
        Op::Put(Table::Sync, json!({ "id": format!("{CHANGED}{}/{id}", table.name()), "at": now }).into())
    };
    ops.iter().filter(is_news).map(note).collect()
}
