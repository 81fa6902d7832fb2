//! A record of a shelf as fields that change apart from each other: who renames a story on one device and plays it on
//! another has done both.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::store::Table;

/// Fields of a storyline that each device has for itself: the id of a connection means nothing elsewhere, and how many
/// turns it has follows from where its reader stands.
const OWN: &[&str] = &["connection", "total_turns"];

fn is_own(table: Table, name: &str) -> bool {
    name == "id" || table == Table::Storylines && OWN.contains(&name)
}

/// Between the name of a list and that of an item in it.
const ITEM: char = '/';

/// Each field by its name; of a list that unites what both sides have, each item by `list/item`.
pub fn split(table: Table, record: &Value) -> BTreeMap<String, Value> {
    let mut fields = BTreeMap::new();
    for (name, value) in record.as_object().into_iter().flatten() {
        match value {
            _ if is_own(table, name) => {}
            Value::Array(items) if table.describe().unites.contains(&name.as_str()) => {
                for item in items {
                    fields.insert(format!("{name}{ITEM}{}", item_name(item)), item.clone());
                }
            }
            value => drop(fields.insert(name.clone(), value.clone())),
        }
    }
    fields
}

fn item_name(item: &Value) -> String {
    match item["id"].as_str() {
        Some(id) => id.to_owned(),
        None => print(item),
    }
}

/// Puts fields into a record. A field that is `null` goes.
pub fn put(table: Table, record: &mut Map<String, Value>, fields: impl IntoIterator<Item = (String, Value)>) {
    let mut lists = BTreeSet::new();
    for (name, value) in fields {
        let list = name.split_once(ITEM).filter(|(list, _)| table.describe().unites.contains(list));
        match list {
            Some((list, item)) => {
                let items = record.entry(list).or_insert_with(|| Value::Array(Vec::new()));
                let Value::Array(items) = items else { continue };
                items.retain(|known| item_name(known) != item);
                if !value.is_null() {
                    items.push(value);
                }
                lists.insert(list.to_owned());
            }
            None if is_own(table, &name) => {}
            None if value.is_null() => drop(record.shift_remove(&name)),
            None => drop(record.insert(name, value)),
        }
    }
    for list in lists {
        if let Some(Value::Array(items)) = record.get_mut(&list) {
            let time = |item: &Value| ["created", "at"].iter().find_map(|name| item[*name].as_u64());
            items.sort_by_cached_key(|item| (time(item), item_name(item)));
        }
    }
}

/// What a value is told by: the same for the same, whatever the order of its outermost fields.
pub fn print(value: &Value) -> String {
    let text = match value {
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> = fields.iter().collect();
            serde_json::to_string(&fields).unwrap_or_default()
        }
        value => value.to_string(),
    };
    Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The table of a part that travels, by its name. What a model was told stays on the device that told it: it is many
/// times as long as what was said.
pub fn travels(name: &str) -> Option<Table> {
    Table::from_name(name).filter(does_travel)
}

pub fn does_travel(table: &Table) -> bool {
    table.is_part() && *table != Table::Accounts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_is_put_together_from_its_fields() {
        let record = json!({ "id": "s", "title": "Rain", "connection": "c", "total_turns": 4, "background": null,
            "sessions": [{ "id": "b", "created": 1 }, { "id": "a", "created": 2 }] });
        let fields = split(Table::Storylines, &record);
        assert_eq!(
            fields.keys().map(String::as_str).collect::<Vec<_>>(),
            ["background", "sessions/a", "sessions/b", "title"]
        );
        let mut made = Map::new();
        put(Table::Storylines, &mut made, fields);
        assert_eq!(Value::from(made.clone()), json!({ "title": "Rain", "sessions": record["sessions"] }));
        put(Table::Storylines, &mut made, [("sessions/b".into(), Value::Null), ("connection".into(), json!("d"))]);
        assert_eq!(Value::from(made), json!({ "title": "Rain", "sessions": [{ "id": "a", "created": 2 }] }));
    }

    #[test]
    fn what_is_not_told() {
        assert!(travels("turns").is_some() && travels("characters").is_some() && travels("blobs").is_some());
        assert!(
            ["accounts", "settings", "vault", "spending", "postings", "sync", "x"]
                .iter()
                .all(|name| travels(name).is_none())
        );
    }
}
