//! The memory's keeper: the index and the vectors of each storyline, read from the store and kept up with it.
//!
//! The store notes in each commit what the index has to take in (`store::due`). Before the keeper answers, it takes in
//! what is due and writes the segments that this changes, in one commit with the removal of the notes: index and store
//! agree, whenever the browser dies. Where the index is lost, it is built from turns and memories. While nobody asks,
//! the keeper asks itself ([`warm`]).
//!
//! In the browser it works in a worker (`web::memory`); natively it is used as it is.

mod build;
mod entry;
mod excerpts;
mod find;
mod keeper;
mod places;
mod segment;
mod story;
#[cfg(test)]
mod tests;
mod texts;
mod vectors;
pub mod warm;

pub use keeper::Keeper;

use crate::ports::Future;

/// Lets one keeper at a time write a storyline's index.
pub trait Lock {
    fn lock(&self, name: String) -> Future<'_, LockGuard>;
}

/// Leaves the lock when dropped.
#[derive(Default)]
pub struct LockGuard(Option<Box<dyn FnOnce()>>);

impl LockGuard {
    pub fn new(leave: impl FnOnce() + 'static) -> Self {
        Self(Some(Box::new(leave)))
    }
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        if let Some(leave) = self.0.take() {
            leave();
        }
    }
}

/// The lock where there is one keeper.
pub struct Alone;

impl Lock for Alone {
    fn lock(&self, _: String) -> Future<'_, LockGuard> {
        Box::pin(async { LockGuard::default() })
    }
}
