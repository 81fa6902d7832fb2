//! The store contract against the store in memory.
#![cfg(not(target_arch = "wasm32"))]

mod contract;

use fabula::{ports::Store, sim::store::MemoryStore};
use futures_executor::block_on;

macro_rules! contract {
    ($($name:ident),*) => {$(
        #[test]
        fn $name() {
            let store = MemoryStore::new();
            block_on(contract::$name(&store as &dyn Store));
        }
    )*};
}

contract!(
    gives_back_what_was_put,
    keeps_bytes,
    commits_whole,
    revises_what_is_stored,
    books_what_tills_have_paid,
    finds_by_index,
    leaves_newer_records_alone
);
