//! From a search to texts with their reasons.

use std::collections::{HashMap, HashSet};

use super::{
    entry::Entry,
    story::{Names, Story},
    texts::{Text, texts},
    vectors::Embedded,
};
use crate::{
    memory::{self, Query, Searcher, Terms, passages},
    ports::{
        Store,
        recall::{Among, Hit, Lacking, Search},
    },
    store::Stored,
    story::{
        company,
        ids::{BranchId, StorylineId},
        memory::Kind,
        tree::Branch,
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
    pub pinned: bool,
}

/// One in so many of the places of a search for summaries is for what was said, where anything fits: a summary does not
/// hold everything.
const SAID: usize = 4;

/// Units whose sentences are weighed at the most where there is room for sentences.
const UNITS: usize = 80;

/// What of a storyline fits, each fact once: pinned memories first, and besides them `limit` texts, or as many as are
/// weighed sentence by sentence. With them the words that were looked for.
pub fn search(
    story: &mut Story,
    names: &Names,
    vectors: Option<&Embedded>,
    searcher: &mut Searcher,
    search: &Search,
) -> (Vec<Found>, Terms) {
    story.look(&search.path);
    let story = &*story;
    if search.among == Among::Memories && story.memories().is_empty() {
        return (Vec::new(), Terms::default());
    }
    let view = story.view();
    let dense =
        vectors.zip(search.words.vector.as_ref()).and_then(|(held, embedding)| held.dense(view, &embedding.vector));
    let earlier: Vec<&str> = search.words.earlier.iter().map(String::as_str).collect();
    let expansions: Vec<&str> = search.words.expansions.iter().map(String::as_str).collect();
    let query = Query {
        text: &search.words.text,
        earlier: &earlier,
        // Who asks speaks of themselves.
        aliases: &[("我", names.reader.as_str())],
        expansions: &expansions,
        dense: dense.as_deref(),
        ..Query::default()
    };
    let terms = if search.room == 0 { Terms::default() } else { Terms::of(&story.index, view, &query) };
    let limit = search.limit as usize;
    let tellers = Tellers::of(story, search);
    let mut facts = HashSet::new();
    let pinned = pinned(story)
        .filter(|found| is_heard(&story.entries[found.entry], search))
        .filter_map(|found| tellers.told(story, found));
    let mut found: Vec<Found> = pinned.filter(|found| facts.insert(story.entries[found.entry].fact)).collect();
    let mut best = |kinds: &dyn Fn(&Entry) -> bool, limit: usize, units: usize| -> Vec<Found> {
        let may_be_told = |doc: u32| {
            let entry = &story.entries[story.owner(doc).0];
            kinds(entry) && may_be_told(entry, search)
        };
        let hits = searcher.search(&story.index, view, &Query { only: Some(&may_be_told), ..query }, units);
        let told = one_each(story, hits).filter_map(|found| tellers.told(story, found));
        told.filter(|found| facts.insert(story.entries[found.entry].fact)).take(limit).collect()
    };
    if !search.summaries_first {
        let (texts, units) = if search.room == 0 { (limit, limit * PER_TEXT) } else { (UNITS, UNITS) };
        found.extend(best(&|_| true, texts, units));
        return (found, terms);
    }
    let mut best = |kinds: &dyn Fn(&Entry) -> bool| best(kinds, limit, limit * PER_TEXT);
    let (mut summaries, mut said) = (best(&is_summary), best(&|entry| !is_summary(entry)));
    let room = limit - said.len().min(limit / SAID);
    summaries.truncate(room);
    let newest: Vec<Found> = newest(story, &tellers, search, facts).take(room - summaries.len()).collect();
    said.truncate(limit - summaries.len() - newest.len());
    // What changed stands, for the most part, in the state and the outline that the prompt tells anyway.
    let is_said = |found: &Found| !story.entries[found.entry].is_memory();
    let (said, changes): (Vec<_>, Vec<_>) = said.into_iter().partition(is_said);
    found.extend(summaries.into_iter().chain(said).chain(newest).chain(changes));
    (found, terms)
}

/// Nothing that the prompt holds anyway, and nothing that the reader hides.
fn may_be_told(entry: &Entry, search: &Search) -> bool {
    if !is_heard(entry, search) {
        return false;
    }
    let is_past = entry.position < search.until;
    match entry.kind {
        None => search.among == Among::All && is_past && !entry.is_brief,
        Some(_) if entry.hidden || entry.pinned => false,
        Some(Kind::Event) => is_past,
        Some(Kind::Summary | Kind::Plot | Kind::Note) => true,
    }
}

/// Whether who asks was there for all that it tells of, and may be told it. What sums up more than a turn that the reader
/// has taken out still may.
fn is_heard(entry: &Entry, search: &Search) -> bool {
    if !entry.owner.0.is_empty() && entry.owner != search.speaker {
        return false;
    }
    // What an earlier answer to the turn that asks has made is not so in the next one.
    if search.asking.is_some() && entry.maker.is_some() && search.path.end <= entry.position.saturating_add(1) {
        return false;
    }
    let (first, last) = entry.tells;
    if first == last && !search.path.is_told(first) {
        return false;
    }
    search.unheard.is_empty() || !company::touches(&search.unheard, first.min(last), first.max(last).saturating_add(1))
}

/// What the best of `sentences` lead to; see [`Terms::follow`].
pub fn linked(story: &Story, terms: &mut Terms, search: &Search, sentences: &[&str]) -> Vec<Found> {
    let mut seen = HashSet::new();
    let docs = terms.follow(&story.index, story.view(), sentences).into_iter();
    let units = docs.map(|doc| story.owner(doc)).filter(|(entry, _)| {
        let may = may_be_told(&story.entries[*entry], search) && !story.entries[*entry].is_memory();
        may && seen.insert(*entry)
    });
    let parts = || vec![("link".to_owned(), 0.0)];
    units.map(|(entry, unit)| Found { unit, parts: parts(), ..unasked(entry) }).collect()
}

/// What was written down of the story, apart from what was said and what changed.
fn is_summary(entry: &Entry) -> bool {
    matches!(entry.kind, Some(Kind::Summary | Kind::Plot | Kind::Note))
}

/// A point of the story stands in two layers (seed `000`): it is found by what either says, and told by one of them.
///
/// By fact, among what is seen.
struct Tellers(HashMap<u64, usize>);

impl Tellers {
    fn of(story: &Story, search: &Search) -> Self {
        let mut by_fact = HashMap::new();
        // Where it is not asked how it went, only the summary tells.
        let layers = [Some(Kind::Summary), search.in_detail.then_some(Kind::Plot)];
        for layer in layers.into_iter().flatten() {
            let of_layer = |number: &&usize| story.entries[**number].kind == Some(layer);
            let may = |number: &&usize| {
                let entry = &story.entries[**number];
                !entry.hidden && is_heard(entry, search)
            };
            for &number in story.memories().iter().filter(of_layer).filter(may) {
                by_fact.insert(story.entries[number].fact, number);
            }
        }
        Self(by_fact)
    }

    /// The same as it is told; `None` for what is not.
    fn told(&self, story: &Story, found: Found) -> Option<Found> {
        match story.entries[found.entry].kind {
            Some(Kind::Summary | Kind::Plot) => {
                let entry = *self.0.get(&story.entries[found.entry].fact)?;
                Some(Found { entry, ..found })
            }
            _ => Some(found),
        }
    }
}

/// The newest summaries and notes, without those of facts that are told.
fn newest<'a>(
    story: &'a Story,
    tellers: &'a Tellers,
    search: &'a Search,
    mut told: HashSet<u64>,
) -> impl Iterator<Item = Found> + 'a {
    let written = story.memories().iter().rev().copied().filter(|number| {
        let entry = &story.entries[*number];
        is_summary(entry) && !entry.hidden && is_heard(entry, search)
    });
    let told_of = written.filter_map(|number| tellers.told(story, unasked(number)));
    told_of.filter(move |found| told.insert(story.entries[found.entry].fact))
}

fn pinned(story: &Story) -> impl Iterator<Item = Found> {
    let pinned =
        story.memories().iter().filter(|entry| story.entries[**entry].pinned && !story.entries[**entry].hidden);
    pinned.map(|entry| Found { pinned: true, ..unasked(*entry) })
}

/// One that is told though nothing was looked for.
fn unasked(entry: usize) -> Found {
    Found { entry, unit: 0, score: 0.0, parts: vec![], words: vec![], pinned: false }
}

/// As the reader types: everything of the storyline, or its memories alone, on whatever of its branches.
pub fn look_up(
    story: &Story,
    branches: &HashMap<BranchId, Branch>,
    searcher: &mut Searcher,
    text: &str,
    memories_only: bool,
    limit: u32,
) -> Vec<Found> {
    let view = story.whole();
    let is_there = |doc: u32| {
        let entry = &story.entries[story.owner(doc).0];
        (entry.is_memory() || !memories_only)
            && branches.get(&entry.branch).is_some_and(|branch| !branch.is_cut(entry.position))
    };
    let query = Query { text, typing: true, only: Some(&is_there), ..Query::default() };
    let hits = searcher.search(&story.index, &view, &query, limit as usize * PER_TEXT);
    one_each(story, hits).take(limit as usize).collect()
}

/// The best unit of each text.
fn one_each(story: &Story, hits: Vec<memory::Hit>) -> impl Iterator<Item = Found> {
    let mut seen = HashSet::new();
    hits.into_iter().filter_map(move |hit| {
        let (entry, unit) = story.owner(hit.doc);
        let parts =
            hit.parts.named().into_iter().filter(|(_, part)| *part != 0.0).map(|(name, part)| (name.to_owned(), part));
        let found = Found { entry, unit, score: hit.score, parts: parts.collect(), words: hit.words, pinned: false };
        seen.insert(entry).then_some(found)
    })
}

/// Reads the texts of what was found. One that went meanwhile is left out.
pub async fn told(store: &dyn Store, id: &StorylineId, story: &Story, found: Vec<Found>) -> Stored<Vec<Hit>> {
    let texts = texts(store, found.iter().map(|found| &story.entries[found.entry])).await?;
    let told = |found: Found| {
        let entry = &story.entries[found.entry];
        let text = texts.get(&entry.source)?;
        let told = if entry.is_memory() { text.text.clone() } else { around(&text.text, found.unit) };
        Some(hit(id, story, found, text, told))
    };
    Ok(found.into_iter().filter_map(told).collect())
}

/// What was found, of which `told` is told.
pub fn hit(id: &StorylineId, story: &Story, found: Found, text: &Text, told: String) -> Hit {
    let entry = &story.entries[found.entry];
    let turn = match story.places.turn_at(&story.entries, &entry.branch, entry.position) {
        Some(turn) => turn.clone(),
        None => entry.turn.clone(),
    };
    Hit {
        storyline: id.clone(),
        source: entry.source.clone(),
        kind: entry.kind,
        turn,
        position: entry.position,
        turns: text.turns.unwrap_or((entry.position, entry.position)),
        text: told,
        detail: text.detail.clone(),
        said: entry.at,
        score: found.score,
        parts: found.parts,
        words: found.words,
        pinned: found.pinned || entry.pinned,
    }
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

/// The texts of units (entry, which of its units), to be embedded.
pub async fn texts_of_units(store: &dyn Store, story: &Story, units: &[(usize, usize)]) -> Stored<Vec<Lacking>> {
    let texts = texts(store, units.iter().map(|(entry, _)| &story.entries[*entry])).await?;
    let lacking = |&(number, unit): &(usize, usize)| {
        let entry = &story.entries[number];
        let Text { text, detail, .. } = &**texts.get(&entry.source)?;
        let text = match entry.is_memory() {
            true if detail.is_empty() => text.clone(),
            true => format!("{text}\n{detail}"),
            false => (*passages(text).get(unit)?).to_owned(),
        };
        Some(Lacking { unit: super::vectors::key(entry, unit), text })
    };
    Ok(units.iter().filter_map(lacking).collect())
}
