//! Notes that the memory's index has to take in a record: in the commit that writes the record, so that the index knows
//! even where the browser dies right after it.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

use super::{Op, Table};

/// The note of a record that is written. `None` where it has nothing to be found: no text, or a reply that is still being
/// written.
///
/// Each writing has a note of its own: who takes in one and deletes its note does not delete that of a later one.
pub fn written(table: Table, value: &Value) -> Option<Op> {
    if !table.describe().is_searched || !value["open"].is_null() {
        return None;
    }
    let mut print = DefaultHasher::new();
    value.to_string().hash(&mut print);
    note(table, value, &format!("{:x}", print.finish()))
}

/// The note of a record that is deleted.
pub fn gone(table: Table, value: &Value) -> Option<Op> {
    if table.describe().is_searched { note(table, value, "gone") } else { None }
}

fn note(table: Table, value: &Value, print: &str) -> Option<Op> {
    let id = format!("{}/{}#{print}", table.name(), value["id"].as_str()?);
    Some(Op::Put(Table::Due, json!({ "id": id, "storyline": value["storyline"] }).into()))
}

/// The table and the id of the record that a note stands for.
pub fn record(note: &str) -> Option<(Table, &str)> {
    let (table, id) = note.split_once('/')?;
    // Notes of version 2's first builds have no print.
    let id = id.rsplit_once('#').map_or(id, |(id, _)| id);
    Some((Table::from_name(table)?, id))
}
