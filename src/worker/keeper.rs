//! Answers what the memory is asked, one storyline at a time.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
    rc::Rc,
};

use futures_util::{
    join,
    lock::{Mutex, MutexGuard},
};

use super::{
    Lock, LockGuard, build, excerpts, find,
    story::{Names, Story},
    texts::Texts,
    vectors::Embedded,
};
use crate::{
    memory::{Searcher, words::written},
    ports::{
        Clock, Future, Recall, Store,
        recall::{Among, Answer, Extent, Hit, Request, Search, Words},
    },
    store::{Batch, Query, Stored, Table},
    story::{
        fault::{Fault, FaultKind},
        ids::{BackgroundId, BranchId, CharacterId, StorylineId},
        order,
        storyline::Storyline,
        tree::{Branch, Path, alive},
    },
};

/// A storyline's place among what is kept.
#[derive(Default)]
pub(super) struct Shelf {
    pub kept: Mutex<Kept>,
    /// Its index is being made out of a long story, which takes seconds.
    is_building: Cell<bool>,
    /// Something was asked of it, so that its view is made.
    pub is_warm: Cell<bool>,
}

/// Units whose indexes stay at hand where all stories are looked through. Those of more are read anew each time: the memory
/// of a worker never shrinks, and a phone ends the tab of one that grows with the library.
const HELD: u32 = 100_000;

/// What is kept of one storyline.
#[derive(Default)]
pub(super) struct Kept {
    pub story: Option<Story>,
    pub names: Names,
    /// By embedder.
    pub embedded: HashMap<String, Embedded>,
    pub texts: Texts,
}

impl Kept {
    /// Of the index that is at hand.
    pub fn version(&self) -> Option<u64> {
        self.story.as_ref().map(|story| story.version)
    }
}

pub struct Keeper {
    pub(super) store: Rc<dyn Store>,
    lock: Rc<dyn Lock>,
    /// Days are the reader's: what was said at one in the morning in Beijing was not said the day before.
    clock: Rc<dyn Clock>,
    kept: RefCell<HashMap<StorylineId, Rc<Shelf>>>,
    searcher: RefCell<Searcher>,
    /// Rounds of warming up, see [`Keeper::warm_up`].
    pub(super) rounds: Cell<u32>,
    /// Units that stay at hand, see [`HELD`].
    pub(super) holds: Cell<u32>,
}

impl Recall for Keeper {
    fn ask(&self, request: Request) -> Future<'_, Result<Answer, Fault>> {
        Box::pin(self.answer(request))
    }
}

impl Keeper {
    pub fn new(store: Rc<dyn Store>, lock: Rc<dyn Lock>, clock: Rc<dyn Clock>) -> Self {
        Self {
            store,
            lock,
            clock,
            kept: RefCell::default(),
            searcher: RefCell::default(),
            rounds: Cell::default(),
            holds: Cell::new(HELD),
        }
    }

    /// # Errors
    /// The store could not be read; or vectors do not fit, see [`Request::Embed`].
    pub async fn answer(&self, request: Request) -> Result<Answer, Fault> {
        match request {
            // A turn does not wait for an index that is only being made.
            Request::Search(search) if self.kept(&search.storyline).is_building.get() => {
                Err(Fault::new(FaultKind::MemoryBuilding, ""))
            }
            Request::Search(search) => Ok(Answer::Hits(self.search(&search).await?)),
            Request::Others { storyline, character, background, words, limit } => {
                Ok(Answer::Hits(self.others(&storyline, &character, background.as_ref(), words, limit).await?))
            }
            Request::LookUp { text, memories_of, limit } => {
                Ok(Answer::Hits(self.look_up(&text, memories_of.as_ref(), limit).await?))
            }
            Request::CatchUp { storyline, embedder } => {
                let kept = self.kept(&storyline);
                let mut kept = self.caught_up(&storyline, &kept, true).await?;
                self.extent(&mut kept, &storyline, &embedder).await
            }
            Request::Lacking { storyline, embedder, limit } => {
                let kept = self.kept(&storyline);
                let mut kept = self.caught_up(&storyline, &kept, false).await?;
                let (story, embedded) = self.embedded(&mut kept, &storyline, &embedder).await?;
                let lacking = embedded.lacking(story, limit);
                Ok(Answer::Lacking(find::texts_of_units(&*self.store, story, &lacking).await?))
            }
            Request::Embed { storyline, embedder, vectors } => {
                let kept = self.kept(&storyline);
                let mut kept = self.caught_up(&storyline, &kept, false).await?;
                let (story, embedded) = self.embedded(&mut kept, &storyline, &embedder).await?;
                let ops = embedded
                    .take(&storyline, story, vectors)
                    .map_err(|refused| Fault::new(FaultKind::BadVectors, refused.to_string()))?;
                let written = self.store.commit(Batch { ops, ..Batch::relaxed() }).await;
                if written.is_err() {
                    // What is in memory is ahead of the store: read it anew next time.
                    kept.embedded.remove(&embedder);
                }
                written?;
                self.extent(&mut kept, &storyline, &embedder).await
            }
            Request::BuildGraph { storyline, embedder, from } => {
                let kept = self.kept(&storyline);
                let mut kept = self.caught_up(&storyline, &kept, false).await?;
                let (_, embedded) = self.embedded(&mut kept, &storyline, &embedder).await?;
                if let Some(op) = embedded.build_graph(&storyline, from) {
                    self.store.commit(Batch { ops: vec![op], ..Batch::relaxed() }).await?;
                }
                self.extent(&mut kept, &storyline, &embedder).await
            }
        }
    }

    pub(super) fn kept(&self, storyline: &StorylineId) -> Rc<Shelf> {
        self.kept.borrow_mut().entry(storyline.clone()).or_default().clone()
    }

    /// Waits its turn, and takes in what is due. Where something nearly always is, as `is_due` says, it goes to the lock
    /// while it finds out what.
    async fn caught_up<'a>(&self, id: &StorylineId, shelf: &'a Shelf, is_due: bool) -> Stored<MutexGuard<'a, Kept>> {
        let mut kept = shelf.kept.lock().await;
        let behind = build::behind(&*self.store, id, kept.version(), None);
        let lock = async { if is_due { Some(self.lock.lock(id.0.clone()).await) } else { None } };
        let (due, pass) = join!(behind, lock);
        if let Some(due) = due? {
            let pass = match pass {
                Some(pass) => pass,
                None => self.lock.lock(id.0.clone()).await,
            };
            self.take_in(id, shelf, &mut kept, due, pass).await?;
        }
        Ok(kept)
    }

    async fn take_in(
        &self,
        id: &StorylineId,
        shelf: &Shelf,
        kept: &mut Kept,
        due: Vec<String>,
        _pass: LockGuard,
    ) -> Stored<()> {
        let caught_up = build::catch_up(&*self.store, &*self.clock, id, kept, due, &shelf.is_building).await;
        shelf.is_building.set(false);
        caught_up
    }

    async fn embedded<'a>(
        &self,
        kept: &'a mut Kept,
        id: &StorylineId,
        embedder: &str,
    ) -> Stored<(&'a mut Story, &'a mut Embedded)> {
        let Kept { story, embedded, .. } = kept;
        let story = story.as_mut().expect("it has caught up");
        if !embedded.contains_key(embedder) {
            let loaded = Embedded::load(&*self.store, id, embedder, story).await?;
            embedded.insert(embedder.to_owned(), loaded);
        }
        Ok((story, embedded.get_mut(embedder).expect("it is there now")))
    }

    async fn extent(&self, kept: &mut Kept, id: &StorylineId, embedder: &str) -> Result<Answer, Fault> {
        if embedder.is_empty() {
            let units = kept.story.as_ref().map_or(0, Story::unit_count);
            return Ok(Answer::Extent(Extent { units, ..Extent::default() }));
        }
        let (story, embedded) = self.embedded(kept, id, embedder).await?;
        let (wants_graph, has_graph) = (embedded.wants_graph(), embedded.has_graph());
        Ok(Answer::Extent(Extent { units: story.unit_count(), embedded: embedded.len(), wants_graph, has_graph }))
    }

    async fn search(&self, search: &Search) -> Stored<Vec<Hit>> {
        let id = &search.storyline;
        let shelf = self.kept(id);
        let mut kept = shelf.kept.lock().await;
        // Nearly always nothing is due: what is at hand is searched while that is being found out.
        let behind = build::behind(&*self.store, id, kept.version(), search.asking.as_ref());
        let at_hand = async {
            match kept.story {
                Some(_) => Some(self.find(&mut kept, search).await),
                None => None,
            }
        };
        match join!(behind, at_hand) {
            (Ok(None), Some(hits)) => hits,
            (due, _) => {
                if let Some(due) = due? {
                    let pass = self.lock.lock(id.0.clone()).await;
                    self.take_in(id, &shelf, &mut kept, due, pass).await?;
                }
                self.find(&mut kept, search).await
            }
        }
    }

    /// Searches what is at hand.
    async fn find(&self, kept: &mut Kept, search: &Search) -> Stored<Vec<Hit>> {
        if let Some(vector) = &search.words.vector {
            self.embedded(kept, &search.storyline, &vector.embedder).await?;
        }
        let Kept { story, names, embedded, texts } = kept;
        let story = story.as_mut().expect("it has caught up");
        let vectors = search.words.vector.as_ref().and_then(|vector| embedded.get(&vector.embedder));
        let (found, terms) = find::search(story, names, vectors, &mut self.searcher.borrow_mut(), search);
        match search.room {
            0 => find::told(&*self.store, &search.storyline, story, found).await,
            _ => excerpts::told(&*self.store, story, search, found, terms, texts).await,
        }
    }

    async fn others(
        &self,
        but: &StorylineId,
        character: &CharacterId,
        background: Option<&BackgroundId>,
        words: Words,
        limit: u32,
    ) -> Stored<Vec<Hit>> {
        let of_character = Query::equal(Table::Storylines, "cast", character.as_str());
        let stories: Vec<Storyline> = self.store.list(of_character).await?;
        let (mut hits, mut held) = (Vec::new(), 0);
        for story in stories {
            let same = story.background.as_ref() == background && story.deleted.is_none();
            if !same || story.id == *but || story.is_group() {
                continue;
            }
            let branches = self.branches(&story.id).await?;
            // A tree that is damaged says nothing here; its own page says that it is.
            let Ok(path) = Path::of(&branches, &story.head) else { continue };
            // Where not everybody heard everything, who asks may not have.
            if branches.values().any(|branch| !branch.company.is_empty()) {
                continue;
            }
            let search = Search {
                storyline: story.id,
                unheard: Vec::new(),
                speaker: character.clone(),
                until: path.end,
                asking: None,
                path,
                words: words.clone(),
                among: Among::Memories,
                limit,
                room: 0,
                in_detail: false,
                summaries_first: true,
            };
            hits.extend(self.search(&search).await?);
            let shelf = self.kept(&search.storyline);
            let mut kept = shelf.kept.lock().await;
            self.hold(&shelf, &mut kept, &mut held);
        }
        // A copy of a storyline tells what that one tells.
        let mut told = HashSet::new();
        let mut hits = best(hits);
        hits.retain(|hit| told.insert(hit.text.clone()));
        hits.truncate(limit as usize);
        Ok(hits)
    }

    /// Counts an index to those that are `held`; where they are too many it goes, unless it is asked often.
    fn hold(&self, shelf: &Shelf, kept: &mut Kept, held: &mut u32) {
        let units = kept.story.as_ref().map_or(0, Story::unit_count);
        if *held + units <= self.holds.get() || shelf.is_warm.get() {
            return *held += units;
        }
        *kept = Kept { names: std::mem::take(&mut kept.names), ..Kept::default() };
    }

    /// Without those in the bin.
    pub(super) async fn branches(&self, story: &StorylineId) -> Stored<HashMap<BranchId, Branch>> {
        let all = self.store.list(Query::equal(Table::Branches, "storyline", story.as_str())).await?;
        Ok(alive(all))
    }

    async fn look_up(&self, text: &str, memories_of: Option<&StorylineId>, limit: u32) -> Stored<Vec<Hit>> {
        let stories: Vec<Storyline> = self.store.list(Query::all(Table::Storylines)).await?;
        self.kept.borrow_mut().retain(|id, _| stories.iter().any(|story| story.id == *id));
        let (mut hits, mut held) = (Vec::new(), 0);
        let is_asked = |id: &StorylineId| memories_of.is_none_or(|of| of == id);
        for story in stories.into_iter().filter(|story| story.deleted.is_none() && is_asked(&story.id)) {
            let shelf = self.kept(&story.id);
            let mut kept = self.caught_up(&story.id, &shelf, false).await?;
            let index = kept.story.as_ref().expect("it has caught up");
            let branches = self.branches(&story.id).await?;
            let found =
                find::look_up(index, &branches, &mut self.searcher.borrow_mut(), text, memories_of.is_some(), limit);
            hits.extend(find::told(&*self.store, &story.id, index, found).await?);
            self.hold(&shelf, &mut kept, &mut held);
        }
        let mut hits = best(hits);
        hits.truncate(limit as usize);
        // A reader sees them marked in the text; a turn has no use for that.
        for hit in &mut hits {
            hit.words = written(&format!("{}\n{}", hit.text, hit.detail), &hit.words);
        }
        Ok(hits)
    }
}

/// Those of several storylines, the best first; of two that are equal the later one.
fn best(mut hits: Vec<Hit>) -> Vec<Hit> {
    order::by(&mut hits, |a, b| b.score.total_cmp(&a.score).then(b.said.cmp(&a.said)));
    hits
}

/// Who speaks in a storyline. Without its character it can still be searched.
pub(super) async fn names(store: &dyn Store, id: &StorylineId) -> Stored<Names> {
    let Some(storyline) = store.load::<Storyline>(id.as_str()).await? else { return Ok(Default::default()) };
    // Nothing but its name: to read a whole card takes code that the worker has no other use for.
    let character = store.get(Table::Characters, storyline.character().as_str()).await.ok().flatten();
    let name = character.as_ref().and_then(|doc| doc.value["name"].as_str());
    Ok(Names { reader: storyline.reader().told().plain.to_owned(), character: name.unwrap_or_default().to_owned() })
}
