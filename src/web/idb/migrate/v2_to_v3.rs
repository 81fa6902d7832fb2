//! Accounts of prompts, which lay in their replies: each is moved, a page of replies at a time. And storylines are found by
//! each of their cast. Lorebooks are new.

use futures_util::TryFutureExt;
use idb::{Error, IndexParams, KeyPath, KeyRange, ObjectStore};
use js_sys::{Array, Reflect};
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;
use web_sys::IdbObjectStore;

use super::{Upgrade, create};
use crate::{
    store::{Part, Stored, Table, version},
    web::idb::{convert, open::store_error},
};

/// Replies that are read at a time.
const PAGE: u32 = 250;

pub fn run(upgrade: &Upgrade) -> Result<(), Error> {
    create(upgrade, Table::Accounts)?;
    create(upgrade, Table::Lorebooks)?;
    let replies = upgrade.transaction.object_store(Table::Generations.name())?;
    let storylines = upgrade.transaction.object_store(Table::Storylines.name())?;
    // A database that is new has the indexes of now from its first step on.
    if storylines.index_names().iter().any(|name| name == "character") {
        storylines.delete_index("character")?;
        let mut each = IndexParams::new();
        each.multi_entry(true);
        storylines.create_index("cast", KeyPath::new_single("cast"), Some(each))?;
    }
    let fail = upgrade.fail.clone();
    // The transaction stays open for as long as each answer is followed by another question.
    spawn_local(async move {
        if let Err(error) = as_of_now(&storylines).and_then(|()| part(&replies)).await {
            fail(error);
        }
    });
    Ok(())
}

/// An index finds records by what lies there.
async fn as_of_now(storylines: &ObjectStore) -> Stored<()> {
    let all: Array =
        storylines.get_all(None, None).map_err(store_error)?.await.map_err(store_error)?.into_iter().collect();
    put(storylines, Table::Storylines, &current(Table::Storylines, &all))
}

async fn part(replies: &ObjectStore) -> Stored<()> {
    let mut after = None;
    loop {
        let range =
            after.as_ref().map(|key| KeyRange::lower_bound(key, Some(true))).transpose().map_err(store_error)?;
        let page = replies.get_all(range.map(Into::into), Some(PAGE)).map_err(store_error)?;
        let page: Array = page.await.map_err(store_error)?.into_iter().collect();
        let Some(last) = page.iter().next_back() else { return Ok(()) };
        let (mut told, mut accounts) = (Vec::new(), Vec::new());
        for mut reply in current(Table::Generations, &page) {
            if let Some((Part::Accounts, account)) = Part::Generations.parted(&mut reply) {
                told.push(reply);
                accounts.push(account);
            }
        }
        put(replies, Table::Generations, &told)?;
        put(replies, Table::Accounts, &accounts)?;
        after = Some(Reflect::get(&last, &"id".into()).map_err(convert::error)?);
    }
}

/// In the form of now, in which they are written. One of a version that is not known is left alone.
fn current(table: Table, records: &Array) -> Vec<Value> {
    let now = |record: Value| Some(version::current(table, record.into()).ok()?.value);
    readable(records).into_iter().filter_map(now).collect()
}

/// What cannot be read is left as it lies there, and hides no other.
fn readable(records: &Array) -> Vec<Value> {
    let one = |record| convert::values_from_js(&Array::of1(&record)).ok()?.pop();
    convert::values_from_js(records).unwrap_or_else(|_| records.iter().filter_map(one).collect())
}

fn put(beside: &ObjectStore, table: Table, records: &[Value]) -> Stored<()> {
    let store: IdbObjectStore = beside.transaction().object_store(table.name()).map_err(store_error)?.into();
    convert::many_to_js(table, records)?
        .iter()
        .try_for_each(|record| store.put(&record).map(drop).map_err(convert::error))
}
