//! What was heard and is not taken in yet: what waits from before, and what has just come. What has just come is written down
//! only where it has to wait.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashSet},
};

use super::{
    books::{self, Waiting},
    fact::Fact,
};
use crate::{
    ports::Store,
    store::{Batch, Durability, Op, Stored, Table},
};

/// Facts that one commit writes down.
const PIECE: usize = 400;

pub struct Inbox<'a> {
    store: &'a dyn Store,
    /// Ids of those that are written down.
    written: RefCell<HashSet<String>>,
    /// What has just come and is neither taken in nor written down.
    fresh: RefCell<BTreeMap<String, Fact>>,
}

impl<'a> Inbox<'a> {
    /// With all that is in it.
    ///
    /// # Errors
    /// The store failed; so everywhere here.
    pub async fn open(store: &'a dyn Store, mut fresh: BTreeMap<String, Fact>) -> Stored<(Self, Vec<Fact>)> {
        let mut facts = Vec::new();
        let mut written = HashSet::new();
        for Waiting { id, fact } in books::waiting(store).await? {
            written.insert(id);
            match fresh.contains_key(&fact.of) {
                true => fact.join_to(&mut fresh),
                false => facts.push(fact),
            }
        }
        facts.extend(fresh.values().cloned());
        Ok((Self { store, written: RefCell::new(written), fresh: RefCell::new(fresh) }, facts))
    }

    /// Commits what was made of facts: those whose notes it deletes are done with, those that it writes down wait as it says.
    /// That it belongs to the books keeps it from counting as changed here.
    pub async fn commit(&self, mut batch: Batch) -> Stored<()> {
        let done: Vec<String> = batch.ops.iter().filter_map(|op| waiting(op).map(str::to_owned)).collect();
        let is_written = |op: &Op| waiting(op).is_none_or(|id| self.written.borrow().contains(id));
        batch.ops.retain(|op| matches!(op, Op::Put(..)) || is_written(op));
        let puts: Vec<_> = batch.ops.iter().filter(|op| matches!(op, Op::Put(..))).filter_map(waiting).collect();
        let puts: HashSet<String> = puts.into_iter().map(str::to_owned).collect();
        if !batch.ops.is_empty() {
            if batch.ops.iter().all(|op| op.place().0 != Table::Sync) {
                batch.ops.push(Op::Delete(Table::Sync, Waiting::id("")));
            }
            // It may be lost with what comes after it: that a pack was heard is written behind it, and it is heard once more.
            self.store.commit(Batch { durability: Durability::Relaxed, ..batch }).await?;
        }
        for id in done {
            self.fresh.borrow_mut().remove(Waiting::of(&id));
            match puts.contains(&id) {
                true => self.written.borrow_mut().insert(id),
                false => self.written.borrow_mut().remove(&id),
            };
        }
        Ok(())
    }

    /// Writes down what has to wait.
    pub async fn close(self) -> Stored<()> {
        let fresh: Vec<_> = self.fresh.into_inner().into_values().collect();
        for some in fresh.chunks(PIECE) {
            let mut batch = Batch::new();
            some.iter().for_each(|fact| batch.push(&Waiting::new(fact.clone())));
            self.store.commit(batch).await?;
        }
        Ok(())
    }
}

/// The id of the note that a change is of, if it is of one.
fn waiting(op: &Op) -> Option<&str> {
    let (table, id) = op.place();
    (table == Table::Sync && !Waiting::of(id).is_empty()).then_some(id)
}
