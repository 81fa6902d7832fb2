//! The store contract on IndexedDB; and the database through its versions.

use std::{cell::Cell, rc::Rc};

use fabula::{
    ports::Store,
    store::{Batch, Doc, Op, Query, StoreError, Table},
    web::idb::{
        self, OpenError,
        migrate::{STEPS, Step},
    },
};
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{contract, fresh};

macro_rules! contract {
    ($($name:ident),*) => {$(
        #[wasm_bindgen_test]
        async fn $name() {
            let store = fresh(concat!("contract-", stringify!($name))).await;
            contract::$name(&store as &dyn Store).await;
        }
    )*};
}

contract!(
    gives_back_what_was_put,
    keeps_bytes,
    commits_whole,
    revises_what_is_stored,
    finds_by_index,
    leaves_newer_records_alone
);

/// One record in every table.
async fn fill(store: &dyn Store) {
    let ops = Table::ALL.iter().map(|table| {
        let value = json!({ "id": format!("of-{}", table.name()), "name": "n", "storyline": "s", "branch": "b", "position": 3, "unknown": [1, {}] });
        Op::Put(*table, Doc { value, bytes: (*table == Table::Blobs).then(|| vec![7; 1000].into()) })
    });
    store.commit(Batch { ops: ops.collect(), ..Batch::new() }).await.unwrap();
}

async fn everything(store: &dyn Store) -> Vec<Doc> {
    let mut all = Vec::new();
    for table in Table::ALL {
        all.extend(store.query(Query::all(table)).await.unwrap());
    }
    all
}

/// The steps so far, and one that a later version might add: a table, and an index on an old one.
const NEXT: &[Step] = &[STEPS[0], STEPS[1], |upgrade| {
    let mut params = ::idb::ObjectStoreParams::new();
    params.key_path(Some(::idb::KeyPath::new_single("id")));
    upgrade.database.create_object_store("feeds", params)?;
    let turns = upgrade.transaction.object_store("turns")?;
    turns.create_index("created", ::idb::KeyPath::new_single("created"), None)?;
    Ok(())
}];

/// The trap of rexie: a store that a later version does not name must not be deleted with its data.
#[wasm_bindgen_test]
async fn an_upgrade_keeps_every_record() {
    let old = fresh("upgrade").await;
    fill(&old).await;
    let before = everything(&old).await;
    assert_eq!(before.len(), Table::ALL.len());
    old.close();

    let new = idb::open("upgrade", NEXT, || {}, || {}).await.unwrap();
    assert_eq!(everything(&new).await, before);
    let place = Query::between(Table::Turns, "place", ("b", 3), ("b", 3));
    assert_eq!(new.count(place).await.unwrap(), 1, "indexes work on");
    new.close();
}

/// What a reader of the first version has, the second has too, with its new tables empty.
#[wasm_bindgen_test]
async fn the_first_version_becomes_the_second() {
    idb::delete("first").await.unwrap();
    let old = idb::open("first", &STEPS[..1], || {}, || {}).await.unwrap();
    let turn = json!({ "id": "t", "storyline": "s", "branch": "b", "position": 3, "user": "你好", "unknown": [1, {}] });
    old.commit(Batch { ops: vec![Op::Put(Table::Turns, turn.clone().into())], ..Batch::new() }).await.unwrap();
    old.close();
    let new = idb::open("first", STEPS, || {}, || {}).await.unwrap();
    assert_eq!(new.get(Table::Turns, "t").await.unwrap().unwrap().value, turn);
    for table in [Table::Memories, Table::Due, Table::Postings, Table::Vectors] {
        assert_eq!(new.count(Query::equal(table, "storyline", "s")).await.unwrap(), 0, "{}", table.name());
    }
    new.close();
}

/// An upgrade step that fails leaves the database as it was.
#[wasm_bindgen_test]
async fn a_failed_upgrade_changes_nothing() {
    const BROKEN: &[Step] = &[STEPS[0], STEPS[1], |upgrade| {
        upgrade.database.delete_object_store("turns")?;
        Err(::idb::Error::CursorFinished)
    }];
    let old = fresh("broken-upgrade").await;
    fill(&old).await;
    let before = everything(&old).await;
    old.close();
    assert!(matches!(idb::open("broken-upgrade", BROKEN, || {}, || {}).await, Err(OpenError::Failed(_))));
    let again = idb::open("broken-upgrade", STEPS, || {}, || {}).await.unwrap();
    assert_eq!(everything(&again).await, before);
    again.close();
}

#[wasm_bindgen_test]
async fn a_newer_database_is_refused_and_left_alone() {
    let newer = idb::open("newer", NEXT, || {}, || {}).await.unwrap();
    fill(&newer).await;
    newer.close();
    assert_eq!(idb::open("newer", STEPS, || {}, || {}).await.err(), Some(OpenError::Newer));
    let again = idb::open("newer", NEXT, || {}, || {}).await.unwrap();
    assert_eq!(everything(&again).await.len(), Table::ALL.len());
    again.close();
}

/// An open page lets go when a newer version wants the database, and says so; it does not block it.
#[wasm_bindgen_test]
async fn an_old_page_makes_way_for_a_newer_one() {
    let told = Rc::new(Cell::new(false));
    idb::delete("way").await.unwrap();
    let telling = told.clone();
    let old = idb::open("way", STEPS, || {}, move || telling.set(true)).await.unwrap();
    fill(&old).await;
    let new = idb::open("way", NEXT, || panic!("blocked"), || {}).await.unwrap();
    assert!(told.get());
    let refused = old.get(Table::Turns, "of-turns").await.unwrap_err();
    assert_eq!(refused, StoreError::new("InvalidStateError", "the database was closed for a newer version"));
    assert_eq!(everything(&new).await.len(), Table::ALL.len());
    new.close();
}
