//! What the records of an archive say of each other, taken in one by one.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::json;
use sha2::{Digest, Sha256};

use super::{
    damage::{Damage, Flaw},
    mend::{Mended, Mends},
    record::Typed,
    tree::{Arm, Story},
};
use crate::store::Part;
use crate::{
    exchange::refusal::Warning,
    story::{
        generation::{Generation, Status},
        ids::{BranchId, CharacterId, StateId, StorylineId},
    },
};

/// Grows with each record; small per record, since there may be millions.
#[derive(Default)]
pub(super) struct Links {
    last: Option<Part>,
    seen: HashSet<u128>,
    stories: BTreeMap<StorylineId, Story>,
    /// The branches in the order in which they came.
    branches: Vec<BranchId>,
    /// Where each turn stands: the number of its branch, and its position.
    turns: HashMap<u128, (u32, u32)>,
    /// What is wrong with stories that are not taken.
    spoilt: BTreeMap<StorylineId, Damage>,
}

/// What becomes of the stories of an archive.
#[derive(Default)]
pub(super) struct Verdict {
    /// Those that cannot be played, by id and name.
    pub broken: Vec<(StorylineId, String, Damage)>,
    pub mends: Mends,
    /// What is worth knowing of the others.
    pub warnings: Vec<Warning>,
}

/// Stands for some texts of a part: 16 bytes however long they are, and no two that anyone can find are alike.
fn print(part: Part, texts: &[&str]) -> u128 {
    let mut sha = Sha256::new();
    sha.update([part as u8]);
    for text in texts {
        sha.update((text.len() as u64).to_be_bytes());
        sha.update(text);
    }
    let hash: [u8; 32] = sha.finalize().into();
    u128::from_be_bytes(*hash.first_chunk().expect("16 of 32"))
}

impl Links {
    /// Takes note of what the next line holds.
    ///
    /// # Errors
    /// It is out of order.
    pub fn follow(&mut self, part: Part, id: &str) -> Result<(), Damage> {
        if self.last.is_some_and(|last| part < last) {
            return Err(Flaw::OutOfOrder.of(part, id));
        }
        self.last = Some(part);
        Ok(())
    }

    /// Takes a record, of the line of this number.
    ///
    /// # Errors
    /// It is there already, or hangs on something that is not there; then nothing has changed.
    pub fn admit(&mut self, part: Part, id: &str, typed: Typed, line: u64) -> Result<(), Damage> {
        let print_of_it = print(part, &[id]);
        if self.seen.contains(&print_of_it) {
            return Err(Flaw::Twice.of(part, id));
        }
        if !typed.storyline().is_some_and(|story| self.spoilt.contains_key(story)) {
            self.link(part, id, typed, line)?;
        }
        self.seen.insert(print_of_it);
        Ok(())
    }

    fn link(&mut self, part: Part, id: &str, typed: Typed, line: u64) -> Result<(), Damage> {
        let lost = || Flaw::Lost.of(part, id);
        match typed {
            Typed::Other => {}
            Typed::Storyline(storyline) => {
                self.stories.insert(storyline.id.clone(), Story::new(*storyline, line));
            }
            Typed::Branch(branch) => {
                let story = self.stories.get_mut(&branch.storyline).ok_or_else(lost)?;
                let number = self.branches.len() as u32;
                self.branches.push(branch.id.clone());
                story.arms.insert(branch.id.clone(), Arm::new(*branch, number, line));
            }
            Typed::State(state) => {
                let story = self.stories.get_mut(&state.storyline).ok_or_else(lost)?;
                story.add_state(&state);
                self.seen.insert(state_of(&state.storyline, &state.id));
            }
            Typed::Turn(turn) => {
                let story = self.stories.get_mut(&turn.storyline).ok_or_else(lost)?;
                let arm = story.arms.get_mut(&turn.branch).ok_or_else(lost)?;
                let place = place_of(&turn.branch, turn.position);
                if self.seen.contains(&place) {
                    return Err(Flaw::Taken.at(part, id, "position"));
                }
                arm.add_turn(&turn, line)?;
                let number = arm.number;
                story.add_turn(&turn);
                self.seen.insert(place);
                self.turns.insert(print(Part::Turns, &[id]), (number, turn.position));
            }
            Typed::Generation(reply) => self.add_reply(&reply).ok_or_else(lost)?,
            Typed::Account(account) => {
                let reply = print(Part::Generations, &[id]);
                let of_story = self.stories.contains_key(&account.storyline);
                (of_story && self.seen.contains(&reply)).then_some(()).ok_or_else(lost)?;
            }
            Typed::Memory(memory) => {
                let story = self.stories.get(&memory.storyline).ok_or_else(lost)?;
                story.arms.get(&memory.branch).ok_or_else(lost)?;
            }
        }
        Ok(())
    }

    /// `None`: it hangs on nothing.
    fn add_reply(&mut self, reply: &Generation) -> Option<()> {
        let (number, position) = *self.turns.get(&print(Part::Turns, &[reply.turn.as_str()]))?;
        let branch = &self.branches[number as usize];
        let story = self.stories.get_mut(&reply.storyline)?;
        story.arms.get(branch)?;
        let id = reply.id.as_str();
        if (&reply.branch, reply.position) != (branch, position) {
            story.mends.set(Part::Generations, id, "branch", json!(branch));
            story.mends.set(Part::Generations, id, "position", json!(position));
            story.note(Mended::ReplyPlace);
        }
        if reply.status == Status::Streaming || reply.open.is_some() {
            let status = if reply.status == Status::Streaming { Status::Interrupted } else { reply.status };
            story.mends.set(Part::Generations, id, "status", json!(status));
            story.mends.set(Part::Generations, id, "open", json!(null));
            story.note(Mended::Stream);
        }
        if let Some(state) = &reply.state
            && !self.seen.contains(&state_of(&reply.storyline, state))
        {
            // Without one, that of the reply before it holds.
            story.mends.set(Part::Generations, id, "state", json!(null));
            story.note(Mended::State);
        }
        Some(())
    }

    /// Gives a story up whose record is not as it should be. False: there is none of that id.
    pub fn spoil(&mut self, id: &StorylineId, part: Part, damage: Damage) -> bool {
        let is_known = part == Part::Storylines || self.stories.contains_key(id) || self.spoilt.contains_key(id);
        if is_known {
            self.spoilt.entry(id.clone()).or_insert(damage);
        }
        is_known
    }

    pub fn storylines(&self) -> usize {
        let spoilt = self.spoilt.keys().filter(|id| !self.stories.contains_key(id)).count();
        self.stories.len() + spoilt
    }

    /// Once all records are there.
    pub fn judge(&self) -> Verdict {
        let mut verdict = Verdict::default();
        for (id, damage) in &self.spoilt {
            let name = self.stories.get(id).map_or_else(|| id.0.clone(), Story::name);
            verdict.broken.push((id.clone(), name, damage.clone()));
        }
        for (id, story) in self.stories.iter().filter(|(id, _)| !self.spoilt.contains_key(id)) {
            let has_turn = |branch: &BranchId, position| self.seen.contains(&place_of(branch, position));
            let has_state = |state: &StateId| self.seen.contains(&state_of(id, state));
            let name = story.name();
            match story.judge(has_turn, has_state) {
                Err(damage) => verdict.broken.push((id.clone(), name, damage)),
                Ok((mends, mended)) => {
                    verdict.mends.extend(mends);
                    verdict.warnings.extend(mended.into_iter().map(|(what, count)| Warning::Mended {
                        storyline: name.clone(),
                        what,
                        count,
                    }));
                    // The program can say so and offer another; it is no reason to refuse.
                    let own = [story.storyline.character().clone()];
                    let cast = if story.storyline.cast.is_empty() { &own[..] } else { &story.storyline.cast };
                    let is_there = |id: &CharacterId| self.seen.contains(&print(Part::Characters, &[id.as_str()]));
                    verdict.warnings.extend(cast.iter().filter(|id| !is_there(id)).map(|character| {
                        Warning::MissingCharacter { storyline: name.clone(), character: character.0.clone() }
                    }));
                }
            }
        }
        verdict
    }
}

impl Typed {
    fn storyline(&self) -> Option<&StorylineId> {
        match self {
            Self::Other => None,
            Self::Storyline(storyline) => Some(&storyline.id),
            Self::Branch(branch) => Some(&branch.storyline),
            Self::State(state) => Some(&state.storyline),
            Self::Turn(turn) => Some(&turn.storyline),
            Self::Generation(reply) => Some(&reply.storyline),
            Self::Account(account) => Some(&account.storyline),
            Self::Memory(memory) => Some(&memory.storyline),
        }
    }
}

fn place_of(branch: &BranchId, position: u32) -> u128 {
    print(Part::Turns, &[branch.as_str(), &position.to_string()])
}

fn state_of(storyline: &StorylineId, state: &StateId) -> u128 {
    print(Part::States, &[storyline.as_str(), state.as_str()])
}
