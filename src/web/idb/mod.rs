//! The store in IndexedDB.
//!
//! `rexie` reads. `idb`, the crate beneath it, opens the database, since only it hears `blocked` and `versionchange`
//! and lets a migration see the data; and a binding of our own begins the writing transactions, since neither crate
//! can ask for `strict` durability.

mod convert;
pub mod migrate;
mod open;
mod store;

pub use open::{Close, OpenError, delete, open};
pub use store::IdbStore;
