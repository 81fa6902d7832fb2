//! Migrations, one step per file. A step runs inside the browser's upgrade transaction: all of it, or nothing.
//!
//! A store that is not named here is left alone: steps say what changes, never what there is.

mod v0_to_v1;
mod v1_to_v2;
mod v2_to_v3;
mod v3_to_v4;
mod v4_to_v5;
mod v5_to_v6;
mod v6_to_v7;

use std::rc::Rc;

use idb::{Database, Error, IndexParams, KeyPath, ObjectStoreParams, Transaction};

use crate::store::{StoreError, Table};

/// What a step may touch.
pub struct Upgrade<'a> {
    pub database: &'a Database,
    pub transaction: &'a Transaction,
    /// For a step that goes on by itself within the transaction: nothing of the upgrade remains then.
    pub fail: Rc<dyn Fn(StoreError)>,
}

pub type Step = fn(&Upgrade) -> Result<(), Error>;

/// `STEPS[n]` leads from version n to version n + 1.
pub const STEPS: &[Step] =
    &[v0_to_v1::run, v1_to_v2::run, v2_to_v3::run, v3_to_v4::run, v4_to_v5::run, v5_to_v6::run, v6_to_v7::run];

/// For one that comes after the page, which has made and upgraded the database: it need not carry the steps.
pub const DONE: &[Step] = &[nothing_here as Step; STEPS.len()];

fn nothing_here(_: &Upgrade) -> Result<(), Error> {
    Err(Error::EventTargetNotFound)
}

/// The version that this program writes.
pub const VERSION: u32 = STEPS.len() as u32;

/// Creates a table with its indexes. A step that shipped names the tables that it created; an index that `Table` gains
/// later needs a step of its own.
fn create(upgrade: &Upgrade, table: Table) -> Result<(), Error> {
    let mut params = ObjectStoreParams::new();
    params.key_path(Some(KeyPath::new_single("id")));
    let store = upgrade.database.create_object_store(table.name(), params)?;
    for index in table.indexes() {
        let path = match index.fields {
            [field] => KeyPath::new_single(field),
            fields => KeyPath::new_array(fields.iter().copied()),
        };
        let mut params = IndexParams::new();
        params.multi_entry(index.each);
        store.create_index(index.name, path, Some(params))?;
    }
    Ok(())
}
