//! Decides what becomes of what a file has: of each storyline, and of each thing that belongs to the library.

use std::collections::{BTreeMap, BTreeSet};

use super::inventory::Inventory;
use crate::{store::Part, story::ids::StorylineId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Merge,
    Copy,
}

/// What becomes of a storyline of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The library has none of this id.
    Add,
    /// Becomes one with the library's.
    Merge,
    /// Gets fresh ids.
    Copy,
    /// Its tree is broken.
    LeaveOut,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub storylines: BTreeMap<String, Fate>,
    /// Storylines that were to be merged, but went on differently at one place: the reader should know.
    pub diverged: Vec<StorylineId>,
    /// Things that the library has under this id (an equal one; in a copy).
    pub(super) reused: BTreeMap<(Part, String), String>,
    /// Those that get a fresh id.
    pub(super) copied: BTreeSet<(Part, String)>,
}

impl Plan {
    /// `broken` are the storylines that the file's summary names.
    pub fn new(mode: Mode, file: &Inventory, library: &Inventory, broken: &[StorylineId]) -> Self {
        let mut plan =
            Self { storylines: BTreeMap::new(), diverged: vec![], reused: BTreeMap::new(), copied: BTreeSet::new() };
        for (id, tree) in &file.storylines {
            let fate = match library.storylines.get(id) {
                _ if broken.iter().any(|broken| broken.as_str() == id) => Fate::LeaveOut,
                _ if mode == Mode::Copy => Fate::Copy,
                None => Fate::Add,
                Some(there) if tree.diverges_from(there) => {
                    plan.diverged.push(id.as_str().into());
                    Fate::Copy
                }
                Some(_) => Fate::Merge,
            };
            plan.storylines.insert(id.clone(), fate);
        }
        if mode == Mode::Copy {
            let there: BTreeMap<_, _> = library.likenesses().collect();
            let equals: BTreeMap<_, _> = there.iter().map(|((part, id), like)| ((*part, *like), id)).collect();
            for (key @ (part, id), like) in file.likenesses() {
                let same_id = there.get(key).is_some_and(|there| *there == like);
                match equals.get(&(*part, like)) {
                    Some(equal) => {
                        let equal = if same_id { id } else { *equal };
                        plan.reused.insert(key.clone(), equal.clone());
                    }
                    None => drop(plan.copied.insert(key.clone())),
                }
            }
        }
        plan
    }
}
