//! The memories that are seen from the head, a page at a time: ten thousand of them are a list of places, and texts are
//! read for what is on the page.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use futures_util::future::try_join_all;
use leptos::{prelude::*, task::spawn_local};

use super::faults_words;
use crate::{
    locales::memory::T as M,
    ports::{
        Clock, Store,
        recall::{Hit, Request, Source},
    },
    store::{Query, Stored, Table, decode},
    story::{
        fault::Fault,
        generation::Status,
        ids::{BranchId, GenerationId, StorylineId},
        memory::{Kind, Memory},
        order,
        tree::Path,
        turn::Turn,
    },
    turn::{memories::Change, scene},
    ui::app::App,
    web::clock::BrowserClock,
};

/// Memories on the page to begin with, and how many more at a time.
const PAGE: usize = 40;
/// Records read at a time while their places are taken down.
const CHUNK: usize = 400;
/// Hits asked for while the reader types; those of other stories and of what was said fall away.
const HITS: u32 = 200;
/// Milliseconds without typing before the memory is asked.
const PAUSE: u32 = 90;

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
#[derive(Clone, Copy)]
pub struct Rows {
    of: StoredValue<Option<StorylineId>>,
    by_id: StoredValue<HashMap<String, Row>>,
}

impl Rows {
    pub fn new() -> Self {
        Self { of: StoredValue::new(None), by_id: StoredValue::new(HashMap::new()) }
    }

    fn are_of(&self, id: &StorylineId) -> bool {
        self.of.with_value(|of| of.as_ref() == Some(id))
    }
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

#[derive(Clone, Copy)]
pub struct List {
    pub app: App,
    pub kind: RwSignal<Option<Kind>>,
    pub query: RwSignal<String>,
    pub shown: RwSignal<Vec<Shown>>,
    /// Nothing has been read yet.
    pub loading: RwSignal<bool>,
    /// There are older ones.
    pub more: RwSignal<bool>,
    /// Memories on other branches.
    pub elsewhere: RwSignal<usize>,
    pub fault: RwSignal<Option<String>>,
    pub busy: RwSignal<bool>,
    rows: Rows,
    wanted: RwSignal<usize>,
    /// Rises with each reading: an answer to an earlier one is dropped.
    version: StoredValue<u64>,
    changed: RwSignal<u32>,
}

impl List {
    /// Follows the head of the open story; only inside a component.
    pub fn here() -> Self {
        let app = App::here();
        let list = Self {
            app,
            kind: RwSignal::new(None),
            query: RwSignal::new(String::new()),
            shown: RwSignal::default(),
            loading: RwSignal::new(true),
            more: RwSignal::new(false),
            elsewhere: RwSignal::new(0),
            fault: RwSignal::new(None),
            busy: RwSignal::new(false),
            rows: app.memories,
            wanted: RwSignal::new(PAGE),
            version: StoredValue::new(0),
            changed: RwSignal::new(0),
        };
        // The end of a reply brings its event; which reply is seen decides which event is.
        let newest = Memo::new(move |_| {
            app.story.turns.with(|turns| {
                let view = turns.last()?;
                view.node.with(|node| {
                    let reply = node.reply()?;
                    let done = reply.status != Status::Streaming;
                    Some((reply.id.clone(), done, reply.edits.len()))
                })
            })
        });
        Effect::new(move |_| {
            newest.track();
            list.changed.track();
            let Some(id) = app.story.storyline.with(|storyline| storyline.as_ref().map(|s| s.id.clone())) else {
                return;
            };
            let (path, kind, query, wanted) =
                (app.story.path.get(), list.kind.get(), list.query.get(), list.wanted.get());
            list.version.update_value(|version| *version += 1);
            let view = View { id, path, kind, query: query.trim().to_owned(), wanted };
            spawn_local(list.read(view, list.version.get_value()));
        });
        list
    }

    pub fn show_more(self) {
        self.wanted.update(|wanted| *wanted += PAGE);
    }

    /// Reads what is shown anew. The panel may be gone by now.
    fn refresh(self) {
        self.changed.try_update(|changed| *changed = changed.wrapping_add(1));
    }

    fn is_now(&self, version: u64) -> bool {
        self.version.try_get_value() == Some(version)
    }

    async fn read(self, view: View, version: u64) {
        if !view.query.is_empty() {
            BrowserClock.sleep(PAUSE).await;
            if !self.is_now(version) {
                return;
            }
        }
        let outcome = self.find(&view, version).await;
        if !self.is_now(version) {
            return;
        }
        match outcome {
            Ok(Some(found)) => {
                self.fault.set(None);
                self.elsewhere.set(found.elsewhere);
                self.more.set(found.more);
                self.shown.set(found.shown);
            }
            Ok(None) => return,
            Err(fault) => self.fault.set(Some(faults_words(&fault, self.app.language.get_untracked()))),
        }
        self.loading.set(false);
    }

    async fn find(self, view: &View, version: u64) -> Result<Option<Found>, Fault> {
        let store = self.app.store();
        if !self.take_down(&*store, view, version).await? {
            return Ok(None);
        }
        let rows = self.rows.by_id.with_value(|rows| {
            let mut rows: Vec<Row> = rows.values().cloned().collect();
            order::by(&mut rows, |a, b| (b.position, b.created, &b.id).cmp(&(a.position, a.created, &a.id)));
            rows
        });
        let (here, elsewhere): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| view.path.contains(&row.branch, row.position));
        // A branch in the bin is nowhere until it comes back.
        let tree = scene::tree(&*store, &view.id).await?;
        let elsewhere = elsewhere.iter().filter(|row| tree.alive.contains_key(&row.branch)).count();
        if view.query.is_empty() {
            let here: Vec<_> = here.into_iter().filter(|row| view.takes(row.kind)).collect();
            let (shown, more) = page(&*store, view, here, |_| Vec::new()).await?;
            return Ok(Some(Found { shown, more, elsewhere }));
        }
        let request = Request::LookUp { text: view.query.clone(), limit: HITS };
        let hits = self.app.browser().ports.recall.hits(request).await?;
        let mut here: HashMap<_, _> = here.into_iter().map(|row| (row.id.clone(), row)).collect();
        let mut words = HashMap::new();
        let mut found = Vec::new();
        for Hit { storyline, source, words: held, .. } in hits {
            if let (true, Source::Memory(id)) = (storyline == view.id, source)
                && let Some(row) = here.remove(id.as_str()).filter(|row| view.takes(row.kind))
            {
                words.insert(row.id.clone(), held);
                found.push(row);
            }
        }
        let (shown, more) = page(&*store, view, found, |id| words.remove(id).unwrap_or_default()).await?;
        Ok(Some(Found { shown, more, elsewhere }))
    }

    /// Knows where each memory of the story hangs; those known already are not read again. False where that is of no
    /// more use.
    async fn take_down(self, store: &dyn Store, view: &View, version: u64) -> Stored<bool> {
        let keys = store.keys(Query::equal(Table::Memories, "storyline", view.id.as_str())).await?;
        if !self.is_now(version) {
            return Ok(false);
        }
        let Rows { of, by_id } = self.rows;
        if !self.rows.are_of(&view.id) {
            of.set_value(Some(view.id.clone()));
            by_id.set_value(HashMap::new());
        }
        let there: HashSet<&String> = keys.iter().collect();
        by_id.update_value(|rows| rows.retain(|id, _| there.contains(id)));
        let new: Vec<String> =
            by_id.with_value(|rows| keys.iter().filter(|key| !rows.contains_key(*key)).cloned().collect());
        for keys in new.chunks(CHUNK) {
            let memories = memories(store, keys).await?;
            if !self.is_now(version) || !self.rows.are_of(&view.id) {
                return Ok(false);
            }
            by_id.update_value(|rows| rows.extend(memories.iter().map(|memory| (memory.id.0.clone(), row(memory)))));
            if new.len() > CHUNK {
                // The page stays alive meanwhile.
                BrowserClock.sleep(0).await;
            }
        }
        Ok(self.is_now(version))
    }

    // ------------------------------------------------------------------------------------------ changes

    pub fn write(self, text: String, detail: String, done: impl FnOnce() + 'static) {
        self.act(done, async move |id| self.app.conductor().write_memory(&id, &text, &detail).await.map(drop));
    }

    pub fn change(self, memory: &Memory, change: Change, done: impl FnOnce() + 'static) {
        let memory = memory.id.clone();
        self.act(done, async move |_| self.app.conductor().change_memory(&memory, change).await.map(drop));
    }

    pub fn delete(self, memory: &Memory) {
        let app = self.app;
        let memory = memory.id.clone();
        self.act(
            || {},
            async move |_| {
                let deleted = app.conductor().delete_memory(&memory).await?;
                app.notify_undo(M::MemoryDeleted, move || {
                    let deleted = deleted.clone();
                    spawn_local(async move {
                        if let Err(fault) = app.conductor().restore_memory(&deleted).await {
                            app.notify_fault(&fault);
                        }
                        // The panel may be gone by now.
                        self.refresh();
                    });
                });
                Ok(())
            },
        );
    }

    fn act<F>(self, done: impl FnOnce() + 'static, work: F)
    where
        F: AsyncFnOnce(StorylineId) -> Result<(), Fault> + 'static,
    {
        let id = self.app.story.storyline.with_untracked(|storyline| storyline.as_ref().map(|s| s.id.clone()));
        let Some(id) = id.filter(|_| !self.busy.get_untracked()) else { return };
        self.busy.set(true);
        spawn_local(async move {
            let outcome = work(id).await;
            self.busy.try_set(false);
            match outcome {
                Ok(()) => {
                    done();
                    self.refresh();
                }
                Err(fault) => self.app.notify_fault(&fault),
            }
        });
    }
}

/// What is asked of the list.
struct View {
    id: StorylineId,
    path: Arc<Path>,
    kind: Option<Kind>,
    query: String,
    wanted: usize,
}

impl View {
    fn takes(&self, kind: Kind) -> bool {
        self.kind.is_none_or(|wanted| wanted == kind)
    }
}

struct Found {
    shown: Vec<Shown>,
    more: bool,
    elsewhere: usize,
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
