//! An import happens whole or not at all, also where the browser dies amid it.
//!
//! One transaction cannot hold a library, so an import goes by these records beside the settings:
//!
//! - `import`: an import is under way, and what to do should it be found by a later start.
//! - `import:wrote:…`: what has been written directly. These are records that nobody can see yet: turns of a storyline
//!   that is not there, pictures of a character that is not there.
//! - `import:redo:…`: what can be seen (what stands on a shelf, and all that goes into a storyline that is there
//!   already), to be put in its place at the end.
//!
//! Until all is there, the state is `writing`: failing, cancelling or dying means taking back what was written. Then one
//! small commit changes the state to `applying`, and from there on the import will be finished: what is to be redone is
//! put in its place step by step, each step in one commit with its removal from the journal.
//!
//! Limits: while the steps are applied (milliseconds for a story, seconds for a large library) another tab may see a
//! part of the import; and if the store refuses then and keeps refusing, the rest waits for the next start.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{
    Failure,
    select::{is_binned, unbinned},
};
use crate::{
    exchange::{archive::Entry, merge::settle},
    ports::Store,
    store::{Batch, Belongs, Key, Op, Part, Query, Stored, Table, due, from_value, version},
    turn::bin::pictures_in_use,
};

const MARKER: &str = "import";
const WROTE: &str = "import:wrote:";
const REDO: &str = "import:redo:";

pub(super) struct Journal<'a> {
    store: &'a dyn Store,
    steps: u32,
    /// How many of them are to be applied at the end.
    redo: u32,
}

/// What was found and done at a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovered {
    Undone,
    Finished,
}

/// Whether there is an import under way, or one that was cut off.
pub async fn is_open(store: &dyn Store) -> Stored<bool> {
    Ok(store.get(Table::Settings, MARKER).await?.is_some())
}

/// Clears up after an import that was cut off. To be called while no other tab imports.
pub async fn recover(store: &dyn Store) -> Result<Option<Recovered>, Failure> {
    let Some(marker) = store.get(Table::Settings, MARKER).await? else { return Ok(None) };
    if marker.value["state"] == "applying" {
        apply(store).await.map_err(|(_, error)| error)?;
        clear(store).await?;
        return Ok(Some(Recovered::Finished));
    }
    undo(store).await?;
    Ok(Some(Recovered::Undone))
}

impl<'a> Journal<'a> {
    pub async fn begin(store: &'a dyn Store) -> Result<Self, Failure> {
        // What an earlier one could not clear away is its own: who takes this one back must not take that, too.
        recover(store).await?;
        set_state(store, "writing").await?;
        Ok(Self { store, steps: 0, redo: 0 })
    }

    /// Writes what cannot be seen, and notes what is to be seen later.
    pub async fn write(&mut self, direct: Vec<Entry>, redo: Vec<Entry>) -> Stored<()> {
        let mut batch = Batch::relaxed();
        if !direct.is_empty() {
            let mut wrote: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for entry in &direct {
                wrote.entry(entry.part.name()).or_default().push(entry.id());
            }
            let step = json!({ "id": self.step(WROTE), "wrote": wrote });
            batch.ops.push(Op::Put(Table::Settings, step.into()));
        }
        if !redo.is_empty() {
            // A later version may find them.
            let stamped = |entry: &Entry| version::stamped(entry.part.table(), &entry.doc.value).into_owned();
            let puts: Vec<_> = redo.iter().map(|entry| json!([entry.part, stamped(entry)])).collect();
            batch.ops.push(Op::Put(Table::Settings, json!({ "id": self.step(REDO), "puts": puts }).into()));
            self.redo += 1;
        }
        batch.ops.extend(direct.into_iter().map(|entry| Op::Put(entry.part.table(), entry.doc)));
        if batch.ops.is_empty() { Ok(()) } else { self.store.commit(batch).await }
    }

    fn step(&mut self, kind: &str) -> String {
        self.steps += 1;
        format!("{kind}{:010}", self.steps)
    }

    /// The point of no return, and all that comes after it.
    pub async fn finish(self) -> Result<(), Failure> {
        // Strict, as is the last commit: the log of the database is one, so what came before is on the disk too.
        if let Err(error) = set_state(self.store, "applying").await {
            self.undo().await;
            return Err(error.into());
        }
        let mut applied = 0;
        // Once some of it can be seen there is no way back; a second try may find room.
        for last_try in [false, true] {
            match apply(self.store).await {
                Ok(()) => break,
                Err((some, error)) => {
                    applied += some;
                    if applied == self.redo {
                        break;
                    }
                    if applied == 0 {
                        self.undo().await;
                        return Err(error.into());
                    }
                    if last_try {
                        return Err(Failure::Unfinished(error));
                    }
                }
            }
        }
        // All is in its place. What is left of the journal is no matter of this import: else the next one clears it away,
        // or the next start.
        if clear(self.store).await.is_err() {
            let _ = clear(self.store).await;
        }
        Ok(())
    }

    /// Takes back what was written. Where that fails too, the next start does it.
    pub async fn undo(self) {
        let _ = undo(self.store).await;
    }
}

/// The record to put for one of a file, where the store has `stored`; `None` = leave the store's. What is in the bin
/// comes out of it: whoever imports a thing wants it.
pub(super) fn decide(part: Part, incoming: Value, stored: Option<&Value>) -> Option<Value> {
    match stored {
        Some(stored) if is_binned(stored) && !is_binned(&incoming) => {
            let restored = unbinned(stored.clone());
            Some(settle(part, incoming, Some(&restored)).unwrap_or(restored))
        }
        stored => settle(part, incoming, stored),
    }
}

/// Keys that are asked for at once: as many as a batch's ids lie among, mostly.
const NEAR: u32 = 4_096;

/// The stored records under the ids of some entries of one table.
pub(super) async fn stored(store: &dyn Store, part: Part, ids: &[String]) -> Stored<BTreeMap<String, Value>> {
    let known = known(store, part, ids).await?;
    let ids = known.as_deref().unwrap_or(ids);
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let docs = store.get_many(part.table(), ids).await?;
    Ok(docs.into_iter().map(|doc| (doc.value["id"].as_str().unwrap_or_default().to_owned(), doc.value)).collect())
}

/// Those of some ids that are there: asked by keys alone, which takes a fraction of asking for each record. `None`: there are
/// too many between them, or they have letters of which texts are in another order than keys.
async fn known(store: &dyn Store, part: Part, ids: &[String]) -> Stored<Option<Vec<String>>> {
    let (Some(from), Some(to)) = (ids.iter().min(), ids.iter().max()) else { return Ok(Some(Vec::new())) };
    if !ids.iter().all(|id| id.is_ascii()) {
        return Ok(None);
    }
    let (from, to) = (Some(Key::from(from.as_str())), Some(Key::from(to.as_str())));
    let near = store.keys(Query { from, to, limit: Some(NEAR), ..Query::all(part.table()) }).await?;
    let is_whole = near.len() < NEAR as usize;
    let near: BTreeSet<String> = near.into_iter().collect();
    Ok(is_whole.then(|| ids.iter().filter(|id| near.contains(*id)).cloned().collect()))
}

async fn set_state(store: &dyn Store, state: &str) -> Stored<()> {
    let marker = json!({ "id": MARKER, "state": state });
    store.commit(Batch { ops: vec![Op::Put(Table::Settings, marker.into())], ..Batch::new() }).await
}

fn steps(kind: &str, limit: u32) -> Query {
    let (from, to) = (Key::from(kind), Key::Text(format!("{kind}\u{ffff}")));
    Query { from: Some(from), to: Some(to), limit: Some(limit), ..Query::all(Table::Settings) }
}

/// Where it fails, how many steps have happened.
async fn apply(store: &dyn Store) -> Result<(), (u32, crate::store::StoreError)> {
    let mut applied = 0;
    loop {
        let step = store.query(steps(REDO, 1)).await.map_err(|error| (applied, error))?.pop();
        let Some(step) = step else { return Ok(()) };
        apply_step(store, step.value).await.map_err(|error| (applied, error))?;
        applied += 1;
    }
}

/// Of an import that has been applied.
async fn clear(store: &dyn Store) -> Stored<()> {
    forget(store, WROTE).await?;
    end(store).await
}

async fn apply_step(store: &dyn Store, mut step: Value) -> Stored<()> {
    let mut puts: BTreeMap<Part, Vec<Value>> = BTreeMap::new();
    for put in step["puts"].as_array_mut().into_iter().flatten() {
        let Ok(part) = from_value::<Part>(put[0].take()) else { continue };
        let mut value = version::current(part.table(), put[1].take().into())?.value;
        let parted = part.parted(&mut value);
        for (part, value) in std::iter::once((part, value)).chain(parted) {
            puts.entry(part).or_default().push(value);
        }
    }
    let mut batch = Batch::relaxed();
    for (part, values) in puts {
        let ids: Vec<_> = values.iter().map(|value| value["id"].as_str().unwrap_or_default().to_owned()).collect();
        // Looked up anew: it may have changed since it was read.
        let stored = stored(store, part, &ids).await?;
        for (id, value) in ids.iter().zip(values) {
            if let Some(value) = decide(part, value, stored.get(id)) {
                batch.ops.extend(due::written(part.table(), &value));
                batch.ops.push(Op::Put(part.table(), value.into()));
            }
        }
    }
    let id = step["id"].as_str().unwrap_or_default();
    store.commit(batch.delete(Table::Settings, id)).await
}

async fn undo(store: &dyn Store) -> Stored<()> {
    // It may have been about to be applied.
    set_state(store, "writing").await?;
    let mut in_use = None;
    while let Some(step) = store.query(steps(WROTE, 1)).await?.pop() {
        let mut batch = Batch::relaxed();
        for (table, ids) in step.value["wrote"].as_object().unwrap_or(&Map::new()) {
            let Some(table) = Table::from_name(table) else { continue };
            for id in ids.as_array().into_iter().flatten().filter_map(Value::as_str) {
                if table.belongs() == Belongs::Content {
                    if in_use.is_none() {
                        in_use = Some(pictures_in_use(store).await?);
                    }
                    // Somebody chose the same picture meanwhile.
                    if in_use.as_ref().is_some_and(|pictures| pictures.contains(id)) {
                        continue;
                    }
                }
                if table == Table::Generations {
                    // Where an older version wrote it, they were in it.
                    batch.ops.extend(Table::of_reply().map(|table| Op::Delete(table, id.to_owned())));
                }
                batch.ops.push(Op::Delete(table, id.to_owned()));
            }
        }
        store.commit(batch.delete(Table::Settings, step.value["id"].as_str().unwrap_or_default())).await?;
    }
    forget(store, REDO).await?;
    end(store).await
}

async fn forget(store: &dyn Store, kind: &str) -> Stored<()> {
    loop {
        let keys = store.keys(steps(kind, Table::Settings.describe().page)).await?;
        if keys.is_empty() {
            return Ok(());
        }
        let ops = keys.into_iter().map(|key| Op::Delete(Table::Settings, key)).collect();
        store.commit(Batch { ops, ..Batch::relaxed() }).await?;
    }
}

async fn end(store: &dyn Store) -> Stored<()> {
    store.commit(Batch::new().delete(Table::Settings, MARKER)).await
}
