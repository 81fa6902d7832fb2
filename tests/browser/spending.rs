//! What two tabs spend at once, each with a connection of its own to the database.

use fabula::{
    ports::{Store, Till, till::Purpose},
    store::{Query, Table},
    story::spending::{Kind, Spending, Spent},
    web::idb::{self, migrate::STEPS},
};
use futures_util::future::join;
use wasm_bindgen_test::wasm_bindgen_test;

use super::fresh;

#[wasm_bindgen_test]
async fn two_tabs_book_at_once() {
    let one = fresh("spending").await;
    let other = idb::open("spending", STEPS, || {}, |close| close()).await.unwrap();
    let tills = [Till::default(), Till::default()];
    for at in 0..30u64 {
        let purpose = Purpose::new(Kind::Chat, &"s".into(), &"se".into());
        tills[at as usize % 2].pay(7, &purpose, Spent { calls: 1, prompt: 1 << at, ..Spent::default() });
    }
    let (first, second) = join(tills[0].book(&one), tills[1].book(&other)).await;
    assert_eq!((first, second), (Ok(()), Ok(())));
    let store: &dyn Store = &one;
    let records: Vec<Spending> = store.list(Query::all(Table::Spending)).await.unwrap();
    let [record] = &records[..] else { panic!("one record: {records:?}") };
    assert_eq!((record.lines[0].calls, record.lines[0].prompt), (30, (1 << 30) - 1));
    one.close();
    other.close();
}
