//! A record of a shelf as fields that change apart from each other: who renames a story on one device and plays it on
//! another has done both.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::store::{Belongs, Table};

/// Fields of a storyline that each device has for itself: the id of a connection means nothing elsewhere, and how many
/// turns it has follows from where its reader stands.
const OWN: &[&str] = &["connection", "total_turns"];

fn is_own(table: Table, id: &str, name: &str) -> bool {
    match table {
        Table::Settings => !table.shared(id).contains(&name),
        Table::Storylines => name == "id" || OWN.contains(&name),
        _ => name == "id",
    }
}

/// What a setting is where nobody has set it.
fn is_unset(value: &Value) -> bool {
    value.is_null() || *value == "" || value.as_array().is_some_and(Vec::is_empty)
}

/// Between the name of a list and that of an item in it.
const ITEM: char = '/';

/// Each field by its name; of a list that unites what both sides have, each item by `list/item`.
pub fn split(table: Table, record: &Value) -> BTreeMap<String, Value> {
    let mut fields = BTreeMap::new();
    let id = record["id"].as_str().unwrap_or_default();
    for (name, value) in record.as_object().into_iter().flatten() {
        match value {
            _ if is_own(table, id, name) => {}
            value if table == Table::Settings && is_unset(value) => {}
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
    let id = record.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
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
            None if is_own(table, &id, &name) => {}
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

/// The table of a record that travels, by its name. What a model was told stays on the device that told it: it is many
/// times as long as what was said.
pub fn travels(name: &str, id: &str) -> Option<Table> {
    Table::from_name(name).filter(does_travel).filter(|table| does_record(*table, id))
}

/// Whether records of the table travel, all or some.
pub fn does_travel(table: &Table) -> bool {
    table.is_part() && *table != Table::Accounts || *table == Table::Settings
}

/// Of such a table.
pub fn does_record(table: Table, id: &str) -> bool {
    table.is_part() || !table.shared(id).is_empty()
}

/// Whether it is told field by field.
pub fn goes_in_fields(table: Table) -> bool {
    table.belongs() == Belongs::Library || table == Table::Settings
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::story::settings::{Config, EditAs, Preferences};

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
        assert!(["turns", "characters", "blobs"].iter().all(|name| travels(name, "1").is_some()));
        let stay = ["accounts", "settings", "vault", "spending", "postings", "sync", "x"];
        assert!(stay.iter().all(|name| travels(name, "1").is_none()));
    }

    /// What a page looks like, and what the reader lets run on it, is each device's own; connections come with keys.
    #[test]
    fn settings_that_are_shared() {
        let travels = |id| travels("settings", id).is_some();
        assert_eq!(
            ["preferences", "config", "connections", "sync", "unsent:s"].map(travels),
            [true, true, false, false, false]
        );
        let here = Preferences {
            user_name: "Lin".to_owned(),
            lorebooks: vec!["b".into()],
            status_bars: vec!["hash".to_owned()],
            type_size: 120,
            ..Preferences::default()
        };
        let told = split(Table::Settings, &json!(here));
        assert_eq!(json!(told), json!({ "user_name": "Lin", "lorebooks": ["b"] }));
        let mut there = json!(Preferences { type_size: 90, plays_as: Some("p".into()), ..Preferences::default() });
        let fields = told.into_iter().chain([("type_size".into(), json!(300)), ("plays_as".into(), Value::Null)]);
        put(Table::Settings, there.as_object_mut().unwrap(), fields);
        let expected = Preferences { status_bars: Vec::new(), type_size: 90, ..here };
        assert_eq!(serde_json::from_value::<Preferences>(there).unwrap(), expected);
        // Each name is one that the record has.
        for (id, record) in [
            (
                "preferences",
                json!(Preferences { plays_as: Some("p".into()), edit_as: Some(EditAs::Branch), ..expected }),
            ),
            ("config", json!(Config::default())),
        ] {
            assert!(Table::Settings.shared(id).iter().all(|name| record.get(name).is_some()), "{id}");
        }
    }
}
