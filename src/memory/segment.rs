//! The stored form of an index: segments, each of which holds the words of a run of units.
//!
//! A segment stands by itself: it has its own list of words, so that one can be rewritten (the last one as it grows,
//! one that lost a unit) without a look at the others. What was removed is kept as an empty unit, for numbers stay.
//!
//! Layout, all numbers as LEB128: `FMI` and the version; speakers; words; units, each with its entries in order of
//! words as differences; last, four bytes of FNV-1a over all before.

use std::ops::Range;

use super::index::{Doc, Entry, Index, NONE};

const MAGIC: &[u8] = b"FMI\x01";

/// A stored segment is not what was written: the index is to be rebuilt from the turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a stored part of the memory index is damaged")]
pub struct Damaged;

impl Index {
    /// The stored form of some units, in this order.
    pub fn encode(&self, docs: impl IntoIterator<Item = u32>) -> Vec<u8> {
        let docs: Vec<&Doc> = docs.into_iter().map(|doc| &self.docs[doc as usize]).collect();
        let entries = docs.iter().copied().flat_map(|doc| self.entries_of(doc));
        let words = Held::of(self.words.len(), entries.map(|entry| entry.word()));
        let speakers = docs.iter().map(|doc| doc.speaker).filter(|speaker| *speaker != NONE);
        let speakers = Held::of(self.speakers.len(), speakers);

        let mut to = MAGIC.to_vec();
        put_texts(&mut to, speakers.numbers().iter().map(|speaker| &*self.speakers[*speaker as usize]));
        put_texts(&mut to, words.numbers().iter().map(|word| &*self.words[*word as usize]));
        put(&mut to, docs.len() as u32);
        for doc in docs {
            to.push(u8::from(doc.asks) | u8::from(doc.ends_asking) << 1 | u8::from(doc.removed) << 2);
            to.push(doc.first_person);
            // 0 is nobody.
            put(&mut to, if doc.is_alone() { 0 } else { speakers.place(doc.speaker) + 1 });
            put(&mut to, doc.session);
            put(&mut to, doc.date);
            let entries = self.entries_of(doc);
            put(&mut to, entries.len() as u32);
            let mut last = 0;
            for entry in entries {
                let word = words.place(entry.word());
                put(&mut to, word - last);
                to.push(entry.count() as u8 | u8::from(entry.is_name()) << 6);
                last = word;
            }
        }
        let sum = checksum(&to);
        to.extend(sum);
        to
    }

    /// The index that `segments` hold, in their order.
    ///
    /// # Errors
    /// One of them is not what [`Self::encode`] wrote.
    pub fn load<'a>(segments: impl IntoIterator<Item = &'a [u8]>) -> Result<Self, Damaged> {
        let mut index = Self::default();
        segments.into_iter().try_for_each(|segment| index.extend(segment).map(drop))?;
        Ok(index)
    }

    /// Appends the units of a segment, and gives their numbers here.
    ///
    /// # Errors
    /// It is not what [`Self::encode`] wrote; what came before the damage may be there, so the index is of no use.
    pub fn extend(&mut self, segment: &[u8]) -> Result<Range<u32>, Damaged> {
        let first = self.len();
        let (body, sum) = segment.split_last_chunk::<4>().ok_or(Damaged)?;
        if checksum(body) != *sum {
            return Err(Damaged);
        }
        let mut from = Reader(body.strip_prefix(MAGIC).ok_or(Damaged)?);
        let speakers = from.texts(|name| self.speaker(name))?;
        let words = from.texts(|word| self.intern(word))?;
        for _ in 0..from.number()? {
            let [flags, first_person] = from.bytes()?;
            let speaker = match from.number()? {
                0 => NONE,
                at => *speakers.get(at as usize - 1).ok_or(Damaged)?,
            };
            let doc = Doc {
                speaker,
                session: from.number()?,
                date: from.number()?,
                first_person,
                asks: flags & 1 != 0,
                ends_asking: flags & 2 != 0,
                removed: flags & 4 != 0,
                ..Doc::default()
            };
            let mut own = Vec::new();
            let mut at = 0u32;
            for _ in 0..from.number()? {
                at = at.checked_add(from.number()?).ok_or(Damaged)?;
                let [count] = from.bytes()?;
                let word = *words.get(at as usize).ok_or(Damaged)?;
                own.push(Entry::new(word, count & 64 != 0, u32::from(count & 63)));
            }
            // Numbers of words differ from those of the index that wrote them.
            own.sort_unstable();
            self.push(doc, own);
        }
        if from.0.is_empty() { Ok(first..self.len()) } else { Err(Damaged) }
    }
}

/// Some of the numbers below a bound, in their order. A segment is written with every turn and holds thousands of words:
/// to mark them is several times quicker than to sort them.
struct Held {
    bits: Vec<u64>,
    /// How many are held before each word of bits.
    before: Vec<u32>,
}

impl Held {
    fn of(bound: usize, numbers: impl Iterator<Item = u32>) -> Self {
        let mut bits = vec![0u64; bound.div_ceil(64)];
        numbers.for_each(|number| bits[number as usize / 64] |= 1 << (number % 64));
        let mut count = 0;
        let counted = |bits: &u64| {
            count += bits.count_ones();
            count - bits.count_ones()
        };
        let before = bits.iter().map(counted).collect();
        Self { bits, before }
    }

    fn numbers(&self) -> Vec<u32> {
        let mut numbers = Vec::new();
        for (bits, first) in self.bits.iter().zip((0..).step_by(64)) {
            let mut left = *bits;
            while left != 0 {
                numbers.push(first + left.trailing_zeros());
                left &= left - 1;
            }
        }
        numbers
    }

    /// How many are held before one that is.
    fn place(&self, number: u32) -> u32 {
        let at = number as usize / 64;
        self.before[at] + (self.bits[at] & ((1 << (number % 64)) - 1)).count_ones()
    }
}

fn put(to: &mut Vec<u8>, mut number: u32) {
    while 0x80 <= number {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn put_texts<'a>(to: &mut Vec<u8>, texts: impl ExactSizeIterator<Item = &'a str>) {
    put(to, texts.len() as u32);
    for text in texts {
        put(to, text.len() as u32);
        to.extend(text.as_bytes());
    }
}

/// FNV-1a, 32 bits.
fn checksum(bytes: &[u8]) -> [u8; 4] {
    bytes.iter().fold(0x811c_9dc5u32, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193)).to_le_bytes()
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(Damaged)?;
        self.0 = rest;
        Ok(*bytes)
    }

    fn number(&mut self) -> Result<u32, Damaged> {
        let mut number = 0u64;
        for shift in (0..35).step_by(7) {
            let [byte] = self.bytes()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(number).map_err(|_| Damaged);
            }
        }
        Err(Damaged)
    }

    fn texts(&mut self, mut each: impl FnMut(&str) -> u32) -> Result<Vec<u32>, Damaged> {
        let count = self.number()?;
        let mut numbers = Vec::new();
        for _ in 0..count {
            let length = self.number()? as usize;
            let (text, rest) = self.0.split_at_checked(length).ok_or(Damaged)?;
            self.0 = rest;
            numbers.push(each(std::str::from_utf8(text).map_err(|_| Damaged)?));
        }
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Date, Said, Unit};

    fn index() -> Index {
        let mut index = Index::default();
        let date = Some(Date { year: 2024, month: 2, day: 29 });
        for (speaker, session, text) in [
            ("Mira", 1, "Where did you put the brass key? I need it."),
            ("林夕", 1, "钥匙在灯塔里，我昨晚放的。"),
            ("Mira", 2, "We sailed to Port Ellery, and the key sank."),
        ] {
            index.append(&Unit { text, date, said: Some(Said { speaker, session }) });
        }
        index.append(&Unit { text: "The key is lost.", ..Unit::default() });
        index.remove(1);
        index
    }

    fn same(a: &Index, b: &Index) {
        assert_eq!(a.len(), b.len());
        for (a_doc, b_doc) in a.docs.iter().zip(&b.docs) {
            assert_eq!((a_doc.session, a_doc.date, a_doc.length), (b_doc.session, b_doc.date, b_doc.length));
            assert_eq!(
                (a_doc.removed, a_doc.asks, a_doc.first_person),
                (b_doc.removed, b_doc.asks, b_doc.first_person)
            );
            let words = |index: &Index, doc: &Doc| {
                let word = |entry: &Entry| (index.words[entry.word() as usize].clone(), entry.count(), entry.is_name());
                let mut words: Vec<_> = index.entries_of(doc).iter().map(word).collect();
                words.sort();
                words
            };
            assert_eq!(words(a, a_doc), words(b, b_doc));
        }
    }

    #[test]
    fn what_is_stored_is_read_again() {
        let index = index();
        let parts = [index.encode(0..2), index.encode(2..4)];
        let loaded = Index::load(parts.iter().map(Vec::as_slice)).unwrap();
        same(&index, &loaded);
        assert!(loaded.is_removed(1) && !loaded.is_removed(0));
        assert_eq!(
            loaded.speakers,
            index.speakers.iter().filter(|name| &***name != "林夕").cloned().collect::<indexmap::IndexSet<_>>()
        );
        same(&index, &Index::load([loaded.encode(0..4).as_slice()]).unwrap());
    }

    #[test]
    fn the_form_is_the_one_of_version_1() {
        let mut index = Index::default();
        index.append(&Unit { text: "a key", date: None, said: Some(Said { speaker: "M", session: 3 }) });
        let stored = index.encode(0..1);
        assert_eq!(&stored[..stored.len() - 4], b"FMI\x01\x01\x01M\x01\x03key\x01\0\0\x01\x03\0\x01\0\x01");
    }

    #[test]
    fn every_flipped_bit_is_seen() {
        let good = index().encode(0..4);
        for at in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[at / 8] ^= 1 << (at % 8);
            assert_eq!(Index::load([bad.as_slice()]).err(), Some(Damaged));
        }
    }

    proptest! {
        #[test]
        fn what_is_held_is_in_order_and_in_its_place(numbers in prop::collection::vec(0u32..300, 0..100)) {
            let held = Held::of(300, numbers.iter().copied());
            let sorted = Vec::from_iter(std::collections::BTreeSet::from_iter(numbers));
            prop_assert_eq!(held.numbers(), sorted.clone());
            for (place, number) in sorted.into_iter().enumerate() {
                prop_assert_eq!(held.place(number), place as u32);
            }
        }

        #[test]
        fn noise_is_refused_and_never_panics(noise in prop::collection::vec(any::<u8>(), 0..200), cut in 0usize..200) {
            prop_assert!(Index::load([noise.as_slice()]).is_err());
            // Noise that is signed, and so is read.
            let mut signed = [MAGIC, &noise].concat();
            signed.extend(checksum(&signed));
            let _ = Index::load([signed.as_slice()]);
            // A true segment with noise in place of its end.
            let mut mixed = index().encode(0..4);
            mixed.truncate(cut.min(mixed.len()));
            mixed.extend(&noise);
            mixed.extend(checksum(&mixed));
            let _ = Index::load([mixed.as_slice()]);
        }
    }
}
