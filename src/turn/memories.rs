//! What the reader changes in the memories by hand. One strict commit each, which notes for the index what it has to
//! take in.

use super::{play::Conductor, scene};
use crate::{
    store::Batch,
    story::{
        fault::{Fault, FaultKind},
        ids::{MemoryId, StorylineId},
        memory::{Kind, Memory},
    },
};

/// A change to one memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Word { text: String, detail: String },
    Pin(bool),
    Hide(bool),
}

impl Conductor {
    /// Writes a note. It hangs on the turn at the head, whatever reply is seen there.
    ///
    /// # Errors
    /// Another tab writes this story, or the store failed: nothing was written.
    pub async fn write_memory(&self, id: &StorylineId, text: &str, detail: &str) -> Result<Memory, Fault> {
        let _alone = self.recent.settling.lock().await;
        let storyline = self.storyline(id).await?;
        let path = scene::path(&*self.ports.store, &storyline).await?;
        let position = path.end.saturating_sub(1);
        let now = self.ports.clock.now();
        let note = Memory {
            id: self.ports.id(),
            storyline: id.clone(),
            session: storyline.current_session,
            kind: Kind::Note,
            branch: path.branch_at(position).map_or(storyline.head.branch, |span| span.branch.clone()),
            position,
            turns: (position, position),
            text: text.trim().to_owned(),
            detail: detail.trim().to_owned(),
            created: now,
            updated: now,
            ..Default::default()
        };
        self.keep(id, Batch::new().put(&note)).await?;
        Ok(note)
    }

    /// Words a memory anew, pins it or hides it. Gives it as it is now.
    ///
    /// # Errors
    /// As [`Self::write_memory`]; or it is not there any more.
    pub async fn change_memory(&self, id: &MemoryId, change: Change) -> Result<Memory, Fault> {
        let _alone = self.recent.settling.lock().await;
        let mut memory = self.memory(id).await?;
        match change {
            Change::Word { text, detail } => {
                memory.text = text.trim().to_owned();
                memory.detail = detail.trim().to_owned();
                memory.worded = true;
            }
            Change::Pin(pinned) => memory.pinned = pinned,
            Change::Hide(hidden) => memory.hidden = hidden,
        }
        memory.updated = self.ports.clock.now();
        self.keep(&memory.storyline, Batch::new().put(&memory)).await?;
        Ok(memory)
    }

    /// Deletes a memory, and gives it back for [`Self::restore_memory`].
    ///
    /// # Errors
    /// As [`Self::change_memory`].
    pub async fn delete_memory(&self, id: &MemoryId) -> Result<Memory, Fault> {
        let _alone = self.recent.settling.lock().await;
        let memory = self.memory(id).await?;
        self.keep(&memory.storyline, Batch::new().remove(&memory)).await?;
        Ok(memory)
    }

    /// Puts a deleted memory back as it was.
    ///
    /// # Errors
    /// As [`Self::write_memory`].
    pub async fn restore_memory(&self, memory: &Memory) -> Result<(), Fault> {
        self.keep(&memory.storyline, Batch::new().put(memory)).await
    }

    async fn memory(&self, id: &MemoryId) -> Result<Memory, Fault> {
        let missing = || Fault::new(FaultKind::StorageFailed, "it is not there any more");
        self.ports.store.load::<Memory>(id.as_str()).await?.ok_or_else(missing)
    }

    async fn keep(&self, storyline: &StorylineId, batch: Batch) -> Result<(), Fault> {
        if !self.ports.tabs.owns(storyline.as_str()) {
            return Err(Fault::new(FaultKind::TakenOver, ""));
        }
        self.ports.store.commit(batch).await?;
        self.ports.tabs.announce(storyline.as_str());
        Ok(())
    }
}
