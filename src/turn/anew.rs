//! A reply is settled anew, and with it all whose states follow from the one after it: on its branch, and on those that go
//! on from it, whether or not they lie in the bin. What comes of it is one batch.
//!
//! Where a state says the same as before, its record stays, and nothing that follows is touched. What belongs to a feature
//! that is off by now stays as it was: nothing that is taken in anew can be about it.

use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use super::{event, landmarks, scene, scene::Setting};
use crate::{
    features,
    ports::{Ports, Store},
    store::{Batch, Query, Table, decode},
    story::{
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::{BranchId, StateId},
        order,
        state::{Change, State},
        storyline::Storyline,
        tree::Branch,
        turn::Turn,
    },
};

/// Turns read at a time.
const WINDOW: u32 = 128;

/// Settles a finished reply anew as it is given, and what follows from it.
///
/// # Errors
/// The store failed, or a state is not there.
pub(super) async fn settled(ports: &Ports, storyline: &Storyline, reply: Generation) -> Result<Batch, Fault> {
    let store = &*ports.store;
    let path = scene::path_to(store, &reply).await?;
    let before = scene::state_before(store, storyline, &path, reply.position).await?;
    let branches = store.together(Table::Branches, storyline.id.as_str()).await?;
    let branches = branches.docs().iter().filter_map(|doc| decode::<Branch>(doc.value.clone()).ok());
    let setting =
        Setting::of(store, storyline, &Generation { state: Some(before.clone()), ..Default::default() }).await?;
    let mut anew = Anew {
        ports,
        storyline,
        on: On::of(storyline, &setting),
        setting,
        branches: branches.map(|branch| (branch.id.clone(), branch)).collect(),
        states: HashMap::new(),
        marked: Vec::new(),
        batch: Batch::new(),
    };
    let place = Query::equal(Table::Generations, "place", (reply.branch.as_str(), reply.position));
    let beside = store.list::<Generation>(place).await?;
    let turn = store.load::<Turn>(reply.turn.as_str()).await?.unwrap_or_default();
    let seen = seen(&turn, &beside).is_none_or(|seen| beside[seen].id == reply.id);
    let mut lines = anew.reply(reply.clone(), &before, None, seen).await?;
    // It is given as it shall be stored, whatever becomes of the states.
    if !anew.batch.ops.iter().any(|op| op.place() == (Table::Generations, reply.id.as_str())) {
        anew.batch.push(&reply);
    }
    while let Some(line) = lines.pop() {
        lines.extend(anew.line(line).await?);
    }
    anew.mark().await?;
    Ok(anew.batch)
}

/// Turns of a branch from a position on, and the state before them, as it was and as it is.
struct Line {
    branch: BranchId,
    from: u32,
    was: Option<StateId>,
    is: StateId,
}

/// The parts of the state that a feature is at work on.
#[derive(Clone, Copy)]
struct On {
    personas: bool,
    plot: bool,
    world: bool,
    events: bool,
}

impl On {
    fn of(storyline: &Storyline, setting: &Setting) -> Self {
        let modules = setting.modules(storyline);
        let has = |name: &str| modules.iter().any(|module| module.name() == name);
        let events = has(features::events::NAME);
        Self {
            personas: has(features::persona::NAME),
            // An event moves both.
            plot: events || has(features::director::NAME),
            world: events || has(features::world::NAME),
            events,
        }
    }

    /// Whether a change is of a part that is at work.
    fn has(self, change: &Change) -> bool {
        match change {
            Change::Plot { .. } => self.plot,
            Change::World { .. } => self.world,
            Change::Event { .. } => self.events,
            // What was written lies with the reply, whether or not more is.
            Change::Text { .. } => true,
            Change::Item { .. } | Change::MajorEvent { .. } | Change::GrowthHeld { .. } | Change::Maintained { .. } => {
                self.personas
            }
        }
    }

    /// Leaves the parts that rest as they were.
    fn hold(self, now: &mut State, was: &State) {
        if !self.personas {
            now.personas.clone_from(&was.personas);
        }
        if !self.plot {
            now.plot.clone_from(&was.plot);
        }
        if !self.world {
            now.world.clone_from(&was.world);
        }
        if !self.events {
            now.events.clone_from(&was.events);
        }
    }
}

struct Anew<'a> {
    ports: &'a Ports,
    storyline: &'a Storyline,
    setting: Setting,
    on: On,
    /// As they were when it began.
    branches: HashMap<BranchId, Branch>,
    /// Those that were read or made.
    states: HashMap<StateId, Rc<State>>,
    /// Replies whose landmarks may be others.
    marked: Vec<Generation>,
    batch: Batch,
}

impl Anew<'_> {
    fn store(&self) -> &dyn Store {
        &*self.ports.store
    }

    async fn state(&mut self, id: &StateId) -> Result<Rc<State>, Fault> {
        if let Some(state) = self.states.get(id) {
            return Ok(state.clone());
        }
        let state = self.store().load::<State>(id.as_str()).await?.ok_or_else(|| Fault::new(FaultKind::NoState, ""))?;
        let state = Rc::new(state);
        self.states.insert(id.clone(), state.clone());
        Ok(state)
    }

    /// Notes the landmarks, on the branches as they are by now: all before this may have taken long, and a turn may have been
    /// played on one of them.
    async fn mark(&mut self) -> Result<(), Fault> {
        let mut branches = BTreeMap::<BranchId, (Branch, Branch)>::new();
        for reply in std::mem::take(&mut self.marked) {
            if !branches.contains_key(&reply.branch) {
                let Some(branch) = self.store().load::<Branch>(reply.branch.as_str()).await? else { continue };
                branches.insert(reply.branch.clone(), (branch.clone(), branch));
            }
            let Some((_, branch)) = branches.get_mut(&reply.branch) else { continue };
            *branch = landmarks::noted(self.store(), self.storyline, &reply, branch).await?;
        }
        for (_, noted) in branches.values().filter(|(before, noted)| before != noted) {
            self.batch.push(noted);
        }
        Ok(())
    }

    /// Goes along a branch; gives the lines that leave it.
    async fn line(&mut self, Line { branch, from, was, mut is }: Line) -> Result<Vec<Line>, Fault> {
        let end = self.branches.get(&branch).map_or(from, Branch::end);
        let (mut was, mut from, mut lines) = (was, from, Vec::new());
        while from < end {
            let last = end.min(from + WINDOW) - 1;
            let place = |table| Query::between(table, "place", (branch.as_str(), from), (branch.as_str(), last));
            let mut turns = self.store().list::<Turn>(place(Table::Turns)).await?;
            order::by_key(&mut turns, |turn| turn.position);
            let mut replies: HashMap<_, Vec<Generation>> = HashMap::new();
            for reply in self.store().list::<Generation>(place(Table::Generations)).await? {
                replies.entry(reply.turn.clone()).or_default().push(reply);
            }
            for turn in turns {
                let replies = replies.remove(&turn.id).unwrap_or_default();
                let seen = seen(&turn, &replies);
                // A turn without a reply changes nothing.
                let mut own = seen.is_none().then(|| (was.clone(), is.clone()));
                for (at, reply) in replies.into_iter().enumerate() {
                    let is_seen = Some(at) == seen;
                    let leaving = self.reply(reply, &is, was.as_ref(), is_seen).await?;
                    let (along, leaving): (Vec<_>, Vec<_>) =
                        leaving.into_iter().partition(|line| line.branch == branch);
                    own = own.or(along.into_iter().next().map(|line| (line.was, line.is)));
                    lines.extend(leaving);
                }
                let Some(now) = own else { return Ok(lines) };
                (was, is) = now;
            }
            from = last + 1;
        }
        Ok(lines)
    }

    /// Settles one reply upon the state before it. Gives the lines that go on from it, none where its state says what it
    /// said. One that is being written is settled at its end.
    async fn reply(
        &mut self,
        mut reply: Generation,
        before: &StateId,
        was: Option<&StateId>,
        is_seen: bool,
    ) -> Result<Vec<Line>, Fault> {
        if reply.open.is_some() {
            return Ok(Vec::new());
        }
        let given = reply.clone();
        // What was never said was never settled: it names the state before it.
        let unsaid = reply.text.trim().is_empty() && was.is_some() && reply.state.as_ref() == was;
        let upon = self.state(before).await?;
        reply.state = Some(before.clone());
        let mut says = State::clone(&upon);
        if !unsaid {
            self.setting.before = State::clone(&upon);
            self.storyline.introduce(&mut self.setting.before);
            let made = self.setting.settle(self.ports, self.storyline, &mut reply);
            says = made.unwrap_or(says);
        }
        let old = match &given.state {
            Some(old) => Some(self.state(old).await?),
            None => None,
        };
        if let Some(old) = &old {
            self.on.hold(&mut says, old);
            let mut changes = reply.changes();
            changes.extend(given.changes().into_iter().filter(|change| !self.on.has(change)));
            reply.set_changes(&changes);
        }
        let stays = old.filter(|old| old.says_the_same(&says));
        let known = stays.as_ref().or(Some(&upon)).filter(|known| known.says_the_same(&says));
        match known {
            Some(known) => reply.state = Some(known.id.clone()),
            None => {
                if says.id == upon.id {
                    (says.id, says.created) = (self.ports.id(), self.ports.clock.now());
                }
                reply.state = Some(says.id.clone());
                self.batch.push(&says);
                self.states.insert(says.id.clone(), Rc::new(says));
            }
        }
        if reply.changes() != given.changes() {
            let event = event::note(self.store(), self.storyline, &reply).await;
            self.batch.ops.extend(event.ops);
            self.marked.push(reply.clone());
        }
        if reply != given {
            self.batch.push(&reply);
        }
        match (stays, &reply.state) {
            (None, Some(is)) => Ok(self.lines_after(&reply, given.state.as_ref(), is, is_seen)),
            _ => Ok(Vec::new()),
        }
    }

    fn lines_after(&self, reply: &Generation, was: Option<&StateId>, is: &StateId, is_seen: bool) -> Vec<Line> {
        let line = |branch: &Branch, from| Line { branch: branch.id.clone(), from, was: was.cloned(), is: is.clone() };
        let own = self.branches.get(&reply.branch).filter(|own| is_seen && reply.position + 1 < own.end());
        let goes_on = |branch: &&Branch| {
            branch.parent.as_ref().is_some_and(|fork| {
                let by_this = fork.generation.as_ref().map_or(is_seen, |by| *by == reply.id);
                by_this && fork.branch == reply.branch && fork.position == reply.position
            })
        };
        let mut leaving: Vec<&Branch> = self.branches.values().filter(goes_on).collect();
        // The same story makes the same batch.
        order::by_key(&mut leaving, |branch| branch.id.clone());
        own.map(|own| line(own, reply.position + 1))
            .into_iter()
            .chain(leaving.into_iter().map(|branch| line(branch, branch.first)))
            .collect()
    }
}

/// The reply that a turn's own branch goes on from: the chosen one, else the last.
fn seen(turn: &Turn, replies: &[Generation]) -> Option<usize> {
    let chosen = replies.iter().position(|reply| Some(&reply.id) == turn.chosen.as_ref());
    chosen.or_else(|| (0..replies.len()).max_by_key(|at| (replies[*at].started, &replies[*at].id)))
}
