//! A store in memory that keeps the same contract as the browser's (`tests/contract`), and fails when told to.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ops::Bound,
    rc::Rc,
};

use serde_json::Value;

use crate::{
    ports::{Change, Clock, Future, Store},
    store::{Batch, Doc, Key, Op, Query, StoreError, Stored, Table, changed, version},
};

#[derive(Default)]
pub struct MemoryStore {
    tables: RefCell<BTreeMap<Table, BTreeMap<String, Doc>>>,
    operations: Cell<u64>,
    /// From which operation on the store fails, with which name, and for how many operations.
    fault: Cell<Option<(u64, &'static str, u64)>>,
    /// Every committed batch, in order: what a test looks at to see that shown means stored.
    log: RefCell<Vec<Rc<Batch>>>,
    /// Changes are noted for other devices, at its time.
    notes: RefCell<Option<Rc<dyn Clock>>>,
}

impl MemoryStore {
    pub fn new() -> Self {
        Self::default()
    }

    /// The `nth` operation from now (0 = the next) fails with the error `name`, once.
    pub fn fail(&self, nth: u64, name: &'static str) {
        self.fault.set(Some((self.operations.get() + nth, name, 1)));
    }

    /// From the `nth` operation from now on every one fails, until [`Self::heal`].
    pub fn break_down(&self, nth: u64, name: &'static str) {
        self.fault.set(Some((self.operations.get() + nth, name, u64::MAX)));
    }

    pub fn heal(&self) {
        self.fault.set(None);
    }

    /// From now on changes are noted for the reader's other devices.
    pub fn note_changes(&self, clock: Rc<dyn Clock>) {
        *self.notes.borrow_mut() = Some(clock);
    }

    pub fn operations(&self) -> u64 {
        self.operations.get()
    }

    pub fn commits(&self) -> Vec<Rc<Batch>> {
        self.log.borrow().clone()
    }

    /// What is stored, without an operation: for a look from outside.
    pub fn peek(&self, table: Table, key: &str) -> Option<Doc> {
        self.tables.borrow().get(&table)?.get(key).cloned()
    }

    fn operation(&self) -> Stored<()> {
        let now = self.operations.get();
        self.operations.set(now + 1);
        match self.fault.get() {
            Some((from, name, count)) if from <= now && now - from < count => {
                Err(StoreError::new(name, "ordered by a test"))
            }
            _ => Ok(()),
        }
    }

    /// Matching documents in the order of the query's key.
    fn select(&self, query: &Query) -> Vec<(String, Doc)> {
        let tables = self.tables.borrow();
        let Some(table) = tables.get(&query.table) else { return Vec::new() };
        let from = query.from.as_ref().map_or(Bound::Unbounded, Bound::Included);
        let to = query.to.as_ref().map_or(Bound::Unbounded, Bound::Included);
        let mut found: Vec<(Key, &String, &Doc)> = table
            .iter()
            .flat_map(|(id, doc)| {
                let keys = match query.index {
                    None => vec![Key::Text(id.clone())],
                    Some(name) => index_keys(query.table, name, &doc.value),
                };
                keys.into_iter().map(move |key| (key, id, doc))
            })
            .filter(|(key, ..)| std::ops::RangeBounds::contains(&(from, to), key))
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
            .into_iter()
            .take(query.limit.map_or(usize::MAX, |limit| limit as usize))
            .map(|(_, id, doc)| (id.clone(), doc.clone()))
            .collect()
    }
}

/// The keys of a document in an index; none where a field is missing or is no key (as in IndexedDB).
fn index_keys(table: Table, name: &str, value: &Value) -> Vec<Key> {
    let spec = table.indexes().iter().find(|spec| spec.name == name).expect("the index is in the schema");
    let key = |value: &Value| match value {
        Value::String(text) => Some(Key::Text(text.clone())),
        Value::Number(number) => number.as_f64().map(Key::Number),
        _ => None,
    };
    match (spec.fields, spec.each) {
        ([field], true) if let Value::Array(items) = &value[*field] => {
            let mut keys: Vec<Key> = items.iter().filter_map(key).collect();
            keys.sort();
            keys.dedup();
            keys
        }
        ([field], _) => key(&value[*field]).into_iter().collect(),
        (fields, _) => {
            let parts = fields.iter().map(|field| key(&value[*field]));
            parts.collect::<Option<_>>().map(Key::List).into_iter().collect()
        }
    }
}

impl Store for MemoryStore {
    fn get<'a>(&'a self, table: Table, key: &'a str) -> Future<'a, Stored<Option<Doc>>> {
        Box::pin(async move {
            self.operation()?;
            self.peek(table, key).map(|doc| version::current(table, doc)).transpose()
        })
    }

    fn get_many<'a>(&'a self, table: Table, keys: &'a [String]) -> Future<'a, Stored<Vec<Doc>>> {
        Box::pin(async move {
            self.operation()?;
            let tables = self.tables.borrow();
            let Some(records) = tables.get(&table) else { return Ok(Vec::new()) };
            let found = keys.iter().filter_map(|key| records.get(key)).cloned();
            found.map(|doc| version::current(table, doc)).collect()
        })
    }

    fn query(&self, query: Query) -> Future<'_, Stored<Vec<Doc>>> {
        Box::pin(async move {
            self.operation()?;
            self.select(&query).into_iter().map(|(_, doc)| version::current(query.table, doc)).collect()
        })
    }

    fn keys(&self, query: Query) -> Future<'_, Stored<Vec<String>>> {
        Box::pin(async move {
            self.operation()?;
            Ok(self.select(&query).into_iter().map(|(id, _)| id).collect())
        })
    }

    fn count(&self, query: Query) -> Future<'_, Stored<u32>> {
        Box::pin(async move {
            self.operation()?;
            Ok(self.select(&query).len() as u32)
        })
    }

    fn commit(&self, mut batch: Batch) -> Future<'_, Stored<()>> {
        Box::pin(async move {
            self.operation()?;
            let clock = self.notes.borrow().clone();
            if let Some(clock) = clock {
                let notes: Vec<Op> = changed::notes(&batch.ops, clock.now()).collect();
                batch.ops.extend(notes);
            }
            // All of it or nothing: what cannot be stored is found before anything is.
            let name = |doc: &Doc| doc.value["id"].as_str().filter(|id| !id.is_empty()).map(str::to_owned);
            let nameless = batch.ops.iter().any(|op| matches!(op, Op::Put(_, doc) if name(doc).is_none()));
            if nameless {
                return Err(StoreError::new("DataError", "a record without an id"));
            }
            let mut tables = self.tables.borrow_mut();
            for op in &batch.ops {
                match op {
                    Op::Put(table, doc) => {
                        let value = version::stamped(*table, &doc.value).into_owned();
                        let stored = Doc { value, bytes: doc.bytes.clone() };
                        tables.entry(*table).or_default().extend(name(doc).map(|id| (id, stored)));
                    }
                    Op::Delete(table, key) => {
                        tables.entry(*table).or_default().remove(key);
                    }
                }
            }
            self.log.borrow_mut().push(Rc::new(batch));
            Ok(())
        })
    }

    fn revise<'a>(&'a self, table: Table, key: &'a str, change: Change<'a>) -> Future<'a, Stored<()>> {
        Box::pin(async move {
            let now = self.peek(table, key).map(|doc| version::current(table, doc)).transpose()?.map(|doc| doc.value);
            match change(now.clone())? {
                Some(value) => {
                    let is_news = changed::is_news(table, key, now.as_ref(), &value);
                    let put = Op::Put(table, value.into());
                    // In a commit with the books' nothing is noted.
                    let quiet = (!is_news).then(|| Op::Delete(Table::Sync, String::new()));
                    self.commit(Batch { ops: [put].into_iter().chain(quiet).collect(), ..Batch::new() }).await
                }
                None => self.operation(),
            }
        })
    }
}
