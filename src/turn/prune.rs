//! Branches that the reader deletes: in the bin for a week with all that hangs on them, and back with nothing lost.
//!
//! A branch, or the turns at the end of one, goes into the bin and comes out of it by one field of the branch's own
//! record: whoever reads the tree leaves out what lies there ([`crate::story::tree::alive`]).

use std::collections::{BTreeSet, HashMap};

use super::{bin, edit::missing, play::Conductor, scene};
use crate::{
    ports::{Pages, Ports, Store},
    store::{Batch, Query, Stored, Table},
    story::{
        Millis,
        fault::Fault,
        generation::Generation,
        ids::{BranchId, StorylineId, TurnId},
        memory::Memory,
        storyline::Storyline,
        tree::{self, Branch, Cut, Fork, Gone, Head, Tree},
        turn::Turn,
    },
};

/// Records that one commit deletes.
const BATCH: u32 = 200;

/// What was deleted just now.
#[derive(Clone, Debug, PartialEq)]
pub struct Discarded {
    pub gone: Gone,
    /// The head before, where it lay on the branch: undoing the deletion goes back there.
    pub head: Option<Head>,
}

impl Conductor {
    /// Puts the branch of a place ([`tree::limb`]) into the bin, with the branches that leave it. A head on one of them
    /// moves to the turn before, in the same commit.
    ///
    /// # Errors
    /// The place lies before all forks of the story, which goes with its storyline alone; it is not there; another tab
    /// writes this story; or the store failed. Then all is as before.
    pub async fn discard_branch(&self, id: &StorylineId, at: &Head) -> Result<Discarded, Fault> {
        let _alone = self.recent.settling.lock().await;
        let tree = scene::tree(&*self.ports.store, id).await?;
        let first = tree::limb(&tree.alive, at).ok_or_else(missing)?;
        self.discard(id, &tree, &at.branch, first, None).await
    }

    /// Puts a turn into the bin, with all that comes after it: the story is where it was before that turn.
    ///
    /// # Errors
    /// It is the opening, or it is gone; another tab writes this story; or the store failed. Then all is as before.
    pub async fn discard_from(&self, turn: &TurnId) -> Result<Discarded, Fault> {
        let _alone = self.recent.settling.lock().await;
        let turn = self.ports.store.load::<Turn>(turn.as_str()).await?.ok_or_else(missing)?;
        let tree = scene::tree(&*self.ports.store, &turn.storyline).await?;
        if turn.position == 0 {
            return Err(missing());
        }
        // The first turn of a branch may follow another reply than the one that its place shows elsewhere: that choice stays.
        let branch = tree.alive.get(&turn.branch).filter(|branch| branch.first == turn.position);
        let choice = match branch.and_then(|branch| branch.parent.as_ref()) {
            Some(fork) if fork.generation.is_some() => {
                let known = || tree.alive.values().find(|other| chooses_the_same(other, fork)).cloned();
                let chosen = || fork.generation.clone();
                let before = self.turn_at(fork).await?.filter(|before| before.chosen != fork.generation);
                before.map(|before| known().unwrap_or_else(|| self.branch_after(&before, chosen())))
            }
            _ => None,
        };
        self.discard(&turn.storyline, &tree, &turn.branch, turn.position, choice).await
    }

    /// The turn that a branch goes on from.
    async fn turn_at(&self, fork: &Fork) -> Result<Option<Turn>, Fault> {
        let place = Query::equal(Table::Turns, "place", (fork.branch.as_str(), fork.position));
        Ok(self.ports.store.list::<Turn>(place).await?.into_iter().next())
    }

    /// The turns of a branch from a position on, which is behind its first or is that. A head that goes with them goes to
    /// where they began, and there stands on the branch that chooses the reply, where one is needed.
    async fn discard(
        &self,
        id: &StorylineId,
        tree: &Tree,
        of: &BranchId,
        first: u32,
        choice: Option<Branch>,
    ) -> Result<Discarded, Fault> {
        let mut storyline = self.storyline(id).await?;
        let branches = &tree.alive;
        let mut branch = branches.get(of).cloned().ok_or_else(missing)?;
        let deleted = self.ports.clock.now();
        let is_cut = first > branch.first;
        // Pressed twice, it is done once.
        if is_cut && first >= branch.tip() {
            return Err(missing());
        }
        let (stays, leaving) = match (&branch.parent, is_cut) {
            (_, true) => (Head { branch: branch.id.clone(), end: first }, leaving(branches, &branch, first)),
            (Some(fork), false) => {
                (Head { branch: fork.branch.clone(), end: fork.position + 1 }, vec![branch.id.clone()])
            }
            (None, false) => return Err(missing()),
        };
        let gone = Gone { branch: branch.id.clone(), first, length: branch.tip() - first, is_cut, deleted };
        if is_cut {
            branch.cuts.push(Cut { at: first, deleted });
        } else {
            branch.deleted = Some(deleted);
        }
        let mut batch = Batch::new().put(&branch);
        let here = &storyline.head;
        let goes = (is_cut && here.branch == branch.id && here.end > first)
            || tree::with_descendants(branches, leaving).contains(&here.branch);
        let head = goes.then(|| storyline.head.clone());
        if goes {
            storyline.total_turns = stays.end - 1;
            storyline.head = stays;
            if let Some(choice) = choice {
                storyline.head.branch = choice.id.clone();
                batch.push(&choice);
            }
            batch.push(&storyline);
        }
        self.write(id, batch).await?;
        Ok(Discarded { gone, head })
    }

    /// Takes a branch out of the bin, and goes back to where the head was on it.
    ///
    /// # Errors
    /// It is gone for good, another tab writes this story, or the store failed.
    pub async fn restore_branch(&self, discarded: &Discarded) -> Result<(), Fault> {
        let _alone = self.recent.settling.lock().await;
        let (store, gone) = (&*self.ports.store, &discarded.gone);
        let mut branch = store.load::<Branch>(gone.branch.as_str()).await?.ok_or_else(missing)?;
        if gone.is_cut {
            let at = branch.cuts.iter().position(|cut| cut.at == gone.first).ok_or_else(missing)?;
            branch.cuts.remove(at);
        } else {
            branch.deleted = None;
        }
        let mut batch = Batch::new().put(&branch);
        if let Some(head) = &discarded.head {
            let mut storyline = self.storyline(&branch.storyline).await?;
            // Who has gone elsewhere meanwhile stays there.
            let left = match &branch.parent {
                Some(fork) if !gone.is_cut => Head { branch: fork.branch.clone(), end: fork.position + 1 },
                _ => Head { branch: branch.id.clone(), end: gone.first },
            };
            let here = store.load::<Branch>(storyline.head.branch.as_str()).await?;
            let fork = branch.parent.as_ref().filter(|_| !gone.is_cut);
            let is_choice = here.zip(fork).is_some_and(|(here, fork)| chooses_the_same(&here, fork));
            // Turns behind the head are still in the bin where they were deleted before.
            let is_there = head.branch != branch.id || head.end <= branch.tip();
            if is_there && (left == storyline.head || is_choice) {
                storyline.head = head.clone();
                storyline.total_turns = head.end - 1;
                batch.push(&storyline);
            }
        }
        self.write(&branch.storyline.clone(), batch).await
    }

    /// What lies in the bin and hangs on what is still there, the newest first.
    ///
    /// # Errors
    /// The store failed.
    pub async fn discarded_branches(&self, id: &StorylineId) -> Result<Vec<Gone>, Fault> {
        Ok(scene::tree(&*self.ports.store, id).await?.in_bin.clone())
    }
}

/// Whether a branch is no more than the choice of the reply that another goes on from.
fn chooses_the_same(branch: &Branch, fork: &Fork) -> bool {
    branch.length == 0 && branch.parent.as_ref() == Some(fork)
}

/// The branches that leave a branch at a position or after it.
fn leaving(branches: &HashMap<BranchId, Branch>, branch: &Branch, from: u32) -> Vec<BranchId> {
    let leaves =
        |other: &&Branch| other.parent.as_ref().is_some_and(|fork| fork.branch == branch.id && fork.position >= from);
    branches.values().filter(leaves).map(|branch| branch.id.clone()).collect()
}

/// Deletes for ever the branches, and the turns at the end of one, that have been in the bin for too long. Cut short, it
/// leaves them in the bin, and the next attempt does the rest. States go with their storyline: a reply on another branch
/// may name the same one.
pub(super) async fn purge(ports: &Ports) -> Stored<()> {
    let store = &*ports.store;
    // Of all the branches few lie in the bin: only their stories are read as a whole.
    let mut stories = BTreeSet::new();
    let mut pages = Pages::new(Table::Branches);
    while let Some(docs) = pages.next(store).await? {
        let in_bin = docs.into_iter().filter(|doc| ["deleted", "cuts"].iter().any(|field| !doc.value[field].is_null()));
        stories.extend(in_bin.filter_map(|doc| Some(doc.value["storyline"].as_str()?.to_owned())));
    }
    for story in stories {
        purge_story(ports, &story).await?;
    }
    Ok(())
}

async fn purge_story(ports: &Ports, story: &str) -> Stored<()> {
    let store = &*ports.store;
    let all: Vec<Branch> = store.list(Query::equal(Table::Branches, "storyline", story)).await?;
    for branch in &all {
        if bin::is_untold(store, Table::Branches, branch.id.as_str()).await? {
            return Ok(());
        }
    }
    let all: HashMap<_, _> = all.into_iter().map(|branch| (branch.id.clone(), branch)).collect();
    let is_over = |deleted: Millis| deleted + bin::KEPT_FOR < ports.clock.now();
    let cut = |branch: &Branch| branch.cuts.iter().filter(|cut| is_over(cut.deleted)).map(|cut| cut.at).min();
    let cuts: Vec<_> = all.values().filter_map(|branch| Some((branch, cut(branch)?))).collect();
    let over = all.values().filter(|branch| branch.deleted.is_some_and(is_over)).map(|branch| branch.id.clone());
    let over = over.chain(cuts.iter().flat_map(|(branch, at)| leaving(&all, branch, *at))).collect();
    // What hangs on a branch goes before the branch.
    let over = tree::with_descendants(&all, over);
    for id in over.iter().rev() {
        if let Some(branch) = all.get(id) {
            delete_from(store, branch, branch.first).await?;
            store.commit(Batch::new().delete(Table::Branches, id.as_str())).await?;
        }
    }
    for (branch, at) in cuts.into_iter().filter(|(branch, _)| !over.contains(&branch.id)) {
        delete_from(store, branch, at).await?;
        let names: Vec<String> = branch.named.iter().map(|turn| turn.0.clone()).collect();
        let named = store.get_many(Table::Turns, &names).await?;
        let gone: Vec<_> =
            branch.named.iter().filter(|turn| named.iter().all(|doc| doc.value["id"] != turn.as_str())).collect();
        // As it is by now: another tab may play on it.
        let cut = |left: &mut Branch| {
            left.named.retain(|turn| !gone.contains(&turn));
            left.length = at.saturating_sub(branch.first);
            left.cuts.retain(|cut| cut.at < at);
            left.beads.retain(|bead| bead.position < at);
            left.swipes.retain(|position| *position < at);
            left.company.retain(|note| note.at < at);
            left.untold.retain(|turn| turn.at < at);
        };
        store.amend::<Branch>(branch.id.as_str(), cut).await?;
    }
    Ok(())
}

/// Deletes what goes with a reply.
fn without(batch: Batch, reply: &str) -> Batch {
    Table::of_reply().fold(batch, |batch, table| batch.delete(table, reply))
}

/// Deletes what hangs on a branch from a position on.
async fn delete_from(store: &dyn Store, branch: &Branch, from: u32) -> Stored<()> {
    let id = branch.id.as_str();
    let memories: Vec<Memory> =
        store.list(Query::equal(Table::Memories, "storyline", branch.storyline.as_str())).await?;
    let memories = memories.iter().filter(|memory| memory.branch == branch.id && memory.position >= from);
    store.commit(memories.fold(Batch::new(), Batch::remove)).await?;
    let place = |table| Query { limit: Some(BATCH), ..Query::between(table, "place", (id, from), (id, u32::MAX)) };
    loop {
        let replies: Vec<Generation> = store.list(place(Table::Generations)).await?;
        let turns: Vec<Turn> = store.list(place(Table::Turns)).await?;
        let batch = replies.iter().fold(Batch::new(), |batch, reply| without(batch.remove(reply), reply.id.as_str()));
        let batch = turns.iter().fold(batch, Batch::remove);
        if batch.ops.is_empty() {
            break;
        }
        store.commit(batch).await?;
    }
    // What cannot be read is not in the lists above.
    let mut rest = Batch::new();
    for table in [Table::Generations, Table::Turns] {
        for key in store.keys(Query { limit: None, ..place(table) }).await? {
            rest = if table == Table::Generations { without(rest, &key) } else { rest }.delete(table, &key);
        }
    }
    store.commit(rest).await?;
    let forget = |storyline: &mut Storyline| {
        storyline.savepoints.retain(|place| place.branch != branch.id || place.position < from);
    };
    store.amend::<Storyline>(branch.storyline.as_str(), forget).await.map(drop)
}
