//! The record of the storyline, and where its reader stands.

use serde_json::Value;

use super::Story;
use crate::{
    store::{Batch, Op, Stored, Table, from_value},
    story::{
        storyline::Storyline,
        tree::{Head, Path},
    },
    sync::{
        books::{self, Waiting},
        fact::{Fact, Says},
        fields,
        hear::Looked,
        shelf,
    },
};

impl Story<'_> {
    /// The record of the storyline itself, when all that it names is there.
    pub(super) async fn root(&mut self, fact: Fact) -> Stored<bool> {
        let Says::Fields(said) = &fact.says else { return Ok(false) };
        let store = self.store();
        let stored = store.get(Table::Storylines, self.id.as_str()).await?.map(|doc| doc.value);
        let told = match &stored {
            Some(value) => Some(self.places.tell(value.clone()).await?),
            None => None,
        };
        let looked = Looked::at(self.ports, self.me, std::slice::from_ref(&fact)).await?;
        let (mut known, own) = (looked.known(&fact.of), looked.own(&fact.of, self.me));
        if stored.is_none() && shelf::is_in_part(&known, own.as_ref(), said) {
            return Ok(false);
        }
        let mut said = said.clone();
        let mut marks = Vec::new();
        // Who plays a story that was deleted elsewhere has taken it out of the bin.
        let is_deleted = said.get("deleted").is_some_and(|(_, deleted)| !deleted.is_null());
        if is_deleted
            && told.as_ref().is_some_and(|told| told["deleted"].is_null())
            && shelf::has_news(self.ports, self.me, self.id.as_str()).await?
            && let Some((stamp, value)) = said.remove("deleted")
        {
            known.hear(&stamp);
            // Newer than all that is known of it, also that it was gone elsewhere.
            let now = self.ports.clock.now().max(known.stamp.at + 1);
            marks = books::mark_story(store, self.id.as_str(), now).await?;
            known.fields.insert("deleted".to_owned(), (stamp, fields::print(&value)));
        }
        let heard = shelf::hear(Table::Storylines, &fact.of, told.clone(), &said, &mut known, own);
        if !marks.is_empty() {
            // Where it is gone for ever by then, all of it is needed.
            known.forget_prints();
        }
        let mut batch = Batch::new();
        batch.ops.push(Op::Delete(Table::Sync, Waiting::id(&fact.of)));
        batch.ops.extend(marks);
        batch.push(&known);
        heard.lost.iter().for_each(|older| batch.push(older));
        if heard.tells {
            batch.ops.push(books::mark(Table::Storylines, self.id.as_str(), self.ports.clock.now()));
        }
        // Where they stand on the other device, whichever of the two is newer.
        let there = said.get("head").map(|(_, head)| head.clone());
        let went_apart = match &there {
            Some(there) => self.stand(stored.as_ref(), there).await?.is_some_and(|(_, apart)| apart),
            None => false,
        };
        let Some(mut value) = heard.record else {
            self.inbox.commit(batch).await?;
            return Ok(went_apart);
        };
        if !self.has_places_of(&value).await? {
            return Ok(false);
        }
        let Some((head, _)) = self.stand(stored.as_ref(), &value["head"]).await? else { return Ok(false) };
        value["total_turns"] = head.end.saturating_sub(1).into();
        value["head"] = serde_json::to_value(&head).unwrap_or_default();
        self.settle(&mut value).await?;
        batch.ops.push(Op::Put(Table::Storylines, value.into()));
        self.flush().await?;
        self.inbox.commit(batch).await?;
        self.changed = true;
        Ok(went_apart)
    }

    /// Whether the turns that a record names are here, or were, with the replies that they go on from. Others come with a later
    /// pack.
    async fn has_places_of(&mut self, value: &Value) -> Stored<bool> {
        let store = self.store();
        let sessions = value["sessions"].as_array().into_iter().flatten().map(|session| &session["opened"]["at"]);
        let told: Vec<&Value> = sessions.chain([&value["head"]]).collect();
        for id in told.into_iter().filter_map(|told| told["turn"].as_str()) {
            let of = format!("{}/{id}", Table::Turns.name());
            let turn = self.turn(&id.into()).await?;
            // It is played on from there.
            if let Some(reply) = turn.as_ref().and_then(|turn| turn.chosen.as_ref()).filter(|_| !self.is_whole)
                && store.get(Table::Generations, reply.as_str()).await?.is_none()
            {
                return Ok(false);
            }
            if turn.is_none() && !books::known(store, std::slice::from_ref(&of)).await?.values().any(|known| known.gone)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Where the reader stands: where the story went on elsewhere, if that goes on from here; else where they are. True: it
    /// went on beside.
    async fn stand(&mut self, stored: Option<&Value>, told: &Value) -> Stored<Option<(Head, bool)>> {
        let bare = self.bare();
        let there = self.places.head(told, || bare).await?;
        if let Some((_, Some(bud))) = &there {
            self.touched.insert(bud.clone());
        }
        let there = there.map(|(head, _)| head).filter(|head| self.standing(head) == *head);
        let here = stored.and_then(|stored| from_value::<Head>(stored["head"].clone()).ok());
        let here = here.map(|head| self.standing(&head));
        let Some(here) = here else {
            let tips = || {
                let roots = self.places.branches.values().filter(|branch| branch.parent.is_none() && branch.length > 0);
                roots.map(|root| Head { branch: root.id.clone(), end: root.tip() }).min()
            };
            return Ok(there.or_else(tips).map(|head| (head, false)));
        };
        let Some(there) = there else { return Ok(Some((here, false))) };
        let path = |head: &Head| Path::of(&self.places.branches, head).ok();
        let goes_on = match (path(&here), path(&there)) {
            (Some(from), Some(to)) => from.end <= to.end && from.shared(&to) >= from.end.min(to.end),
            (None, _) => true,
            (_, None) => false,
        };
        let is_earlier = match (path(&here), path(&there)) {
            (Some(from), Some(to)) => to.end <= from.end && to.shared(&from) >= to.end,
            _ => false,
        };
        Ok(Some(if goes_on { (there, false) } else { (here, !is_earlier) }))
    }

    /// Places that the record names, as this device has them.
    async fn settle(&mut self, value: &mut Value) -> Stored<()> {
        let mut savepoints = value["savepoints"].take();
        for place in savepoints.as_array_mut().into_iter().flatten() {
            let turn = place["turn"].as_str().unwrap_or_default().into();
            if let Some(turn) = self.turn(&turn).await? {
                place["branch"] = turn.branch.as_str().into();
            }
        }
        let mut sessions = value["sessions"].take();
        for session in sessions.as_array_mut().into_iter().flatten() {
            let Some(at) = session.get_mut("opened").and_then(|opened| opened.get_mut("at")) else { continue };
            let bare = self.bare();
            let (head, bud) = self.places.head(at, || bare).await?.unwrap_or_default();
            self.touched.extend(bud);
            *at = serde_json::to_value(&head).unwrap_or_default();
        }
        if let Some(fields) = value.as_object_mut() {
            for (name, list) in [("savepoints", savepoints), ("sessions", sessions)] {
                match list {
                    Value::Null => drop(fields.shift_remove(name)),
                    list => drop(fields.insert(name.to_owned(), list)),
                }
            }
        }
        Ok(())
    }

    /// The reader's place, where what they stand on lies in the bin by now: moved in the commit that puts it there.
    pub(super) async fn step_back(&mut self) -> Stored<()> {
        let Some(mut storyline) = self.store().load::<Storyline>(self.id.as_str()).await? else { return Ok(()) };
        let head = self.standing(&storyline.head);
        if head != storyline.head {
            storyline.total_turns = head.end.saturating_sub(1);
            storyline.head = head;
            self.put(Table::Storylines, serde_json::to_value(&storyline).unwrap_or_default());
        }
        Ok(())
    }

    /// The head, or the last place before it that does not lie in the bin.
    fn standing(&self, head: &Head) -> Head {
        let Ok(path) = Path::of(&self.places.branches, head) else { return head.clone() };
        let head = Head { end: path.end, ..head.clone() };
        // A branch without turns has no span.
        let ids: Vec<_> = path.spans.iter().map(|span| &span.branch).chain([&head.branch]).cloned().collect();
        for id in &ids {
            let Some(branch) = self.places.branches.get(id) else { continue };
            match &branch.parent {
                Some(fork) if branch.deleted.is_some() => {
                    return Head { branch: fork.branch.clone(), end: fork.position + 1 };
                }
                _ => {}
            }
            let last = path.spans.iter().find(|span| span.branch == *id).map_or(head.end, |span| span.last + 1);
            if branch.tip() < last {
                return Head { branch: id.clone(), end: branch.tip() };
            }
        }
        head
    }
}
