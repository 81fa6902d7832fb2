//! What stands at turns beside them: who is there, that no model is told it, that it lies in the bin.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Story;
use crate::{
    store::{Op, Query, Stored, Table, from_value},
    story::{
        Millis,
        company::Company,
        ids::BranchId,
        order,
        tree::{Cut, Fork, Untold, with_descendants},
        turn::Turn,
    },
    sync::{
        books::{self, Known},
        fact::{Fact, Says},
        fields, tell,
    },
};

impl Story<'_> {
    /// What stands at turns beside them, put to their branches here.
    pub(super) async fn at_turns(&mut self, facts: Vec<Fact>) -> Stored<()> {
        let mut by_branch: BTreeMap<BranchId, Vec<(Turn, Fact)>> = BTreeMap::new();
        for fact in facts {
            if let Some(turn) = self.turn(&fact.place().1.into()).await? {
                by_branch.entry(turn.branch.clone()).or_default().push((turn, fact));
            }
        }
        let (mut all, mut is_told_anew) = (Vec::new(), false);
        for (id, facts) in by_branch {
            let Some(branch) = self.places.branches.get(&id).cloned() else { continue };
            let of = tell::branch_of(&id);
            let here = tell::at_turns(&self.places, &branch).await?;
            let mark = books::changed(self.store(), self.me, std::slice::from_ref(&of)).await?.remove(&of);
            let known = books::known(self.store(), std::slice::from_ref(&of)).await?.remove(&of);
            let mut known = known.unwrap_or_else(|| Known::of(&of));
            let own = mark.map(|at| known.next(at, self.me));
            for (turn, fact) in facts {
                self.done(&fact);
                let Says::Whole(stamp, value) = &fact.says else { continue };
                let now = here.get(turn.id.as_str()).unwrap_or(&Value::Null);
                let told = known.fields.get(turn.id.as_str());
                let changed = told.map_or(!now.is_null(), |(_, print)| *print != fields::print(now));
                let stands = match &own {
                    Some(own) if changed => own.clone(),
                    _ => told.map(|(stamp, _)| stamp.clone()).unwrap_or_default(),
                };
                if *stamp <= stands {
                    continue;
                }
                known.fields.insert(turn.id.0.clone(), (stamp.clone(), fields::print(value)));
                known.hear(stamp);
                if let Some(at) = self.told_before_burial(&fact) {
                    self.batch.ops.push(books::mark(Table::Branches, id.as_str(), at));
                    known.forget_prints();
                }
                if value["cut"].is_u64() && now["cut"].is_null() {
                    // Newer than what put it there, or nobody would take it in.
                    let at = self.ports.clock.now().max(stamp.at + 1);
                    let rescued = self.played_since(&turn, at).await?;
                    is_told_anew |= !rescued.is_empty();
                    if !rescued.is_empty() {
                        // It was played on here before it was heard that it lies in the bin: it does not, and is told anew.
                        self.batch.ops.push(books::mark(Table::Branches, id.as_str(), at));
                        self.batch.ops.extend(rescued);
                        continue;
                    }
                }
                self.note(&turn, value);
            }
            all.push(known);
        }
        // After the marks, which have of them what was known before.
        for mut known in all {
            if is_told_anew {
                known.forget_prints();
            }
            self.batch.push(&known);
        }
        self.step_back().await
    }

    /// Where a turn at or after this one was played here that nobody was told of: marks for the whole story, of which the
    /// others may have deleted some.
    async fn played_since(&self, turn: &Turn, at: Millis) -> Stored<Vec<Op>> {
        let leaving = self.places.branches.values().filter(|branch| {
            let after = |fork: &Fork| fork.branch == turn.branch && fork.position >= turn.position;
            branch.parent.as_ref().is_some_and(after)
        });
        let leaving = with_descendants(&self.places.branches, leaving.map(|branch| branch.id.clone()).collect());
        let mut turns = Vec::new();
        for (branch, from) in leaving.iter().map(|id| (id, 0)).chain([(&turn.branch, turn.position)]) {
            let place = Query::between(Table::Turns, "place", (branch.as_str(), from), (branch.as_str(), u32::MAX));
            let found = self.store().keys(place).await?;
            turns.extend(found.iter().map(|id| format!("{}/{id}", Table::Turns.name())));
        }
        if books::changed(self.store(), self.me, &turns).await?.is_empty() {
            return Ok(Vec::new());
        }
        books::mark_story(self.store(), self.id.as_str(), at).await
    }

    fn note(&mut self, turn: &Turn, value: &Value) {
        let Some(branch) = self.places.branches.get_mut(&turn.branch) else { return };
        let at = turn.position;
        branch.company.retain(|known| known.at != at);
        if let Ok(company) = from_value::<Company>(value["company"].clone())
            && value["company"].is_object()
        {
            branch.company.push(Company { at, ..company });
            order::by_key(&mut branch.company, |known| known.at);
        }
        branch.untold.retain(|known| known.at != at);
        if value["untold"].is_object() {
            branch.untold.push(Untold { at, folded: value["untold"]["folded"] == true });
            order::by_key(&mut branch.untold, |known| known.at);
        }
        let cut = value["cut"].as_u64();
        branch.cuts.retain(|known| known.at != at);
        match (at == branch.first && branch.parent.is_some(), cut) {
            (true, deleted) => branch.deleted = deleted,
            (false, Some(deleted)) => branch.cuts.push(Cut { at, deleted }),
            (false, None) => {}
        }
        self.touched.insert(turn.branch.clone());
        self.changed = true;
    }
}
