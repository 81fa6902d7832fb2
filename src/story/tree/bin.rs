//! The branches of a storyline: what lies in the bin, and what is left without it.

use std::collections::{HashMap, HashSet};

use super::{Branch, Fork, Head};
use crate::story::{Millis, ids::BranchId, order};

/// What the reader deleted: a branch, or the turns at the end of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    pub branch: BranchId,
    /// Position of its first turn.
    pub first: u32,
    /// Turns of this branch; those of the branches that leave it are not counted.
    pub length: u32,
    /// The branch itself stays, with the turns before.
    pub is_cut: bool,
    pub deleted: Millis,
}

/// The branches of a storyline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// Those that neither lie in the bin nor hang on what does.
    pub alive: HashMap<BranchId, Branch>,
    /// What lies in the bin and hangs on what is still there, the newest deletion first.
    pub in_bin: Vec<Gone>,
}

impl Tree {
    pub fn of(all: Vec<Branch>) -> Self {
        let whole = |branch: &Branch| {
            let (first, deleted) = (branch.first, branch.deleted?);
            // What was cut from it before does not come back with it.
            let length = branch.tip().saturating_sub(first);
            let gone = Gone { branch: branch.id.clone(), first, length, is_cut: false, deleted };
            Some((branch.parent.clone()?, gone))
        };
        let whole: Vec<_> = all.iter().filter_map(whole).collect();
        let alive = alive(all);
        let still_there = |fork: &Fork| alive.get(&fork.branch).is_some_and(|parent| !parent.is_cut(fork.position));
        let whole = whole.into_iter().filter(|(fork, _)| still_there(fork)).map(|(_, gone)| gone);
        // Of cuts within each other the outermost comes back first.
        let outermost = |branch: &Branch| {
            let cut = branch.cuts.iter().min_by_key(|cut| cut.at)?;
            let outer = branch.cuts.iter().map(|cut| cut.at).filter(|at| *at > branch.tip()).min();
            let length = outer.unwrap_or(branch.end()).saturating_sub(branch.tip());
            Some(Gone { branch: branch.id.clone(), first: cut.at, length, is_cut: true, deleted: cut.deleted })
        };
        let mut in_bin: Vec<_> = whole.chain(alive.values().filter_map(outermost)).collect();
        order::by(&mut in_bin, |a, b| (b.deleted, &a.branch).cmp(&(a.deleted, &b.branch)));
        Self { alive, in_bin }
    }
}

/// Of these branches, those that neither lie in the bin nor hang on what does.
pub fn alive(branches: Vec<Branch>) -> HashMap<BranchId, Branch> {
    let mut all: HashMap<_, _> = branches.into_iter().map(|branch| (branch.id.clone(), branch)).collect();
    let on_a_cut = |fork: &Fork| all.get(&fork.branch).is_some_and(|parent| parent.is_cut(fork.position));
    let is_gone = |branch: &&Branch| branch.deleted.is_some() || branch.parent.as_ref().is_some_and(on_a_cut);
    let gone = all.values().filter(is_gone).map(|branch| branch.id.clone()).collect();
    for id in with_descendants(&all, gone) {
        all.remove(&id);
    }
    all
}

/// What is called the branch of a place: the turns of its branch after the last fork before the place. Gives the
/// position of the first of them; it is that of the branch where nothing leaves it before the place.
pub fn limb(branches: &HashMap<BranchId, Branch>, at: &Head) -> Option<u32> {
    let own = branches.get(&at.branch)?;
    let forks = branches.values().filter_map(|branch| branch.parent.as_ref());
    let forks = forks.filter(|fork| fork.branch == own.id).map(|fork| fork.position + 1);
    let last = forks.filter(|after| (own.first + 1..at.end).contains(after)).max();
    last.or(own.parent.as_ref().map(|_| own.first))
}

/// These branches and all that hang on them.
pub fn with_descendants(branches: &HashMap<BranchId, Branch>, of: Vec<BranchId>) -> Vec<BranchId> {
    if of.is_empty() {
        return of;
    }
    let mut children: HashMap<&BranchId, Vec<&BranchId>> = HashMap::new();
    for branch in branches.values() {
        if let Some(fork) = &branch.parent {
            children.entry(&fork.branch).or_default().push(&branch.id);
        }
    }
    let (mut found, mut known) = (of.clone(), HashSet::<BranchId>::from_iter(of));
    let mut next = 0;
    while next < found.len() {
        for child in children.get(&found[next]).into_iter().flatten() {
            if known.insert((*child).clone()) {
                found.push((*child).clone());
            }
        }
        next += 1;
    }
    found
}
