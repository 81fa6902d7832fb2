//! What is asked of the store.

use super::{Key, Table};

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
