//! Replies, each taken in with its turn.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::{Story, place};
use crate::{
    store::{Query, Stored, Table, from_value},
    story::{
        ids::{GenerationId, TurnId},
        order,
        tree::FinishedPoint,
        turn::Turn,
    },
    sync::{
        fact::{Fact, Says},
        hear::Looked,
    },
};

/// What was heard of replies, and what is known of them here.
pub struct Replies {
    by_turn: BTreeMap<TurnId, Vec<Fact>>,
    looked: Looked,
    here: HashMap<String, Value>,
}

impl Replies {
    pub async fn of(story: &Story<'_>, facts: Vec<Fact>) -> Stored<Self> {
        let looked = Looked::at(story.ports, story.me, &facts).await?;
        let here = story.here(Table::Generations, &facts).await?;
        let mut by_turn = BTreeMap::<TurnId, Vec<Fact>>::new();
        for fact in facts {
            let Says::Whole(_, value) = &fact.says else { continue };
            by_turn.entry(value["turn"].as_str().unwrap_or_default().into()).or_default().push(fact);
        }
        Ok(Self { by_turn, looked, here })
    }

    /// Whether the reply that a turn goes on from is here, or comes with it.
    pub async fn has_chosen(&self, story: &Story<'_>, turn: &Turn) -> Stored<bool> {
        let Some(chosen) = turn.chosen.as_ref().map(GenerationId::as_str) else { return Ok(true) };
        let comes = self.by_turn.get(&turn.id).is_some_and(|facts| facts.iter().any(|fact| fact.place().1 == chosen));
        Ok(comes || story.store().get(Table::Generations, chosen).await?.is_some())
    }
}

impl Story<'_> {
    /// Those of turns that are here.
    pub async fn replies(&mut self, mut replies: Replies) -> Stored<()> {
        let turns: Vec<TurnId> = replies.by_turn.keys().cloned().collect();
        for id in turns {
            if let Some(turn) = self.turn(&id).await? {
                self.replies_of(&turn, &mut replies).await?;
                self.breathe().await?;
            }
        }
        Ok(())
    }

    /// Those of one turn, in the commit of that.
    pub async fn replies_of(&mut self, turn: &Turn, replies: &mut Replies) -> Stored<()> {
        for fact in replies.by_turn.remove(&turn.id).unwrap_or_default() {
            let was = replies.here.remove(fact.place().1);
            let Some((known, mut value)) = self.newer(&fact, &replies.looked, was.as_ref()).await? else { continue };
            let beads = value.as_object_mut().and_then(|fields| fields.shift_remove("beads"));
            let reply = GenerationId::from(fact.place().1);
            place(&mut value, &turn.branch, turn.position);
            self.bead(turn, &reply, beads);
            self.swipe(turn, reply).await?;
            self.put(Table::Generations, value);
            self.batch.push(&known);
            self.done(&fact);
        }
        Ok(())
    }

    /// Points of the outline that a reply has finished.
    fn bead(&mut self, turn: &Turn, reply: &GenerationId, beads: Option<Value>) {
        let Some(branch) = self.places.branches.get_mut(&turn.branch) else { return };
        let mut all = branch.beads.clone();
        all.retain(|bead| bead.generation != *reply);
        all.extend(beads.and_then(|beads| from_value::<Vec<FinishedPoint>>(beads).ok()).into_iter().flatten());
        order::by_key(&mut all, |bead| bead.position);
        if all != branch.beads {
            branch.beads = all;
            self.touched.insert(turn.branch.clone());
        }
    }

    /// Whether a turn has several replies.
    async fn swipe(&mut self, turn: &Turn, reply: GenerationId) -> Stored<()> {
        if !self.replies.contains_key(&turn.id) && !self.fresh.contains(&turn.id) {
            let keys = self.store().keys(Query::equal(Table::Generations, "turn", turn.id.as_str())).await?;
            self.replies.insert(turn.id.clone(), keys.into_iter().map(GenerationId::from).collect());
        }
        let replies = self.replies.entry(turn.id.clone()).or_default();
        replies.insert(reply);
        let several = replies.len() > 1;
        let Some(branch) = self.places.branches.get_mut(&turn.branch) else { return Ok(()) };
        if several && !branch.swipes.contains(&turn.position) {
            branch.swipes.push(turn.position);
            order::by_key(&mut branch.swipes, |position| *position);
            self.touched.insert(turn.branch.clone());
        }
        Ok(())
    }
}
