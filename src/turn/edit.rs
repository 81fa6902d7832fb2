//! What the reader changes by hand: wordings, and which reply is seen. Nothing is lost by either.

use super::{event, play::Conductor, scene};
use crate::{
    store::{Batch, Query, Table},
    story::{
        fault::{Fault, FaultKind},
        generation::{Generation, Status},
        ids::{GenerationId, StorylineId, TurnId},
        storyline::Storyline,
        tree::{Branch, Fork, Head, Path},
        turn::{Edit, Turn},
    },
};

pub(super) fn missing() -> Fault {
    Fault::new(FaultKind::StorageFailed, "it is not there any more")
}

impl Conductor {
    /// Rewords the reader's input in place; the old wording is kept with the turn.
    pub async fn edit_user(&self, id: &TurnId, text: &str) -> Result<(), Fault> {
        let _alone = self.recent.settling.lock().await;
        let mut turn = self.ports.store.load::<Turn>(id.as_str()).await?.ok_or_else(missing)?;
        let old = turn.user.replace(text.to_owned()).unwrap_or_default();
        turn.edits.push(Edit { replaced: self.ports.clock.now(), text: old });
        let mut batch = Batch::new().put(&turn);
        // What is remembered of the turn quotes it.
        let store = &*self.ports.store;
        if let Some(storyline) = store.load::<Storyline>(turn.storyline.as_str()).await? {
            let place = Query::equal(Table::Generations, "place", (turn.branch.as_str(), turn.position));
            for reply in store.list::<Generation>(place).await?.iter().filter(|reply| reply.turn == turn.id) {
                batch.ops.extend(event::note_of(store, &storyline, Some(&turn), reply).await?.ops);
            }
        }
        self.write(&turn.storyline, batch).await
    }

    /// Rewords a reply in place; the old wording is kept with it. A reply that had failed counts as written by hand.
    pub async fn edit_reply(&self, id: &GenerationId, text: &str) -> Result<(), Fault> {
        let _alone = self.recent.settling.lock().await;
        let mut generation = self.ports.store.load::<Generation>(id.as_str()).await?.ok_or_else(missing)?;
        if generation.status == Status::Streaming {
            return Err(Fault::new(FaultKind::StorageFailed, "the reply is still being written"));
        }
        let old = std::mem::replace(&mut generation.text, text.to_owned());
        generation.edits.push(Edit { replaced: self.ports.clock.now(), text: old });
        generation.status = if text.trim().is_empty() { Status::Empty } else { Status::Done };
        generation.fault = None;
        generation.finish = None;
        self.write(&generation.storyline.clone(), Batch::new().put(&generation)).await
    }

    /// Shows another reply of a turn (swipe). At the tip of a branch that is a choice; where the story already went
    /// on, the path leads into the branch that continues from that reply, a new and empty one if there is none.
    pub async fn choose(&self, id: &StorylineId, turn: &TurnId, generation: &GenerationId) -> Result<Storyline, Fault> {
        let _alone = self.recent.settling.lock().await;
        let store = &*self.ports.store;
        let mut storyline = store.load::<Storyline>(id.as_str()).await?.ok_or_else(missing)?;
        let mut turn = store.load::<Turn>(turn.as_str()).await?.ok_or_else(missing)?;
        let tree = scene::tree(store, id).await?;
        let branches = &tree.alive;
        let own = branches.get(&turn.branch).filter(|own| turn.position < own.tip()).ok_or_else(missing)?;
        let at_tip = own.end() == turn.position + 1;
        let mut batch = Batch::new();
        let leaves_here = |branch: &&Branch| branch.leaves(&turn, generation);
        storyline.head = if at_tip && storyline.head.branch == own.id {
            turn.chosen = Some(generation.clone());
            batch.push(&turn);
            storyline.head
        } else if turn.chosen.as_ref() == Some(generation) {
            Head { branch: own.id.clone(), end: own.tip() }
        } else if let Some(existing) = branches.values().filter(leaves_here).max_by_key(|branch| branch.created) {
            Head { branch: existing.id.clone(), end: existing.tip() }
        } else {
            let branch = Branch {
                id: self.ports.id(),
                storyline: id.clone(),
                parent: Some(Fork {
                    branch: turn.branch.clone(),
                    position: turn.position,
                    generation: Some(generation.clone()),
                }),
                first: turn.position + 1,
                created: self.ports.clock.now(),
                ..Default::default()
            };
            batch.push(&branch);
            Head { branch: branch.id, end: turn.position + 1 }
        };
        storyline.total_turns = storyline.head.end - 1;
        batch.push(&storyline);
        self.write(id, batch).await?;
        Ok(storyline)
    }

    /// Leads the path through a turn, in one commit, where it does not go through it already: to the tip of the turn's
    /// branch. Gives the storyline as it is then.
    ///
    /// # Errors
    /// The turn is gone, another tab writes this story, or the store failed: the head is as before.
    pub async fn go_to(&self, id: &StorylineId, turn: &TurnId) -> Result<Storyline, Fault> {
        let _alone = self.recent.settling.lock().await;
        let store = &*self.ports.store;
        let mut storyline = store.load::<Storyline>(id.as_str()).await?.ok_or_else(missing)?;
        let turn = store.load::<Turn>(turn.as_str()).await?.ok_or_else(missing)?;
        if self.path(&storyline).await?.contains(&turn.branch, turn.position) {
            return Ok(storyline);
        }
        let tree = scene::tree(store, id).await?;
        let branches = &tree.alive;
        let own = branches.get(&turn.branch).filter(|own| turn.position < own.tip()).ok_or_else(missing)?;
        storyline.head = Head { branch: own.id.clone(), end: own.tip() };
        storyline.total_turns = storyline.head.end - 1;
        self.write(id, Batch::new().put(&storyline)).await?;
        Ok(storyline)
    }

    /// Leads the path through a reply.
    ///
    /// # Errors
    /// As [`Self::go_to`].
    pub async fn go_to_reply(&self, id: &StorylineId, turn: &TurnId, reply: &GenerationId) -> Result<Storyline, Fault> {
        let storyline = self.go_to(id, turn).await?;
        let stored = self.ports.store.load::<Turn>(turn.as_str()).await?.ok_or_else(missing)?;
        if self.path(&storyline).await?.generation_of(&stored).is_none_or(|seen| seen == reply) {
            return Ok(storyline);
        }
        self.choose(id, turn, reply).await
    }

    pub(super) async fn write(&self, storyline: &StorylineId, batch: Batch) -> Result<(), Fault> {
        if !self.ports.tabs.owns(storyline.as_str()) {
            return Err(Fault::new(FaultKind::TakenOver, ""));
        }
        self.ports.store.commit(batch).await?;
        self.ports.tabs.announce(storyline.as_str());
        Ok(())
    }

    /// The path to the head.
    pub async fn path(&self, storyline: &Storyline) -> Result<Path, Fault> {
        Ok(scene::path(&*self.ports.store, storyline).await?)
    }
}
