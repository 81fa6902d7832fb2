//! What the outside must offer. Implementations: `web` (the browser) and `sim` (memory, with faults to order).
//!
//! Futures are boxed and local: one thread, and the ports are used as `Rc<dyn …>`.

pub mod cache;
mod hand_on;
mod pages;
pub mod recall;
pub mod recent;
mod records;
pub mod till;
mod together;

use std::{fmt, pin::Pin, rc::Rc};

pub(crate) use hand_on::hand_on;
pub use pages::Pages;
pub use recall::Recall;
pub use till::Till;
pub use together::Together;

use futures_util::{Stream, future::LocalBoxFuture};
use serde_json::Value;

use crate::{
    store::{Batch, Doc, Query, Stored, Table},
    story::{
        Millis,
        fault::Fault,
        ids::{self, ConnectionId},
        picture,
    },
};

pub type Future<'a, T> = LocalBoxFuture<'a, T>;

// ---------------------------------------------------------------------------------------------- store

/// The one source of truth.
pub trait Store {
    fn get<'a>(&'a self, table: Table, key: &'a str) -> Future<'a, Stored<Option<Doc>>>;
    /// The documents under `keys`, in that order, without those that are not there.
    fn get_many<'a>(&'a self, table: Table, keys: &'a [String]) -> Future<'a, Stored<Vec<Doc>>>;
    fn query(&self, query: Query) -> Future<'_, Stored<Vec<Doc>>>;
    /// All records of a storyline in a table that has an index of that name.
    fn together<'a>(&'a self, table: Table, storyline: &'a str) -> Future<'a, Stored<Rc<Together>>> {
        Box::pin(async move {
            let docs = self.query(Query::equal(table, "storyline", storyline)).await?;
            Ok(Rc::new(Together::new(docs)))
        })
    }
    /// A record, or none, with what is made of it.
    fn alone<'a>(&'a self, table: Table, key: &'a str) -> Future<'a, Stored<Rc<Together>>> {
        Box::pin(async move { Ok(Rc::new(Together::new(self.get(table, key).await?.into_iter().collect()))) })
    }
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

/// What is announced where no single record changed, but several of the libraries.
pub const LIBRARY: &str = "library";

/// One writer per storyline across tabs.
pub trait Tabs {
    /// Whether this tab may write now. Checked before every write of a running stream.
    fn owns(&self, name: &str) -> bool;
    /// Tells the other tabs that a storyline, or something else that is shown, changed in the store.
    fn announce(&self, name: &str);
}

/// Sees pictures as the page will show them.
pub trait Pictures {
    /// Whether one can be shown.
    fn judge<'a>(&'a self, bytes: &'a [u8]) -> Future<'a, Result<(), picture::Fault>>;

    /// Draws one, if its head gives no reason against it.
    ///
    /// # Errors
    /// Why it is not taken for a picture.
    fn draw<'a>(&'a self, bytes: &'a [u8]) -> Future<'a, Result<Drawn, picture::Fault>>;
}

/// A picture that was drawn once.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// Media type.
    pub kind: &'static str,
    /// For the page, where the picture itself is larger: media type and bytes.
    pub small: Option<(String, Vec<u8>)>,
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
    pub till: Rc<Till>,
}

impl Ports {
    /// A fresh id.
    pub fn id<T: From<String>>(&self) -> T {
        ids::uuid(self.clock.now(), self.random.bytes()).into()
    }
}
