//! The first version: all tables with their indexes, as they were then. Later changes to `Table` need a step of their
//! own; a table that is added needs one that creates it.

use idb::{Error, IndexParams, KeyPath, ObjectStoreParams};

use super::Upgrade;
use crate::ports::Table;

pub fn run(upgrade: &Upgrade) -> Result<(), Error> {
    for table in Table::ALL {
        let mut params = ObjectStoreParams::new();
        params.key_path(Some(KeyPath::new_single("id")));
        let store = upgrade.database.create_object_store(table.name(), params)?;
        for index in table.indexes() {
            let path = match index.fields {
                [field] => KeyPath::new_single(field),
                fields => KeyPath::new_array(fields.iter().copied()),
            };
            store.create_index(index.name, path, Some(IndexParams::new()))?;
        }
    }
    Ok(())
}
