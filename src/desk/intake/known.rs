//! What the library holds, by its content: the same thing given again is known, as long as nobody has changed it here.

use std::collections::HashMap;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    desk::{Desk, Stored},
    exchange::character::is_added,
    ports::Pages,
    store::{Record, Table},
};

const TABLES: [Table; 7] = [
    Table::Characters,
    Table::Backgrounds,
    Table::Lorebooks,
    Table::Presets,
    Table::Personas,
    Table::Scripts,
    Table::QuickReplies,
];
/// What a record is given here, and does not come with its file.
const GIVEN: [&str; 8] = ["id", "created", "updated", "deleted", "thumbnail", "avatar", "lorebooks", "plays_as"];

/// What a record holds, told apart from all others of its table.
pub type Print = (Table, [u8; 32]);

#[derive(Default)]
pub struct Known(HashMap<Print, String>);

impl Known {
    /// # Errors
    /// The store failed.
    pub async fn of(desk: &Desk) -> Stored<Self> {
        let store = &*desk.ports.store;
        let mut known = Self::default();
        for table in TABLES {
            let mut pages = Pages::new(table);
            while let Some(docs) = pages.next(store).await? {
                let here = docs
                    .into_iter()
                    .map(|doc| doc.value)
                    .filter(|value| value.get("deleted").is_none_or(Value::is_null));
                known.0.extend(here.map(|value| {
                    let id = value["id"].as_str().unwrap_or_default().to_owned();
                    (print(table, value), id)
                }));
            }
        }
        Ok(known)
    }

    /// The id under which it is there.
    ///
    /// # Errors
    /// It is not, and this is its print, to [`Self::add`] it by.
    pub fn id_of<R: Record>(&self, record: &R) -> Result<&str, Print> {
        let print = print(R::TABLE, serde_json::to_value(record).expect("records have text keys"));
        self.0.get(&print).map(String::as_str).ok_or(print)
    }

    /// From now on it is.
    pub fn add(&mut self, print: Print, id: String) {
        self.0.insert(print, id);
    }
}

fn print(table: Table, mut value: Value) -> Print {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|key, _| !GIVEN.contains(&key.as_str()));
        // Scripts that came without ids were given some.
        for script in fields.get_mut("scripts").and_then(Value::as_array_mut).into_iter().flatten() {
            script.as_object_mut().map(|script| script.remove("id"));
        }
        // Sprites come in files of their own, after the card.
        if let Some(Value::Array(assets)) = fields.get_mut("assets") {
            assets.retain(|asset| !asset["path"].as_str().is_some_and(is_added));
            if assets.is_empty() {
                fields.remove("assets");
            }
        }
    }
    value.sort_all_objects();
    (table, Sha256::digest(value.to_string()).into())
}
