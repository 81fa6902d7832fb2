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

/// How this tab stands to a storyline.
pub trait Writer {
    /// A turn of this tab is under way in it.
    fn is_playing(&self) -> bool;
    /// This tab goes on as its writer after the change.
    fn stays(&self) -> bool;
    /// Becomes its writer if no other tab is. True if this tab is now the writer.
    fn acquire(&self) -> impl Future<Output = bool>;
    fn release(&self);
    /// What keeps others from changing what stands in the story, from the reading to the writing.
    type Alone;
    fn alone(&self) -> impl Future<Output = Self::Alone>;
}

/// Milliseconds after which is looked again whether a turn has ended.
const LOOK: u32 = 50;

impl Desk {
    /// Changes a storyline as it is by now, and tells the other tabs. What is changed during a turn waits for its end, one
    /// change after the other.
    ///
    /// # Errors
    /// The store failed, or the record cannot be read: nothing has been written.
    pub async fn change_storyline(
        &self,
        id: &StorylineId,
        writer: &impl Writer,
        change: impl FnOnce(&mut Storyline),
    ) -> Stored<Changed> {
        thread_local!(static WRITING: Cell<bool> = const { Cell::new(false) });
        let (store, tabs) = (&*self.ports.store, &*self.ports.tabs);
        let mut borrowed = false;
        let (loaded, _alone): (Stored<Option<Storyline>>, _) = loop {
            while writer.is_playing() || WRITING.get() {
                self.ports.clock.sleep(LOOK).await;
            }
            // The reader may have gone to another story while this one's turn came to its end.
            if !tabs.owns(id.as_str()) {
                borrowed = writer.acquire().await;
                if !borrowed {
                    return Ok(Changed::Elsewhere);
                }
            }
            if writer.is_playing() || WRITING.replace(true) {
                continue;
            }
            let alone = writer.alone().await;
            // Meanwhile it may have been let go of, or taken over.
            if !tabs.owns(id.as_str()) {
                WRITING.set(false);
                continue;
            }
            let loaded = store.load(id.as_str()).await;
            if !writer.is_playing() {
                break (loaded, alone);
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
        if borrowed && !writer.stays() {
            writer.release();
        }
        if written == Ok(Changed::Stored) {
            tabs.announce(id.as_str());
        }
        written
    }
}
