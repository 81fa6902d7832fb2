//! What the outside must offer. Implementations: `web` (the browser) and `sim` (memory, with faults to order).
//!
//! Futures are boxed and local: one thread, and the ports are used as `Rc<dyn …>`.

pub mod at_hand;
pub mod due;
mod hand_on;
pub mod recall;
pub mod recent;
mod records;

use std::{cmp::Ordering, fmt, pin::Pin, rc::Rc};

pub(crate) use hand_on::hand_on;
pub use recall::Recall;
pub use records::decode;

use futures_util::{Stream, future::LocalBoxFuture};
use serde_json::Value;

use crate::story::{
    Millis,
    fault::{Fault, FaultKind},
    ids::{self, ConnectionId},
    picture,
    record::Record,
};

pub type Future<'a, T> = LocalBoxFuture<'a, T>;

// ---------------------------------------------------------------------------------------------- store

/// A table of the database. The key of every record is its `id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    Characters,
    Backgrounds,
    Presets,
    Storylines,
    Turns,
    Branches,
    Generations,
    States,
    Memories,
    /// What the memory's index has yet to take in: one record per text that has changed; see [`Batch::push`].
    Due,
    /// The inverted index of each storyline, in segments. Rebuilt from turns and memories where it is lost.
    Postings,
    /// Embeddings, packed in segments.
    Vectors,
    Blobs,
    Settings,
    Vault,
}

/// An index over one or more fields of a table's records; a record that lacks a field is not in it.
#[derive(Clone, Copy, Debug)]
pub struct IndexSpec {
    pub name: &'static str,
    pub fields: &'static [&'static str],
}

const fn index(name: &'static str, fields: &'static [&'static str]) -> IndexSpec {
    IndexSpec { name, fields }
}

impl Table {
    pub const ALL: [Self; 15] = [
        Self::Characters,
        Self::Backgrounds,
        Self::Presets,
        Self::Storylines,
        Self::Turns,
        Self::Branches,
        Self::Generations,
        Self::States,
        Self::Memories,
        Self::Due,
        Self::Postings,
        Self::Vectors,
        Self::Blobs,
        Self::Settings,
        Self::Vault,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Characters => "characters",
            Self::Backgrounds => "backgrounds",
            Self::Presets => "presets",
            Self::Storylines => "storylines",
            Self::Turns => "turns",
            Self::Branches => "branches",
            Self::Generations => "generations",
            Self::States => "states",
            Self::Memories => "memories",
            Self::Due => "due",
            Self::Postings => "postings",
            Self::Vectors => "vectors",
            Self::Blobs => "blobs",
            Self::Settings => "settings",
            Self::Vault => "vault",
        }
    }

    /// Whether bytes ride beside its records.
    pub fn has_bytes(self) -> bool {
        matches!(self, Self::Blobs | Self::Postings | Self::Vectors)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    pub fn indexes(self) -> &'static [IndexSpec] {
        const NAMED: &[IndexSpec] = &[index("name", &["name"]), index("updated", &["updated"])];
        const STORYLINES: &[IndexSpec] = &[index("character", &["character"]), index("last_active", &["last_active"])];
        const TURNS: &[IndexSpec] = &[
            index("place", &["branch", "position"]),
            index("storyline", &["storyline"]),
            index("session", &["session"]),
        ];
        const GENERATIONS: &[IndexSpec] = &[
            index("place", &["branch", "position"]),
            index("turn", &["turn"]),
            index("storyline", &["storyline"]),
            index("open", &["open"]),
        ];
        const OF_STORYLINE: &[IndexSpec] = &[index("storyline", &["storyline"])];
        match self {
            Self::Characters | Self::Backgrounds | Self::Presets => NAMED,
            Self::Storylines => STORYLINES,
            Self::Turns => TURNS,
            Self::Generations => GENERATIONS,
            Self::Branches | Self::States | Self::Memories | Self::Due | Self::Postings | Self::Vectors => OF_STORYLINE,
            Self::Blobs | Self::Settings | Self::Vault => &[],
        }
    }
}

/// A key, ordered as IndexedDB orders keys: numbers, then texts (by UTF-16), then lists.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    Number(f64),
    Text(String),
    List(Vec<Key>),
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.encode_utf16().cmp(b.encode_utf16()),
            (Self::List(a), Self::List(b)) => a.cmp(b),
            (Self::Number(_), _) | (Self::Text(_), Self::List(_)) => Ordering::Less,
            _ => Ordering::Greater,
        }
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u32> for Key {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl<A: Into<Key>, B: Into<Key>> From<(A, B)> for Key {
    fn from((a, b): (A, B)) -> Self {
        Self::List(vec![a.into(), b.into()])
    }
}

/// A read of one table: by its key, or by an index; records come in the order of that key.
#[derive(Clone, Debug)]
pub struct Query {
    pub table: Table,
    pub index: Option<&'static str>,
    /// Bounds, both inclusive.
    pub from: Option<Key>,
    pub to: Option<Key>,
    pub limit: Option<u32>,
}

impl Query {
    /// The whole table.
    pub fn all(table: Table) -> Self {
        Self { table, index: None, from: None, to: None, limit: None }
    }

    /// The records whose index key is `key`.
    pub fn equal(table: Table, index: &'static str, key: impl Into<Key>) -> Self {
        let key = key.into();
        Self { table, index: Some(index), from: Some(key.clone()), to: Some(key), limit: None }
    }

    /// The records whose index key lies between two keys, both included.
    pub fn between(table: Table, index: &'static str, from: impl Into<Key>, to: impl Into<Key>) -> Self {
        Self { table, index: Some(index), from: Some(from.into()), to: Some(to.into()), limit: None }
    }

    /// The records after `key` in the order of the table's own key, `limit` at most: a page of a long walk.
    /// The first record may be `key` itself.
    pub fn page(table: Table, key: Option<&str>, limit: u32) -> Self {
        Self { table, index: None, from: key.map(Into::into), to: None, limit: Some(limit) }
    }
}

/// A stored document: JSON, and bytes beside it where the record is a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Doc {
    pub value: Value,
    pub bytes: Option<Rc<[u8]>>,
}

impl From<Value> for Doc {
    fn from(value: Value) -> Self {
        Self { value, bytes: None }
    }
}

/// How long a commit waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Until the operating system has it: survives the death of the browser. For checkpoints of a running stream.
    Relaxed,
    /// Until the disk has it: survives the loss of power.
    #[default]
    Strict,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    Put(Table, Doc),
    Delete(Table, String),
}

impl Op {
    /// The table and the id of the record that it changes.
    pub fn place(&self) -> (Table, &str) {
        match self {
            Self::Put(table, doc) => (*table, doc.value["id"].as_str().unwrap_or_default()),
            Self::Delete(table, id) => (*table, id),
        }
    }
}

/// Changes that happen together or not at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    pub ops: Vec<Op>,
    pub durability: Durability,
}

impl Batch {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn relaxed() -> Self {
        Self { ops: Vec::new(), durability: Durability::Relaxed }
    }

    pub fn put<R: Record>(mut self, record: &R) -> Self {
        self.push(record);
        self
    }

    pub fn push<R: Record>(&mut self, record: &R) {
        let value = serde_json::to_value(record).expect("records have text keys and finite numbers");
        self.ops.extend(due::written(R::TABLE, &value));
        self.ops.push(Op::Put(R::TABLE, value.into()));
    }

    /// Deletes a record; where the memory's index holds it, the index will know.
    pub fn remove<R: Record>(self, record: &R) -> Self {
        let value = serde_json::to_value(record).expect("records have text keys and finite numbers");
        let mut batch = self.delete(R::TABLE, record.key());
        batch.ops.extend(due::gone(R::TABLE, &value));
        batch
    }

    pub fn delete(mut self, table: Table, key: &str) -> Self {
        self.ops.push(Op::Delete(table, key.to_owned()));
        self
    }
}

/// Why the store refused. The name is the browser's own (`QuotaExceededError`, …): recovery depends on it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {message}")]
pub struct StoreError {
    pub name: String,
    pub message: String,
}

impl StoreError {
    /// The name of a fault of the record, not of the store.
    pub const UNREADABLE: &str = "UnreadableRecord";

    pub fn new(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self { name: name.into(), message: message.into() }
    }

    /// A stored record that this version cannot read.
    pub fn unreadable(table: Table, error: impl fmt::Display) -> Self {
        Self::new(Self::UNREADABLE, format!("{}: {error}", table.name()))
    }

    pub fn is_unreadable(&self) -> bool {
        self.name == "UnreadableRecord"
    }

    /// Near the quota Chromium may answer `AbortError` too, but not only then.
    pub fn is_full(&self) -> bool {
        self.name == "QuotaExceededError"
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let kind = if error.is_full() { FaultKind::StorageFull } else { FaultKind::StorageFailed };
        Fault::new(kind, error.to_string())
    }
}

pub type Stored<T> = Result<T, StoreError>;

/// The one source of truth.
pub trait Store {
    fn get<'a>(&'a self, table: Table, key: &'a str) -> Future<'a, Stored<Option<Doc>>>;
    /// The documents under `keys`, in that order, without those that are not there.
    fn get_many<'a>(&'a self, table: Table, keys: &'a [String]) -> Future<'a, Stored<Vec<Doc>>>;
    fn query(&self, query: Query) -> Future<'_, Stored<Vec<Doc>>>;
    /// The primary keys of the records that `query` would give.
    fn keys(&self, query: Query) -> Future<'_, Stored<Vec<String>>>;
    fn count(&self, query: Query) -> Future<'_, Stored<u32>>;
    /// All of `batch` or nothing; back only when it is durable as asked.
    fn commit(&self, batch: Batch) -> Future<'_, Stored<()>>;
    /// Reads a record, changes and writes it as one: no other writer, of this tab or another, comes in between. Strictly
    /// durable. A change that fails, or gives nothing, leaves the record as it is.
    fn revise<'a>(&'a self, table: Table, key: &'a str, change: Change<'a>) -> Future<'a, Stored<()>>;
}

/// What a record becomes, given what it is.
pub type Change<'a> = Box<dyn FnOnce(Option<Value>) -> Stored<Option<Value>> + 'a>;

// ---------------------------------------------------------------------------------------------- network

/// A request as it goes over the wire. Built by pure functions in `provider`.
#[derive(Clone, PartialEq, Eq)]
pub struct WireRequest {
    pub method: &'static str,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
}

/// Headers carry keys: they are never printed.
impl fmt::Debug for WireRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WireRequest").field("method", &self.method).field("url", &self.url).finish_non_exhaustive()
    }
}

/// The head of an answer, and its body as it comes.
pub struct WireResponse {
    pub status: u16,
    /// Lower-case name, value: those that the browser lets the page see.
    pub headers: Vec<(String, String)>,
    pub body: Body,
}

impl WireResponse {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Bytes in any cutting. Dropping it ends the request.
pub type Body = Pin<Box<dyn Stream<Item = Result<Vec<u8>, Fault>>>>;

/// The way to a model.
pub trait Llm {
    /// Sends, and answers when the head of the response is there. Dropping the future ends the request.
    /// Redirects are refused: a key goes to its provider and nowhere else.
    fn send(&self, request: WireRequest) -> Future<'_, Result<WireResponse, Fault>>;
}

// ---------------------------------------------------------------------------------------------- time, chance

pub trait Clock {
    fn now(&self) -> Millis;
    /// Minutes by which the reader's clock is ahead of UTC at a time.
    fn utc_offset(&self, at: Millis) -> i32;
    fn sleep(&self, millis: u32) -> Future<'_, ()>;
}

pub trait Random {
    fn bytes(&self) -> [u8; 10];
}

// ---------------------------------------------------------------------------------------------- keys

/// Where a connection's key is kept between visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// In this tab's memory, gone with it.
    #[default]
    Memory,
    /// Encrypted under the passphrase.
    Sealed,
    /// Readable by whoever has this browser profile.
    Clear,
}

/// Provider keys. They leave it for a request header and for nothing else.
pub trait Vault {
    /// The key, or `None` where the connection has none.
    ///
    /// # Errors
    /// `KeyMissing`: there is one, but it is sealed and the passphrase has not been given; or there was one, and it went
    /// with the page that had it in memory.
    fn key<'a>(&'a self, connection: &'a ConnectionId) -> Future<'a, Result<Option<String>, Fault>>;
}

// ---------------------------------------------------------------------------------------------- tabs

/// One writer per storyline across tabs.
pub trait Tabs {
    /// Whether this tab may write now. Checked before every write of a running stream.
    fn owns(&self, name: &str) -> bool;
    /// Tells the other tabs that a storyline changed in the store.
    fn announce(&self, name: &str);
}

/// Sees pictures as the page will show them.
pub trait Pictures {
    /// Whether one can be shown.
    fn judge<'a>(&'a self, bytes: &'a [u8]) -> Future<'a, Result<(), picture::Fault>>;
}

/// All ports together, as the conductor takes them.
#[derive(Clone)]
pub struct Ports {
    pub store: Rc<dyn Store>,
    pub llm: Rc<dyn Llm>,
    pub clock: Rc<dyn Clock>,
    pub random: Rc<dyn Random>,
    pub vault: Rc<dyn Vault>,
    pub tabs: Rc<dyn Tabs>,
    pub recall: Rc<dyn Recall>,
}

impl Ports {
    /// A fresh id.
    pub fn id<T: From<String>>(&self) -> T {
        ids::uuid(self.clock.now(), self.random.bytes()).into()
    }
}
