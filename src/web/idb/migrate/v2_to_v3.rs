//! Accounts of prompts, which lay in their replies: each is moved, a page of replies at a time.

use idb::{Error, KeyRange, ObjectStore};
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
    let replies = upgrade.transaction.object_store(Table::Generations.name())?;
    let fail = upgrade.fail.clone();
    // The transaction stays open for as long as each answer is followed by another question.
    spawn_local(async move {
        if let Err(error) = part(&replies).await {
            fail(error);
        }
    });
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
