//! A lorebook made ready for turns: its keys, patterns and decorators are read once, not with each turn.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    decorators::{self, Decorators, Place},
    keys::{Gram, Key},
};
use crate::story::{
    Extra,
    lorebook::{Entry, Lorebook, Position},
    order,
    preset::Role,
};

#[derive(Clone, Debug, Default)]
pub struct Book {
    /// Of the lorebook; of a card's own one, something that no record has.
    pub id: String,
    pub name: String,
    /// Those first that have the better claim on the room.
    pub entries: Vec<Ready>,
    pub scan_depth: Option<u32>,
    pub token_budget: Option<u32>,
    pub recursive: Option<bool>,
    /// How far its entries wait for others; see [`Entry::recursion_level`].
    pub(super) levels: BTreeSet<u32>,
    /// The most messages that one of its entries looks at by its own word.
    deepest: u32,
    /// Of each key what fewest others have, in order, and the place of its entry: of ten thousand a turn looks at a few.
    marks: Vec<(Gram, u32)>,
    /// The places of those that a turn looks at whatever is said in it.
    always: Vec<u32>,
}

/// An entry that may be told.
#[derive(Clone, Debug)]
pub struct Ready {
    /// What it is called wherever it is looked up again: its book's id and its own.
    pub key: String,
    /// Without its text and keys.
    pub entry: Entry,
    /// Its keys have macros in them, and are read with each turn.
    pub has_macros: bool,
    pub keys: Vec<Key>,
    pub secondary: Vec<Key>,
    /// Of each list, one has to come up too.
    pub also: Vec<Vec<Key>>,
    /// None of these may come up.
    pub except: Vec<Key>,
    /// Without its decorators; macros in it are not expanded yet.
    pub text: String,
    pub decorators: Decorators,
    /// As a file named the replies that it is for.
    pub triggers: Option<Value>,
}

impl Book {
    /// Entries that are off, or say nothing, are left out.
    pub fn of(book: Lorebook) -> Self {
        let Lorebook { id, name, entries, scan_depth, token_budget, recursive, .. } = book;
        let entries = entries.into_iter().filter(|entry| entry.enabled).map(|entry| Ready::of(&id.0, entry));
        let mut entries: Vec<Ready> = entries.filter(|ready| !ready.text.trim().is_empty()).collect();
        order::by_key(&mut entries, |ready| std::cmp::Reverse(ready.rank()));
        let levels = entries.iter().map(|ready| ready.entry.recursion_level).filter(|level| *level > 0).collect();
        let depths = entries.iter().filter_map(|ready| ready.decorators.scan_depth.or(ready.entry.scan_depth));
        let deepest = depths.max().unwrap_or_default();
        let mut shared = Shared::default();
        entries
            .iter()
            .flat_map(|ready| &ready.keys)
            .filter_map(Key::grams)
            .flatten()
            .for_each(|gram| shared.count(gram));
        let (mut marks, mut always) = (Vec::new(), Vec::new());
        for (at, ready) in (0..).zip(&entries) {
            match ready.marks(&shared) {
                Some(grams) => marks.extend(grams.into_iter().map(|gram| (gram, at))),
                None => always.push(at),
            }
        }
        order::by_key(&mut marks, |one| *one);
        Self { id: id.0, name, entries, scan_depth, token_budget, recursive, levels, deepest, marks, always }
    }

    /// The places of the entries that may come up where these stand; some come more than once.
    pub(super) fn may_come_up(&self, said: &BTreeSet<Gram>) -> Vec<u32> {
        let mut places = Vec::new();
        for gram in said {
            let first = self.marks.partition_point(|(mark, _)| mark < gram);
            places.extend(self.marks[first..].iter().take_while(|(mark, _)| mark == gram).map(|(_, at)| *at));
        }
        places
    }

    /// The places of those that are looked at whatever is said.
    pub(super) fn always(&self) -> &[u32] {
        &self.always
    }

    /// The most messages that any of its entries looks at.
    pub fn deepest(&self, by_default: u32) -> u32 {
        self.deepest.max(self.scan_depth.unwrap_or(by_default))
    }
}

/// What a file said of them, in whatever form (see [`crate::exchange::lorebook`]).
fn triggers(extra: &Extra) -> Option<Value> {
    let of = |rest: &Value| rest.get("triggers").or_else(|| rest.get("extensions")?.get("triggers")).cloned();
    extra.values().find_map(of)
}

impl Ready {
    fn of(book: &str, mut entry: Entry) -> Self {
        let content = std::mem::take(&mut entry.content);
        let (decorators, text) = decorators::read(&content);
        let keys = |written: &[String]| written.iter().filter_map(|key| Key::of(key)).collect::<Vec<_>>();
        Self {
            key: format!("{book}/{}", entry.id),
            has_macros: entry.keys.iter().chain(&entry.secondary_keys).any(|key| key.contains("{{")),
            keys: keys(&std::mem::take(&mut entry.keys)),
            secondary: keys(&std::mem::take(&mut entry.secondary_keys)),
            also: decorators.also.iter().map(|list| keys(list)).collect(),
            except: keys(&decorators.except),
            text: text.to_owned(),
            decorators,
            triggers: triggers(&entry.extra),
            entry,
        }
    }

    /// Of each of its keys what fewest others have. `None`: it may come up without one of them, or one is too short for
    /// that, or a pattern.
    fn marks(&self, shared: &Shared) -> Option<Vec<Gram>> {
        let (entry, decorators) = (&self.entry, &self.decorators);
        let comes_anyway = entry.constant || decorators.always || decorators.keeps || entry.sticky > 0;
        if comes_anyway || self.has_macros {
            return None;
        }
        self.keys.iter().map(|key| key.grams()?.min_by_key(|gram| shared.by(*gram))).collect()
    }

    /// What it is called where people read of it.
    pub fn title(&self) -> &str {
        let first_key = || self.keys.first().map_or("", Key::text);
        if self.entry.name.trim().is_empty() { first_key() } else { &self.entry.name }
    }

    pub fn place(&self) -> Place {
        match (self.decorators.place, self.entry.position) {
            (Some(place), _) => place,
            (None, Position::AtDepth) => Place::Depth(self.entry.depth.unwrap_or(DEPTH)),
            (None, position) => Place::At(position),
        }
    }

    pub fn role(&self) -> Role {
        self.decorators.role.unwrap_or(self.entry.role)
    }

    /// The higher, the later it gives way. Entries of the field without a priority give way by their order.
    pub(super) fn rank(&self) -> i32 {
        match self.decorators.gives_way {
            true => i32::MIN,
            false => self.entry.priority.unwrap_or(self.entry.order),
        }
    }
}

/// How many keys have three bytes in common, or a little more: some share a count.
struct Shared(Vec<u32>);

impl Default for Shared {
    fn default() -> Self {
        Self(vec![0; 1 << 16])
    }
}

impl Shared {
    fn place([a, b, c]: Gram) -> usize {
        (u32::from_le_bytes([a, b, c, 0]).wrapping_mul(0x9e37_79b1) >> 16) as usize
    }

    fn count(&mut self, gram: Gram) {
        self.0[Self::place(gram)] += 1;
    }

    fn by(&self, gram: Gram) -> u32 {
        self.0[Self::place(gram)]
    }
}

/// The field's own default (`depth`).
const DEPTH: u32 = 4;
