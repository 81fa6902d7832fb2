//! The small records that every turn reads, kept as they were read: who has them at hand need not wait for the database,
//! and a browser lets nothing of it through to a page between a key and the next frame.
//!
//! They must never differ from the store, so each commit that touches one lets go of it; what other tabs write lets go
//! of all ([`RecordCache::forget`]). What is let go is read again: a text that was put may read otherwise (`1.0` as `1`).
//! Records of a story that are read [together](Store::together) are a list; of that, what is let go is read again alone.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use super::{Change, Future, Store, Together, hand_on};
use crate::store::{Batch, Doc, Keeps, Op, Stored, Table, UNSENT};

/// Records that are kept; the one that was used longest ago gives way.
const MOST: usize = 64;
/// The same of lists, each of the records of a storyline.
const LISTS: usize = 2;
/// Records of a list that are read again one by one; where more were written, all of it is.
const STALE: usize = 64;

pub struct RecordCache {
    store: Rc<dyn Store>,
    records: RefCell<Vec<(Place, Rc<Together>)>>,
    lists: RefCell<Vec<(Place, List)>>,
    /// What is being read, by number. What is let go meanwhile is not kept.
    reading: RefCell<Vec<(u64, Place)>>,
    reads: Cell<u64>,
    tell: Box<dyn Fn()>,
}

/// A record by its id, or the records of a storyline by its.
#[derive(Clone, PartialEq)]
struct Place {
    table: Table,
    key: String,
}

struct List {
    records: Rc<Together>,
    /// Ids of those that were written since: they are read again when the list is asked for.
    stale: Vec<String>,
}

/// What is unsent is written while the reader types, and read where a story opens: it is not kept, and no other tab is
/// told of it.
fn is_passing(table: Table, key: &str) -> bool {
    table == Table::Settings && key.starts_with(UNSENT)
}

/// Tables of which single records are kept.
fn has_records(table: Table) -> bool {
    table.describe().cached == Keeps::Records
}

/// The newest comes last.
fn keep<T>(kept: &mut Vec<(Place, T)>, most: usize, place: Place, what: T) {
    kept.retain(|(other, _)| *other != place);
    if kept.len() == most {
        kept.remove(0);
    }
    kept.push((place, what));
}

fn take<T>(kept: &mut Vec<(Place, T)>, place: &Place) -> Option<T> {
    let at = kept.iter().position(|(other, _)| other == place)?;
    Some(kept.remove(at).1)
}

impl RecordCache {
    /// `tell` is called when something was written that other tabs may have at hand.
    pub fn new(store: Rc<dyn Store>, tell: impl Fn() + 'static) -> Self {
        Self {
            store,
            records: RefCell::default(),
            lists: RefCell::default(),
            reading: RefCell::default(),
            reads: Cell::default(),
            tell: Box::new(tell),
        }
    }

    /// Lets go of everything: somebody else has written.
    pub fn forget(&self) {
        self.records.borrow_mut().clear();
        self.lists.borrow_mut().clear();
        self.reading.borrow_mut().clear();
    }

    /// Lets go of the records that a batch touches, in lists too.
    fn let_go(&self, touched: &[Place]) {
        let is_touched = |place: &Place| {
            let is_same = |touched: &Place| touched.key == place.key || !has_records(place.table);
            touched.iter().any(|touched| touched.table == place.table && is_same(touched))
        };
        self.records.borrow_mut().retain(|(place, _)| !is_touched(place));
        self.reading.borrow_mut().retain(|(_, place)| !is_touched(place));
        self.lists.borrow_mut().retain_mut(|(list, List { stale, .. })| {
            for Place { key, .. } in touched.iter().filter(|place| place.table == list.table) {
                if !stale.contains(key) {
                    stale.push(key.clone());
                }
            }
            stale.len() <= STALE
        });
    }

    async fn write(&self, touched: &[Place], write: Future<'_, Stored<()>>) -> Stored<()> {
        // Before and after: what is read amid a commit may be either.
        self.let_go(touched);
        let written = write.await;
        self.let_go(touched);
        (self.tell)();
        written
    }

    /// Reads, and says whether what was read may be kept: nothing of it was let go meanwhile.
    async fn read<T>(&self, place: &Place, read: impl std::future::Future<Output = Stored<T>>) -> Stored<(T, bool)> {
        let number = self.reads.get();
        self.reads.set(number + 1);
        self.reading.borrow_mut().push((number, place.clone()));
        let found = read.await;
        let mut reading = self.reading.borrow_mut();
        let at = reading.iter().position(|(reading, _)| *reading == number);
        at.map(|at| reading.swap_remove(at));
        Ok((found?, at.is_some()))
    }

    /// A record, or none.
    async fn record(&self, place: Place) -> Stored<Rc<Together>> {
        let found = take(&mut self.records.borrow_mut(), &place);
        let (record, may_be_kept) = match found {
            Some(record) => (record, true),
            None => self.read(&place, self.store.alone(place.table, &place.key)).await?,
        };
        if may_be_kept {
            keep(&mut self.records.borrow_mut(), MOST, place, record.clone());
        }
        Ok(record)
    }

    async fn list(&self, place: Place) -> Stored<Rc<Together>> {
        let found = take(&mut self.lists.borrow_mut(), &place);
        let (records, may_be_kept) = match found {
            Some(List { records, stale }) if stale.is_empty() => (records, true),
            Some(List { records, stale }) => {
                let (mut now, may_be_kept) = self.read(&place, self.store.get_many(place.table, &stale)).await?;
                now.retain(|doc| doc.value["storyline"] == place.key.as_str());
                (Rc::new(Rc::unwrap_or_clone(records).with(&stale, now)), may_be_kept)
            }
            None => self.read(&place, self.store.together(place.table, &place.key)).await?,
        };
        if may_be_kept {
            keep(&mut self.lists.borrow_mut(), LISTS, place, List { records: records.clone(), stale: Vec::new() });
        }
        Ok(records)
    }
}

/// What a batch touches of what may be kept.
fn touched(batch: &Batch) -> Vec<Place> {
    let places = batch.ops.iter().map(Op::place);
    let may_be_kept = places.filter(|(table, id)| match table.describe().cached {
        Keeps::Nothing => false,
        Keeps::OfStory => true,
        Keeps::Records => !is_passing(*table, id),
    });
    may_be_kept.map(|(table, id)| Place { table, key: id.to_owned() }).collect()
}

impl Store for RecordCache {
    hand_on!(store: get_many query keys count);

    fn get<'a>(&'a self, table: Table, key: &'a str) -> Future<'a, Stored<Option<Doc>>> {
        if !has_records(table) || is_passing(table, key) {
            return self.store.get(table, key);
        }
        Box::pin(async move { Ok(self.alone(table, key).await?.docs().first().cloned()) })
    }

    fn alone<'a>(&'a self, table: Table, key: &'a str) -> Future<'a, Stored<Rc<Together>>> {
        if !has_records(table) || is_passing(table, key) {
            return self.store.alone(table, key);
        }
        Box::pin(self.record(Place { table, key: key.to_owned() }))
    }

    fn together<'a>(&'a self, table: Table, storyline: &'a str) -> Future<'a, Stored<Rc<Together>>> {
        if table.describe().cached != Keeps::OfStory {
            return self.store.together(table, storyline);
        }
        Box::pin(self.list(Place { table, key: storyline.to_owned() }))
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
    use crate::store::Query;
    use crate::{ports::recent::Watched, sim::store::MemoryStore};

    const TABLES: [Table; 4] = [Table::Storylines, Table::Settings, Table::Branches, Table::Turns];

    /// A put (with a value), or a deletion.
    fn op() -> impl Strategy<Value = Op> {
        let place = (prop::sample::select(&TABLES), 0..4u8, prop::option::of(0..100u8));
        place.prop_map(|(table, id, value)| match value {
            // Some of another story.
            Some(value) => {
                let storyline = if value % 5 == 0 { "other" } else { "s" };
                Op::Put(table, json!({ "id": id.to_string(), "storyline": storyline, "n": value }).into())
            }
            None => Op::Delete(table, id.to_string()),
        })
    }

    fn same(cache: &RecordCache, store: &MemoryStore) {
        for table in TABLES {
            for id in 0..4u8 {
                let id = id.to_string();
                let stored = block_on(store.get(table, &id));
                assert_eq!(block_on(cache.get(table, &id)), stored, "{table:?} {id}");
                let alone = block_on(cache.alone(table, &id)).map(|record| record.docs().first().cloned());
                assert_eq!(alone, stored, "{table:?} {id}");
            }
        }
        let mut branches = block_on(cache.together(Table::Branches, "s")).unwrap().docs().to_vec();
        branches.sort_by(|a, b| a.value["id"].as_str().cmp(&b.value["id"].as_str()));
        assert_eq!(Ok(branches), block_on(store.query(Query::equal(Table::Branches, "storyline", "s"))));
    }

    proptest! {
        #[test]
        fn what_is_at_hand_is_what_is_stored(batches in prop::collection::vec(prop::collection::vec(op(), 1..4), 1..20), fails in 0..20usize) {
            let store = Rc::new(MemoryStore::new());
            let cache = RecordCache::new(store.clone(), || {});
            for (nth, ops) in batches.into_iter().enumerate() {
                if nth == fails {
                    store.fail(0, "QuotaExceededError");
                }
                let _ = block_on(cache.commit(Batch { ops, ..Batch::new() }));
                same(&cache, &store);
                // Now from what is kept.
                same(&cache, &store);
            }
        }
    }

    /// Whoever stands before the cache: to read a book of ten thousand entries anew takes longer than a turn may.
    #[test]
    fn what_is_made_of_a_record_is_made_once() {
        let cache = Rc::new(RecordCache::new(Rc::new(MemoryStore::new()), || {}));
        let watched = Watched { store: cache, recent: Rc::default() };
        let put = |n: u8| {
            let book = json!({ "id": "b", "n": n }).into();
            block_on(watched.commit(Batch { ops: vec![Op::Put(Table::Lorebooks, book)], ..Batch::new() })).unwrap();
        };
        let made = || block_on(watched.alone(Table::Lorebooks, "b")).unwrap().made(|docs| docs[0].value["n"].clone());
        put(1);
        let first = made();
        assert!(*first == json!(1) && Rc::ptr_eq(&first, &made()));
        put(2);
        assert_eq!(*made(), json!(2));
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
        let cache = RecordCache::new(store.clone(), move || counts.set(counts.get() + 1));
        block_on(cache.commit(put(1))).unwrap();
        assert_eq!(told.get(), 1);
        let n = || block_on(cache.get(Table::Settings, "config")).unwrap().unwrap().value["n"].as_u64();
        let reads = store.operations();
        assert_eq!((n(), n()), (Some(1), Some(1)));
        assert_eq!(store.operations(), reads + 1, "read once");
        block_on(store.commit(put(2))).unwrap();
        cache.forget();
        assert_eq!(n(), Some(2));
    }

    /// What is typed costs no other tab what it has at hand, and is read as it is stored.
    #[test]
    fn what_passes_is_not_told() {
        let store = Rc::new(MemoryStore::new());
        let told = Rc::new(Cell::new(0));
        let counts = told.clone();
        let cache = RecordCache::new(store.clone(), move || counts.set(counts.get() + 1));
        for n in 1..=2 {
            let unsent = json!({ "id": format!("{UNSENT}s"), "n": n });
            block_on(cache.commit(Batch { ops: vec![Op::Put(Table::Settings, unsent.into())], ..Batch::new() }))
                .unwrap();
            let read = block_on(cache.get(Table::Settings, "unsent:s")).unwrap().unwrap();
            assert_eq!((read.value["n"].as_u64(), told.get()), (Some(n), 0));
        }
    }

    #[test]
    fn what_was_revised_is_read_anew() {
        let store = Rc::new(MemoryStore::new());
        let told = Rc::new(Cell::new(0));
        let counts = told.clone();
        let cache = RecordCache::new(store, move || counts.set(counts.get() + 1));
        let read = || block_on(cache.get(Table::Settings, "config")).unwrap().map(|doc| doc.value["n"].clone());
        assert_eq!(read(), None);
        let change = |_| Ok(Some(json!({ "id": "config", "n": 2 })));
        block_on(cache.revise(Table::Settings, "config", Box::new(change))).unwrap();
        assert_eq!((read(), told.get()), (Some(json!(2)), 1));
    }

    /// Of a list the records that were written are read again, and nothing else.
    #[test]
    fn a_long_list_is_read_once() {
        struct Asked {
            store: MemoryStore,
            queries: Cell<u32>,
        }
        impl Store for Asked {
            hand_on!(store: get get_many keys count commit revise);

            fn query(&self, query: Query) -> Future<'_, Stored<Vec<Doc>>> {
                self.queries.set(self.queries.get() + 1);
                self.store.query(query)
            }
        }
        let store = Rc::new(Asked { store: MemoryStore::new(), queries: Cell::default() });
        let branch = |n: u32| Op::Put(Table::Branches, json!({ "id": n.to_string(), "storyline": "s" }).into());
        block_on(store.commit(Batch { ops: (0..100).map(branch).collect(), ..Batch::new() })).unwrap();
        let cache = RecordCache::new(store.clone(), || {});
        let made = Cell::new(0);
        let count = || {
            let branches = block_on(cache.together(Table::Branches, "s")).unwrap();
            *branches.made(|docs| {
                made.set(made.get() + 1);
                docs.len()
            })
        };
        assert_eq!((count(), count(), made.get()), (100, 100, 1));
        block_on(cache.commit(Batch { ops: vec![branch(7), branch(100)], ..Batch::new() })).unwrap();
        assert_eq!((count(), count(), made.get(), store.queries.get()), (101, 101, 2, 1));
    }

    #[test]
    fn no_more_is_kept_than_a_few_turns_need() {
        let store = Rc::new(MemoryStore::new());
        let cache = RecordCache::new(store.clone(), || {});
        for n in 0..3 * MOST {
            block_on(cache.get(Table::States, &n.to_string())).unwrap();
        }
        assert_eq!(cache.records.borrow().len(), MOST);
    }

    #[test]
    fn what_is_read_amid_a_commit_is_not_kept() {
        let store = Rc::new(MemoryStore::new());
        let cache = RecordCache::new(store.clone(), || {});
        let batch = Batch { ops: vec![Op::Put(Table::Settings, json!({ "id": "config" }).into())], ..Batch::new() };
        // The old value is on its way while the new one is written.
        let old = async { cache.commit(batch).await.map(|()| None::<Doc>) };
        let config = Place { table: Table::Settings, key: "config".into() };
        assert_eq!(block_on(cache.read(&config, old)), Ok((None, false)));
        assert!(block_on(cache.get(Table::Settings, "config")).unwrap().is_some());
    }
}
