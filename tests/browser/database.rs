//! The store contract on IndexedDB; and the database through its versions.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use fabula::{
    ports::{Clock, Store},
    store::{Batch, Doc, Op, Query, StoreError, Table},
    web::{
        clock::BrowserClock,
        idb::{
            self, OpenError,
            migrate::{STEPS, Step},
        },
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
    books_what_tills_have_paid,
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

/// The steps so far, and one more.
fn and_then(step: Step) -> &'static [Step] {
    [STEPS, &[step]].concat().leak()
}

/// One that a later version might add: a table, and an index on an old one.
fn next() -> &'static [Step] {
    and_then(|upgrade| {
        let mut params = ::idb::ObjectStoreParams::new();
        params.key_path(Some(::idb::KeyPath::new_single("id")));
        upgrade.database.create_object_store("feeds", params)?;
        let turns = upgrade.transaction.object_store("turns")?;
        turns.create_index("created", ::idb::KeyPath::new_single("created"), None)?;
        Ok(())
    })
}

/// The trap of rexie: a store that a later version does not name must not be deleted with its data.
#[wasm_bindgen_test]
async fn an_upgrade_keeps_every_record() {
    let old = fresh("upgrade").await;
    fill(&old).await;
    let before = everything(&old).await;
    assert_eq!(before.len(), Table::ALL.len());
    old.close();

    let new = idb::open("upgrade", next(), || {}, |close| close()).await.unwrap();
    assert_eq!(everything(&new).await, before);
    let place = Query::between(Table::Turns, "place", ("b", 3), ("b", 3));
    assert_eq!(new.count(place).await.unwrap(), 1, "indexes work on");
    new.close();
}

/// What a reader of the first version has, the second has too, with its new tables empty.
#[wasm_bindgen_test]
async fn the_first_version_becomes_the_second() {
    idb::delete("first").await.unwrap();
    let old = idb::open("first", &STEPS[..1], || {}, |close| close()).await.unwrap();
    let turn = json!({ "id": "t", "storyline": "s", "branch": "b", "position": 3, "user": "你好", "unknown": [1, {}] });
    old.commit(Batch { ops: vec![Op::Put(Table::Turns, turn.clone().into())], ..Batch::new() }).await.unwrap();
    old.close();
    let new = idb::open("first", STEPS, || {}, |close| close()).await.unwrap();
    assert_eq!(new.get(Table::Turns, "t").await.unwrap().unwrap().value, turn);
    for table in [Table::Memories, Table::Due, Table::Postings, Table::Vectors] {
        assert_eq!(new.count(Query::equal(table, "storyline", "s")).await.unwrap(), 0, "{}", table.name());
    }
    new.close();
}

/// Replies of the second version, some with the accounts of their prompts, more than one page of the step that moves them.
async fn fill_second(name: &str, replies: u32, words: &str) {
    idb::delete(name).await.unwrap();
    let old = idb::open(name, &STEPS[..2], || {}, |close| close()).await.unwrap();
    let reply = |n: u32| {
        let mut reply = json!({ "id": format!("g{n:05}"), "storyline": "s", "branch": "b", "position": n, "turn": n, "text": words, "started": n, "unknown": [1, {}] });
        if !n.is_multiple_of(3) {
            reply["account"] = json!({ "preset": "plain", "blocks": [{ "identifier": "main", "text": words, "text_in": "g00001" }], "total_tokens": n, "raw_tokens": 7 });
        }
        Op::Put(Table::Generations, reply.into())
    };
    for from in (0..replies).step_by(500) {
        let ops = (from..replies.min(from + 500)).map(reply).collect();
        old.commit(Batch { ops, ..Batch::new() }).await.unwrap();
    }
    old.close();
}

/// Puts a record as it lay there once, past what stamps those of now.
async fn put_raw(name: &str, version: u32, store: &str, record: serde_json::Value) {
    let database = ::idb::Factory::new().unwrap().open(name, Some(version)).unwrap().await.unwrap();
    let transaction = database.transaction(&[store], ::idb::TransactionMode::ReadWrite).unwrap();
    let record = js_sys::JSON::parse(&record.to_string()).unwrap();
    transaction.object_store(store).unwrap().put(&record, None).unwrap().await.unwrap();
    transaction.commit().unwrap().await.unwrap();
    database.close();
}

/// Storylines of before are found by who speaks in them, and by no index of before.
#[wasm_bindgen_test]
async fn storylines_of_before_are_found_by_their_cast() {
    idb::delete("cast").await.unwrap();
    // As its first step made it then.
    const THEN: &[Step] = &[STEPS[0], |upgrade| {
        let storylines = upgrade.transaction.object_store("storylines")?;
        storylines.delete_index("cast")?;
        storylines.create_index("character", ::idb::KeyPath::new_single("character"), None)?;
        STEPS[1](upgrade)
    }];
    idb::open("cast", THEN, || {}, |close| close()).await.unwrap().close();
    put_raw("cast", 2, "storylines", json!({ "id": "s", "character": "ada", "title": "雨", "unknown": [1] })).await;
    put_raw("cast", 2, "storylines", json!({ "id": "later", "record_version": 1_000_000 })).await;
    put_raw("cast", 2, "states", json!({ "id": "st", "storyline": "s", "persona": { "base_persona": "她" } })).await;

    let new = idb::open("cast", STEPS, || {}, |close| close()).await.unwrap();
    let found = new.query(Query::equal(Table::Storylines, "cast", "ada")).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].value, json!({ "id": "s", "title": "雨", "unknown": [1], "cast": ["ada"] }));
    assert_eq!(new.get(Table::Storylines, "later").await.unwrap_err(), StoreError::newer(Table::Storylines));
    let state = new.get(Table::States, "st").await.unwrap().unwrap().value;
    assert_eq!(state["personas"], json!({ "": { "base_persona": "她" } }));
    assert!(new.count(Query::equal(Table::Storylines, "character", "ada")).await.is_err(), "one index is enough");
    new.close();
}

/// Accounts lie in a table of their own then, and nothing else of their replies has changed.
#[wasm_bindgen_test]
async fn the_second_version_becomes_the_third() {
    const REPLIES: u32 = 1_001;
    fill_second("second", REPLIES, "雨").await;
    let new = idb::open("second", STEPS, || {}, |close| close()).await.unwrap();
    let replies = new.query(Query::all(Table::Generations)).await.unwrap();
    assert_eq!(replies.len(), REPLIES as usize);
    for (n, reply) in replies.iter().enumerate() {
        let id = format!("g{n:05}");
        let mut expected = json!({ "id": id, "storyline": "s", "branch": "b", "position": n, "turn": n, "text": "雨", "started": n, "unknown": [1, {}] });
        let account = new.get(Table::Accounts, &id).await.unwrap().map(|doc| doc.value);
        if !n.is_multiple_of(3) {
            expected["prompt"] = json!({ "tokens": n, "raw_tokens": 7 });
            let blocks = json!([{ "identifier": "main", "text": "雨", "text_in": "g00001" }]);
            let moved = json!({ "id": id, "storyline": "s", "made": n, "preset": "plain", "blocks": blocks, "total_tokens": n, "raw_tokens": 7 });
            assert_eq!(account, Some(moved));
        } else {
            assert_eq!(account, None);
        }
        assert_eq!(reply.value, expected);
    }
    let of_story = |table| Query::equal(table, "storyline", "s");
    assert_eq!(new.count(of_story(Table::Accounts)).await.unwrap(), REPLIES - REPLIES.div_ceil(3));
    assert_eq!(new.count(of_story(Table::Generations)).await.unwrap(), REPLIES);
    new.close();
}

/// So does one that fails while its records are on the way.
#[wasm_bindgen_test]
async fn an_upgrade_that_fails_late_changes_nothing() {
    const BROKEN: &[Step] = &[STEPS[0], STEPS[1], STEPS[2], |upgrade| {
        let fail = upgrade.fail.clone();
        let reading = upgrade.transaction.object_store("generations")?.count(None)?;
        wasm_bindgen_futures::spawn_local(async move {
            let _ = reading.await;
            fail(StoreError::new("DataError", "told late"));
        });
        Ok(())
    }];
    fill_second("late", 600, "雨").await;
    let failed = idb::open("late", BROKEN, || {}, |close| close()).await.err();
    assert_eq!(failed, Some(OpenError::Failed(StoreError::new("DataError", "told late"))));
    let again = idb::open("late", &STEPS[..2], || {}, |close| close()).await.unwrap();
    let replies = again.query(Query::all(Table::Generations)).await.unwrap();
    assert_eq!((replies.len(), &replies[1].value["account"]["raw_tokens"]), (600, &json!(7)));
    again.close();
}

/// What a long story costs, once.
#[wasm_bindgen_test]
async fn ten_thousand_replies_are_moved_at_once() {
    fill_second("many", 10_000, &"雨落在旧书店的屋檐上。".repeat(40)).await;
    let began = js_sys::Date::now();
    let new = idb::open("many", STEPS, || {}, |close| close()).await.unwrap();
    let took = js_sys::Date::now() - began;
    web_sys::console::log_1(&format!("10,000 replies were moved in {took:.0} ms").into());
    assert_eq!(new.count(Query::all(Table::Accounts)).await.unwrap(), 6_666);
    new.close();
    idb::delete("many").await.unwrap();
}

/// An upgrade step that fails leaves the database as it was.
#[wasm_bindgen_test]
async fn a_failed_upgrade_changes_nothing() {
    let broken = and_then(|upgrade| {
        upgrade.database.delete_object_store("turns")?;
        Err(::idb::Error::CursorFinished)
    });
    let old = fresh("broken-upgrade").await;
    fill(&old).await;
    let before = everything(&old).await;
    old.close();
    assert!(matches!(idb::open("broken-upgrade", broken, || {}, |close| close()).await, Err(OpenError::Failed(_))));
    let again = idb::open("broken-upgrade", STEPS, || {}, |close| close()).await.unwrap();
    assert_eq!(everything(&again).await, before);
    again.close();
}

#[wasm_bindgen_test]
async fn a_newer_database_is_refused_and_left_alone() {
    let newer = idb::open("newer", next(), || {}, |close| close()).await.unwrap();
    fill(&newer).await;
    newer.close();
    assert_eq!(idb::open("newer", STEPS, || {}, |close| close()).await.err(), Some(OpenError::Newer));
    let again = idb::open("newer", next(), || {}, |close| close()).await.unwrap();
    assert_eq!(everything(&again).await.len(), Table::ALL.len());
    again.close();
}

/// An open page lets go when a newer version wants the database, and says so; it does not block it.
#[wasm_bindgen_test]
async fn an_old_page_makes_way_for_a_newer_one() {
    let told = Rc::new(Cell::new(false));
    idb::delete("way").await.unwrap();
    let telling = told.clone();
    let old = idb::open(
        "way",
        STEPS,
        || {},
        move |close| {
            close();
            telling.set(true)
        },
    )
    .await
    .unwrap();
    fill(&old).await;
    let new = idb::open("way", next(), || panic!("blocked"), |close| close()).await.unwrap();
    assert!(told.get());
    let refused = old.get(Table::Turns, "of-turns").await.unwrap_err();
    assert_eq!(refused, StoreError::new("InvalidStateError", "the database was closed for a newer version"));
    assert_eq!(everything(&new).await.len(), Table::ALL.len());
    new.close();
}

/// One that is at work lets go when it has done that: until then it writes on, and the newer version waits.
#[wasm_bindgen_test]
async fn an_old_page_that_is_at_work_makes_way_after_it() {
    let asked = Rc::new(RefCell::new(None::<idb::Close>));
    idb::delete("work").await.unwrap();
    let asking = asked.clone();
    let old = idb::open("work", STEPS, || {}, move |close| drop(asking.replace(Some(close)))).await.unwrap();
    let is_blocked = Rc::new(Cell::new(false));
    let blocked = is_blocked.clone();
    let work = async {
        while !is_blocked.get() {
            BrowserClock.sleep(10).await;
        }
        fill(&old).await;
        let close = asked.take().expect("it was asked");
        close();
    };
    let newer = idb::open("work", next(), move || blocked.set(true), |close| close());
    let (new, ()) = futures_util::join!(newer, work);
    let new = new.unwrap();
    assert_eq!(everything(&new).await.len(), Table::ALL.len(), "what it wrote last is there");
    new.close();
}
