//! What was found, told by the sentences that matter: as many of them as there is room for, the best first, each where
//! it stands in the story.

use std::{borrow::Cow, collections::BTreeSet, ops::Range};

use super::{
    find::{self, Found},
    story::Story,
    texts::{ById, Text, Texts},
};
use crate::{
    memory::{Read, Terms, passages, words::is_cjk},
    ports::{
        Store,
        recall::{Hit, Search, Source},
    },
    prompt::tokens::estimate,
    store::Stored,
    story::{memory::Kind, order},
};

/// What the score of the place counts beside the words of the sentence: when, by whom and amid what it was said.
const PLACE: f32 = 1.5;

/// The same at least, as a share of the highest score, where the best sentences lead there: it was not asked for.
const LINKED: f32 = 0.8;

/// What the likeness of its passage to the question counts beside that, from so much on: it may share no word with it.
const LIKENESS: f32 = 0.4;
const ALIKE: f32 = 0.5;

/// A sentence that says less than this share of what the best one says is not worth its room.
const LEAST: f32 = 0.05;

/// Bytes that an excerpt has at the least, where its text has them: a sentence alone may say “she did”.
const ENOUGH: usize = 200;

/// So many sentences are followed to what they name.
const BEST: usize = 3;

/// Texts that are read at a time, the best first, until they hold so many times what there is room for. Of a story's long
/// turns few are enough, and more only crowd out what is asked; of a chat's short ones it takes all that were found.
const AT_ONCE: usize = 24;
const PLENTY: u32 = 2;

/// Tokens of what stands before an excerpt: turn and name.
const HEAD: u32 = 9;

/// A text that was found, cut into sentences.
struct Place<'a> {
    found: Found,
    position: u32,
    /// A memory, which is told whole.
    is_whole: bool,
    text: &'a Text,
    sentences: Vec<&'a str>,
    /// What is weighed: its sentences, or all of it.
    read: Cow<'a, [Read]>,
    worth: Vec<f32>,
    told: BTreeSet<usize>,
    /// The sentences of the passage that was found, where its vector is like the question's, and how alike.
    alike: (Range<usize>, f32),
    /// What the best sentences name is named here.
    is_linked: bool,
}

impl Place<'_> {
    fn weigh(&mut self, terms: &Terms) {
        self.worth = terms.weigh(&self.read);
    }
}

/// The hits of `found`, told in the room of `search` and in the order of the story. What has to be told (what is pinned, and
/// what was not looked for) comes first and whole, what is not pinned as far as there is room; so do memories, which are
/// short.
pub async fn told(
    store: &dyn Store,
    story: &Story,
    search: &Search,
    found: Vec<Found>,
    mut terms: Terms,
    known: &mut Texts,
) -> Stored<Vec<Hit>> {
    let entry = |found: &Found| &story.entries[found.entry];
    let (due, mut found): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| {
        let is_summary = matches!(entry(found).kind, Some(Kind::Summary | Kind::Plot | Kind::Note));
        found.pinned || found.parts.is_empty() || search.summaries_first && is_summary
    });
    let mut texts = known.read(store, due.iter().map(entry)).await?;
    let (mut read, mut held) = (0, 0);
    let ahead = &found[..found.len().min(known.enough)];
    known.read(store, ahead.iter().map(entry).filter(|entry| !entry.is_memory())).await?;
    while read < found.len() && held < search.room.saturating_mul(PLENTY) {
        let next = &found[read..found.len().min(read + AT_ONCE)];
        let more = known.read(store, next.iter().map(entry)).await?;
        held += more.values().map(|text| cost(text)).sum::<u32>();
        texts.extend(more);
        read += next.len();
    }
    found.truncate(read);
    known.enough = read;
    let mut left = search.room;
    let mut hits = Vec::new();
    for found in due {
        let Some(text) = texts.get(&entry(&found).source) else { continue };
        let cost = cost(text);
        // What the reader has pinned is told whatever it takes.
        if !found.pinned && left < cost {
            continue;
        }
        left = left.saturating_sub(cost);
        hits.push(find::hit(&search.storyline, story, found, text, text.text.clone()));
    }
    let due = hits.len();
    let mut places = places(found, story, &texts);
    places.iter_mut().for_each(|place| place.weigh(&terms));
    let mut linked = find::linked(story, &mut terms, search, &best(&places));
    linked.retain(|found| {
        let known = places.iter_mut().find(|place| place.found.entry == found.entry);
        known.map(|place| place.is_linked = true).is_none()
    });
    let more_texts = known.read(store, linked.iter().map(entry)).await?;
    places.extend(self::places(linked, story, &more_texts).into_iter().map(|place| Place { is_linked: true, ..place }));
    places.iter_mut().for_each(|place| place.weigh(&terms));
    choose(&mut places, left);
    for place in places.into_iter().filter(|place| !place.told.is_empty()) {
        let excerpt = excerpt(&place);
        hits.push(find::hit(&search.storyline, story, place.found, place.text, excerpt));
    }
    // As it went: of two versions the later comes later. Summaries that the words ask for stay before all.
    let first = if search.summaries_first { due } else { 0 };
    order::by_key(&mut hits[first..], |hit| {
        (!hit.pinned, hit.turns.0, hit.position, hit.kind.is_some(), matches!(hit.source, Source::Reply(_)))
    });
    Ok(hits)
}

/// One for each text. Memories are not cut: they are short.
fn places<'a>(found: Vec<Found>, story: &Story, texts: &'a ById) -> Vec<Place<'a>> {
    let place = |found: Found| {
        let entry = &story.entries[found.entry];
        let text = texts.get(&entry.source)?;
        let is_whole = entry.is_memory();
        let (sentences, read) = match is_whole {
            // It is found by how it went, too.
            true => {
                let read = Read::of(&format!("{}\n{}", text.text, text.detail));
                (vec![text.text.as_str()], Cow::Owned(vec![read]))
            }
            false => {
                let (sentences, read) = text.sentences();
                (sentences, Cow::Borrowed(read))
            }
        };
        let (worth, told) = (Vec::new(), BTreeSet::new());
        let likeness = found.parts.iter().find(|(name, _)| name == "dense").map_or(0.0, |(_, part)| *part);
        let alike = match is_whole {
            _ if likeness < ALIKE => (0..0, 0.0),
            true => (0..1, likeness),
            false => (within(&text.text, found.unit, &sentences), likeness),
        };
        Some(Place {
            found,
            position: entry.position,
            is_whole,
            text,
            sentences,
            read,
            worth,
            told,
            alike,
            is_linked: false,
        })
    };
    found.into_iter().filter_map(place).collect()
}

/// Which of the sentences of a text lie in one of its passages.
fn within(text: &str, passage: usize, sentences: &[&str]) -> Range<usize> {
    let Some(passage) = passages(text).get(passage).map(|passage| passage.as_bytes().as_ptr_range()) else {
        return 0..0;
    };
    let lies = |sentence: &&str| {
        let sentence = sentence.as_bytes().as_ptr_range();
        sentence.start < passage.end && passage.start < sentence.end
    };
    let first = sentences.iter().position(lies).unwrap_or(0);
    first..first + sentences[first..].iter().take_while(|sentence| lies(sentence)).count()
}

/// The few sentences that say most of what is asked.
fn best<'a>(places: &[Place<'a>]) -> Vec<&'a str> {
    let said = |place: &Place<'a>| place.worth.iter().copied().zip(place.sentences.clone()).collect::<Vec<_>>();
    let mut all: Vec<(f32, &str)> = places.iter().flat_map(said).collect();
    order::by(&mut all, |a, b| b.0.total_cmp(&a.0));
    all.into_iter().take(BEST).map(|(_, sentence)| sentence).collect()
}

/// Marks the sentences that are told.
fn choose(places: &mut [Place], room: u32) {
    let most = |of: &dyn Fn(&Place) -> f32| places.iter().map(of).fold(f32::MIN_POSITIVE, f32::max);
    let best = most(&|place| place.worth.iter().copied().fold(0.0, f32::max));
    let highest = most(&|place| place.found.score);
    let mut all: Vec<(f32, u32, usize, usize)> = Vec::new();
    for (number, place) in places.iter().enumerate() {
        let of_place = PLACE * (place.found.score / highest).max(if place.is_linked { LINKED } else { 0.0 });
        let (alike, likeness) = &place.alike;
        for (at, worth) in place.worth.iter().enumerate() {
            let of_likeness = if alike.contains(&at) { LIKENESS * likeness } else { 0.0 };
            if LEAST * best <= *worth || of_likeness > 0.0 {
                all.push((worth / best + of_place + of_likeness, place.position, number, at));
            }
        }
    }
    // Of two that say as much the newer is first.
    order::by(&mut all, |a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    let mut left = room;
    for (_, _, number, at) in all {
        let place = &mut places[number];
        if place.told.contains(&at) {
            continue;
        }
        let more = around(place, at);
        let head = if place.told.is_empty() { HEAD } else { 0 };
        let price = match place.is_whole {
            true => cost(place.text),
            false => more.iter().map(|at| estimate(place.sentences[*at])).sum::<u32>() + head,
        };
        if price <= left {
            left -= price;
            place.told.extend(more);
        }
    }
}

/// A sentence and those beside it that it takes to be understood, without what is told already.
fn around(place: &Place, at: usize) -> BTreeSet<usize> {
    let mut told = BTreeSet::from([at]);
    let (mut first, mut last) = (at, at);
    let mut length = place.sentences[at].len();
    while length < ENOUGH {
        let before = first.checked_sub(1).map(|before| (place.worth[before], before));
        let after =
            Some(last + 1).filter(|after| *after < place.sentences.len()).map(|after| (place.worth[after], after));
        // What comes before says who and what; only more of what is asked counts more.
        let next = match (before, after) {
            (Some(before), Some(after)) if before.0 < after.0 => after.1,
            (Some(before), _) => before.1,
            (None, Some(after)) => after.1,
            (None, None) => break,
        };
        length += place.sentences[next].len();
        told.insert(next);
        (first, last) = (first.min(next), last.max(next));
    }
    told.retain(|at| !place.told.contains(at));
    told
}

/// The sentences of a place in one line; “…” stands for what is left out between them.
fn excerpt(place: &Place) -> String {
    let is_cjk = place.text.text.contains(is_cjk);
    let (gap, joint) = if is_cjk { ("……", "") } else { (" … ", " ") };
    let mut runs: Vec<String> = Vec::new();
    let mut last = None;
    for &at in &place.told {
        match runs.last_mut().filter(|_| last.is_some_and(|last| last + 1 == at)) {
            Some(run) => run.push_str(place.sentences[at]),
            None => runs.push(place.sentences[at].to_owned()),
        }
        last = Some(at);
    }
    let line =
        |run: &String| run.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(joint);
    runs.iter().map(line).collect::<Vec<_>>().join(gap)
}

fn cost(text: &Text) -> u32 {
    estimate(&text.text).max(estimate(&text.detail)) + HEAD
}
