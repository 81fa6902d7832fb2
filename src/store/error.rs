//! Why the store did not do what it was asked for.

use std::fmt;

use super::Table;

pub type Stored<T> = Result<T, StoreError>;

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

    /// A stored record that a newer version has written: it is neither read nor written over.
    pub fn newer(table: Table) -> Self {
        Self::new("NewerRecord", format!("{}: written by a newer version of this program", table.name()))
    }

    pub fn is_unreadable(&self) -> bool {
        self.name == Self::UNREADABLE
    }

    /// Near the quota Chromium may answer `AbortError` too, but not only then.
    pub fn is_full(&self) -> bool {
        self.name == "QuotaExceededError"
    }
}
