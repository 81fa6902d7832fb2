//! Whether a story can be played, once all its records are there: its tree, its head, its session, its first state.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::json;

use super::{
    damage::{Damage, Flaw},
    mend::{Mended, Mends},
};
use crate::store::Part;
use crate::story::{
    Millis,
    ids::{BranchId, SessionId, StateId, TurnId},
    state::State,
    storyline::{Session, Storyline},
    tree::{self, Branch, Head},
    turn::Turn,
};

/// Turns that a branch may lack in its midst. A store that is damaged lacks some, and the story goes on without them; of
/// one that lacks more, the numbers are wrong.
const LACKS_AT_MOST: u32 = 1_000;

pub(super) struct Story {
    /// Without what is told of it elsewhere.
    pub storyline: Storyline,
    pub arms: BTreeMap<BranchId, Arm>,
    /// What was mended so far, and how often.
    pub mends: Mends,
    mended: BTreeMap<Mended, u64>,
    oldest_state: Option<(Millis, StateId)>,
    newest_turn: Option<(Millis, TurnId, SessionId)>,
    line: u64,
}

/// A branch, and the turns that stand on it.
pub(super) struct Arm {
    branch: Branch,
    pub number: u32,
    line: u64,
    turns: u32,
    /// Position, id and line of the last one.
    last: Option<(u32, TurnId, u64)>,
}

impl Arm {
    pub fn new(branch: Branch, number: u32, line: u64) -> Self {
        let branch = Branch { named: Vec::new(), beads: Vec::new(), swipes: Vec::new(), ..branch };
        Self { branch, number, line, turns: 0, last: None }
    }

    pub fn add_turn(&mut self, turn: &Turn, line: u64) -> Result<(), Damage> {
        if turn.position < self.branch.first {
            return Err(Flaw::Outside.at(Part::Turns, turn.id.as_str(), "position"));
        }
        self.turns += 1;
        if self.last.as_ref().is_none_or(|(last, ..)| *last < turn.position) {
            self.last = Some((turn.position, turn.id.clone(), line));
        }
        Ok(())
    }

    fn damage(&self, flaw: Flaw, field: &str) -> Damage {
        flaw.at(Part::Branches, self.branch.id.as_str(), field).in_line(self.line)
    }

    /// Its end by its turns; `left_at` is the last position at which another branch leaves it.
    fn end(&self, left_at: Option<u32>) -> Result<u32, Damage> {
        let Branch { first, .. } = self.branch;
        let said = self.branch.end();
        let reached = match &self.last {
            None => first,
            Some((last, ..)) if *last < said => last + 1,
            // Without gaps, and no two at one place: that many it has.
            Some((last, ..)) if *last - first == self.turns - 1 && *last < u32::MAX => last + 1,
            Some((_, id, line)) => return Err(Flaw::Outside.at(Part::Turns, id.as_str(), "position").in_line(*line)),
        };
        let end = reached.max(left_at.map_or(first, |at| said.min(at.saturating_add(1))));
        if end - first - self.turns > LACKS_AT_MOST {
            return Err(self.damage(Flaw::Gaps, "length"));
        }
        Ok(end)
    }
}

impl Story {
    pub fn new(storyline: Storyline, line: u64) -> Self {
        let storyline =
            Storyline { features: Default::default(), savepoints: Vec::new(), extra: Default::default(), ..storyline };
        Self {
            storyline,
            arms: BTreeMap::new(),
            mends: Mends::default(),
            mended: BTreeMap::new(),
            oldest_state: None,
            newest_turn: None,
            line,
        }
    }

    pub fn add_state(&mut self, state: &State) {
        let oldest = self.oldest_state.as_ref();
        if oldest.is_none_or(|(created, id)| (state.created, &state.id) < (*created, id)) {
            self.oldest_state = Some((state.created, state.id.clone()));
        }
    }

    pub fn add_turn(&mut self, turn: &Turn) {
        let newest = self.newest_turn.as_ref();
        if newest.is_none_or(|(created, id, _)| (turn.created, &turn.id) > (*created, id)) {
            self.newest_turn = Some((turn.created, turn.id.clone(), turn.session.clone()));
        }
    }

    pub fn note(&mut self, what: Mended) {
        *self.mended.entry(what).or_default() += 1;
    }

    fn damage(&self, flaw: Flaw, field: &str) -> Damage {
        flaw.at(Part::Storylines, self.storyline.id.as_str(), field).in_line(self.line)
    }

    /// What has to be set right for it to be played, and how often each.
    ///
    /// # Errors
    /// Why it cannot be played.
    pub fn judge(
        &self,
        has_turn: impl Fn(&BranchId, u32) -> bool,
        has_state: impl Fn(&StateId) -> bool,
    ) -> Result<(Mends, BTreeMap<Mended, u64>), Damage> {
        let (mut mends, mut mended) = (self.mends.clone(), self.mended.clone());
        self.is_rooted()?;
        let mut branches = Vec::new();
        for (arm, end) in self.measured()? {
            let length = end - arm.branch.first;
            if length != arm.branch.length {
                mends.set(Part::Branches, arm.branch.id.as_str(), "length", json!(length));
                *mended.entry(Mended::Length).or_default() += 1;
            }
            branches.push(Branch { length, ..arm.branch.clone() });
        }
        let mut mend = |what, field, value| {
            mends.set(Part::Storylines, self.storyline.id.as_str(), field, value);
            mended.insert(what, 1);
        };
        let Storyline { head, sessions, current_session, initial_state, .. } = &self.storyline;
        let there = self.head(branches, &has_turn).ok_or_else(|| self.damage(Flaw::Nowhere, "head"))?;
        if there != *head {
            mend(Mended::Head, "head", json!(there));
        }
        let is_known = |id: &SessionId| sessions.iter().any(|session| session.id == *id);
        if !is_known(current_session) {
            let newest = self.newest_turn.as_ref().map(|(.., session)| session).filter(|id| is_known(id));
            let known = newest.or(sessions.last().map(|session| &session.id)).cloned();
            let session = known.unwrap_or_else(|| {
                let session = self.only_session();
                mend(Mended::Session, "sessions", json!([session]));
                session.id
            });
            mend(Mended::Session, "current_session", json!(session));
        }
        if !has_state(initial_state) {
            let oldest = self.oldest_state.as_ref().map(|(_, id)| id);
            let oldest = oldest.ok_or_else(|| self.damage(Flaw::NotThere, "initial_state"))?;
            mend(Mended::FirstState, "initial_state", json!(oldest));
        }
        Ok((mends, mended))
    }

    /// What the reader knows it by.
    pub fn name(&self) -> String {
        let Storyline { id, title, .. } = &self.storyline;
        if title.is_empty() { id.0.clone() } else { title.clone() }
    }

    /// The session of all turns, where the storyline knows none.
    fn only_session(&self) -> Session {
        let of_turns = self.newest_turn.as_ref().map(|(.., session)| session).filter(|id| !id.0.is_empty());
        let id = of_turns.cloned().unwrap_or_else(|| SessionId(self.storyline.id.0.clone()));
        Session { id, created: self.storyline.created, turns: self.storyline.total_turns, ..Session::default() }
    }

    /// The branches, each with its end.
    fn measured(&self) -> Result<Vec<(&Arm, u32)>, Damage> {
        let mut left_at: HashMap<&BranchId, u32> = HashMap::new();
        for arm in self.arms.values() {
            let Some(fork) = &arm.branch.parent else {
                if arm.branch.first > 0 {
                    return Err(arm.damage(Flaw::Fork, "first"));
                }
                continue;
            };
            // There, for all are rooted.
            let Some(parent) = self.arms.get(&fork.branch) else { continue };
            if !(parent.branch.first..parent.branch.end()).contains(&fork.position) {
                return Err(arm.damage(Flaw::Fork, "parent"));
            }
            if arm.branch.first != fork.position + 1 {
                return Err(arm.damage(Flaw::Fork, "first"));
            }
            let last = left_at.entry(&fork.branch).or_default();
            *last = fork.position.max(*last);
        }
        self.arms.values().map(|arm| Ok((arm, arm.end(left_at.get(&arm.branch.id).copied())?))).collect()
    }

    /// The head; where it is not a turn that can be seen, the nearest one before it.
    fn head(&self, branches: Vec<Branch>, has_turn: &impl Fn(&BranchId, u32) -> bool) -> Option<Head> {
        let alive = tree::alive(branches);
        let Head { branch: mut at, mut end } = self.storyline.head.clone();
        while !alive.contains_key(&at) {
            // In the bin: where it left its parent.
            let fork = self.arms.get(&at)?.branch.parent.as_ref()?;
            (at, end) = (fork.branch.clone(), end.min(fork.position + 1));
        }
        let own = &alive[&at];
        end = end.clamp(1, own.tip().max(1));
        let head = Head { branch: at.clone(), end };
        let path = tree::Path::of(&alive, &head).ok()?;
        let seen = |position: u32| path.branch_at(position).is_some_and(|span| has_turn(&span.branch, position));
        let last = (0..path.end).rev().find(|position| seen(*position))?;
        Some(Head { branch: at, end: last + 1 })
    }

    /// In one go over all branches: a path for each would take hours on a chain made for that.
    fn is_rooted(&self) -> Result<(), Damage> {
        if !self.arms.contains_key(&self.storyline.head.branch) {
            return Err(self.damage(Flaw::Nowhere, "head"));
        }
        let mut rooted = HashSet::new();
        for from in self.arms.values() {
            let (mut at, mut way) = (from, Vec::new());
            while !rooted.contains(&at.branch.id) {
                if way.len() == self.arms.len() {
                    return Err(at.damage(Flaw::Circle, "parent"));
                }
                way.push(&at.branch.id);
                let Some(fork) = &at.branch.parent else { break };
                at = self.arms.get(&fork.branch).ok_or_else(|| at.damage(Flaw::Circle, "parent"))?;
            }
            rooted.extend(way);
        }
        Ok(())
    }
}
