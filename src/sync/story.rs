//! A story's turns, replies, states and memories taken in: what is not there is planted where its parent stands, what is
//! there gets the newest words. Nothing that stands here is moved, so another device may lay the same tree out in other
//! branches.

mod beside;
mod replies;
mod root;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use self::replies::Replies;
use super::{
    ahead::Coming,
    books::{self, Known, Me, Older, Waiting},
    fact::{Fact, Says, Stamp},
    fields,
    hear::Looked,
    inbox::Inbox,
    places::{Places, read_place},
    shelf,
    tell::AT_TURN,
};
use crate::{
    ports::{Ports, Store},
    store::{Batch, Op, Stored, Table, decode, due, from_value},
    story::{
        Millis,
        ids::{BranchId, GenerationId, StorylineId, TurnId},
        order,
        tree::{Branch, Fork},
        turn::Turn,
    },
};

/// Changes that one commit holds, about.
const BATCH: usize = if cfg!(test) { 8 } else { 400 };

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Taken {
    pub changed: bool,
    /// It is not all here yet.
    pub coming: Option<Coming>,
    /// It went on elsewhere than where its reader stands here.
    pub apart: bool,
}

/// Takes in what can be; the rest goes on waiting: what hangs on something that is not here, and, unless all `is_whole` that
/// was told, a turn whose reply is still to come.
///
/// # Errors
/// The store failed: what was not taken in waits.
pub async fn take_in(
    ports: &Ports,
    me: &Me,
    inbox: &Inbox<'_>,
    id: &str,
    facts: Vec<Fact>,
    is_whole: bool,
) -> Stored<Taken> {
    let store = &*ports.store;
    let is_here = store.get(Table::Storylines, id).await?.is_some();
    let root = Fact { of: format!("{}/{id}", Table::Storylines.name()), ..Fact::default() };
    let looked = Looked::at(ports, me, std::slice::from_ref(&root)).await?;
    let known = looked.known(&root.of);
    let newest = facts.iter().find(|fact| fact.of == root.of).map(|fact| fact.says.newest()).unwrap_or_default();
    let grave = shelf::gone_at(&known, looked.own(&root.of, me), &newest, is_here);
    let buried = known.buried;
    let (mut of_story, mut by_table) = (None, HashMap::<String, Vec<Fact>>::new());
    let mut forgotten = Batch::new();
    for fact in facts {
        if grave.as_ref().is_some_and(|grave| fact.says.newest() <= *grave) {
            forgotten.ops.push(Op::Delete(Table::Sync, Waiting::id(&fact.of)));
            continue;
        }
        match fact.place().0 {
            name if name == Table::Storylines.name() => of_story = Some(fact),
            name => by_table.entry(name.to_owned()).or_default().push(fact),
        }
    }
    inbox.commit(forgotten).await?;
    if !is_here && of_story.is_none() {
        return Ok(Taken::default());
    }
    let mut story = Story {
        ports,
        me,
        inbox,
        buried,
        id: id.into(),
        places: Places::of(store, id).await?,
        turns: HashMap::new(),
        fresh: HashSet::new(),
        replies: HashMap::new(),
        touched: HashSet::new(),
        batch: Batch::new(),
        changed: false,
        is_here,
        is_whole,
    };
    let mut of = |table: &str| by_table.remove(table).unwrap_or_default();
    story.states(of(Table::States.name())).await?;
    let mut replies = Replies::of(&story, of(Table::Generations.name())).await?;
    story.turns(of(Table::Turns.name()), &mut replies).await?;
    story.replies(replies).await?;
    story.memories(of(Table::Memories.name())).await?;
    story.at_turns(of(AT_TURN)).await?;
    story.flush().await?;
    let coming = of_story.as_ref().and_then(Coming::of);
    let apart = match of_story {
        Some(fact) => story.root(fact).await?,
        None => false,
    };
    let is_coming = !is_here && store.get(Table::Storylines, id).await?.is_none();
    Ok(Taken { changed: story.changed, coming: coming.filter(|_| is_coming), apart })
}

struct Story<'a> {
    ports: &'a Ports,
    me: &'a Me,
    inbox: &'a Inbox<'a>,
    /// Since when it was gone elsewhere, where it stayed here: who buried it has heard what was told before then, and has it no
    /// more.
    buried: Option<Stamp>,
    id: StorylineId,
    places: Places<'a>,
    /// Those that were looked at.
    turns: HashMap<TurnId, Option<Turn>>,
    /// Those of them that were not here before: nothing else of theirs is here either.
    fresh: HashSet<TurnId>,
    /// The replies of turns, as far as they were looked at.
    replies: HashMap<TurnId, HashSet<GenerationId>>,
    /// Branches that have changed since the last commit.
    touched: HashSet<BranchId>,
    batch: Batch,
    changed: bool,
    /// It was here before.
    is_here: bool,
    /// Nothing more is on its way.
    is_whole: bool,
}

impl<'a> Story<'a> {
    fn store(&self) -> &'a dyn Store {
        &*self.ports.store
    }

    async fn flush(&mut self) -> Stored<()> {
        let mut batch = std::mem::take(&mut self.batch);
        for id in self.touched.drain() {
            if let Some(branch) = self.places.branches.get(&id) {
                batch.push(branch);
            }
        }
        self.inbox.commit(batch).await
    }

    async fn breathe(&mut self) -> Stored<()> {
        if self.batch.ops.len() < BATCH {
            return Ok(());
        }
        self.flush().await
    }

    async fn turn(&mut self, id: &TurnId) -> Stored<Option<Turn>> {
        if let Some(known) = self.turns.get(id) {
            return Ok(known.clone());
        }
        let found = self.store().load::<Turn>(id.as_str()).await?;
        self.turns.insert(id.clone(), found.clone());
        Ok(found)
    }

    fn done(&mut self, fact: &Fact) {
        self.batch.ops.push(Op::Delete(Table::Sync, Waiting::id(&fact.of)));
        if let Some(at) = self.told_before_burial(fact) {
            let (name, id) = fact.place();
            self.batch.ops.extend(fields::travels(name, id).map(|table| books::mark(table, id, at)));
        }
    }

    /// Of what was told before the story was gone elsewhere, when it is told anew: later than what buried it, or nobody would
    /// take it in.
    fn told_before_burial(&self, fact: &Fact) -> Option<Millis> {
        let buried = self.buried.as_ref().filter(|buried| fact.says.newest() <= **buried)?;
        Some(self.ports.clock.now().max(buried.at + 1))
    }

    fn put(&mut self, table: Table, value: Value) {
        self.batch.ops.extend(due::written(table, &value));
        self.batch.ops.push(Op::Put(table, value.into()));
        self.changed = true;
    }

    /// The value, where it is newer than what stands here, which is kept if nobody was told of it. What is there already is
    /// done with.
    async fn newer(&mut self, fact: &Fact, looked: &Looked, was: Option<&Value>) -> Stored<Option<(Known, Value)>> {
        let Says::Whole(stamp, value) = &fact.says else {
            self.done(fact);
            return Ok(None);
        };
        let mut known = looked.known(&fact.of);
        let own = looked.own(&fact.of, self.me).filter(|_| was.is_some());
        let stands = own.as_ref().or(Some(&known.stamp).filter(|_| was.is_some() || known.gone));
        if stands.is_some_and(|stands| stamp <= stands) {
            if own.is_some() {
                self.keep(&fact.of, stamp, value, was);
            }
            self.done(fact);
            return Ok(None);
        }
        if let (Some(own), Some(was)) = (&own, was) {
            self.keep(&fact.of, own, was, Some(value));
        }
        known.hear(stamp);
        known.gone = false;
        Ok(Some((known, value.clone())))
    }

    /// Keeps what lost, where it says something else.
    fn keep(&mut self, of: &str, stamp: &Stamp, lost: &Value, against: Option<&Value>) {
        let words = |value: &Value| {
            let words = ["user", "text", "name", "chosen"].map(|name| value.get(name).cloned().unwrap_or_default());
            words.to_vec()
        };
        if against.is_none_or(|against| words(against) != words(lost)) {
            self.batch.push(&Older::new(of, stamp.clone(), lost.clone()));
        }
    }

    /// Of the records that facts are of, those that are here.
    async fn here(&self, table: Table, facts: &[Fact]) -> Stored<HashMap<String, Value>> {
        let ids: Vec<_> = facts.iter().map(|fact| fact.place().1.to_owned()).collect();
        let docs = self.store().get_many(table, &ids).await?;
        Ok(docs.into_iter().map(|doc| (doc.id().to_owned(), doc.value)).collect())
    }

    /// They never change.
    async fn states(&mut self, facts: Vec<Fact>) -> Stored<()> {
        let here = self.here(Table::States, &facts).await?;
        for fact in facts {
            if let Says::Whole(_, value) = &fact.says
                && !here.contains_key(fact.place().1)
            {
                self.put(Table::States, value.clone());
            }
            self.done(&fact);
            self.breathe().await?;
        }
        Ok(())
    }

    async fn turns(&mut self, mut facts: Vec<Fact>, replies: &mut Replies) -> Stored<()> {
        let depth = |fact: &Fact| match &fact.says {
            Says::Whole(_, value) => value["position"].as_u64().unwrap_or_default(),
            _ => 0,
        };
        // A parent before its children; of siblings the eldest first.
        order::by(&mut facts, |a, b| (depth(a), &a.of).cmp(&(depth(b), &b.of)));
        let looked = Looked::at(self.ports, self.me, &facts).await?;
        let mut stored = self.here(Table::Turns, &facts).await?;
        for fact in &facts {
            let known = stored.remove(fact.place().1).map(decode::<Turn>).transpose()?;
            self.turns.insert(fact.place().1.into(), known);
        }
        for fact in facts {
            let id = TurnId::from(fact.place().1);
            let here = self.turn(&id).await?;
            let stored = here.as_ref().and_then(|turn| serde_json::to_value(turn).ok());
            let Some((known, mut value)) = self.newer(&fact, &looked, stored.as_ref()).await? else { continue };
            let Some(fields) = value.as_object_mut() else { continue };
            let after = fields.shift_remove("after").unwrap_or_default();
            let Ok(mut turn) = from_value::<Turn>(value) else {
                self.done(&fact);
                continue;
            };
            // Who played on from a turn without its reply would go on from another state.
            if self.is_here && !self.is_whole && !replies.has_chosen(self, &turn).await? {
                continue;
            }
            match here {
                Some(here) => {
                    let is_answered =
                        self.places.branches.get(&here.branch).is_some_and(|own| own.end() > here.position + 1);
                    (turn.branch, turn.position) = (here.branch, here.position);
                    // What comes after it on its branch goes on from the reply that is chosen here.
                    if is_answered {
                        turn.chosen = here.chosen;
                    }
                }
                None => match self.plant(&after, &turn).await? {
                    Some((branch, position)) => {
                        (turn.branch, turn.position) = (branch, position);
                        self.fresh.insert(id);
                    }
                    None => continue,
                },
            }
            self.name(&turn);
            self.put(Table::Turns, serde_json::to_value(&turn).unwrap_or_default());
            self.turns.insert(turn.id.clone(), Some(turn.clone()));
            self.batch.push(&known);
            self.done(&fact);
            self.replies_of(&turn, replies).await?;
            self.breathe().await?;
        }
        Ok(())
    }

    /// Where a turn that is new here stands; `None`: the one before it is not here.
    async fn plant(&mut self, after: &Value, turn: &Turn) -> Stored<Option<(BranchId, u32)>> {
        let Some((before, by)) = read_place(after) else {
            let root = self.sprout(None);
            return Ok(Some((root, 0)));
        };
        let Some(mut parent) = self.turn(&before).await? else { return Ok(None) };
        let position = parent.position + 1;
        let Some(own) = self.places.branches.get(&parent.branch) else { return Ok(None) };
        if own.end() == position && (by.is_none() || parent.chosen.is_none() || by == parent.chosen) {
            if parent.chosen != by && by.is_some() {
                parent.chosen = by;
                self.put(Table::Turns, serde_json::to_value(&parent).unwrap_or_default());
                self.turns.insert(parent.id.clone(), Some(parent.clone()));
            }
            return Ok(Some((self.grow(&parent.branch), position)));
        }
        let is_bud = |branch: &&Branch| {
            let leaves = by.as_ref().is_some_and(|by| branch.leaves(&parent, by));
            leaves && branch.length == 0 && branch.deleted.is_none()
        };
        let bud = self.places.branches.values().filter(is_bud).map(|branch| branch.id.clone()).min();
        let branch = match bud {
            Some(bud) => self.grow(&bud),
            None => self.sprout(Some(Fork { branch: parent.branch, position: parent.position, generation: by })),
        };
        debug_assert_eq!(turn.position, position, "how deep a turn lies is the same everywhere");
        Ok(Some((branch, position)))
    }

    fn grow(&mut self, id: &BranchId) -> BranchId {
        if let Some(branch) = self.places.branches.get_mut(id) {
            branch.length += 1;
        }
        self.touched.insert(id.clone());
        id.clone()
    }

    /// A new branch with one turn.
    fn sprout(&mut self, parent: Option<Fork>) -> BranchId {
        let first = parent.as_ref().map_or(0, |fork| fork.position + 1);
        let branch = Branch { parent, first, length: 1, ..self.bare() };
        let id = branch.id.clone();
        self.places.branches.insert(id.clone(), branch);
        self.touched.insert(id.clone());
        id
    }

    fn bare(&self) -> Branch {
        Branch { id: self.ports.id(), storyline: self.id.clone(), created: self.ports.clock.now(), ..Branch::default() }
    }

    fn name(&mut self, turn: &Turn) {
        let Some(branch) = self.places.branches.get_mut(&turn.branch) else { return };
        if branch.named.contains(&turn.id) == turn.name.is_some() {
            return;
        }
        branch.named.retain(|id| *id != turn.id);
        branch.named.extend(turn.name.as_ref().map(|_| turn.id.clone()));
        self.touched.insert(turn.branch.clone());
    }

    async fn memories(&mut self, facts: Vec<Fact>) -> Stored<()> {
        let looked = Looked::at(self.ports, self.me, &facts).await?;
        let mut here = self.here(Table::Memories, &facts).await?;
        for fact in facts {
            let Says::Whole(_, value) = &fact.says else { continue };
            let Some(turn) = self.turn(&value["turn"].as_str().unwrap_or_default().into()).await? else { continue };
            let was = here.remove(fact.place().1);
            let Some((mut known, mut value)) = self.newer(&fact, &looked, was.as_ref()).await? else { continue };
            known.hangs_on(turn.id.as_str());
            value.as_object_mut().map(|fields| fields.shift_remove("turn"));
            place(&mut value, &turn.branch, turn.position);
            self.put(Table::Memories, value);
            self.batch.push(&known);
            self.done(&fact);
            self.breathe().await?;
        }
        Ok(())
    }
}

fn place(value: &mut Value, branch: &BranchId, position: u32) {
    value["branch"] = branch.as_str().into();
    value["position"] = position.into();
}
