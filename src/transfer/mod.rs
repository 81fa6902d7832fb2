//! Moves whole stories between the store and a file, or within the store: the doing half of `exchange`.
//!
//! Knows ports only; gzip and files are in `web`. Reads and writes in pages, yields between them, tells its progress
//! and can be cancelled. An import happens whole or not at all: see [`journal`].

mod excerpt;
pub mod export;
pub mod import;
pub mod journal;
mod select;
#[cfg(test)]
pub(crate) mod tests;
mod watch;

pub use select::Scope;
pub use watch::{Cancel, Progress, Stage, Watch};

use crate::{exchange::refusal::Refusal, store::StoreError};

/// Why nothing was exported or imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Past the point of no return the store refused: what is missing is written at the next start.
    #[error("not finished: {0}")]
    Unfinished(StoreError),
    /// The browser could not read the file, or not compress it.
    #[error("unreadable: {0}")]
    Unreadable(String),
    /// The storyline of this title is being written, here or in another tab.
    #[error("{0} is in use")]
    InUse(String),
    /// Another import is under way.
    #[error("another import is under way")]
    Busy,
    /// There is no such storyline, or no such save point in it.
    #[error("the storyline is gone")]
    Gone,
    #[error("cancelled")]
    Cancelled,
}
