//! Where something stands in a story, without the names of branches: each device lays the turns out in branches of its own,
//! so a place is told by its turn, and a turn by the one before it and the reply there that it goes on from. How deep a
//! turn lies (its position) is the same everywhere.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::{
    ports::Store,
    store::{Query, Stored, Table, from_value},
    story::{
        generation::Generation,
        ids::{BranchId, GenerationId, TurnId},
        order,
        tree::{Branch, Fork, Head, Path},
        turn::Turn,
    },
};

/// A place as it is told ([`Places::told`]): a turn, and the reply there that it goes on from.
pub fn read_place(told: &Value) -> Option<(TurnId, Option<GenerationId>)> {
    Some((told["turn"].as_str()?.into(), told["generation"].as_str().map(GenerationId::from)))
}

/// The branches of a story, what lies in the bin too.
pub struct Places<'a> {
    store: &'a dyn Store,
    pub branches: HashMap<BranchId, Branch>,
}

impl<'a> Places<'a> {
    /// # Errors
    /// The store failed; so everywhere here.
    pub async fn of(store: &'a dyn Store, story: &str) -> Stored<Self> {
        let branches = store.list::<Branch>(Query::equal(Table::Branches, "storyline", story)).await?;
        Ok(Self { store, branches: branches.into_iter().map(|branch| (branch.id.clone(), branch)).collect() })
    }

    pub async fn turn_at(&self, branch: &BranchId, position: u32) -> Stored<Option<Turn>> {
        let place = Query::equal(Table::Turns, "place", (branch.as_str(), position));
        Ok(self.store.list::<Turn>(place).await?.pop())
    }

    /// The turn before, and the reply there that it goes on from; `None` at the opening.
    pub async fn before(&self, branch: &BranchId, position: u32) -> Stored<Option<(TurnId, Option<GenerationId>)>> {
        let Some(branch) = self.branches.get(branch) else { return Ok(None) };
        let (of, at, by) = match &branch.parent {
            _ if position > branch.first => (&branch.id, position - 1, None),
            Some(fork) => (&fork.branch, fork.position, fork.generation.clone()),
            None => return Ok(None),
        };
        let Some(turn) = self.turn_at(of, at).await? else { return Ok(None) };
        let by = match by {
            Some(by) => Some(by),
            None => self.seen(&turn).await?,
        };
        Ok(Some((turn.id, by)))
    }

    /// The reply of a turn that is seen on its own branch.
    async fn seen(&self, turn: &Turn) -> Stored<Option<GenerationId>> {
        if turn.chosen.is_some() {
            return Ok(turn.chosen.clone());
        }
        let mut replies: Vec<Generation> =
            self.store.list(Query::equal(Table::Generations, "turn", turn.id.as_str())).await?;
        order::by(&mut replies, |a, b| (a.started, &a.id).cmp(&(b.started, &b.id)));
        Ok(replies.pop().map(|reply| reply.id))
    }

    /// A head as it is told: the last turn before it and the reply that is seen there.
    pub async fn told(&self, head: &Head) -> Stored<Value> {
        let Ok(path) = Path::of(&self.branches, head) else { return Ok(Value::Null) };
        let Some(span) = path.end.checked_sub(1).and_then(|last| path.branch_at(last)) else { return Ok(Value::Null) };
        let Some(turn) = self.turn_at(&span.branch, path.end - 1).await? else { return Ok(Value::Null) };
        // A head on a branch that has no turns yet stands at the reply that the branch goes on from.
        let bud = self.branches.get(&head.branch).filter(|branch| branch.id != span.branch && branch.first == path.end);
        let by = bud.and_then(|branch| branch.parent.as_ref()?.generation.clone());
        let by = match by.or_else(|| path.generation_of(&turn).cloned()) {
            Some(by) => Some(by),
            None => self.seen(&turn).await?,
        };
        Ok(json!({ "turn": turn.id, "generation": by }))
    }

    /// The head that was told, where this device has its turn. A branch that it needs for that and that is not there yet is
    /// added: made by `make`.
    pub async fn head(
        &mut self,
        told: &Value,
        make: impl FnOnce() -> Branch,
    ) -> Stored<Option<(Head, Option<BranchId>)>> {
        let Some((id, by)) = read_place(told) else { return Ok(None) };
        let Some(turn) = self.store.load::<Turn>(id.as_str()).await? else { return Ok(None) };
        let end = turn.position + 1;
        let own = Head { branch: turn.branch.clone(), end };
        let Some(by) = by else { return Ok(Some((own, None))) };
        if self.seen(&turn).await?.as_ref() == Some(&by) {
            return Ok(Some((own, None)));
        }
        let leaving = self.branches.values().filter(|branch| branch.leaves(&turn, &by));
        if let Some(leaving) = leaving.min_by_key(|branch| (branch.length, branch.created, branch.id.clone())) {
            return Ok(Some((Head { branch: leaving.id.clone(), end }, None)));
        }
        let fork = Fork { branch: turn.branch, position: turn.position, generation: Some(by) };
        let bud = Branch { parent: Some(fork), first: end, ..make() };
        let id = bud.id.clone();
        self.branches.insert(id.clone(), bud);
        Ok(Some((Head { branch: id.clone(), end }, Some(id))))
    }

    /// A storyline as it is told.
    pub async fn tell(&self, mut storyline: Value) -> Stored<Value> {
        let head = |value: &Value| from_value::<Head>(value.clone()).unwrap_or_default();
        storyline["head"] = self.told(&head(&storyline["head"])).await?;
        // To ask for a field by its name would make one.
        let list =
            |storyline: &'_ mut Value, name: &str| storyline.get_mut(name).map(Value::take).filter(Value::is_array);
        let mut sessions = list(&mut storyline, "sessions");
        for session in sessions.iter_mut().filter_map(Value::as_array_mut).flatten() {
            if let Some(at) = session.get_mut("opened").and_then(|opened| opened.get_mut("at")) {
                *at = self.told(&head(at)).await?;
            }
        }
        let mut savepoints = list(&mut storyline, "savepoints");
        for place in savepoints.iter_mut().filter_map(Value::as_array_mut).flatten() {
            place.as_object_mut().map(|place| place.shift_remove("branch"));
        }
        for (name, list) in [("sessions", sessions), ("savepoints", savepoints)] {
            if let Some(list) = list {
                storyline[name] = list;
            }
        }
        Ok(storyline)
    }
}
