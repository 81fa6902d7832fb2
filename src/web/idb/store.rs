//! Reads through rexie, writes through a transaction of our own.

use std::{cell::RefCell, rc::Rc};

use futures_channel::oneshot;
use futures_util::future::{LocalBoxFuture, join_all};
use js_sys::{Array, Object, Reflect};
use rexie::{KeyRange, Rexie, TransactionMode};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{IdbDatabase, IdbTransaction};

use super::convert;
use crate::{
    ports::{Change, Clock, Future, Store},
    store::{Batch, Doc, Durability, Op, Query, StoreError, Stored, Table, changed},
    web::{clock::BrowserClock, storage},
};

/// So many pages of a table are made records of at a stretch.
const PAGES: usize = 4;

#[wasm_bindgen]
extern "C" {
    /// `IDBDatabase.transaction` with options, which web-sys counts as unstable.
    #[wasm_bindgen(extends = Object)]
    type Durable;
    #[wasm_bindgen(method, catch)]
    fn transaction(this: &Durable, names: &Array, mode: &str, options: &Object) -> Result<IdbTransaction, JsValue>;
}

pub struct IdbStore {
    writer: IdbDatabase,
    /// `None` once a newer version has asked for the database.
    reader: Rc<RefCell<Option<Rexie>>>,
}

impl IdbStore {
    pub(super) fn new(writer: IdbDatabase, reader: Rc<RefCell<Option<Rexie>>>) -> Self {
        Self { writer, reader }
    }

    /// Lets go of the database, so that it can be deleted or upgraded.
    pub fn close(&self) {
        self.writer.close();
        if let Some(reader) = self.reader.borrow_mut().take() {
            reader.close();
        }
    }

    fn transaction(&self, table: Table, mode: TransactionMode) -> Stored<rexie::Transaction> {
        let reader = self.reader.borrow();
        reader.as_ref().ok_or_else(closed)?.transaction(&[table.name()], mode).map_err(read_error)
    }

    fn table(&self, table: Table) -> Stored<rexie::Store> {
        self.transaction(table, TransactionMode::ReadOnly)?.store(table.name()).map_err(read_error)
    }

    /// Writes what no document can hold: an object with a key of the browser's cryptography in it.
    pub(in crate::web) async fn put_object(&self, table: Table, object: &JsValue) -> Stored<()> {
        let transaction = self.transaction(table, TransactionMode::ReadWrite)?;
        transaction.store(table.name()).map_err(read_error)?.put(object, None).await.map_err(read_error)?;
        transaction.commit().await.map_err(read_error)
    }

    /// Reads such an object and deletes it, both or neither.
    pub(in crate::web) async fn take_object(&self, table: Table, key: &str) -> Stored<Option<JsValue>> {
        let transaction = self.transaction(table, TransactionMode::ReadWrite)?;
        let store = transaction.store(table.name()).map_err(read_error)?;
        let found = store.get(key.into()).await.map_err(read_error)?;
        store.delete(key.into()).await.map_err(read_error)?;
        transaction.commit().await.map_err(read_error)?;
        Ok(found)
    }

    fn begin(&self, names: &[&str], durability: Durability) -> Stored<IdbTransaction> {
        let names: Array = names.iter().copied().map(JsValue::from).collect();
        let options = Object::new();
        let durability = match durability {
            Durability::Relaxed => "relaxed",
            Durability::Strict => "strict",
        };
        Reflect::set(&options, &"durability".into(), &durability.into()).map_err(convert::error)?;
        self.writer.unchecked_ref::<Durable>().transaction(&names, "readwrite", &options).map_err(convert::error)
    }

    fn write(&self, batch: &Batch) -> Stored<IdbTransaction> {
        let mut names: Vec<&str> = Vec::new();
        for (table, _) in batch.ops.iter().map(Op::place) {
            if !names.contains(&table.name()) {
                names.push(table.name());
            }
        }
        let transaction = self.begin(&names, batch.durability)?;
        let written = put_all(&transaction, &batch.ops);
        if let Err(error) = written {
            // What was asked for before the error must not stay.
            let _ = transaction.abort();
            return Err(error);
        }
        Ok(transaction)
    }
}

/// Records of a table, a stretch at a time: the page goes on in between.
async fn many(table: Table, found: &[JsValue]) -> Stored<Vec<Doc>> {
    let mut docs = Vec::with_capacity(found.len());
    for some in found.chunks(table.describe().page as usize * PAGES) {
        if !docs.is_empty() {
            BrowserClock.sleep(0).await;
        }
        docs.extend(convert::many_from_js(table, &some.iter().collect())?);
    }
    Ok(docs)
}

/// With the notes for other devices, where there are some.
fn noted(ops: &mut Vec<Op>) {
    let mut notes = changed::notes(ops, BrowserClock.now()).peekable();
    // A piece of a reply has none, and nothing is asked for it.
    if notes.peek().is_some() && storage::is_synced() {
        let notes: Vec<Op> = notes.collect();
        ops.extend(notes);
    }
}

fn put_all(transaction: &IdbTransaction, ops: &[Op]) -> Stored<()> {
    ops.iter().try_for_each(|op| {
        let store = transaction.object_store(op.place().0.name()).map_err(convert::error)?;
        match op {
            Op::Put(table, doc) => store.put(&convert::to_js(*table, doc)?),
            Op::Delete(_, key) => store.delete(&key.into()),
        }
        .map(drop)
        .map_err(convert::error)
    })
}

/// Waits for a transaction's end.
async fn committed(transaction: IdbTransaction) -> Stored<()> {
    // Left to itself it commits once this page has heard that all is written: too late for a page that goes.
    let done = match idb::Transaction::from(transaction.clone()).commit() {
        Ok(done) => done.await,
        Err(error) => Err(error),
    };
    // Behind an error comes the end of the transaction, when nobody listens any more.
    transaction.set_onerror(None);
    transaction.set_onabort(None);
    match done {
        Ok(result) if result.is_committed() => Ok(()),
        // The transaction itself knows best why it was aborted.
        Ok(_) | Err(_) => Err(match transaction.error() {
            Some(exception) => convert::error(exception.into()),
            None => StoreError::new("AbortError", ""),
        }),
    }
}

/// Nothing but the read is waited for: a transaction with nothing to do ends by itself.
async fn revise_in(transaction: &IdbTransaction, table: Table, key: &str, change: Change<'_>) -> Stored<()> {
    let store =
        idb::Transaction::from(transaction.clone()).object_store(table.name()).map_err(super::open::store_error)?;
    let read = store.get(JsValue::from(key)).map_err(super::open::store_error)?;
    let found = read.await.map_err(super::open::store_error)?;
    let now = found.map(|value| convert::from_js(table, value)).transpose()?.map(|doc| doc.value);
    let before = now.clone().filter(|_| !table.shared(key).is_empty());
    if let Some(value) = change(now)? {
        let is_news = changed::is_news(table, key, before.as_ref(), &value);
        let mut ops = vec![Op::Put(table, value.into())];
        if is_news {
            noted(&mut ops);
        }
        put_all(transaction, &ops)?;
    }
    Ok(())
}

fn closed() -> StoreError {
    StoreError::new("InvalidStateError", "the database was closed for a newer version")
}

/// The browser calls back whoever asked: what was asked for is waited for, though nobody wants it any more.
async fn to_its_end(read: LocalBoxFuture<'static, rexie::Result<Vec<JsValue>>>) -> Stored<Vec<JsValue>> {
    let (sender, told) = oneshot::channel();
    spawn_local(async move {
        let _ = sender.send(read.await);
    });
    told.await.expect("a read comes to its end").map_err(read_error)
}

fn read_error(error: rexie::Error) -> StoreError {
    match error {
        rexie::Error::IdbError(error) => super::open::store_error(error),
        other => StoreError::new("UnknownError", other.to_string()),
    }
}

fn range(query: &Query) -> Stored<Option<KeyRange>> {
    let js = |key: &Option<_>| key.as_ref().map(convert::key_to_js);
    let range = match (js(&query.from), js(&query.to)) {
        (None, None) => return Ok(None),
        (Some(from), None) => KeyRange::lower_bound(&from, None),
        (None, Some(to)) => KeyRange::upper_bound(&to, None),
        (Some(from), Some(to)) => KeyRange::bound(&from, &to, None, None),
    };
    range.map(Some).map_err(super::open::store_error)
}

impl Store for IdbStore {
    fn get<'a>(&'a self, table: Table, key: &'a str) -> Future<'a, Stored<Option<Doc>>> {
        Box::pin(async move {
            let (store, key) = (self.table(table)?, key.into());
            let read = async move { Ok(store.get(key).await?.into_iter().collect()) };
            let found = to_its_end(Box::pin(read)).await?.pop();
            found.map(|value| convert::from_js(table, value)).transpose()
        })
    }

    fn get_many<'a>(&'a self, table: Table, keys: &'a [String]) -> Future<'a, Stored<Vec<Doc>>> {
        Box::pin(async move {
            let store = self.table(table)?;
            let keys: Vec<JsValue> = keys.iter().map(Into::into).collect();
            let read = async move {
                let found = join_all(keys.into_iter().map(|key| store.get(key))).await;
                found.into_iter().filter_map(Result::transpose).collect()
            };
            let found: Vec<JsValue> = to_its_end(Box::pin(read)).await?;
            if !table.has_bytes() {
                return many(table, &found).await;
            }
            found.into_iter().map(|value| convert::from_js(table, value)).collect()
        })
    }

    fn query(&self, query: Query) -> Future<'_, Stored<Vec<Doc>>> {
        Box::pin(async move {
            let (store, range) = (self.table(query.table)?, range(&query)?);
            let read = async move {
                match query.index {
                    None => store.get_all(range, query.limit).await,
                    Some(index) => store.index(index)?.get_all(range, query.limit).await,
                }
            };
            let found = to_its_end(Box::pin(read)).await?;
            if !query.table.has_bytes() {
                return many(query.table, &found).await;
            }
            // A record that cannot be read never hides the others.
            let read = found.into_iter().map(|value| convert::from_js(query.table, value));
            read.filter(|read| !read.as_ref().is_err_and(StoreError::is_unreadable)).collect()
        })
    }

    fn keys(&self, query: Query) -> Future<'_, Stored<Vec<String>>> {
        Box::pin(async move {
            let (store, range) = (self.table(query.table)?, range(&query)?);
            let read = async move {
                match query.index {
                    None => store.get_all_keys(range, query.limit).await,
                    Some(index) => store.index(index)?.get_all_keys(range, query.limit).await,
                }
            };
            Ok(to_its_end(Box::pin(read)).await?.iter().filter_map(JsValue::as_string).collect())
        })
    }

    fn count(&self, query: Query) -> Future<'_, Stored<u32>> {
        Box::pin(async move {
            let (store, range) = (self.table(query.table)?, range(&query)?);
            let read = async move {
                let count = match query.index {
                    None => store.count(range).await?,
                    Some(index) => store.index(index)?.count(range).await?,
                };
                Ok(vec![count.into()])
            };
            let count = to_its_end(Box::pin(read)).await?.pop();
            Ok(count.and_then(|count| count.as_f64()).unwrap_or_default() as u32)
        })
    }

    fn commit(&self, batch: Batch) -> Future<'_, Stored<()>> {
        Box::pin(async move {
            if batch.ops.is_empty() {
                return Ok(());
            }
            let mut batch = batch;
            noted(&mut batch.ops);
            committed(self.write(&batch)?).await
        })
    }

    fn revise<'a>(&'a self, table: Table, key: &'a str, change: Change<'a>) -> Future<'a, Stored<()>> {
        Box::pin(async move {
            let mut names = vec![table.name()];
            if storage::is_synced() && table != Table::Sync {
                names.push(Table::Sync.name());
            }
            let transaction = self.begin(&names, Durability::Strict)?;
            let revised = revise_in(&transaction, table, key, change).await;
            if let Err(error) = revised {
                let _ = transaction.abort();
                return Err(error);
            }
            committed(transaction).await
        })
    }
}
