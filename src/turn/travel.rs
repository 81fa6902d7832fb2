//! Going about in the tree: to any place of it, on from any turn, from a reworded turn; and names of turns.
//!
//! Nothing but the head moves. Persona, plot, world and what is recalled follow, since all of them hang on the tree.

use std::collections::HashMap;

use super::{edit::missing, event, landmarks, play::Conductor, scene};
use crate::{
    store::Batch,
    story::{
        fault::{Fault, FaultKind},
        generation::{Generation, Status},
        ids::{BranchId, GenerationId, StorylineId, TurnId},
        storyline::Storyline,
        tree::{Branch, Fork, Head, Path},
        turn::Turn,
    },
};

/// How a place comes to be the end of the path.
pub(super) struct Way {
    pub head: Head,
    /// What has to be written for it: a branch that holds nothing but the choice of a reply, or the turn that chooses it.
    pub batch: Batch,
}

impl Conductor {
    /// Makes a place the end of the path: what is said next goes on from there, and what follows it stays.
    ///
    /// # Errors
    /// There is no such place, another tab writes this story, or the store failed: the head is as before.
    pub async fn move_to(&self, id: &StorylineId, to: &Head) -> Result<Storyline, Fault> {
        let _alone = self.recent.settling.lock().await;
        let mut storyline = self.storyline(id).await?;
        let tree = scene::tree(&*self.ports.store, id).await?;
        let branches = &tree.alive;
        storyline.head = standing(branches, to)?;
        storyline.total_turns = storyline.head.end - 1;
        self.write(id, Batch::new().put(&storyline)).await?;
        Ok(storyline)
    }

    /// Makes a turn, as it is seen with one of its replies, the end of the path.
    ///
    /// # Errors
    /// As [`Self::move_to`].
    pub async fn move_to_reply(
        &self,
        id: &StorylineId,
        turn: &TurnId,
        reply: Option<&GenerationId>,
    ) -> Result<Storyline, Fault> {
        let _alone = self.recent.settling.lock().await;
        let mut storyline = self.storyline(id).await?;
        let Way { head, batch } = self.way_to(id, turn, reply).await?;
        storyline.total_turns = head.end - 1;
        storyline.head = head;
        self.write(id, batch.put(&storyline)).await?;
        Ok(storyline)
    }

    /// What it takes to see a turn with one of its replies as the end of the path.
    pub(super) async fn way_to(
        &self,
        id: &StorylineId,
        turn: &TurnId,
        reply: Option<&GenerationId>,
    ) -> Result<Way, Fault> {
        let store = &*self.ports.store;
        let mut turn = store.load::<Turn>(turn.as_str()).await?.ok_or_else(missing)?;
        let tree = scene::tree(store, id).await?;
        let branches = &tree.alive;
        let own = branches.get(&turn.branch).filter(|own| turn.position < own.tip()).ok_or_else(missing)?;
        let end = turn.position + 1;
        let stay = Head { branch: own.id.clone(), end };
        let Some(reply) = reply.filter(|reply| turn.chosen.as_ref() != Some(*reply)) else {
            return Ok(Way { head: stay, batch: Batch::new() });
        };
        store.load::<Generation>(reply.as_str()).await?.filter(|known| known.turn == turn.id).ok_or_else(missing)?;
        // One without turns of its own before one that has some: what is said next is then its first.
        let leaving = branches.values().filter(|branch| branch.leaves(&turn, reply));
        if let Some(leaving) = leaving.min_by_key(|branch| (branch.length, branch.created)) {
            return Ok(Way { head: Head { branch: leaving.id.clone(), end }, batch: Batch::new() });
        }
        if own.end() == end {
            turn.chosen = Some(reply.clone());
            return Ok(Way { head: stay, batch: Batch::new().put(&turn) });
        }
        let branch = self.branch_after(&turn, Some(reply.clone()));
        Ok(Way { head: Head { branch: branch.id.clone(), end }, batch: Batch::new().put(&branch) })
    }

    /// A branch without turns that goes on from a reply.
    pub(super) fn branch_after(&self, turn: &Turn, reply: Option<GenerationId>) -> Branch {
        Branch {
            id: self.ports.id(),
            storyline: turn.storyline.clone(),
            parent: Some(Fork { branch: turn.branch.clone(), position: turn.position, generation: reply }),
            first: turn.position + 1,
            created: self.ports.clock.now(),
            ..Default::default()
        }
    }

    /// Rewords the reader's input on a branch beside it; the turn there has no reply yet. Gives its id.
    ///
    /// # Errors
    /// The turn is not on the path, another tab writes this story, or the store failed: all is as before.
    pub async fn edit_user_as_branch(&self, id: &StorylineId, turn: &TurnId, text: &str) -> Result<TurnId, Fault> {
        let _alone = self.recent.settling.lock().await;
        let store = &*self.ports.store;
        let mut storyline = self.storyline(id).await?;
        let turn = store.load::<Turn>(turn.as_str()).await?.ok_or_else(missing)?;
        let path = scene::path(store, &storyline).await?;
        if turn.position == 0 || !path.contains(&turn.branch, turn.position) {
            return Err(missing());
        }
        let before = scene::window(store, &path, turn.position - 1, turn.position).await?.pop().ok_or_else(missing)?;
        let seen = before.reply().map(|reply| reply.id.clone());
        let mut branch = Branch { length: 1, ..self.branch_after(&before.turn, seen) };
        // Who hears it, comes or goes does not change with the words.
        let tree = scene::tree(store, id).await?;
        let own = tree.alive.get(&turn.branch).into_iter().flat_map(|own| &own.company);
        branch.company.extend(own.filter(|note| note.at == turn.position).cloned());
        let reworded = Turn {
            id: self.ports.id(),
            storyline: id.clone(),
            branch: branch.id.clone(),
            position: turn.position,
            session: turn.session,
            user: Some(text.to_owned()),
            heard_by: turn.heard_by,
            is_stage: turn.is_stage,
            created: self.ports.clock.now(),
            ..Default::default()
        };
        storyline.head = Head { branch: branch.id.clone(), end: branch.end() };
        storyline.total_turns = storyline.head.end - 1;
        storyline.last_active = reworded.created;
        self.write(id, Batch::new().put(&branch).put(&reworded).put(&storyline)).await?;
        Ok(reworded.id)
    }

    /// Rewords a reply as another reply to its turn, which becomes the end of the path. What was changed by hand at the
    /// one is changed at the other too.
    ///
    /// # Errors
    /// The reply is still being written, another tab writes this story, or the store failed: all is as before.
    pub async fn edit_reply_as_branch(&self, reply: &GenerationId, text: &str) -> Result<GenerationId, Fault> {
        let _alone = self.recent.settling.lock().await;
        let store = &*self.ports.store;
        let old = store.load::<Generation>(reply.as_str()).await?.ok_or_else(missing)?;
        if old.open.is_some() {
            return Err(Fault::new(FaultKind::StorageFailed, "the reply is still being written"));
        }
        let mut storyline = self.storyline(&old.storyline).await?;
        let mut turn = store.load::<Turn>(old.turn.as_str()).await?.ok_or_else(missing)?;
        let tree = scene::tree(store, &storyline.id).await?;
        let branches = &tree.alive;
        let own = branches.get(&turn.branch).ok_or_else(missing)?;
        let path = scene::path_to(store, &old).await?;
        let now = self.ports.clock.now();
        let mut reworded = Generation {
            id: self.ports.id(),
            text: text.to_owned(),
            status: if text.trim().is_empty() { Status::Empty } else { Status::Done },
            fault: None,
            started: now,
            first_text: None,
            finished: Some(now),
            // Nobody was asked for it, and nobody counted it.
            usage: None,
            prompt: None,
            finish: None,
            edits: Vec::new(),
            state: Some(scene::state_before(store, &storyline, &path, old.position).await?),
            ..old
        };
        reworded.forget_spent();
        let state = scene::settle(&self.ports, &storyline, &mut reworded).await?;
        let mut batch = event::note(store, &storyline, &reworded).await.put(&reworded);
        batch.ops.extend(landmarks::note(store, &storyline, &reworded).await?.ops);
        if let Some(state) = &state {
            batch.push(state);
        }
        let end = turn.position + 1;
        storyline.head = if own.end() == end {
            turn.chosen = Some(reworded.id.clone());
            batch.push(&turn);
            Head { branch: own.id.clone(), end }
        } else {
            let branch = self.branch_after(&turn, Some(reworded.id.clone()));
            batch.push(&branch);
            Head { branch: branch.id, end }
        };
        storyline.total_turns = turn.position;
        storyline.last_active = now;
        batch.push(&storyline);
        self.write(&storyline.id, batch).await?;
        Ok(reworded.id)
    }

    /// Gives a turn a name, or takes it away with an empty one.
    ///
    /// # Errors
    /// The turn is gone, another tab writes this story, or the store failed: the name is as before.
    pub async fn name_turn(&self, turn: &TurnId, name: &str) -> Result<Turn, Fault> {
        let _alone = self.recent.settling.lock().await;
        let store = &*self.ports.store;
        let mut turn = store.load::<Turn>(turn.as_str()).await?.ok_or_else(missing)?;
        let mut branch = store.load::<Branch>(turn.branch.as_str()).await?.ok_or_else(missing)?;
        turn.name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        branch.named.retain(|named| *named != turn.id);
        if turn.name.is_some() {
            branch.named.push(turn.id.clone());
        }
        self.write(&turn.storyline.clone(), Batch::new().put(&turn).put(&branch)).await?;
        Ok(turn)
    }
}

/// A place by the branch that holds its last turn; of one right at a fork, the branch that picks the reply there.
fn standing(branches: &HashMap<BranchId, Branch>, to: &Head) -> Result<Head, Fault> {
    Path::of(branches, to).map_err(|_| missing())?;
    let mut at = branches.get(&to.branch).ok_or_else(missing)?;
    if to.end == 0 || to.end > at.tip() {
        return Err(missing());
    }
    while to.end < at.first {
        let fork = at.parent.as_ref().ok_or_else(missing)?;
        at = branches.get(&fork.branch).ok_or_else(missing)?;
    }
    Ok(Head { branch: at.id.clone(), end: to.end })
}
