//! Keeps an index up with the store: loads it, takes in what is due, or builds it anew where it is lost.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet, HashSet},
};

use futures_util::{future::try_join_all, try_join};
use serde::de::DeserializeOwned;

use super::{
    entry::Entry,
    keeper::{Kept, names},
    segment::{Head, head_id},
    story::{Names, Story},
};
use crate::{
    ports::{Clock, Store, recall::Source},
    store::{Batch, Doc, Op, Query, Stored, Table, due, from_value},
    story::ids::{StorylineId, TurnId},
};

/// Turns of a story whose index is not made in a moment.
const LONG: usize = 1_000;

/// Records read at a time while an index is built.
const PAGE: usize = 256;

async fn head(store: &dyn Store, id: &StorylineId) -> Stored<Option<Head>> {
    Ok(store.get(Table::Postings, &head_id(id)).await?.as_ref().and_then(Head::read))
}

fn notes_of(id: &StorylineId) -> Query {
    Query::equal(Table::Due, "storyline", id.as_str())
}

/// What there is to take in for an index of this version; `None` where index and store agree but for the words of the
/// turn that is `asking`, and no other tab has taken in anything.
pub async fn behind(
    store: &dyn Store,
    id: &StorylineId,
    version: Option<u64>,
    asking: Option<&TurnId>,
) -> Stored<Option<Vec<String>>> {
    let (head, due) = try_join!(head(store, id), store.keys(notes_of(id)))?;
    let is_asking = |note: &String| asking.is_some_and(|turn| due::record(note) == Some((Table::Turns, turn.as_str())));
    let agree = is_current(version, head) && due.iter().all(is_asking);
    Ok((!agree).then_some(due))
}

fn is_current(version: Option<u64>, head: Option<Head>) -> bool {
    version.zip(head).is_some_and(|(version, head)| version == head.version)
}

/// Brings `kept` to where the store is, and takes in what `notes` tell of. The caller has passed the lock.
pub async fn catch_up(
    store: &dyn Store,
    clock: &dyn Clock,
    id: &StorylineId,
    kept: &mut Kept,
    notes: Vec<String>,
    is_building: &Cell<bool>,
) -> Stored<()> {
    let caught_up = take_in(store, clock, id, kept, notes, is_building).await;
    if caught_up.is_err() {
        // What is in memory is ahead of the store: read it anew next time.
        kept.story = None;
        kept.embedded.clear();
    }
    caught_up
}

async fn take_in(
    store: &dyn Store,
    clock: &dyn Clock,
    id: &StorylineId,
    kept: &mut Kept,
    mut notes: Vec<String>,
    is_building: &Cell<bool>,
) -> Stored<()> {
    // Texts are read after their notes: one that changes again is noted again.
    let told: &[String] = if kept.story.is_some() { &notes } else { &[] };
    let (head, mut changed) = try_join!(head(store, id), changed_by(store, told))?;
    if !is_current(kept.version(), head) {
        // Units have other numbers now.
        kept.embedded.clear();
        kept.story = match head {
            Some(head) => load(store, id, head).await?,
            None => None,
        };
        kept.names = names(store, id).await?;
        notes = store.keys(notes_of(id)).await?;
        if kept.story.is_none() {
            kept.story = Some(build(store, clock, id, &kept.names, notes, is_building).await?);
            return Ok(());
        }
        // Another keeper may have taken in some of them before the lock opened.
        changed = changed_by(store, &notes).await?;
    }
    if notes.is_empty() {
        return Ok(());
    }
    take_all(kept, clock, changed);
    let Some(story) = &mut kept.story else { return Ok(()) };
    let mut batch = Batch { ops: story.write(id), ..Batch::relaxed() };
    batch.ops.extend(notes.into_iter().map(|note| Op::Delete(Table::Due, note)));
    store.commit(batch).await
}

fn take_all(kept: &mut Kept, clock: &dyn Clock, changed: Vec<Changed>) {
    let Some(story) = &mut kept.story else { return };
    for Changed { table, found, gone } in changed {
        for doc in &found {
            take(story, clock, table, doc, &kept.names);
        }
        gone.iter().filter_map(|record| source(table, record)).for_each(|source| story.drop_source(&source));
    }
    for embedded in kept.embedded.values_mut() {
        embedded.follow(story);
    }
}

/// What the notes of one table stand for.
struct Changed {
    table: Table,
    found: Vec<Doc>,
    /// Ids of those that are not there any more.
    gone: Vec<String>,
}

/// The records that `notes` stand for, the turns first: a reply is of its turn's session.
async fn changed_by(store: &dyn Store, notes: &[String]) -> Stored<Vec<Changed>> {
    let mut by_table: BTreeMap<Table, BTreeSet<String>> = BTreeMap::new();
    for (table, record) in notes.iter().filter_map(|note| due::record(note)) {
        by_table.entry(table).or_default().insert(record.to_owned());
    }
    let read = by_table.into_iter().map(async |(table, records)| {
        let mut records = Vec::from_iter(records);
        let found = store.get_many(table, &records).await?;
        let there: HashSet<&str> = found.iter().filter_map(|doc| doc.value["id"].as_str()).collect();
        records.retain(|record| !there.contains(record.as_str()));
        Ok(Changed { table, found, gone: records })
    });
    try_join_all(read).await
}

fn source(table: Table, id: &str) -> Option<Source> {
    match table {
        Table::Turns => Some(Source::User(id.into())),
        Table::Generations => Some(Source::Reply(id.into())),
        Table::Memories => Some(Source::Memory(id.into())),
        _ => None,
    }
}

/// A record that cannot be read hides no other: it is not found.
fn take(story: &mut Story, clock: &dyn Clock, table: Table, doc: &Doc, names: &Names) {
    fn read<R: DeserializeOwned>(doc: &Doc, entry: fn(&R) -> (Entry, String)) -> Option<(Entry, String)> {
        from_value::<R>(doc.value.clone()).ok().as_ref().map(entry)
    }
    let read = match table {
        Table::Turns => read(doc, Entry::of_turn),
        // One that is being written is noted when it is done.
        Table::Generations if doc.value["open"].is_null() => read(doc, Entry::of_reply),
        Table::Memories => read(doc, Entry::of_memory),
        _ => None,
    };
    if let Some((entry, text)) = read {
        let utc_offset = clock.utc_offset(entry.at);
        story.take(entry, &text, names, utc_offset);
    }
}

/// `None` where a segment is missing or damaged.
async fn load(store: &dyn Store, id: &StorylineId, head: Head) -> Stored<Option<Story>> {
    // In the order of their numbers; the head's id is behind them.
    let mut segments = store.query(Query::equal(Table::Postings, "storyline", id.as_str())).await?;
    segments.retain(|doc| doc.value["id"] != head_id(id));
    if segments.len() != head.segments as usize {
        return Ok(None);
    }
    Ok(Story::load(head, segments).ok())
}

/// Out of turns, replies and memories.
async fn build(
    store: &dyn Store,
    clock: &dyn Clock,
    id: &StorylineId,
    names: &Names,
    due: Vec<String>,
    is_building: &Cell<bool>,
) -> Stored<Story> {
    let mut story = Story::default();
    let old = store.keys(Query::equal(Table::Postings, "storyline", id.as_str())).await?;
    for table in [Table::Turns, Table::Generations, Table::Memories] {
        let keys = store.keys(Query::equal(table, "storyline", id.as_str())).await?;
        is_building.set(is_building.get() || keys.len() > LONG);
        for page in keys.chunks(PAGE) {
            for doc in store.get_many(table, page).await? {
                take(&mut story, clock, table, &doc, names);
            }
        }
    }
    let mut batch = Batch::relaxed();
    batch.ops.extend(old.into_iter().map(|key| Op::Delete(Table::Postings, key)));
    batch.ops.extend(story.write(id));
    batch.ops.extend(due.into_iter().map(|note| Op::Delete(Table::Due, note)));
    store.commit(batch).await?;
    Ok(story)
}
