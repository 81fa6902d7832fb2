//! What this device knows of what the others know, in [`Table::Sync`]:
//!
//! - `!turns/…`: a record has changed since it was told of ([`crate::store::changed`]).
//! - `turns/…`: what was last told or heard of it ([`Known`]).
//! - `?turns/…`: what was heard and is not taken in yet ([`Waiting`]): its turn is not there, or its story is in use.
//! - `@blobs/…`: a file that lies in the storage and is not here ([`super::bytes`]).
//! - `~turns/…/…`: what lost against something newer ([`Older`]).
//! - `=`: this device ([`Me`]).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    fact::{Fact, Stamp},
    fields,
};
use crate::{
    ports::{Pages, Store},
    store::{
        Batch, Op, Query, Stored, Table,
        changed::{self, CHANGED, LOST, ME, beginning},
        decode, record,
    },
    story::{Extra, Millis},
};

/// When what is only told once more has changed: never. No note in the store says so.
pub const AGAIN: Millis = 0;

/// When that has changed which was there before there were books, where it does not say so itself.
pub const FIRST: Millis = 1;

const WAITS: &str = "?";
const TURN: &str = "turn";

/// A record that has changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mark {
    pub id: String,
    pub at: Millis,
}
record!(Mark, Sync);

impl Mark {
    pub fn of(&self) -> &str {
        self.id.strip_prefix(CHANGED).unwrap_or(&self.id)
    }
}

/// What was last told or heard of a record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Known {
    pub id: String,
    /// The newest that is known of it.
    pub stamp: Stamp,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
    /// Since when it was gone elsewhere, where it stayed here: what is heard from before then is told anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buried: Option<Stamp>,
    /// Of each field its stamp and its [`fields::print`]; of a branch, of each of its turns that is marked.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, (Stamp, String)>,
}
record!(Known, Sync);

impl Known {
    pub fn of(of: &str) -> Self {
        Self { id: of.to_owned(), ..Self::default() }
    }

    /// A stamp for what changed here at a time: later than all that is known of the record, and than what a try before said of
    /// it, which others may have heard.
    pub fn next(&self, at: Millis, me: &Me) -> Stamp {
        Stamp { at: at.max(self.stamp.at + 1 + me.tries), by: me.device.clone() }
    }

    /// Keeps on which turn a memory hangs: of one that is gone nothing else says so.
    pub fn hangs_on(&mut self, turn: &str) {
        self.fields.insert(TURN.to_owned(), (self.stamp.clone(), turn.to_owned()));
    }

    pub fn turn(&self) -> Option<&str> {
        self.fields.get(TURN).map(|(_, turn)| turn.as_str())
    }

    /// All of its fields are told anew, whatever was told of them.
    pub fn forget_prints(&mut self) {
        self.fields.values_mut().for_each(|(_, print)| print.clear());
    }

    pub fn hear(&mut self, stamp: &Stamp) {
        if self.stamp < *stamp {
            self.stamp = stamp.clone();
        }
    }
}

/// What was heard and cannot be taken in yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waiting {
    pub id: String,
    pub fact: Fact,
}
record!(Waiting, Sync);

impl Waiting {
    pub fn new(fact: Fact) -> Self {
        Self { id: Self::id(&fact.of), fact }
    }

    pub fn id(of: &str) -> String {
        format!("{WAITS}{of}")
    }

    /// What a note of this id is of; empty: it is none.
    pub fn of(id: &str) -> &str {
        id.strip_prefix(WAITS).unwrap_or_default()
    }
}

/// A version that lost against a newer one, kept to be looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Older {
    pub id: String,
    pub of: String,
    pub stamp: Stamp,
    /// The record, or the fields that lost.
    pub value: Value,
}
record!(Older, Sync);

impl Older {
    pub fn new(of: &str, stamp: Stamp, value: Value) -> Self {
        Self { id: format!("{LOST}{of}/{}", stamp.at), of: of.to_owned(), stamp, value }
    }

    /// What it said, to be read: the words of a turn, a reply or a memory; else each field by its name.
    pub fn words(&self) -> String {
        let own = ["user", "text"].iter().find_map(|name| self.value[*name].as_str());
        if let Some(words) = own {
            return words.to_owned();
        }
        let fields = self.value.as_object().into_iter().flatten();
        let lines = fields.map(|(name, value)| match value {
            Value::String(text) => format!("{name}: {text}"),
            value => format!("{name}: {value}"),
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// This device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Me {
    pub id: String,
    /// What the others know it by; made once.
    pub device: String,
    /// The number of its last pack.
    pub last: u64,
    /// Up to which pack each other device was heard.
    pub heard: BTreeMap<String, u64>,
    /// What is being told: where that was cut short, it is told again.
    pub telling: Vec<Mark>,
    /// How often that was tried before: each try has stamps of its own, for it may say something newer.
    pub tries: u64,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Me, Sync);

/// # Errors
/// The store failed; so everywhere here.
pub async fn me(store: &dyn Store) -> Stored<Option<Me>> {
    store.load(ME).await
}

pub fn new_me(device: String) -> Me {
    Me { id: ME.to_owned(), device, ..Me::default() }
}

/// What has changed, the first so many by their ids.
pub async fn marks(store: &dyn Store, limit: u32) -> Stored<Vec<Mark>> {
    store.list(beginning(CHANGED, Some(limit))).await
}

/// The marks of a table by their ids; without a name of all.
pub async fn marked(store: &dyn Store, table: &str) -> Stored<Vec<String>> {
    let table = if table.is_empty() { String::new() } else { format!("{table}/") };
    store.keys(beginning(&format!("{CHANGED}{table}"), None)).await
}

/// How many records have changed that the others have not heard of, as far as is known here.
pub async fn to_tell(store: &dyn Store) -> Stored<u32> {
    let telling = me(store).await?.map_or(0, |me| me.telling.len() as u32);
    Ok(telling + store.count(beginning(CHANGED, None)).await?)
}

pub async fn waiting(store: &dyn Store) -> Stored<Vec<Waiting>> {
    store.list(beginning(WAITS, None)).await
}

/// Whether there is any.
pub async fn waits(store: &dyn Store) -> Stored<bool> {
    Ok(store.count(beginning(WAITS, None)).await? > 0)
}

pub async fn older(store: &dyn Store) -> Stored<Vec<Older>> {
    store.list(beginning(LOST, None)).await
}

/// Of some records, what is known of them.
pub async fn known(store: &dyn Store, of: &[String]) -> Stored<BTreeMap<String, Known>> {
    let docs = store.get_many(Table::Sync, of).await?;
    Ok(docs.into_iter().filter_map(|doc| decode::<Known>(doc.value).ok()).map(|one| (one.id.clone(), one)).collect())
}

/// Of some records, those that have changed here since they were told of, and when: those that are being told, too, for it is
/// not known yet whether the others hear it.
pub async fn changed(store: &dyn Store, me: &Me, of: &[String]) -> Stored<BTreeMap<String, Millis>> {
    let ids: Vec<_> = of.iter().map(|of| format!("{CHANGED}{of}")).collect();
    let docs = store.get_many(Table::Sync, &ids).await?;
    let marks = docs.into_iter().filter_map(|doc| decode::<Mark>(doc.value).ok());
    let mut changed: BTreeMap<_, _> = marks.map(|mark| (mark.of().to_owned(), mark.at)).collect();
    if !me.telling.is_empty() {
        let asked: BTreeSet<&str> = of.iter().map(String::as_str).collect();
        for mark in me.telling.iter().filter(|mark| mark.at != AGAIN && asked.contains(mark.of())) {
            let at = mark.at + me.tries + 1;
            changed.entry(mark.of().to_owned()).and_modify(|known| *known = at.max(*known)).or_insert(at);
        }
    }
    Ok(changed)
}

pub fn mark(table: Table, id: &str, at: Millis) -> Op {
    Op::Put(Table::Sync, json!({ "id": changed::id(table, id), "at": at }).into())
}

/// Marks all that travels as changed: at the first time, and where a story must be told anew. What a library has is as old
/// as it says itself; what else there is yields to whatever is known of it elsewhere.
pub async fn mark_all(store: &dyn Store) -> Stored<()> {
    for table in Table::ALL.into_iter().filter(fields::does_travel) {
        let mut pages = Pages::new(table);
        while let Some(docs) = pages.next(store).await? {
            let at = |value: &Value| match table.belongs().is_on_shelf() {
                true => {
                    ["updated", "last_active"].iter().find_map(|name| value[*name].as_u64()).unwrap_or(FIRST).max(FIRST)
                }
                false => FIRST,
            };
            let docs = docs.iter().filter(|doc| fields::does_record(table, doc.id()));
            let ops: Vec<_> = docs.map(|doc| mark(table, doc.id(), at(&doc.value))).collect();
            if !ops.is_empty() {
                store.commit(Batch { ops, ..Batch::new() }).await?;
            }
        }
    }
    Ok(())
}

/// The same where the others may have heard nothing of what was told: that which is known to have been told is told anew, also
/// what is gone.
pub async fn mark_anew(store: &dyn Store, telling: &[Mark]) -> Stored<()> {
    mark_all(store).await?;
    let mut pages = Pages::new(Table::Sync);
    while let Some(docs) = pages.next(store).await? {
        let mut batch = Batch::new();
        for mut known in docs.into_iter().filter_map(|doc| decode::<Known>(doc.value).ok()) {
            let Some((table, id)) = known.id.split_once('/') else { continue };
            let Some(table) = fields::travels(table, id) else { continue };
            if known.gone && (table.belongs().is_on_shelf() || table == Table::Memories) {
                batch.ops.push(mark(table, id, FIRST));
                known.gone = false;
            }
            if table != Table::Memories {
                known.forget_prints();
            }
            batch.push(&known);
        }
        if !batch.ops.is_empty() {
            store.commit(batch).await?;
        }
    }
    let mut batch = Batch::new();
    telling.iter().filter(|mark| mark.at != AGAIN).for_each(|mark| batch.push(mark));
    if batch.ops.is_empty() { Ok(()) } else { store.commit(batch).await }
}

/// Marks a story as changed now, with all that hangs on it: of what stands at turns all is told anew, too.
pub async fn mark_story(store: &dyn Store, id: &str, at: Millis) -> Stored<Vec<Op>> {
    let mut ops = vec![mark(Table::Storylines, id, at)];
    for table in Table::of_story().filter(fields::does_travel) {
        let keys = store.keys(Query::equal(table, "storyline", id)).await?;
        ops.extend(keys.iter().map(|key| mark(table, key, at)));
        if table == Table::Branches {
            let of: Vec<_> = keys.iter().map(|key| format!("{}/{key}", table.name())).collect();
            for mut known in known(store, &of).await?.into_values() {
                known.forget_prints();
                ops.push(Op::Put(Table::Sync, serde_json::to_value(&known).unwrap_or_default().into()));
            }
        }
    }
    Ok(ops)
}
