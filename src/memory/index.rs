//! The inverted index: which units hold a word, and which words a unit holds.
//!
//! It counts own words only and knows nothing of order: what stands beside what depends on the branch that one looks
//! from, and is added by a [`super::View`] while postings are read.

use indexmap::IndexSet;

use super::{
    dates::Date,
    words::{self, Word},
};

/// A number that stands for nothing.
pub(super) const NONE: u32 = u32::MAX;

/// What is indexed: a passage of what one speaker said in one turn, or a memory that stands alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unit<'a> {
    pub text: &'a str,
    pub date: Option<Date>,
    /// `None`: it stands alone (an event, a summary, a note).
    pub said: Option<Said<'a>>,
}

/// By whom, and in which sitting.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    pub speaker: &'a str,
    /// Turns of one session are neighbours; a scene or a day will do as well.
    pub session: u32,
}

/// What the index keeps of a unit besides its words.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Doc {
    /// Range of its entries.
    pub first: u32,
    pub end: u32,
    pub session: u32,
    /// [`NONE`]: it stands alone.
    pub speaker: u32,
    /// [`Date::pack`], or 0.
    pub date: u32,
    /// How many words it holds.
    pub length: u32,
    pub first_person: u8,
    pub asks: bool,
    pub ends_asking: bool,
    pub removed: bool,
}

impl Doc {
    pub fn is_alone(&self) -> bool {
        self.speaker == NONE
    }
}

/// A word of a unit: number of the word, whether it is a name there, how often (63 at most).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry(u32);

impl Entry {
    pub const MOST: u32 = 63;

    pub fn new(word: u32, name: bool, count: u32) -> Self {
        Self(word << 7 | u32::from(name) << 6 | count.min(Self::MOST))
    }

    pub fn word(self) -> u32 {
        self.0 >> 7
    }

    pub fn is_name(self) -> bool {
        self.0 & 64 != 0
    }

    pub fn count(self) -> u32 {
        self.0 & Self::MOST
    }
}

/// A unit that holds a word: number of the unit, how often (63 at most).
#[derive(Clone, Copy, Debug)]
pub(super) struct Posting(u32);

impl Posting {
    pub fn new(doc: u32, count: u32) -> Self {
        Self(doc << 6 | count)
    }

    pub fn doc(self) -> u32 {
        self.0 >> 6
    }

    pub fn count(self) -> u32 {
        self.0 & Entry::MOST
    }
}

/// Words and the units that hold them. Units are numbered from 0 as they are appended; the caller keeps what a number
/// stands for. There is room for 2²⁶ units and 2²⁵ words.
#[derive(Clone, Debug, Default)]
pub struct Index {
    pub(super) words: IndexSet<Box<str>>,
    /// By word, in order of units.
    pub(super) postings: Vec<Vec<Posting>>,
    pub(super) docs: Vec<Doc>,
    pub(super) entries: Vec<Entry>,
    pub(super) speakers: IndexSet<Box<str>>,
}

impl Index {
    /// How many units it has numbered, removed ones included.
    pub fn len(&self) -> u32 {
        self.docs.len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// Adds a unit and gives its number.
    pub fn append(&mut self, unit: &Unit<'_>) -> u32 {
        let mut own = Vec::new();
        let manner = words::read(unit.text, |Word { text, name, .. }| own.push(Entry::new(self.intern(text), name, 0)));
        let (speaker, session) = match unit.said {
            Some(said) => (self.speaker(said.speaker), said.session),
            None => (NONE, 0),
        };
        let doc = Doc {
            session,
            speaker,
            date: unit.date.map_or(0, Date::pack),
            first_person: manner.first_person.min(255) as u8,
            asks: manner.asks,
            ends_asking: manner.ends_asking,
            ..Doc::default()
        };
        own.sort_unstable();
        let counted = own.chunk_by(|a, b| a.word() == b.word()).map(|same| {
            let name = same.iter().any(|entry| entry.is_name());
            Entry::new(same[0].word(), name, same.len() as u32)
        });
        self.push(doc, counted)
    }

    /// Takes a unit out; its number stays unused. Views that hold it must be made anew.
    pub fn remove(&mut self, doc: u32) {
        let Some(gone) = self.docs.get_mut(doc as usize) else { return };
        for entry in &self.entries[gone.first as usize..gone.end as usize] {
            let postings = &mut self.postings[entry.word() as usize];
            if let Ok(at) = postings.binary_search_by_key(&doc, |posting| posting.doc()) {
                postings.remove(at);
            }
        }
        *gone = Doc { first: gone.first, end: gone.first, removed: true, speaker: NONE, ..Doc::default() };
    }

    /// Whether `doc` was taken out, or never was.
    pub fn is_removed(&self, doc: u32) -> bool {
        self.docs.get(doc as usize).is_none_or(|doc| doc.removed)
    }

    pub(super) fn intern(&mut self, word: &str) -> u32 {
        if let Some(at) = self.words.get_index_of(word) {
            return at as u32;
        }
        self.postings.push(Vec::new());
        self.words.insert_full(word.into()).0 as u32
    }

    pub(super) fn speaker(&mut self, name: &str) -> u32 {
        if let Some(at) = self.speakers.get_index_of(name) {
            return at as u32;
        }
        // Views look for these words when the speaker first speaks.
        words::read(name, |word| {
            self.intern(word.text);
        });
        self.speakers.insert_full(name.into()).0 as u32
    }

    /// Adds a unit whose words are numbered and counted; fills in what follows from them.
    pub(super) fn push(&mut self, doc: Doc, own: impl IntoIterator<Item = Entry>) -> u32 {
        let number = self.docs.len() as u32;
        let first = self.entries.len() as u32;
        let mut length = 0;
        for entry in own {
            self.entries.push(entry);
            self.postings[entry.word() as usize].push(Posting::new(number, entry.count()));
            length += entry.count();
        }
        self.docs.push(Doc { first, end: self.entries.len() as u32, length, ..doc });
        number
    }

    pub(super) fn entries_of(&self, doc: &Doc) -> &[Entry] {
        &self.entries[doc.first as usize..doc.end as usize]
    }
}
