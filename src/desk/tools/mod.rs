//! The reader's tools: sets of regex scripts and of quick replies.

mod draft;
pub mod quick;

pub use self::draft::{DraftFault, Readers, ScriptDraft, depth, script_fault};

use std::collections::HashSet;

use super::{Desk, Stored};
use crate::{
    ports::Ports,
    store::{Batch, Query, Record, Table},
    story::{order, quick::QuickSet, script::ScriptSet},
    turn::scripts,
};

/// By which tabs tell each other that sets have changed: all of them are read anew.
pub const CHANGED: &str = "tools";

impl Desk {
    /// In the order in which they run.
    ///
    /// # Errors
    /// The store failed.
    pub async fn script_sets(&self) -> Stored<Vec<ScriptSet>> {
        scripts::sets(&*self.ports.store).await
    }

    /// In the order in which they stand above the composer.
    ///
    /// # Errors
    /// The store failed.
    pub async fn quick_sets(&self) -> Stored<Vec<QuickSet>> {
        let mut sets: Vec<QuickSet> = self.ports.store.list(Query::all(Table::QuickReplies)).await?;
        order::by_key(&mut sets, |set| (set.created, set.id.clone()));
        Ok(sets)
    }

    /// Writes a new set, and tells the other tabs.
    ///
    /// # Errors
    /// The store failed.
    pub async fn put_set<R: Record>(&self, set: &R) -> Stored<()> {
        self.ports.store.save(set).await?;
        self.ports.tabs.announce(CHANGED);
        Ok(())
    }

    /// Changes a set as it is by now, and tells the other tabs.
    ///
    /// # Errors
    /// The store failed, or what is there cannot be read: the set is as it was.
    pub async fn amend_set<R: Record>(&self, id: &str, change: impl FnOnce(&mut R)) -> Stored<()> {
        self.ports.store.amend::<R>(id, change).await?;
        self.ports.tabs.announce(CHANGED);
        Ok(())
    }

    /// Deletes a set, and tells the other tabs.
    ///
    /// # Errors
    /// The store failed.
    pub async fn delete_set<R: Record>(&self, id: &str) -> Stored<()> {
        self.ports.store.commit(Batch::new().delete(R::TABLE, id)).await?;
        self.ports.tabs.announce(CHANGED);
        Ok(())
    }
}

/// Scripts of a set have ids of their own: rows go by them.
pub fn identify(ports: &Ports, set: &mut ScriptSet) {
    let mut seen = HashSet::new();
    for script in &mut set.scripts {
        if script.id.is_empty() || !seen.insert(script.id.clone()) {
            script.id = ports.id();
        }
    }
}

/// Moves an item of a list one place up or down; at its end it stays.
pub fn moved<T>(list: &mut [T], at: usize, down: bool) {
    let to = if down { at + 1 } else { at.wrapping_sub(1) };
    if at < list.len() && to < list.len() {
        list.swap(at, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_moved() {
        let after = |at, down| {
            let mut list = ["a", "b", "c"];
            moved(&mut list, at, down);
            list.concat()
        };
        assert_eq!([after(0, true), after(1, false), after(2, true)], ["bac", "bac", "abc"]);
        assert_eq!([after(0, false), after(9, true)], ["abc", "abc"]);
    }
}
