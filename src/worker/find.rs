//! From a search to texts with their reasons.

use std::collections::{HashMap, HashSet};

use super::{
    entry::Entry,
    story::{Names, Story},
    vectors::Embedded,
};
use crate::{
    memory::{self, Query, Searcher, passages},
    ports::{
        Doc, Store, Stored, Table, decode,
        recall::{Among, Hit, Lacking, Search, Source},
    },
    story::{
        generation::Generation,
        ids::{BranchId, StorylineId},
        memory::{Kind, Memory},
        tree::Branch,
        turn::Turn,
    },
};

/// Units that are looked at for each text that is wanted: several of one text count as one.
const PER_TEXT: usize = 4;

/// Bytes of a text that a hit tells: the passage and what stands around it.
const TOLD: usize = 1_200;

/// A unit that was found.
pub struct Found {
    pub entry: usize,
    /// Which of the entry's units.
    pub unit: usize,
    pub score: f32,
    pub parts: Vec<(String, f32)>,
    pub words: Vec<String>,
    pub is_older: bool,
}

/// What of a storyline fits: pinned memories first, then the best.
pub fn search(
    story: &mut Story,
    names: &Names,
    vectors: Option<&Embedded>,
    searcher: &mut Searcher,
    search: &Search,
) -> Vec<Found> {
    story.look(&search.path);
    let story = &*story;
    let view = story.view();
    let dense =
        vectors.zip(search.words.vector.as_ref()).and_then(|(held, embedding)| held.dense(view, &embedding.vector));
    let earlier: Vec<&str> = search.words.earlier.iter().map(String::as_str).collect();
    let expansions: Vec<&str> = search.words.expansions.iter().map(String::as_str).collect();
    let may_be_told = |doc: u32| {
        let entry = &story.entries[story.owner(doc).0];
        match entry.kind {
            None => search.among == Among::All && entry.position < search.until,
            Some(_) if entry.hidden || entry.pinned => false,
            Some(Kind::Event) => entry.position < search.until,
            Some(Kind::Summary | Kind::Plot | Kind::Note) => true,
        }
    };
    let query = Query {
        text: &search.words.text,
        earlier: &earlier,
        // Who asks speaks of themselves.
        aliases: &[("我", names.reader.as_str())],
        expansions: &expansions,
        dense: dense.as_deref(),
        only: Some(&may_be_told),
        ..Query::default()
    };
    let hits = searcher.search(&story.index, view, &query, search.limit as usize * PER_TEXT);
    let mut found: Vec<Found> = pinned(story).collect();
    found.extend(one_each(story, hits, search.limit as usize));
    if search.fill {
        fill(story, search, &mut found);
    }
    found
}

/// Adds the newest summaries and notes up to the limit.
fn fill(story: &Story, search: &Search, found: &mut Vec<Found>) {
    let told: HashSet<usize> = found.iter().map(|found| found.entry).collect();
    let more = story.memories().iter().rev().copied().filter(|number| {
        let entry = &story.entries[*number];
        matches!(entry.kind, Some(Kind::Summary | Kind::Note)) && !entry.hidden && !told.contains(number)
    });
    let room = (search.limit as usize).saturating_sub(found.len());
    found.extend(more.take(room).map(unasked));
}

fn pinned(story: &Story) -> impl Iterator<Item = Found> {
    let pinned =
        story.memories().iter().filter(|entry| story.entries[**entry].pinned && !story.entries[**entry].hidden);
    pinned.map(|entry| unasked(*entry))
}

/// One that is told though nothing was looked for.
fn unasked(entry: usize) -> Found {
    Found { entry, unit: 0, score: 0.0, parts: vec![], words: vec![], is_older: false }
}

/// As the reader types: everything of the storyline, on whatever of its branches.
pub fn look_up(
    story: &Story,
    branches: &HashMap<BranchId, Branch>,
    searcher: &mut Searcher,
    text: &str,
    limit: u32,
) -> Vec<Found> {
    let view = story.whole();
    let is_there = |doc: u32| {
        let entry = &story.entries[story.owner(doc).0];
        branches.get(&entry.branch).is_some_and(|branch| !branch.is_cut(entry.position))
    };
    let query = Query { text, typing: true, only: Some(&is_there), ..Query::default() };
    let hits = searcher.search(&story.index, &view, &query, limit as usize * PER_TEXT);
    one_each(story, hits, limit as usize).collect()
}

/// The best unit of each text.
fn one_each(story: &Story, hits: Vec<memory::Hit>, limit: usize) -> impl Iterator<Item = Found> {
    let mut seen = HashSet::new();
    let found = hits.into_iter().filter_map(move |hit| {
        let (entry, unit) = story.owner(hit.doc);
        let parts =
            hit.parts.named().into_iter().filter(|(_, part)| *part != 0.0).map(|(name, part)| (name.to_owned(), part));
        let (parts, is_older) = (parts.collect(), hit.superseded_by.is_some());
        seen.insert(entry).then_some(Found { entry, unit, score: hit.score, parts, words: hit.words, is_older })
    });
    found.take(limit)
}

/// Reads the texts of what was found. One that went meanwhile is left out.
pub async fn told(store: &dyn Store, id: &StorylineId, story: &Story, found: Vec<Found>) -> Stored<Vec<Hit>> {
    let texts = texts(store, found.iter().map(|found| &story.entries[found.entry])).await?;
    let hit = |found: Found| {
        let entry = &story.entries[found.entry];
        let Text { text, detail, turns } = texts.get(&entry.source)?;
        let turn = match story.places.turn_at(&story.entries, &entry.branch, entry.position) {
            Some(turn) => turn.clone(),
            None => entry.turn.clone(),
        };
        Some(Hit {
            storyline: id.clone(),
            source: entry.source.clone(),
            kind: entry.kind,
            turn,
            position: entry.position,
            turns: turns.unwrap_or((entry.position, entry.position)),
            text: if entry.is_memory() { text.clone() } else { around(text, found.unit) },
            detail: detail.clone(),
            said: entry.at,
            score: found.score,
            parts: found.parts,
            words: found.words,
            is_older: found.is_older,
            pinned: entry.pinned,
        })
    };
    Ok(found.into_iter().filter_map(hit).collect())
}

/// The passage with its neighbours, as far as there is room: a sentence alone says little.
fn around(text: &str, unit: usize) -> String {
    let passages = passages(text);
    let Some(mut told) = passages.get(unit).map(|passage| passage.len()) else { return text.to_owned() };
    let (mut first, mut last) = (unit, unit);
    loop {
        let before = first.checked_sub(1).filter(|before| told + passages[*before].len() <= TOLD);
        let after = Some(last + 1).filter(|after| passages.get(*after).is_some_and(|next| told + next.len() <= TOLD));
        match (before, after) {
            (None, None) => break,
            // By turns, so that the passage stays amid what is told.
            (Some(before), after) if after.is_none() || unit - first <= last - unit => {
                told += passages[before].len();
                first = before;
            }
            (_, Some(after)) => {
                told += passages[after].len();
                last = after;
            }
            (Some(_), None) => break,
        }
    }
    passages[first..=last].concat().trim().to_owned()
}

/// What a record says.
struct Text {
    text: String,
    detail: String,
    /// Of a memory: the turns that it tells of.
    turns: Option<(u32, u32)>,
}

/// What each entry says, by its source.
async fn texts<'a>(store: &dyn Store, entries: impl Iterator<Item = &'a Entry>) -> Stored<HashMap<Source, Text>> {
    let said = |text| Text { text, detail: String::new(), turns: None };
    let (mut turns, mut replies, mut memories) = (Vec::new(), Vec::new(), Vec::new());
    for entry in entries {
        match &entry.source {
            Source::User(id) => turns.push(id.0.clone()),
            Source::Reply(id) => replies.push(id.0.clone()),
            Source::Memory(id) => memories.push(id.0.clone()),
        }
    }
    let (turns, replies, memories) = futures_util::try_join!(
        some(store, Table::Turns, &turns),
        some(store, Table::Generations, &replies),
        some(store, Table::Memories, &memories),
    )?;
    let mut texts = HashMap::new();
    for doc in turns {
        if let Ok(turn) = decode::<Turn>(doc.value) {
            let (entry, text) = Entry::of_turn(&turn);
            texts.insert(entry.source, said(text));
        }
    }
    for doc in replies {
        if let Ok(reply) = decode::<Generation>(doc.value) {
            let (entry, text) = Entry::of_reply(&reply);
            texts.insert(entry.source, said(text));
        }
    }
    for doc in memories {
        if let Ok(memory) = decode::<Memory>(doc.value) {
            let Memory { id, text, detail, turns, .. } = memory;
            texts
                .insert(Source::Memory(id), Text { text, detail, turns: Some(turns).filter(|turns| *turns != (0, 0)) });
        }
    }
    Ok(texts)
}

/// Records, without a read where there are none to read.
async fn some(store: &dyn Store, table: Table, keys: &[String]) -> Stored<Vec<Doc>> {
    if keys.is_empty() { Ok(Vec::new()) } else { store.get_many(table, keys).await }
}

/// The texts of units (entry, which of its units), to be embedded.
pub async fn texts_of_units(store: &dyn Store, story: &Story, units: &[(usize, usize)]) -> Stored<Vec<Lacking>> {
    let texts = texts(store, units.iter().map(|(entry, _)| &story.entries[*entry])).await?;
    let lacking = |&(number, unit): &(usize, usize)| {
        let entry = &story.entries[number];
        let Text { text, detail, .. } = texts.get(&entry.source)?;
        let text = match entry.is_memory() {
            true if detail.is_empty() => text.clone(),
            true => format!("{text}\n{detail}"),
            false => (*passages(text).get(unit)?).to_owned(),
        };
        Some(Lacking { unit: super::vectors::key(entry, unit), text })
    };
    Ok(units.iter().filter_map(lacking).collect())
}
