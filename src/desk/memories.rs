//! The memories that are seen from the head, a page at a time: ten thousand of them are a list of places, and texts are
//! read for what is on the page.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use futures_util::future::try_join_all;

use super::Desk;
use crate::{
    ports::{
        Store,
        recall::{Hit, Request, Source},
    },
    store::{Query, Stored, Table, decode},
    story::{
        fault::Fault,
        ids::{BranchId, GenerationId, StorylineId},
        memory::{Kind, Memory},
        order,
        tree::Path,
        turn::Turn,
    },
    turn::scene,
};

/// Memories on the page to begin with, and how many more at a time.
pub const PAGE: usize = 40;
/// Records read at a time while their places are taken down.
const CHUNK: usize = 400;
/// Hits asked for while the reader types; those of other branches fall away.
const HITS: u32 = 200;

/// Where a memory hangs: none of it changes while the memory is there.
#[derive(Clone, PartialEq)]
struct Row {
    id: String,
    branch: BranchId,
    position: u32,
    generation: Option<GenerationId>,
    kind: Kind,
    created: u64,
}

/// Where the memories of the story read last hang; kept while the page is open, so that the panel opens at once.
#[derive(Default)]
pub struct Rows {
    of: Option<StorylineId>,
    by_id: HashMap<String, Row>,
}

/// A memory on the page, and the words of the search in it.
#[derive(Clone, PartialEq)]
pub struct Shown {
    pub memory: Memory,
    pub words: Vec<String>,
}

impl Shown {
    /// Tells one wording of a memory from another.
    pub fn key(&self) -> (String, String, String, bool, bool, Vec<String>) {
        let Memory { id, text, detail, pinned, hidden, .. } = &self.memory;
        (id.0.clone(), text.clone(), detail.clone(), *pinned, *hidden, self.words.clone())
    }
}

/// What is asked of the list.
pub struct View {
    pub id: StorylineId,
    pub path: Arc<Path>,
    pub kind: Option<Kind>,
    pub query: String,
    pub wanted: usize,
}

impl View {
    fn takes(&self, kind: Kind) -> bool {
        self.kind.is_none_or(|wanted| wanted == kind)
    }
}

pub struct Found {
    pub shown: Vec<Shown>,
    /// There are older ones.
    pub more: bool,
    /// Memories on other branches.
    pub elsewhere: usize,
}

impl Desk {
    /// What a view shows; `None` where it `is_wanted` no more.
    ///
    /// # Errors
    /// The store or the memory failed.
    pub async fn memories(
        &self,
        rows: &RefCell<Rows>,
        view: &View,
        is_wanted: impl Fn() -> bool,
    ) -> Result<Option<Found>, Fault> {
        let store = &*self.ports.store;
        if !self.take_down(rows, view, is_wanted).await? {
            return Ok(None);
        }
        let mut rows: Vec<Row> = rows.borrow().by_id.values().cloned().collect();
        order::by(&mut rows, |a, b| (b.position, b.created, &b.id).cmp(&(a.position, a.created, &a.id)));
        let (here, elsewhere): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| view.path.contains(&row.branch, row.position));
        // A branch in the bin is nowhere until it comes back.
        let tree = scene::tree(store, &view.id).await?;
        let elsewhere = elsewhere.iter().filter(|row| tree.alive.contains_key(&row.branch)).count();
        if view.query.is_empty() {
            let here: Vec<_> = here.into_iter().filter(|row| view.takes(row.kind)).collect();
            let (shown, more) = page(store, view, here, |_| Vec::new()).await?;
            return Ok(Some(Found { shown, more, elsewhere }));
        }
        let memories_of = Some(view.id.clone());
        let request = Request::LookUp { text: view.query.clone(), memories_of, limit: HITS };
        let hits = self.ports.recall.hits(request).await?;
        let mut here: HashMap<_, _> = here.into_iter().map(|row| (row.id.clone(), row)).collect();
        let mut words = HashMap::new();
        let mut found = Vec::new();
        for Hit { source, words: held, .. } in hits {
            if let Source::Memory(id) = source
                && let Some(row) = here.remove(id.as_str()).filter(|row| view.takes(row.kind))
            {
                words.insert(row.id.clone(), held);
                found.push(row);
            }
        }
        let (shown, more) = page(store, view, found, |id| words.remove(id).unwrap_or_default()).await?;
        Ok(Some(Found { shown, more, elsewhere }))
    }

    /// Knows where each memory of the story hangs; those known already are not read again. False where that is of no
    /// more use.
    async fn take_down(&self, rows: &RefCell<Rows>, view: &View, is_wanted: impl Fn() -> bool) -> Stored<bool> {
        let store = &*self.ports.store;
        let keys = store.keys(Query::equal(Table::Memories, "storyline", view.id.as_str())).await?;
        if !is_wanted() {
            return Ok(false);
        }
        let new: Vec<String> = {
            let mut rows = rows.borrow_mut();
            if rows.of.as_ref() != Some(&view.id) {
                *rows = Rows { of: Some(view.id.clone()), by_id: HashMap::new() };
            }
            let there: HashSet<&String> = keys.iter().collect();
            rows.by_id.retain(|id, _| there.contains(id));
            keys.iter().filter(|key| !rows.by_id.contains_key(*key)).cloned().collect()
        };
        for keys in new.chunks(CHUNK) {
            let memories = memories(store, keys).await?;
            if !is_wanted() || rows.borrow().of.as_ref() != Some(&view.id) {
                return Ok(false);
            }
            rows.borrow_mut().by_id.extend(memories.iter().map(|memory| (memory.id.0.clone(), row(memory))));
            if new.len() > CHUNK {
                // The page stays alive meanwhile.
                self.ports.clock.sleep(0).await;
            }
        }
        Ok(is_wanted())
    }
}

fn row(memory: &Memory) -> Row {
    Row {
        id: memory.id.0.clone(),
        branch: memory.branch.clone(),
        position: memory.position,
        generation: memory.generation.clone(),
        kind: memory.kind,
        created: memory.created,
    }
}

async fn memories(store: &dyn Store, keys: &[String]) -> Stored<Vec<Memory>> {
    let docs = store.get_many(Table::Memories, keys).await?;
    Ok(docs.into_iter().filter_map(|doc| decode::<Memory>(doc.value).ok()).collect())
}

/// The first of `rows` that are seen, as many as are wanted; and whether there are more.
async fn page(
    store: &dyn Store,
    view: &View,
    rows: Vec<Row>,
    mut words: impl FnMut(&str) -> Vec<String>,
) -> Stored<(Vec<Shown>, bool)> {
    let mut shown = Vec::new();
    for rows in rows.chunks(PAGE) {
        if shown.len() >= view.wanted {
            return Ok((shown, true));
        }
        let seen = seen_replies(store, &view.path, rows).await?;
        let visible = |row: &&Row| {
            let reply = seen.get(&row.position);
            row.generation.is_none() || reply.is_none_or(|reply| *reply == row.generation)
        };
        let keys: Vec<String> = rows.iter().filter(visible).map(|row| row.id.clone()).collect();
        let read = memories(store, &keys).await?;
        shown.extend(read.into_iter().map(|memory| Shown { words: words(memory.id.as_str()), memory }));
    }
    let more = shown.len() > view.wanted;
    shown.truncate(view.wanted);
    Ok((shown, more))
}

/// The reply that is seen at each turn which `rows` hang on by a reply.
async fn seen_replies(store: &dyn Store, path: &Path, rows: &[Row]) -> Stored<HashMap<u32, Option<GenerationId>>> {
    let places: HashSet<(&str, u32)> =
        rows.iter().filter(|row| row.generation.is_some()).map(|row| (row.branch.as_str(), row.position)).collect();
    let queries = places.into_iter().map(|place| store.list::<Turn>(Query::equal(Table::Turns, "place", place)));
    let turns = try_join_all(queries).await?;
    let chosen = turns.into_iter().flatten().map(|turn| (turn.position, path.generation_of(&turn).cloned()));
    Ok(chosen.filter(|(_, chosen)| chosen.is_some()).collect())
}
