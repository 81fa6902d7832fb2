//! Accounts of prompts, which lay in their replies: each is moved, a page of replies at a time. And storylines are found by
//! each of their cast. Lorebooks are new.

use futures_util::TryFutureExt;
use idb::{Error, IndexParams, KeyPath, KeyRange, ObjectStore};
use js_sys::{Array, Reflect};
use wasm_bindgen_futures::spawn_local;
use web_sys::IdbObjectStore;

use super::{Upgrade, create};
use crate::{
    store::{Doc, StoreError, Stored, Table, version},
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
    for storyline in convert::values_from_js(&all)? {
        // One of a version that is not known is left alone.
        if let Ok(now) = version::current(Table::Storylines, storyline.into()) {
            put(storylines, Table::Storylines, now)?;
        }
    }
    Ok(())
}

async fn part(replies: &ObjectStore) -> Stored<()> {
    let mut after = None;
    loop {
        let range =
            after.as_ref().map(|key| KeyRange::lower_bound(key, Some(true))).transpose().map_err(store_error)?;
        let page = replies.get_all(range.map(Into::into), Some(PAGE)).map_err(store_error)?;
        let page: Array = page.await.map_err(store_error)?.into_iter().collect();
        let Some(last) = page.iter().next_back() else { return Ok(()) };
        for mut reply in convert::values_from_js(&page)? {
            if let Some((table, account)) = version::parted(Table::Generations, &mut reply) {
                put(replies, Table::Generations, reply.into())?;
                put(replies, table, account.into())?;
            }
        }
        after = Some(Reflect::get(&last, &"id".into()).map_err(convert::error)?);
    }
}

fn put(beside: &ObjectStore, table: Table, doc: Doc) -> Result<(), StoreError> {
    let store = beside.transaction().object_store(table.name()).map_err(store_error)?;
    IdbObjectStore::from(store).put(&convert::to_js(table, &doc)?).map(drop).map_err(convert::error)
}
