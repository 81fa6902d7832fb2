//! The index of one storyline in memory: its entries, their units, and what has to be written.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
};

use super::{
    entry::Entry,
    places::Places,
    segment::{Head, MERGED, OPEN, Segment, segment_id},
};
use crate::{
    memory::{Date, Index, Said, Unit, View, Weights, passages},
    ports::recall::Source,
    store::{Doc, Op, StoreError, Stored, Table},
    story::{ids::StorylineId, print::print, tree::Path},
};

/// Who speaks in a storyline.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub reader: String,
    pub character: String,
}

/// What is visible from the end of a path.
struct Sight {
    path: Path,
    /// In order of the path.
    entries: Vec<usize>,
    view: View,
    /// The memories among it, in order.
    memories: Vec<usize>,
}

#[derive(Default)]
pub struct Story {
    pub version: u64,
    pub index: Index,
    /// Entries keep their number; one that has gone stays as it was, and is in no place.
    pub entries: Vec<Entry>,
    /// The units of each entry.
    units: Vec<Range<u32>>,
    /// The entry of each unit.
    owners: Vec<usize>,
    /// Without those that have gone.
    unit_count: u32,
    by_source: HashMap<Source, usize>,
    pub places: Places,
    /// Numbers of the entries of each segment: large ones, and at the end small ones.
    segments: Vec<Vec<usize>>,
    /// How many are large.
    large: usize,
    /// How many are in the store.
    stored: usize,
    /// The segment of each entry.
    segment_of: Vec<usize>,
    dirty: BTreeSet<usize>,
    /// Segments that hold a text as it was before it was worded anew, as stored: a later one holds it as it is. So a text
    /// that changes is written once, and where it was is written anew only when it goes.
    outdated: HashMap<Source, Vec<usize>>,
    /// What was seen last, and from where.
    sight: Option<Sight>,
    /// Where anything has changed since somebody looked: what lies before this position is as it was seen.
    same_until: u32,
}

impl Story {
    /// Out of its stored segments.
    ///
    /// # Errors
    /// One of them is damaged.
    pub fn load(head: Head, segments: impl IntoIterator<Item = Doc>) -> Stored<Self> {
        let mut story = Self { version: head.version, ..Self::default() };
        for doc in segments {
            let segment = Segment::read(&doc)?;
            let damaged = |error| StoreError::unreadable(Table::Postings, error);
            let docs = story.index.extend(&segment.words).map_err(damaged)?;
            let mut first = docs.start;
            let number = story.segments.len();
            story.segments.push(Vec::new());
            for (entry, units) in segment.entries {
                let range = first..first.saturating_add(units).min(docs.end);
                first = range.end;
                story.add(entry, range, number);
            }
        }
        story.large = story.segments.iter().rposition(|segment| OPEN < segment.len()).map_or(0, |last| last + 1);
        story.stored = story.segments.len();
        Ok(story)
    }

    /// In place of what its source said before.
    fn add(&mut self, entry: Entry, units: Range<u32>, segment: usize) {
        if let Some(&before) = self.by_source.get(&entry.source) {
            self.outdated.entry(entry.source.clone()).or_default().push(self.segment_of[before]);
            self.let_go(before);
        }
        let number = self.entries.len();
        self.same_until = self.same_until.min(entry.position);
        self.places.insert(number, &entry);
        self.by_source.insert(entry.source.clone(), number);
        self.owners.resize(units.end as usize, number);
        self.unit_count += units.len() as u32;
        self.units.push(units);
        self.entries.push(entry);
        self.segments[segment].push(number);
        self.segment_of.push(segment);
    }

    /// Takes in a text as it stands now. `utc_offset`: minutes by which the reader's clock was ahead of UTC at its time.
    pub fn take(&mut self, entry: Entry, text: &str, names: &Names, utc_offset: i32) {
        if let Some(&number) = self.by_source.get(&entry.source) {
            let known = &mut self.entries[number];
            if *known == entry {
                return;
            }
            if known.print == entry.print && (&known.branch, known.position) == (&entry.branch, entry.position) {
                self.same_until = self.same_until.min(entry.position);
                *known = entry;
                self.dirty.insert(self.segment_of[number]);
                return;
            }
        }
        let first = self.index.len();
        let date = i64::try_from(entry.at).ok().map(|at| Date::of(at, utc_offset));
        if entry.is_memory() {
            self.index.append(&Unit { text, date, said: None });
        } else {
            let speaker = match entry.source {
                Source::Reply(_) => &names.character,
                Source::User(_) | Source::Memory(_) => &names.reader,
            };
            let session = self.session_of(&entry);
            for passage in passages(text) {
                self.index.append(&Unit { text: passage, date, said: Some(Said { speaker, session }) });
            }
        }
        self.open_segment();
        let segment = self.segments.len() - 1;
        self.dirty.insert(segment);
        self.add(entry, first..self.index.len(), segment);
    }

    /// Makes room in the last segment.
    fn open_segment(&mut self) {
        if self.segments.len() != self.large && self.segments.last().is_some_and(|last| last.len() < OPEN) {
            return;
        }
        if self.large + MERGED <= self.segments.len() {
            let merged = self.segments.split_off(self.large).concat();
            merged.iter().for_each(|entry| self.segment_of[*entry] = self.large);
            self.dirty.split_off(&self.large);
            self.dirty.insert(self.large);
            self.segments.push(merged);
            self.large += 1;
        }
        self.segments.push(Vec::new());
    }

    /// A reply is of its turn's session.
    fn session_of(&self, entry: &Entry) -> u32 {
        let turn = self.by_source.get(&Source::User(entry.turn.clone())).map(|turn| &self.entries[*turn].session);
        // A number that stays the same from one start to the next. Two sessions that share one are neighbours at worst.
        print(turn.unwrap_or(&entry.session).as_str()) as u32
    }

    /// Lets go of a text that is not there any more.
    pub fn drop_source(&mut self, source: &Source) {
        let Some(&number) = self.by_source.get(source) else { return };
        let held = self.outdated.remove(source).unwrap_or_default().into_iter().chain([self.segment_of[number]]);
        // What has been merged since was written as it is.
        self.dirty.extend(held.filter(|segment| *segment < self.segments.len()));
        self.let_go(number);
    }

    fn let_go(&mut self, number: usize) {
        let entry = &self.entries[number];
        self.same_until = self.same_until.min(entry.position);
        self.places.remove(number, entry);
        self.by_source.remove(&entry.source);
        self.units[number].clone().for_each(|doc| self.index.remove(doc));
        self.unit_count -= self.units[number].len() as u32;
        self.segments[self.segment_of[number]].retain(|kept| *kept != number);
    }

    /// What has to be written for what has changed, with the head. From then on it counts as written.
    pub fn write(&mut self, storyline: &StorylineId) -> Vec<Op> {
        let dirty = std::mem::take(&mut self.dirty);
        if dirty.is_empty() && 0 < self.version {
            // Another tab would read the whole index anew, and find the same.
            return Vec::new();
        }
        self.version += 1;
        let mut ops: Vec<Op> =
            dirty.into_iter().map(|number| self.segment(number).put(storyline, number as u32)).collect();
        let merged = self.segments.len()..std::mem::replace(&mut self.stored, self.segments.len());
        ops.extend(merged.map(|number| Op::Delete(Table::Postings, segment_id(storyline, number as u32))));
        ops.push(Head { version: self.version, segments: self.segments.len() as u32 }.put(storyline));
        ops
    }

    fn segment(&self, number: usize) -> Segment {
        let held = &self.segments[number];
        let entries =
            held.iter().map(|entry| (self.entries[*entry].clone(), self.units[*entry].len() as u32)).collect();
        let docs = held.iter().flat_map(|entry| self.units[*entry].clone());
        Segment { entries, words: self.index.encode(docs) }
    }

    /// Looks from the end of a path. Of what was seen last, what comes before the first difference is not looked at again,
    /// and the view grows where the path has grown; otherwise it is made anew.
    pub fn look(&mut self, path: &Path) {
        let same_until = std::mem::replace(&mut self.same_until, u32::MAX);
        let mut sight = self.sight.take().unwrap_or_else(|| Sight {
            path: Path::default(),
            entries: Vec::new(),
            view: View::new(Weights::RECALL),
            memories: Vec::new(),
        });
        let from = sight.path.shared(path).min(same_until);
        if from < sight.path.end.max(path.end) {
            let cut = |seen: &[usize]| seen.partition_point(|entry| self.entries[*entry].position < from);
            let tail = self.places.on(path, from, &self.entries);
            let gone = sight.entries.split_off(cut(&sight.entries));
            sight.memories.truncate(cut(&sight.memories));
            sight.memories.extend(tail.iter().copied().filter(|entry| self.entries[*entry].is_memory()));
            let grows = tail.starts_with(&gone);
            let new = if grows { sight.entries.len() + gone.len() } else { 0 };
            sight.entries.extend(tail);
            if !grows {
                sight.view = View::new(Weights::RECALL);
            }
            let docs = sight.entries[new..].iter().flat_map(|entry| self.units[*entry].clone());
            docs.for_each(|doc| sight.view.push(&self.index, doc));
            sight.path = path.clone();
        }
        self.sight = Some(sight);
    }

    /// The units that were looked at last.
    pub fn view(&self) -> &View {
        &self.sight.as_ref().expect("somebody has looked").view
    }

    /// The memories among what was looked at last, in the order of the path.
    pub fn memories(&self) -> &[usize] {
        &self.sight.as_ref().expect("somebody has looked").memories
    }

    /// A view of everything.
    pub fn whole(&self) -> View {
        let docs = self.places.all().into_iter().flat_map(|entry| self.units[entry].clone());
        View::of(&self.index, Weights::RECALL, docs)
    }

    /// The entry that a unit belongs to, and which of its units it is.
    pub fn owner(&self, doc: u32) -> (usize, usize) {
        let number = self.owners[doc as usize];
        (number, (doc - self.units[number].start) as usize)
    }

    pub fn units_of(&self, entry: usize) -> Range<u32> {
        self.units[entry].clone()
    }

    /// Units that are there.
    pub fn unit_count(&self) -> u32 {
        self.unit_count
    }

    /// The entry of a text.
    pub fn entry_of(&self, source: &Source) -> Option<usize> {
        self.by_source.get(source).copied()
    }

    /// Entries that are there.
    pub fn live(&self) -> impl Iterator<Item = usize> {
        self.segments.iter().flatten().copied()
    }
}
