//! Out of an archive, or out of a storyline that is there, into the store.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::{join, try_join_all};
use serde_json::Value;

use super::{
    Failure, Scope, Stage, Watch,
    excerpt::copied,
    journal::{Journal, decide, stored},
    select::{Selection, is_binned, pictures_of, unbinned},
};
use crate::{
    exchange::{
        archive::{Entry, Flaw, Reader, Summary},
        limits::Limits,
        merge::{Fate, Inventory, Mode, Plan, Renamer},
        refusal::{Refusal, Warning},
    },
    features::{circle, cradle},
    ports::{Future, LIBRARY, Pages, Pictures, Ports, Store},
    store::{Belongs, Key, Part, Query, Table},
    story::{Millis, blob::Blob, ids::StorylineId},
};

/// Bytes of the file that are written at a time; few in tests, so that an import has many steps.
const BATCH_BYTES: usize = if cfg!(test) { 2 << 10 } else { 512 << 10 };

/// Records of the file that are written at a time.
const PIECE: usize = 400;

/// The text of an archive as it comes off the decompressor.
pub trait Source {
    /// Some more of it; `None` at the end. Small pieces: a file made to burst must be stopped early.
    fn next(&mut self) -> Future<'_, Result<Option<Vec<u8>>, Failure>>;
    /// How many bytes of the file have gone in.
    fn compressed(&self) -> u64;
}

/// A whole and good archive.
pub struct Checked {
    pub summary: Summary,
    /// Its storylines with their titles.
    pub titles: Vec<(StorylineId, String)>,
    inventory: Inventory,
    /// Pictures of it that cannot be shown: they are left out.
    unfit: BTreeSet<String>,
}

impl Checked {
    pub fn title(&self, id: &str) -> &str {
        self.titles.iter().find(|(known, _)| known.as_str() == id).map_or("", |(_, title)| title)
    }
}

/// What an import would do, either way.
pub struct Prospect {
    pub merge: Plan,
    pub copy: Plan,
    /// Of the library's storylines, to tell a copy by.
    pub titles: BTreeSet<String>,
}

impl Prospect {
    pub fn plan(&self, mode: Mode) -> &Plan {
        match mode {
            Mode::Merge => &self.merge,
            Mode::Copy => &self.copy,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    pub records: u64,
    /// Where it was one storyline: what it is called here.
    pub storyline: Option<StorylineId>,
}

/// Reads an archive through and stores nothing.
///
/// # Errors
/// `Refused`, `Unreadable`, `Cancelled`.
pub async fn check(
    source: &mut dyn Source,
    limits: Limits,
    pictures: &dyn Pictures,
    watch: &Watch<'_>,
) -> Result<Checked, Failure> {
    watch.enter(Stage::Reading);
    let (mut inventory, mut titles) = (Inventory::default(), Vec::new());
    let (mut faces, mut unfit) = (BTreeMap::new(), BTreeMap::new());
    let mut summary = read(source, limits, watch, async |entries: Vec<Entry>| {
        for entry in entries {
            let value = &entry.doc.value;
            inventory.add(entry.part, value);
            let text = |field| value[field].as_str().unwrap_or_default().to_owned();
            let named = pictures_of(entry.part, value).into_iter();
            faces.extend(named.map(|id| (id.to_owned(), text("name"))));
            match entry.part {
                Part::Storylines => titles.push((entry.id().into(), text("title"))),
                Part::Blobs if text("kind") != Blob::OTHER => {
                    if let Err(fault) = pictures.judge(entry.doc.bytes.as_deref().unwrap_or_default()).await {
                        unfit.insert(entry.id().to_owned(), fault);
                    }
                    watch.breathe().await?;
                }
                _ => {}
            }
        }
        Ok(())
    })
    .await?;
    // A face is no reason to refuse a story.
    summary.warnings.extend(unfit.iter().map(|(id, fault)| {
        let character = faces.get(id).cloned().unwrap_or_default();
        Warning::FaceLeftOut { character, fault: fault.clone() }
    }));
    Ok(Checked { summary, titles, inventory, unfit: unfit.into_keys().collect() })
}

async fn read(
    source: &mut dyn Source,
    limits: Limits,
    watch: &Watch<'_>,
    mut each: impl AsyncFnMut(Vec<Entry>) -> Result<(), Failure>,
) -> Result<Summary, Failure> {
    let mut reader = Reader::new(limits);
    let mut entries = Vec::new();
    loop {
        // What was read is written while more is read.
        let (done, more) = join(each(std::mem::take(&mut entries)), batch(source, &mut reader, watch)).await;
        done?;
        match more? {
            Some(more) => entries = more,
            None => return Ok(reader.finish()?),
        }
    }
}

/// The next records of a file; `None` at its end.
async fn batch(source: &mut dyn Source, reader: &mut Reader, watch: &Watch<'_>) -> Result<Option<Vec<Entry>>, Failure> {
    let (mut entries, mut bytes) = (Vec::new(), 0);
    while entries.len() < PIECE && bytes < BATCH_BYTES {
        watch.breathe().await?;
        let Some(piece) = source.next().await? else { break };
        reader.compressed_so_far(source.compressed());
        entries.extend(reader.push(&piece)?);
        bytes += piece.len();
    }
    watch.count(entries.len());
    Ok((bytes > 0).then_some(entries))
}

/// Lays a file beside the library.
///
/// # Errors
/// The store failed; `Cancelled`.
pub async fn plan(ports: &Ports, file: &Checked, watch: &Watch<'_>) -> Result<Prospect, Failure> {
    let store = &*ports.store;
    let (mut library, mut titles) = (Inventory::default(), BTreeSet::new());
    for part in Part::ALL.into_iter().filter(|part| part.belongs().is_on_shelf()) {
        let mut pages = Pages::new(part.table());
        while let Some(docs) = pages.next(store).await? {
            for value in docs.into_iter().map(|doc| doc.value) {
                if part == Part::Storylines {
                    library.add(part, &value);
                    titles.extend(value["title"].as_str().filter(|_| !is_binned(&value)).map(str::to_owned));
                } else if !is_binned(&value) {
                    // A copy must not lean on what is in the bin.
                    library.add(part, &value);
                }
            }
            watch.breathe().await?;
        }
    }
    for (id, _) in &file.titles {
        if store.count(only(Table::Storylines, id.as_str())).await? == 0 {
            continue;
        }
        for part in [Part::Branches, Part::Turns] {
            let keys = store.keys(Query::equal(part.table(), "storyline", id.as_str())).await?;
            let mut pages = Pages::Keys { table: part.table(), keys };
            while let Some(docs) = pages.next(store).await? {
                docs.iter().for_each(|doc| library.add(part, &doc.value));
                watch.breathe().await?;
            }
        }
    }
    let broken = &file.summary.broken;
    let plan = |mode| Plan::new(mode, &file.inventory, &library, broken);
    Ok(Prospect { merge: plan(Mode::Merge), copy: plan(Mode::Copy), titles })
}

/// The record under one key.
fn only(table: Table, id: &str) -> Query {
    Query { from: Some(Key::from(id)), to: Some(Key::from(id)), ..Query::all(table) }
}

/// Imports a file that was checked, all of it or nothing. The caller sees to it that no other import is under way, that
/// nothing is left of an earlier one, and that nobody writes the storylines that the plan merges.
///
/// `retitle` names a storyline that becomes a copy.
///
/// # Errors
/// Nothing was imported; but see `Unfinished`.
pub async fn import(
    ports: &Ports,
    source: &mut dyn Source,
    limits: Limits,
    (file, plan): (&Checked, &Plan),
    retitle: &dyn Fn(&str) -> String,
    watch: &Watch<'_>,
) -> Result<Imported, Failure> {
    take_in(ports, plan, retitle, watch, async |intake| {
        let take = async |mut entries: Vec<Entry>| {
            entries.retain(|entry| entry.part != Part::Blobs || !file.unfit.contains(entry.id()));
            entries.iter_mut().for_each(|entry| file.summary.mends.apply(entry));
            intake.take(entries).await
        };
        read(source, limits, watch, take).await.map(drop)
    })
    .await
}

/// Puts a copy of a storyline beside it. It shares characters, background, lorebooks and preset.
///
/// # Errors
/// As `import`; `Gone`.
pub async fn duplicate(
    ports: &Ports,
    id: &StorylineId,
    retitle: &dyn Fn(&str) -> String,
    watch: &Watch<'_>,
) -> Result<Imported, Failure> {
    let selection = Selection::of(&*ports.store, &Scope::Storyline(id.clone())).await?;
    let plan = copied(id);
    take_in(ports, &plan, retitle, watch, async |intake| {
        let take = async |mut entries: Vec<Entry>| {
            entries.retain(|entry| matches!(entry.part.belongs(), Belongs::Root | Belongs::Story(_)));
            intake.take(entries).await
        };
        selection.walk(ports, watch, take).await.map(drop)
    })
    .await
}

async fn take_in(
    ports: &Ports,
    plan: &Plan,
    retitle: &dyn Fn(&str) -> String,
    watch: &Watch<'_>,
    feed: impl AsyncFnOnce(&mut Intake<'_>) -> Result<(), Failure>,
) -> Result<Imported, Failure> {
    watch.enter(Stage::Writing);
    let mut make = || ports.id::<String>();
    let journal = Journal::begin(&*ports.store).await?;
    let renamer = Renamer::new(plan, &mut make);
    let now = ports.clock.now();
    let mut intake =
        Intake { store: &*ports.store, plan, renamer, retitle, journal, records: 0, now, storylines: vec![] };
    if let Err(failure) = feed(&mut intake).await {
        watch.enter(Stage::Undoing);
        intake.journal.undo().await;
        return Err(failure);
    }
    watch.enter(Stage::Finishing);
    let Intake { journal, records, mut storylines, .. } = intake;
    journal.finish().await?;
    ports.tabs.announce(LIBRARY);
    for id in &storylines {
        ports.tabs.announce(id);
    }
    let storyline = storylines.pop().filter(|_| storylines.is_empty()).map(StorylineId);
    Ok(Imported { records, storyline })
}

/// Takes the records of a file in, in their order.
struct Intake<'a> {
    store: &'a dyn Store,
    plan: &'a Plan,
    renamer: Renamer<'a>,
    retitle: &'a dyn Fn(&str) -> String,
    journal: Journal<'a>,
    records: u64,
    now: Millis,
    /// By their ids here.
    storylines: Vec<String>,
}

impl Intake<'_> {
    async fn take(&mut self, entries: Vec<Entry>) -> Result<(), Failure> {
        let mut renamed: BTreeMap<Part, Vec<_>> = BTreeMap::new();
        for entry in entries {
            if let Some(entry) = self.rename(entry) {
                renamed.entry(entry.0.part).or_default().push(entry);
            }
        }
        // All parts at once: each asks the store what is there.
        let sorted = renamed.into_iter().map(|(part, entries)| self.sort(part, entries));
        let (mut direct, mut redo) = (Vec::new(), Vec::new());
        for (at_once, later) in try_join_all(sorted).await? {
            direct.extend(at_once);
            redo.extend(later);
        }
        self.records += (direct.len() + redo.len()) as u64;
        Ok(self.journal.write(direct, redo).await?)
    }

    /// The record by its ids here, and what becomes of its storyline.
    fn rename(&mut self, mut entry: Entry) -> Option<(Entry, Option<Fate>)> {
        let value = &mut entry.doc.value;
        let storyline = if entry.part == Part::Storylines { &value["id"] } else { &value["storyline"] };
        let fate = storyline.as_str().and_then(|id| self.plan.storylines.get(id)).copied();
        if !self.renamer.rewrite(entry.part, value) {
            return None;
        }
        if entry.part == Part::Characters {
            cradle::lay_to_rest(value, self.now);
            circle::lay_to_rest(value);
        }
        if entry.part == Part::Storylines {
            if fate == Some(Fate::Copy) {
                value["title"] = (self.retitle)(value["title"].as_str().unwrap_or_default()).into();
            }
            self.storylines.extend(value["id"].as_str().map(str::to_owned));
        }
        if entry.part.belongs().is_on_shelf() {
            entry.doc.value = unbinned(entry.doc.value);
        }
        Some((entry, fate))
    }

    /// What can be written at once, and what only at the end.
    async fn sort(&self, part: Part, entries: Vec<(Entry, Option<Fate>)>) -> Result<(Vec<Entry>, Vec<Entry>), Failure> {
        let (mut direct, mut redo) = (Vec::new(), Vec::new());
        if part.belongs() == Belongs::Content {
            for (entry, _) in entries {
                if self.store.count(only(part.table(), entry.id())).await? == 0 {
                    direct.push(entry);
                }
            }
            return Ok((direct, redo));
        }
        let known = |(entry, fate): &(Entry, Option<Fate>)| (*fate != Some(Fate::Copy)).then(|| entry.id().to_owned());
        let ids: Vec<_> = entries.iter().filter_map(known).collect();
        let stored = if ids.is_empty() { Default::default() } else { stored(self.store, part, &ids).await? };
        for (entry, fate) in entries {
            let there = stored.get(entry.id());
            let foreign = |there: &Value| there["storyline"] != entry.doc.value["storyline"];
            if !part.belongs().is_on_shelf() && there.is_some_and(foreign) {
                // Else a file could write over any story by naming its records.
                return Err(Refusal::from(Flaw::Foreign.of(part, entry.id())).into());
            }
            if !part.belongs().is_on_shelf() && fate != Some(Fate::Merge) {
                direct.push(entry);
            } else if decide(part, entry.doc.value.clone(), there).is_some() {
                redo.push(entry);
            }
        }
        Ok((direct, redo))
    }
}
