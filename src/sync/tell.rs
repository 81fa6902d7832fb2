//! What changed here, as facts for the others.
//!
//! First the marks are taken up and written down as being told, then the records are read: what changes in between is
//! marked anew. A device that dies before it has heard that its pack is there tells the same once more.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Value, json};

use super::{
    ahead,
    books::{self, AGAIN, Known, Mark, Me},
    bytes::Sent,
    fact::{Fact, GONE, Says},
    fields,
    places::Places,
};
use crate::{
    ports::{Ports, Store},
    store::{Batch, Belongs, Op, Query, Stored, Table, changed, decode},
    story::{
        Millis,
        generation::Generation,
        ids::{BranchId, StorylineId, TurnId},
        memory::Memory,
        order,
        storyline::Storyline,
        tree::Branch,
        turn::Turn,
    },
    transfer::journal,
    turn::recover,
};

/// Of what stands at a turn beside it: who is there, that no model is told it, that it lies in the bin with all that comes
/// after it. No table: each device notes it at its branches.
pub const AT_TURN: &str = "at";

/// Milliseconds that a reply may take to be waited for.
const WRITING: Millis = 600_000;
/// The same until it is asked for.
const ASKING: Millis = 120_000;
/// Records that are made facts of at a stretch.
const STRETCH: usize = 100;

/// What goes out.
#[derive(Debug, Default)]
pub struct Told {
    pub facts: Vec<Fact>,
    /// Files that go out too.
    pub files: Vec<Sent>,
    /// What is known once the others can hear it.
    pub known: Vec<Known>,
}

/// In which order what has changed is told. Where it is little, as it comes; a whole library so that another device can show
/// it soon: first what its lists show, then the story that was played last, pictures, and the other stories, each as it was
/// played; at last the newest pages of those played last once more, to be read before the rest is there.
pub struct Order {
    /// Marks by their ids, those to be told next at the end.
    ids: Vec<String>,
    /// Stories whose newest pages are told once more.
    stories: Vec<Storyline>,
    /// Records that are told at once, at most.
    limit: u32,
    /// Something waits for a reply.
    pub holds: bool,
}

impl Order {
    /// # Errors
    /// The store failed; so everywhere here.
    pub async fn of(store: &dyn Store, limit: u32) -> Stored<Self> {
        let mut order = Self { ids: Vec::new(), stories: Vec::new(), limit, holds: false };
        if books::to_tell(store).await? <= limit {
            return Ok(order);
        }
        let mut marked: HashSet<String> = books::marked(store, "").await?.into_iter().collect();
        let add = |order: &mut Self, marked: &mut HashSet<String>, ids: Vec<String>| {
            order.ids.extend(ids.into_iter().filter(|id| marked.remove(id)));
        };
        let is_listed =
            |table: &Table| table.belongs().is_on_shelf() || matches!(table, Table::Branches | Table::Settings);
        for table in Table::ALL.into_iter().filter(fields::does_travel).filter(is_listed) {
            add(&mut order, &mut marked, books::marked(store, table.name()).await?);
        }
        let mut stories = store.list::<Storyline>(Query::all(Table::Storylines)).await?;
        order::by_key(&mut stories, |story| std::cmp::Reverse(story.last_active));
        let mut long = Vec::new();
        for (at, story) in stories.into_iter().enumerate() {
            let mut ids = Vec::new();
            for table in Table::of_story().filter(fields::does_travel) {
                let keys = store.keys(Query::equal(table, "storyline", story.id.as_str())).await?;
                // A state before the reply that names it; of the rest ids are as old as what they are of.
                ids.extend(keys.into_iter().map(|key| (table != Table::States, key, table)));
            }
            ids.sort_unstable();
            let turns = ids.iter().filter(|(_, _, table)| *table == Table::Turns);
            let turns = turns.filter(|(_, key, table)| marked.contains(&changed::id(*table, key))).count();
            add(&mut order, &mut marked, ids.into_iter().map(|(_, key, table)| changed::id(table, &key)).collect());
            if turns > ahead::PAGES && story.deleted.is_none() {
                long.push(story);
            }
            if at == 0 {
                add(&mut order, &mut marked, books::marked(store, Table::Blobs.name()).await?);
            }
        }
        order.ids.reverse();
        order.stories = long;
        Ok(order)
    }

    async fn next(&mut self, store: &dyn Store) -> Stored<Vec<Mark>> {
        while !self.ids.is_empty() {
            let from = self.ids.len().saturating_sub(self.limit as usize);
            let ids: Vec<_> = self.ids.drain(from..).rev().collect();
            let docs = store.get_many(Table::Sync, &ids).await?;
            let marks: Vec<Mark> = docs.into_iter().filter_map(|doc| decode(doc.value).ok()).collect();
            if !marks.is_empty() {
                return Ok(marks);
            }
        }
        let stories = std::mem::take(&mut self.stories);
        if stories.is_empty() {
            return books::marks(store, self.limit).await;
        }
        let mut again = ahead::ends(store, &stories, self.limit).await?;
        // What has changed meanwhile is told with what it changed.
        let changed: HashSet<String> = books::marked(store, "").await?.into_iter().collect();
        again.retain(|mark| !changed.contains(&mark.id));
        match again.is_empty() {
            true => books::marks(store, self.limit).await,
            false => Ok(again),
        }
    }
}

/// What has changed, so many records at most; `None`: nothing.
///
/// # Errors
/// The store failed: it is told the next time.
pub async fn gather(ports: &Ports, me: &mut Me, order: &mut Order) -> Stored<Option<Told>> {
    let store = &*ports.store;
    if me.telling.is_empty() {
        // Half of an import is nobody's, and may be taken back.
        if journal::is_open(store).await? {
            order.holds = true;
            return Ok(None);
        }
        let mut marks = order.next(store).await?;
        let answered = being_answered(ports, &marks).await?;
        let all = marks.len();
        marks.retain(|mark| !answered.contains(mark.of()));
        order.holds |= marks.len() < all;
        if marks.is_empty() {
            return Ok(None);
        }
        let noted = marks.iter().filter(|mark| mark.at != AGAIN);
        let taken: Vec<_> = noted.map(|mark| Op::Delete(Table::Sync, mark.id.clone())).collect();
        me.telling = marks;
        let mut batch = Batch::new().put(me);
        batch.ops.extend(taken);
        store.commit(batch).await?;
    } else {
        me.tries += 1;
        store.save(me).await?;
    }
    let of: Vec<_> = me.telling.iter().map(|mark| mark.of().to_owned()).collect();
    let known = books::known(store, &of).await?;
    // What changed once more since is told with what it changed, and as of then.
    let changed = books::changed(store, me, &of).await?;
    let mut telling =
        Telling { store, me, told: Told::default(), places: BTreeMap::new(), docs: read(store, &of).await? };
    for (at, of) in of.into_iter().enumerate() {
        // The page goes on in between.
        if at % STRETCH == STRETCH - 1 {
            ports.clock.sleep(0).await;
        }
        let known = known.get(&of).cloned().unwrap_or_else(|| Known::of(&of));
        let at = changed.get(&of).copied().unwrap_or_default();
        match telling.record(&of, at, known).await {
            // One that is damaged here stays here, and is in the way of no other.
            Err(error) if error.is_unreadable() => {}
            done => done?,
        }
    }
    Ok(Some(telling.told))
}

/// Turns that wait for their reply, in this tab or another, and their stories, which say where the reader stands: they are told
/// with it. One that was left open is not waited for.
async fn being_answered(ports: &Ports, marks: &[Mark]) -> Stored<HashSet<String>> {
    let (store, now) = (&*ports.store, ports.clock.now());
    let open = recover::unfinished(ports).await?.into_iter().filter(|reply| reply.started.abs_diff(now) < WRITING);
    let mut waits: Vec<_> = open.map(|reply| (reply.turn, reply.storyline)).collect();
    // The words come first, and their reply's place once its prompt is made.
    let new = marks.iter().filter(|mark| mark.at.abs_diff(now) < ASKING).filter_map(|mark| mark.of().split_once('/'));
    let new: Vec<_> = new.filter(|(name, _)| *name == Table::Turns.name()).map(|(_, id)| id.to_owned()).collect();
    for doc in store.get_many(Table::Turns, &new).await? {
        let Ok(turn) = decode::<Turn>(doc.value) else { continue };
        if turn.chosen.is_none() && turn.user.is_some() && !turn.is_stage && turn.created.abs_diff(now) < ASKING {
            waits.push((turn.id, turn.storyline));
        }
    }
    let of = |table: Table, id: &str| format!("{}/{id}", table.name());
    let both = |(turn, story): &(TurnId, StorylineId)| {
        [of(Table::Turns, turn.as_str()), of(Table::Storylines, story.as_str())]
    };
    Ok(waits.iter().flat_map(both).collect())
}

/// Those of the records that are there.
async fn read(store: &dyn Store, of: &[String]) -> Stored<HashMap<String, Value>> {
    let mut by_table = BTreeMap::<&str, Vec<String>>::new();
    for (name, id) in of.iter().filter_map(|of| of.split_once('/')) {
        by_table.entry(name).or_default().push(id.to_owned());
    }
    let mut read = HashMap::new();
    for (name, ids) in by_table {
        let Some(table) = Table::from_name(name).filter(fields::does_travel) else { continue };
        // Pictures are read one by one: of all at once there is too much.
        if table.belongs() == Belongs::Content {
            continue;
        }
        let docs = store.get_many(table, &ids).await?;
        read.extend(docs.into_iter().map(|doc| (format!("{name}/{}", doc.id()), doc.value)));
    }
    Ok(read)
}

/// The others can hear it now.
///
/// # Errors
/// The store failed: it is told once more.
pub async fn told(store: &dyn Store, me: &mut Me, told: &Told) -> Stored<()> {
    me.telling.clear();
    me.tries = 0;
    let mut batch = Batch::new().put(me);
    told.known.iter().for_each(|known| batch.push(known));
    store.commit(batch).await
}

struct Telling<'a> {
    store: &'a dyn Store,
    me: &'a Me,
    told: Told,
    places: BTreeMap<String, Places<'a>>,
    docs: HashMap<String, Value>,
}

impl<'a> Telling<'a> {
    async fn places(&mut self, story: &str) -> Stored<&Places<'a>> {
        if !self.places.contains_key(story) {
            self.places.insert(story.to_owned(), Places::of(self.store, story).await?);
        }
        Ok(&self.places[story])
    }

    async fn record(&mut self, of: &str, at: Millis, mut known: Known) -> Stored<()> {
        let of = of.to_owned();
        let Some((name, id)) = of.split_once('/') else { return Ok(()) };
        let Some(table) = fields::travels(name, id) else { return Ok(()) };
        // What is only told once more is what was told: who has it has it.
        let stamp = match at {
            AGAIN if known.stamp.at > 0 => known.stamp.clone(),
            at => known.next(at, self.me),
        };
        let read = match self.docs.remove(&of) {
            None if table.belongs() == Belongs::Content => self.store.get(table, id).await?.map(|doc| doc.value),
            read => read,
        };
        let Some(value) = read else {
            if known.gone {
                return Ok(());
            }
            // Turns and what hangs on them go with the bin, of which each device empties its own.
            let is_news = match (table, known.turn()) {
                // One that went with its turn is not gone where that is played on.
                (Table::Memories, Some(turn)) => self.store.get(Table::Turns, turn).await?.is_some(),
                _ => table == Table::Memories || table.belongs().is_on_shelf(),
            };
            let not = fields::print(&Value::Null);
            let was_told = known.fields.get("deleted").is_some_and(|(_, print)| *print != not);
            (known.gone, known.fields) = (true, BTreeMap::new());
            if is_news {
                known.hear(&stamp);
                let says = match table {
                    Table::Memories => Says::Gone(stamp),
                    _ => {
                        // Before anybody has heard that it lies in the bin: since when it does.
                        let says = if was_told { true.into() } else { stamp.at.into() };
                        Says::Fields(BTreeMap::from([(GONE.to_owned(), (stamp, says))]))
                    }
                };
                self.told.facts.push(Fact { of, story: String::new(), says });
            }
            // Else it is gone as it was known: told anew it comes back.
            self.told.known.push(known);
            return Ok(());
        };
        // A reply that is still coming is told of when it is whole: its end marks it anew.
        if value.get("open").is_some_and(|open| !open.is_null()) {
            return Ok(());
        }
        known.gone = false;
        let story = match table.belongs() {
            Belongs::Root => id.to_owned(),
            _ => value["storyline"].as_str().unwrap_or_default().to_owned(),
        };
        let says = match table {
            Table::Branches => return self.branch(at, known, &value).await,
            Table::Storylines => {
                let value = self.places(&story).await?.tell(value).await?;
                self.differs(&mut known, table, &value, at)
            }
            _ if fields::goes_in_fields(table) => self.differs(&mut known, table, &value, at),
            _ => {
                let Some(value) = self.whole(table, &story, value).await? else { return Ok(()) };
                if table.belongs() == Belongs::Content {
                    self.told.files.push(Sent::picture(id));
                }
                known.hear(&stamp);
                if let Some(turn) = value["turn"].as_str().filter(|_| table == Table::Memories) {
                    known.hangs_on(turn);
                }
                Some(Says::Whole(stamp, value))
            }
        };
        // What never changes is told once, and needs no books.
        if table != Table::States && table.belongs() != Belongs::Content {
            self.told.known.push(known);
        }
        self.told.facts.extend(says.map(|says| Fact { of, story, says }));
        Ok(())
    }

    /// The fields that say something else than what is known of them.
    fn differs(&self, known: &mut Known, table: Table, value: &Value, at: Millis) -> Option<Says> {
        let now = fields::split(table, value);
        self.news(known, now, at)
    }

    fn news(&self, known: &mut Known, now: BTreeMap<String, Value>, at: Millis) -> Option<Says> {
        let stamp = known.next(at, self.me);
        let was: BTreeSet<String> = known.fields.keys().cloned().collect();
        let gone = was.into_iter().filter(|name| !now.contains_key(name)).map(|name| (name, Value::Null));
        let all: Vec<_> = gone.collect::<Vec<_>>().into_iter().chain(now).collect();
        let mut news = BTreeMap::new();
        for (name, value) in all {
            let print = fields::print(&value);
            if known.fields.get(&name).is_some_and(|(_, known)| *known == print) {
                continue;
            }
            known.fields.insert(name.clone(), (stamp.clone(), print));
            news.insert(name, (stamp.clone(), value));
        }
        if news.is_empty() {
            return None;
        }
        known.hear(&stamp);
        Some(Says::Fields(news))
    }

    /// A record of a story with its place as it is told; `None`: it has none.
    async fn whole(&mut self, table: Table, story: &str, mut value: Value) -> Stored<Option<Value>> {
        match table {
            Table::Turns => {
                let turn: Turn = decode(value.clone())?;
                let before = self.places(story).await?.before(&turn.branch, turn.position).await?;
                if before.is_none() && turn.position > 0 {
                    return Ok(None);
                }
                value["after"] = before.map_or(Value::Null, |(turn, by)| json!({ "turn": turn, "generation": by }));
            }
            Table::Generations => {
                let reply: Generation = decode(value.clone())?;
                let branch = self.places(story).await?.branches.get(&reply.branch);
                let beads = branch.into_iter().flat_map(|branch| &branch.beads);
                let beads: Vec<_> = beads.filter(|bead| bead.generation == reply.id).collect();
                if !beads.is_empty() {
                    value["beads"] = json!(beads);
                }
            }
            Table::Memories => {
                let memory: Memory = decode(value.clone())?;
                let Some(turn) = self.places(story).await?.turn_at(&memory.branch, memory.position).await? else {
                    return Ok(None);
                };
                value["turn"] = json!(turn.id);
            }
            _ => return Ok(Some(value)),
        }
        value.as_object_mut().map(|fields| fields.shift_remove("branch"));
        Ok(Some(value))
    }

    /// A branch is told by what stands at its turns.
    async fn branch(&mut self, at: Millis, mut known: Known, value: &Value) -> Stored<()> {
        let branch: Branch = decode(value.clone())?;
        let story = branch.storyline.0.clone();
        let now = at_turns(self.places(&story).await?, &branch).await?;
        // Of a turn that was in the bin for too long nothing is said any more: least of all that it is out of it.
        let mut forgotten = BTreeMap::new();
        for turn in known.fields.keys().filter(|turn| !now.contains_key(*turn)).cloned().collect::<Vec<_>>() {
            if self.store.get(Table::Turns, &turn).await?.is_none() {
                forgotten.extend(known.fields.remove_entry(&turn));
            }
        }
        let news = self.news(&mut known, now, at);
        known.fields.extend(forgotten);
        if let Some(Says::Fields(news)) = news {
            for (turn, (stamp, value)) in news {
                let of = format!("{AT_TURN}/{turn}");
                self.told.facts.push(Fact { of, story: story.clone(), says: Says::Whole(stamp, value) });
            }
        }
        self.told.known.push(known);
        Ok(())
    }
}

/// What stands at the turns of a branch, by their ids.
pub async fn at_turns(places: &Places<'_>, branch: &Branch) -> Stored<BTreeMap<String, Value>> {
    let mut at: BTreeMap<u32, Value> = BTreeMap::new();
    let mut put = |position: u32, name: &str, value: Value| {
        at.entry(position).or_insert_with(|| json!({}))[name] = value;
    };
    for company in &branch.company {
        put(company.at, "company", json!({ "heard": company.heard, "present": company.present }));
    }
    for untold in &branch.untold {
        put(untold.at, "untold", json!({ "folded": untold.folded }));
    }
    for cut in &branch.cuts {
        put(cut.at, "cut", json!(cut.deleted));
    }
    if let Some(deleted) = branch.deleted.filter(|_| branch.length > 0) {
        put(branch.first, "cut", json!(deleted));
    }
    let mut by_turn = BTreeMap::new();
    for (position, value) in at {
        if let Some(turn) = places.turn_at(&branch.id, position).await? {
            by_turn.insert(turn.id.0, value);
        }
    }
    Ok(by_turn)
}

/// The id of what is known of what stands at the turns of a branch.
pub fn branch_of(branch: &BranchId) -> String {
    format!("{}/{branch}", Table::Branches.name())
}
