//! The one way in which a person changes the record of a storyline: as its only writer, and not amid a turn, which writes
//! the record as it read it when it began.

use std::cell::Cell;

use super::{Desk, Stored};
use crate::story::{ids::StorylineId, storyline::Storyline};

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    Stored,
    /// Another tab writes the story.
    Elsewhere,
    Gone,
}

/// Milliseconds after which is looked again whether a turn has ended.
const LOOK: u32 = 50;

impl Desk {
    /// Changes a storyline as it is by now, and tells the other tabs. What is changed during a turn waits for its end, one
    /// change after the other. `is_played`: a turn of this tab is under way in it; `stays`: this tab goes on as its writer.
    ///
    /// # Errors
    /// The store failed, or the record cannot be read: nothing has been written.
    pub async fn change_storyline(
        &self,
        id: &StorylineId,
        is_played: impl Fn() -> bool,
        stays: impl Fn() -> bool,
        change: impl FnOnce(&mut Storyline),
    ) -> Stored<Changed> {
        thread_local!(static WRITING: Cell<bool> = const { Cell::new(false) });
        let (store, tabs) = (&*self.ports.store, &*self.ports.tabs);
        let mut borrowed = false;
        let loaded: Stored<Option<Storyline>> = loop {
            while is_played() || WRITING.get() {
                self.ports.clock.sleep(LOOK).await;
            }
            // The reader may have gone to another story while this one's turn came to its end.
            if !tabs.owns(id.as_str()) {
                borrowed = tabs.acquire(id.as_str()).await;
                if !borrowed {
                    return Ok(Changed::Elsewhere);
                }
            }
            if is_played() || WRITING.replace(true) {
                continue;
            }
            let loaded = store.load(id.as_str()).await;
            if !is_played() {
                break loaded;
            }
            WRITING.set(false);
        };
        // Between the last look and the write nothing else runs.
        let written = match loaded {
            Ok(Some(mut storyline)) => {
                change(&mut storyline);
                store.save(&storyline).await.map(|()| Changed::Stored)
            }
            Ok(None) => Ok(Changed::Gone),
            Err(error) => Err(error),
        };
        WRITING.set(false);
        if borrowed && !stays() {
            tabs.release(id.as_str());
        }
        if written == Ok(Changed::Stored) {
            tabs.announce(id.as_str());
        }
        written
    }
}
