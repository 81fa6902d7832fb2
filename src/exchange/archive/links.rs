//! What the records of an archive say of each other.

use std::collections::{BTreeMap, HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::{part::Part, record::Typed};
use crate::{
    exchange::refusal::Warning,
    story::{
        ids::{BranchId, CharacterId, StorylineId},
        tree::{Branch, BrokenTree, Head, Path},
    },
};

/// Grows with each record; small per record, since there may be millions.
#[derive(Default)]
pub(super) struct Links {
    last: Option<Part>,
    seen: HashSet<u128>,
    stories: BTreeMap<StorylineId, Story>,
}

struct Story {
    head: Head,
    character: CharacterId,
    branches: HashMap<BranchId, Branch>,
}

/// Stands for (part, id): 16 bytes however long the id is, and no two that anyone can find are alike.
pub(super) fn print(part: Part, id: &str) -> u128 {
    let mut sha = Sha256::new();
    sha.update([part as u8]);
    sha.update(id);
    let hash: [u8; 32] = sha.finalize().into();
    u128::from_be_bytes(*hash.first_chunk().expect("16 of 32"))
}

impl Links {
    /// Takes the next record.
    ///
    /// # Errors
    /// It is out of order, there already, or hangs on something that is not there; then nothing has changed.
    pub fn admit(&mut self, part: Part, id: &str, typed: &Typed) -> Result<(), String> {
        if self.last.is_some_and(|last| part < last) {
            return Err(format!("{} after their place", part.name()));
        }
        let print_of_it = print(part, id);
        if self.seen.contains(&print_of_it) {
            return Err(format!("{} {id} is there twice", part.name()));
        }
        match typed {
            Typed::Other => {}
            Typed::Storyline(storyline) => {
                let (head, character) = (storyline.head.clone(), storyline.character.clone());
                self.stories.insert(storyline.id.clone(), Story { head, character, branches: HashMap::new() });
            }
            Typed::Branch(branch) => {
                let story = self.stories.get_mut(&branch.storyline).ok_or_else(|| lost(part, id))?;
                story.branches.insert(branch.id.clone(), Branch::clone(branch));
            }
            Typed::State(state) => drop(self.story(&state.storyline).ok_or_else(|| lost(part, id))?),
            Typed::Turn(turn) => {
                let story = self.story(&turn.storyline).ok_or_else(|| lost(part, id))?;
                story.branches.get(&turn.branch).ok_or_else(|| lost(part, id))?;
            }
            Typed::Generation(generation) => {
                let story = self.story(&generation.storyline).ok_or_else(|| lost(part, id))?;
                story.branches.get(&generation.branch).ok_or_else(|| lost(part, id))?;
                if !self.seen.contains(&print(Part::Turns, generation.turn.as_str())) {
                    return Err(lost(part, id));
                }
            }
            Typed::Memory(memory) => {
                let story = self.story(&memory.storyline).ok_or_else(|| lost(part, id))?;
                story.branches.get(&memory.branch).ok_or_else(|| lost(part, id))?;
            }
        }
        self.seen.insert(print_of_it);
        self.last = Some(part);
        Ok(())
    }

    fn story(&self, id: &StorylineId) -> Option<&Story> {
        self.stories.get(id)
    }

    pub fn storylines(&self) -> usize {
        self.stories.len()
    }

    /// Storylines without their character. The program can say so and offer another; it is no reason to refuse.
    pub fn missing_characters(&self) -> impl Iterator<Item = Warning> {
        let missing = |story: &Story| !self.seen.contains(&print(Part::Characters, story.character.as_str()));
        self.stories.iter().filter(move |(_, story)| missing(story)).map(|(id, story)| Warning::MissingCharacter {
            storyline: id.0.clone(),
            character: story.character.0.clone(),
        })
    }

    /// Storylines whose branches do not all lead to a root, or whose head is nowhere.
    pub fn broken_trees(&self) -> impl Iterator<Item = (&StorylineId, BrokenTree)> {
        self.stories.iter().filter_map(|(id, story)| {
            let head = Path::of(&story.branches, &story.head).map(drop);
            head.and_then(|()| all_rooted(&story.branches)).err().map(|broken| (id, broken))
        })
    }
}

/// In one go over all branches: a path for each would take hours on a chain made for that.
fn all_rooted(branches: &HashMap<BranchId, Branch>) -> Result<(), BrokenTree> {
    let mut rooted = HashSet::new();
    for mut at in branches.keys() {
        let mut way = Vec::new();
        while !rooted.contains(at) {
            let branch =
                branches.get(at).filter(|_| way.len() < branches.len()).ok_or_else(|| BrokenTree(at.clone()))?;
            way.push(at);
            match &branch.parent {
                Some(fork) => at = &fork.branch,
                None => break,
            }
        }
        rooted.extend(way);
    }
    Ok(())
}

fn lost(part: Part, id: &str) -> String {
    format!("{} {id} hangs on nothing", part.name())
}
