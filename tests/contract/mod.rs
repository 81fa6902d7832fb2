//! The store contract: what every backend must keep. Run against the store in memory natively (`tests/store.rs`) and
//! against real IndexedDB in Chromium (`tests/browser.rs`).

use fabula::{
    ports::{
        Store,
        till::{Purpose, Till},
    },
    store::{Batch, Doc, Key, Op, Query, StoreError, Table},
    story::spending::{Kind, Spending, Spent},
};
use futures_util::future::join_all;
use serde_json::{Value, json};

fn put(table: Table, value: Value) -> Op {
    Op::Put(table, value.into())
}

async fn commit(store: &dyn Store, ops: Vec<Op>) {
    store.commit(Batch { ops, ..Batch::new() }).await.unwrap();
}

fn ids(docs: &[Doc]) -> Vec<&str> {
    docs.iter().map(|doc| doc.value["id"].as_str().unwrap()).collect()
}

/// What two tabs pay at once is all written.
pub async fn books_what_tills_have_paid(store: &dyn Store) {
    let (storyline, session) = ("s".into(), "se".into());
    let purpose = Purpose::new(Kind::Chat, &storyline, &session);
    let tills = [Till::default(), Till::default()];
    for at in 0..20u64 {
        let spent = Spent { calls: 1, prompt: 1 << at, model: "m".into(), ..Spent::default() };
        tills[at as usize % 2].pay(7, &purpose, spent);
    }
    let booked = join_all(tills.iter().flat_map(|till| [till.book(store), till.book(store)])).await;
    assert!(booked.iter().all(Result::is_ok));
    let of_day: Vec<Spending> = store.list(Query::equal(Table::Spending, "day", 7)).await.unwrap();
    let of_story: Vec<Spending> = store.list(Query::equal(Table::Spending, "storyline", "s")).await.unwrap();
    assert_eq!(of_day, of_story);
    let [record] = &of_day[..] else { panic!("one record: {of_day:?}") };
    let [line] = &record.lines[..] else { panic!("one line: {:?}", record.lines) };
    assert_eq!((line.calls, line.prompt, line.session.as_ref()), (20, (1 << 20) - 1, Some(&session)));
    assert_eq!(store.count(Query::equal(Table::Spending, "day", 8)).await.unwrap(), 0);
}

/// What was put is what one gets, whatever is in it.
pub async fn gives_back_what_was_put(store: &dyn Store) {
    let odd = json!({
        "id": "odd", "name": "\u{202e}désordre\u{0}\u{2028}🧵 'quoted' \"twice\"", "updated": 1_760_610_600_000_u64,
        "nested": { "list": [1, -2.5, true, null, "x", { "deep": [] }], "empty": {} }, "": "empty key", "large": 9007199254740991_u64,
    });
    commit(store, vec![put(Table::Characters, odd.clone())]).await;
    let doc = store.get(Table::Characters, "odd").await.unwrap().unwrap();
    assert_eq!(doc.value, odd);
    assert_eq!(
        serde_json::to_string(&doc.value).unwrap(),
        serde_json::to_string(&odd).unwrap(),
        "the order of fields is kept: an export is the same, byte for byte"
    );
    assert_eq!(store.get(Table::Characters, "none").await.unwrap(), None);
    assert_eq!(store.get(Table::Backgrounds, "odd").await.unwrap(), None, "tables are apart");
}

/// Bytes ride beside a record and come back as they were.
pub async fn keeps_bytes(store: &dyn Store) {
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let value = json!({ "id": "pic", "kind": "image/png", "size": 100_000 });
    commit(store, vec![Op::Put(Table::Blobs, Doc { value: value.clone(), bytes: Some(bytes.clone().into()) })]).await;
    let doc = store.get(Table::Blobs, "pic").await.unwrap().unwrap();
    assert_eq!((doc.value, doc.bytes.as_deref()), (value, Some(bytes.as_slice())));
}

/// A commit happens whole or not at all, over all tables.
pub async fn commits_whole(store: &dyn Store) {
    let bad = vec![
        put(Table::Turns, json!({ "id": "t1", "branch": "b", "position": 1 })),
        put(Table::Storylines, json!({ "title": "a record without an id" })),
    ];
    let refused = store.commit(Batch { ops: bad, ..Batch::new() }).await.unwrap_err();
    assert_eq!(refused.name, "DataError");
    assert_eq!(store.get(Table::Turns, "t1").await.unwrap(), None, "nothing of a refused commit is there");

    let both = vec![
        put(Table::Turns, json!({ "id": "t1", "branch": "b", "position": 1 })),
        put(Table::States, json!({ "id": "s1", "storyline": "x" })),
    ];
    commit(store, both).await;
    let swap = vec![
        Op::Delete(Table::Turns, "t1".into()),
        put(Table::Turns, json!({ "id": "t2", "branch": "b", "position": 1 })),
    ];
    store.commit(Batch { ops: swap, ..Batch::relaxed() }).await.unwrap();
    assert!(store.get(Table::Turns, "t1").await.unwrap().is_none());
    assert!(store.get(Table::Turns, "t2").await.unwrap().is_some());
    store.commit(Batch::new()).await.expect("an empty commit is no error");
}

/// Changes that begin at the same time lose nothing of each other; one that fails or gives nothing leaves what is there.
pub async fn revises_what_is_stored(store: &dyn Store) {
    let next = |now: Option<Value>| {
        let n = now.as_ref().map_or(0, |value| value["n"].as_u64().unwrap());
        Ok(Some(json!({ "id": "shared", "n": n + 1 })))
    };
    let all = (0..20).map(|_| store.revise(Table::Settings, "shared", Box::new(next)));
    assert!(join_all(all).await.iter().all(Result::is_ok));
    let n = async || store.get(Table::Settings, "shared").await.unwrap().unwrap().value["n"].as_u64();
    assert_eq!(n().await, Some(20));

    let refused = |_| Err(StoreError::new(StoreError::UNREADABLE, "settings"));
    let error = store.revise(Table::Settings, "shared", Box::new(refused)).await.unwrap_err();
    assert!(error.is_unreadable());
    store.revise(Table::Settings, "shared", Box::new(|_| Ok(None))).await.unwrap();
    let without_id = |_| Ok(Some(json!({ "n": 0 })));
    assert_eq!(store.revise(Table::Settings, "shared", Box::new(without_id)).await.unwrap_err().name, "DataError");
    assert_eq!(n().await, Some(20));
}

/// Indexes give ranges in order, leave out what lacks a field, and honour limits.
pub async fn finds_by_index(store: &dyn Store) {
    let turns = [("c", "one", 2), ("a", "one", 10), ("b", "one", 9), ("d", "two", 1)];
    let ops = turns.map(|(id, branch, position)| {
        put(Table::Turns, json!({ "id": id, "storyline": "s", "session": "x", "branch": branch, "position": position }))
    });
    commit(store, ops.into()).await;
    commit(store, vec![put(Table::Turns, json!({ "id": "e", "storyline": "s" }))]).await;

    let place = |from: u32, to: u32| Query::between(Table::Turns, "place", ("one", from), ("one", to));
    assert_eq!(ids(&store.query(place(0, 100)).await.unwrap()), ["c", "b", "a"], "by number, not by text");
    assert_eq!(ids(&store.query(place(9, 10)).await.unwrap()), ["b", "a"], "both bounds included");
    assert_eq!(ids(&store.query(Query { limit: Some(1), ..place(3, 100) }).await.unwrap()), ["b"]);
    assert_eq!(store.keys(place(0, 9)).await.unwrap(), ["c", "b"], "primary keys in the order of the index");
    assert_eq!(store.count(place(0, 9)).await.unwrap(), 2);
    assert_eq!(store.count(Query::equal(Table::Turns, "storyline", "s")).await.unwrap(), 5);
    assert_eq!(ids(&store.query(Query::all(Table::Turns)).await.unwrap()), ["a", "b", "c", "d", "e"]);
    assert_eq!(ids(&store.query(Query::page(Table::Turns, Some("c"), 2)).await.unwrap()), ["c", "d"]);
    assert_eq!(store.query(Query::equal(Table::Turns, "session", Key::from("none"))).await.unwrap(), []);

    // By each item of a list, once.
    let stories =
        [("s1", json!(["ada", "eve"])), ("s2", json!(["eve", "eve", 7])), ("s3", json!([])), ("s4", json!("eve"))];
    let ops = stories.map(|(id, cast)| put(Table::Storylines, json!({ "id": id, "cast": cast })));
    commit(store, ops.into()).await;
    let with = |character: &str| Query::equal(Table::Storylines, "cast", character);
    assert_eq!(ids(&store.query(with("eve")).await.unwrap()), ["s1", "s2", "s4"], "what is no list is one");
    assert_eq!(store.keys(with("ada")).await.unwrap(), ["s1"]);
    assert_eq!(store.count(with("")).await.unwrap(), 0);

    let many = store.get_many(Table::Turns, &["d".into(), "zz".into(), "a".into()]).await.unwrap();
    assert_eq!(ids(&many), ["d", "a"], "in the order asked, without the missing");
}

/// What a newer version of the program has written is neither read as if it were known nor written over.
pub async fn leaves_newer_records_alone(store: &dyn Store) {
    let newer = json!({ "id": "c", "name": "n", "record_version": 1_000_000 });
    commit(store, vec![put(Table::Characters, newer), put(Table::Characters, json!({ "id": "d" }))]).await;
    let refused = |error: StoreError| assert_eq!(error, StoreError::newer(Table::Characters));
    refused(store.get(Table::Characters, "c").await.unwrap_err());
    refused(store.get_many(Table::Characters, &["d".into(), "c".into()]).await.unwrap_err());
    refused(store.query(Query::all(Table::Characters)).await.unwrap_err());
    let change = |_| Ok(Some(json!({ "id": "c" })));
    refused(store.revise(Table::Characters, "c", Box::new(change)).await.unwrap_err());
    refused(store.get(Table::Characters, "c").await.unwrap_err());
    assert_eq!(store.get(Table::Characters, "d").await.unwrap().unwrap().value, json!({ "id": "d" }));
}
