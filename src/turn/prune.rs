//! Branches that the reader deletes: in the bin for a week with all that hangs on them, and back with nothing lost.
//!
//! A branch goes into the bin and comes out of it by one field of its own record: whoever reads the tree leaves out what
//! lies there ([`crate::story::tree::alive`]).

use super::{bin, edit::missing, play::Conductor, scene};
use crate::{
    ports::{Batch, Op, Ports, Query, Store, Stored, Table},
    story::{
        fault::Fault,
        generation::Generation,
        ids::{BranchId, StorylineId},
        memory::Memory,
        storyline::Storyline,
        tree::{self, Branch, Head},
        turn::Turn,
    },
};

/// Records that one commit deletes.
const BATCH: u32 = 200;

/// A branch in the bin.
#[derive(Clone, Debug, PartialEq)]
pub struct Discarded {
    pub branch: Branch,
    /// The head before, where it lay on the branch: undoing the deletion goes back there.
    pub head: Option<Head>,
}

impl Conductor {
    /// Puts a branch into the bin, with the branches that leave it. A head on one of them moves to the turn that the
    /// branch leaves, in the same commit.
    ///
    /// # Errors
    /// It is the root, which goes with its storyline alone; it is not there; another tab writes this story; or the store
    /// failed. Then all is as before.
    pub async fn discard_branch(&self, id: &StorylineId, branch: &BranchId) -> Result<Discarded, Fault> {
        let mut storyline = self.storyline(id).await?;
        let branches = scene::branches(&*self.ports.store, id).await?;
        let mut branch = branches.get(branch).cloned().ok_or_else(missing)?;
        let fork = branch.parent.clone().ok_or_else(missing)?;
        branch.deleted = Some(self.ports.clock.now());
        let mut batch = Batch::new().put(&branch);
        let going = tree::with_descendants(&branches, vec![branch.id.clone()]);
        let head = going.contains(&storyline.head.branch).then(|| storyline.head.clone());
        if head.is_some() {
            storyline.head = Head { branch: fork.branch, end: fork.position + 1 };
            storyline.total_turns = fork.position;
            batch.push(&storyline);
        }
        self.write(id, batch).await?;
        Ok(Discarded { branch, head })
    }

    /// Takes a branch out of the bin, and goes back to where the head was on it.
    ///
    /// # Errors
    /// It is gone for good, another tab writes this story, or the store failed.
    pub async fn restore_branch(&self, discarded: &Discarded) -> Result<(), Fault> {
        let store = &*self.ports.store;
        let mut branch = store.load::<Branch>(discarded.branch.id.as_str()).await?.ok_or_else(missing)?;
        branch.deleted = None;
        let mut batch = Batch::new().put(&branch);
        if let Some(head) = &discarded.head {
            let mut storyline = self.storyline(&branch.storyline).await?;
            // Who has gone elsewhere meanwhile stays there.
            let left = branch.parent.as_ref().map(|fork| Head { branch: fork.branch.clone(), end: fork.position + 1 });
            if left.as_ref() == Some(&storyline.head) {
                storyline.head = head.clone();
                storyline.total_turns = head.end - 1;
                batch.push(&storyline);
            }
        }
        self.write(&branch.storyline.clone(), batch).await
    }

    /// The branches in the bin that hang on what is still there, the newest first.
    ///
    /// # Errors
    /// The store failed.
    pub async fn discarded_branches(&self, id: &StorylineId) -> Result<Vec<Branch>, Fault> {
        let store = &*self.ports.store;
        let all: Vec<Branch> = store.list(Query::equal(Table::Branches, "storyline", id.as_str())).await?;
        Ok(tree::parted(all).1)
    }
}

/// Deletes for ever the branches that have been in the bin for too long. Cut short, it leaves them in the bin, and the
/// next attempt does the rest. States go with their storyline: a reply on another branch may name the same one.
pub(super) async fn purge(ports: &Ports) -> Stored<()> {
    let store = &*ports.store;
    let all: Vec<Branch> = store.list(Query::all(Table::Branches)).await?;
    let all: std::collections::HashMap<_, _> = all.into_iter().map(|branch| (branch.id.clone(), branch)).collect();
    let over = |branch: &&Branch| branch.deleted.is_some_and(|at| at + bin::KEPT_FOR < ports.clock.now());
    let over: Vec<BranchId> = all.values().filter(over).map(|branch| branch.id.clone()).collect();
    // What hangs on a branch goes before the branch.
    for id in tree::with_descendants(&all, over).into_iter().rev() {
        if let Some(branch) = all.get(&id) {
            delete_forever(store, branch).await?;
        }
    }
    Ok(())
}

async fn delete_forever(store: &dyn Store, branch: &Branch) -> Stored<()> {
    let id = branch.id.as_str();
    let memories: Vec<Memory> =
        store.list(Query::equal(Table::Memories, "storyline", branch.storyline.as_str())).await?;
    let memories = memories.iter().filter(|memory| memory.branch == branch.id);
    store.commit(memories.fold(Batch::new(), Batch::remove)).await?;
    let place = |table| Query { limit: Some(BATCH), ..Query::between(table, "place", (id, 0), (id, u32::MAX)) };
    loop {
        let replies: Vec<Generation> = store.list(place(Table::Generations)).await?;
        let turns: Vec<Turn> = store.list(place(Table::Turns)).await?;
        let batch = replies.iter().fold(Batch::new(), Batch::remove);
        let batch = turns.iter().fold(batch, Batch::remove);
        if batch.ops.is_empty() {
            break;
        }
        store.commit(batch).await?;
    }
    // What cannot be read is not in the lists above.
    let mut rest = Batch::new();
    for table in [Table::Generations, Table::Turns] {
        let keys = store.keys(Query { limit: None, ..place(table) }).await?;
        rest.ops.extend(keys.into_iter().map(|key| Op::Delete(table, key)));
    }
    if let Some(mut storyline) = store.load::<Storyline>(branch.storyline.as_str()).await? {
        let before = storyline.savepoints.len();
        storyline.savepoints.retain(|place| place.branch != branch.id);
        if storyline.savepoints.len() < before {
            rest.push(&storyline);
        }
    }
    store.commit(rest.delete(Table::Branches, id)).await
}
