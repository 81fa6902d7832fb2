//! The small records that every turn reads, kept as they were read: who has them at hand need not wait for the database,
//! and a browser lets nothing of it through to a page between a key and the next frame.
//!
//! They must never differ from the store, so each commit that touches one lets go of it; what other tabs write lets go
//! of all ([`AtHand::forget`]). What is let go is read again: a text that was put may read otherwise (`1.0` as `1`).

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use super::{Change, Future, Store, hand_on};
use crate::store::{Batch, Doc, Keeps, Key, Op, Query, Stored, Table, UNSENT};

/// Records, and lists of branches, that are kept; the one that was used longest ago gives way.
const MOST: usize = 64;

pub struct AtHand {
    store: Rc<dyn Store>,
    kept: RefCell<Vec<Kept>>,
    /// What is being read, by number. What is let go meanwhile is not kept.
    reading: RefCell<Vec<(u64, Place)>>,
    reads: Cell<u64>,
    tell: Box<dyn Fn()>,
}

/// A record by its id, or the branches of a storyline by its.
#[derive(Clone, PartialEq)]
struct Place {
    table: Table,
    key: String,
}

struct Kept {
    place: Place,
    docs: Vec<Doc>,
}

/// What is unsent is written while the reader types, and read where a story opens: it is not kept, and no other tab is
/// told of it.
fn is_passing(table: Table, key: &str) -> bool {
    table == Table::Settings && key.starts_with(UNSENT)
}

/// Tables of which single records are kept.
fn has_records(table: Table) -> bool {
    table.describe().at_hand == Keeps::Records
}

impl AtHand {
    /// `tell` is called when something was written that other tabs may have at hand.
    pub fn new(store: Rc<dyn Store>, tell: impl Fn() + 'static) -> Self {
        Self {
            store,
            kept: RefCell::default(),
            reading: RefCell::default(),
            reads: Cell::default(),
            tell: Box::new(tell),
        }
    }

    /// Lets go of everything: somebody else has written.
    pub fn forget(&self) {
        self.kept.borrow_mut().clear();
        self.reading.borrow_mut().clear();
    }

    /// Lets go of the records that a batch touches, and of the branches where it touches one.
    fn let_go(&self, touched: &[Place]) {
        let is_touched = |place: &Place| {
            let is_same = |touched: &Place| touched.key == place.key || !has_records(place.table);
            touched.iter().any(|touched| touched.table == place.table && is_same(touched))
        };
        self.kept.borrow_mut().retain(|kept| !is_touched(&kept.place));
        self.reading.borrow_mut().retain(|(_, place)| !is_touched(place));
    }

    async fn write(&self, touched: &[Place], write: Future<'_, Stored<()>>) -> Stored<()> {
        // Before and after: what is read amid a commit may be either.
        self.let_go(touched);
        let written = write.await;
        self.let_go(touched);
        (self.tell)();
        written
    }

    fn find(&self, place: &Place) -> Option<Vec<Doc>> {
        let mut kept = self.kept.borrow_mut();
        let at = kept.iter().position(|kept| kept.place == *place)?;
        let found = kept.remove(at);
        let docs = found.docs.clone();
        kept.push(found);
        Some(docs)
    }

    async fn read(&self, place: Place, read: impl std::future::Future<Output = Stored<Vec<Doc>>>) -> Stored<Vec<Doc>> {
        if let Some(docs) = self.find(&place) {
            return Ok(docs);
        }
        let number = self.reads.get();
        self.reads.set(number + 1);
        self.reading.borrow_mut().push((number, place.clone()));
        let docs = read.await;
        let at = self.reading.borrow().iter().position(|(reading, _)| *reading == number);
        if let Some(at) = at {
            self.reading.borrow_mut().swap_remove(at);
            if let Ok(docs) = &docs {
                self.keep(Kept { place, docs: docs.clone() });
            }
        }
        docs
    }

    fn keep(&self, read: Kept) {
        let mut kept = self.kept.borrow_mut();
        kept.retain(|kept| kept.place != read.place);
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push(read);
    }
}

/// What a batch touches of what may be kept.
fn touched(batch: &Batch) -> Vec<Place> {
    let places = batch.ops.iter().map(Op::place);
    let may_be_kept = places.filter(|(table, id)| match table.describe().at_hand {
        Keeps::Nothing => false,
        Keeps::OfStory => true,
        Keeps::Records => !is_passing(*table, id),
    });
    may_be_kept.map(|(table, id)| Place { table, key: id.to_owned() }).collect()
}

/// The storyline whose records a query asks for, all of them and nothing else, where they are kept together.
fn story_of(query: &Query) -> Option<String> {
    if query.table.describe().at_hand != Keeps::OfStory {
        return None;
    }
    match (query.index, &query.from, &query.to, query.limit) {
        (Some("storyline"), Some(Key::Text(from)), Some(Key::Text(to)), None) if from == to => Some(from.clone()),
        _ => None,
    }
}

impl Store for AtHand {
    hand_on!(store: get_many keys count);

    fn get<'a>(&'a self, table: Table, key: &'a str) -> Future<'a, Stored<Option<Doc>>> {
        if !has_records(table) || is_passing(table, key) {
            return self.store.get(table, key);
        }
        Box::pin(async move {
            let read = async { Ok(self.store.get(table, key).await?.into_iter().collect()) };
            Ok(self.read(Place { table, key: key.to_owned() }, read).await?.pop())
        })
    }

    fn query(&self, query: Query) -> Future<'_, Stored<Vec<Doc>>> {
        match story_of(&query) {
            Some(key) => Box::pin(self.read(Place { table: query.table, key }, self.store.query(query))),
            None => self.store.query(query),
        }
    }

    fn commit(&self, batch: Batch) -> Future<'_, Stored<()>> {
        Box::pin(async move {
            let touched = touched(&batch);
            if touched.is_empty() {
                return self.store.commit(batch).await;
            }
            self.write(&touched, self.store.commit(batch)).await
        })
    }

    fn revise<'a>(&'a self, table: Table, key: &'a str, change: Change<'a>) -> Future<'a, Stored<()>> {
        Box::pin(async move {
            let touched = [Place { table, key: key.to_owned() }];
            self.write(&touched, self.store.revise(table, key, change)).await
        })
    }
}

#[cfg(test)]
mod tests {
    use futures_executor::block_on;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::sim::store::MemoryStore;

    const TABLES: [Table; 4] = [Table::Storylines, Table::Settings, Table::Branches, Table::Turns];

    /// A put (with a value), or a deletion.
    fn op() -> impl Strategy<Value = Op> {
        let place = (prop::sample::select(&TABLES), 0..4u8, prop::option::of(0..100u8));
        place.prop_map(|(table, id, value)| match value {
            Some(value) => Op::Put(table, json!({ "id": id.to_string(), "storyline": "s", "n": value }).into()),
            None => Op::Delete(table, id.to_string()),
        })
    }

    fn same(at_hand: &AtHand, store: &MemoryStore) {
        for table in TABLES {
            for id in 0..4u8 {
                let id = id.to_string();
                assert_eq!(block_on(at_hand.get(table, &id)), block_on(store.get(table, &id)), "{table:?} {id}");
            }
        }
        let branches = || Query::equal(Table::Branches, "storyline", "s");
        assert_eq!(block_on(at_hand.query(branches())), block_on(store.query(branches())));
    }

    proptest! {
        #[test]
        fn what_is_at_hand_is_what_is_stored(batches in prop::collection::vec(prop::collection::vec(op(), 1..4), 1..20), fails in 0..20usize) {
            let store = Rc::new(MemoryStore::new());
            let at_hand = AtHand::new(store.clone(), || {});
            for (nth, ops) in batches.into_iter().enumerate() {
                if nth == fails {
                    store.fail(0, "QuotaExceededError");
                }
                let _ = block_on(at_hand.commit(Batch { ops, ..Batch::new() }));
                same(&at_hand, &store);
                // Now from what is kept.
                same(&at_hand, &store);
            }
        }
    }

    #[test]
    fn what_another_tab_wrote_is_read_once_it_is_told() {
        let store = Rc::new(MemoryStore::new());
        let put = |n: u8| Batch {
            ops: vec![Op::Put(Table::Settings, json!({ "id": "config", "n": n }).into())],
            ..Batch::new()
        };
        let told = Rc::new(Cell::new(0));
        let counts = told.clone();
        let at_hand = AtHand::new(store.clone(), move || counts.set(counts.get() + 1));
        block_on(at_hand.commit(put(1))).unwrap();
        assert_eq!(told.get(), 1);
        let n = || block_on(at_hand.get(Table::Settings, "config")).unwrap().unwrap().value["n"].as_u64();
        let reads = store.operations();
        assert_eq!((n(), n()), (Some(1), Some(1)));
        assert_eq!(store.operations(), reads + 1, "read once");
        block_on(store.commit(put(2))).unwrap();
        at_hand.forget();
        assert_eq!(n(), Some(2));
    }

    /// What is typed costs no other tab what it has at hand, and is read as it is stored.
    #[test]
    fn what_passes_is_not_told() {
        let store = Rc::new(MemoryStore::new());
        let told = Rc::new(Cell::new(0));
        let counts = told.clone();
        let at_hand = AtHand::new(store.clone(), move || counts.set(counts.get() + 1));
        for n in 1..=2 {
            let unsent = json!({ "id": format!("{UNSENT}s"), "n": n });
            block_on(at_hand.commit(Batch { ops: vec![Op::Put(Table::Settings, unsent.into())], ..Batch::new() }))
                .unwrap();
            let read = block_on(at_hand.get(Table::Settings, "unsent:s")).unwrap().unwrap();
            assert_eq!((read.value["n"].as_u64(), told.get()), (Some(n), 0));
        }
    }

    #[test]
    fn what_was_revised_is_read_anew() {
        let store = Rc::new(MemoryStore::new());
        let told = Rc::new(Cell::new(0));
        let counts = told.clone();
        let at_hand = AtHand::new(store, move || counts.set(counts.get() + 1));
        let read = || block_on(at_hand.get(Table::Settings, "config")).unwrap().map(|doc| doc.value["n"].clone());
        assert_eq!(read(), None);
        let change = |_| Ok(Some(json!({ "id": "config", "n": 2 })));
        block_on(at_hand.revise(Table::Settings, "config", Box::new(change))).unwrap();
        assert_eq!((read(), told.get()), (Some(json!(2)), 1));
    }

    #[test]
    fn no_more_is_kept_than_a_few_turns_need() {
        let store = Rc::new(MemoryStore::new());
        let at_hand = AtHand::new(store.clone(), || {});
        for n in 0..3 * MOST {
            block_on(at_hand.get(Table::States, &n.to_string())).unwrap();
        }
        assert_eq!(at_hand.kept.borrow().len(), MOST);
    }

    #[test]
    fn what_is_read_amid_a_commit_is_not_kept() {
        let store = Rc::new(MemoryStore::new());
        let at_hand = AtHand::new(store.clone(), || {});
        let batch = Batch { ops: vec![Op::Put(Table::Settings, json!({ "id": "config" }).into())], ..Batch::new() };
        // The old value is on its way while the new one is written.
        let old = async { at_hand.commit(batch).await.map(|()| Vec::new()) };
        let config = Place { table: Table::Settings, key: "config".into() };
        assert_eq!(block_on(at_hand.read(config, old)), Ok(Vec::new()));
        assert!(block_on(at_hand.get(Table::Settings, "config")).unwrap().is_some());
    }
}
