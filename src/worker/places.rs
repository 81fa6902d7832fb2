//! Which entries are visible from a place in the tree, and in which order.

use std::collections::{BTreeMap, HashMap};

use super::entry::Entry;
use crate::{
    ports::recall::Source,
    story::{
        ids::{BranchId, GenerationId, TurnId},
        order,
        tree::Path,
    },
};

/// The entries of a storyline by branch and position. Numbers are those of the list of entries.
#[derive(Default)]
pub struct Places(HashMap<BranchId, BTreeMap<u32, Place>>);

#[derive(Default)]
struct Place {
    turn: Option<usize>,
    replies: Vec<usize>,
    memories: Vec<usize>,
}

impl Places {
    pub fn insert(&mut self, number: usize, entry: &Entry) {
        let place = self.0.entry(entry.branch.clone()).or_default().entry(entry.position).or_default();
        match entry.source {
            Source::User(_) => place.turn = Some(number),
            Source::Reply(_) => place.replies.push(number),
            Source::Memory(_) => place.memories.push(number),
        }
    }

    pub fn remove(&mut self, number: usize, entry: &Entry) {
        let Some(place) = self.0.get_mut(&entry.branch).and_then(|branch| branch.get_mut(&entry.position)) else {
            return;
        };
        match entry.source {
            Source::User(_) => place.turn = place.turn.filter(|turn| *turn != number),
            Source::Reply(_) => place.replies.retain(|reply| *reply != number),
            Source::Memory(_) => place.memories.retain(|memory| *memory != number),
        }
    }

    /// The turn at a place.
    pub fn turn_at<'a>(&self, entries: &'a [Entry], branch: &BranchId, position: u32) -> Option<&'a TurnId> {
        let place = self.0.get(branch)?.get(&position)?;
        place.turn.or(place.replies.first().copied()).map(|number| &entries[number].turn)
    }

    /// What lies on a path from a position on: at each turn the reader's words, the reply that the path goes on from, and
    /// the memories that hang on either.
    pub fn on(&self, path: &Path, from: u32, entries: &[Entry]) -> Vec<usize> {
        let mut seen = Vec::new();
        for span in path.spans.iter().filter(|span| from <= span.last) {
            let Some(branch) = self.0.get(&span.branch) else { continue };
            for (position, place) in branch.range(span.first.max(from)..=span.last) {
                let leaves_by = span.leaves_by.as_ref().filter(|_| *position == span.last);
                place.show(leaves_by, entries, &mut seen);
            }
        }
        seen
    }

    /// Everything, in an order in which what was said together stands together.
    pub fn all(&self) -> Vec<usize> {
        let mut branches: Vec<_> = self.0.iter().collect();
        order::by(&mut branches, |(a, _), (b, _)| a.cmp(b));
        let places = branches.into_iter().flat_map(|(_, places)| places.values());
        places.flat_map(|place| place.turn.iter().chain(&place.replies).chain(&place.memories).copied()).collect()
    }
}

impl Place {
    fn show(&self, leaves_by: Option<&GenerationId>, entries: &[Entry], seen: &mut Vec<usize>) {
        seen.extend(self.turn);
        let chosen = leaves_by.or_else(|| self.turn.and_then(|turn| entries[turn].chosen.as_ref()));
        let id = |number: &&usize| match &entries[**number].source {
            Source::Reply(id) => Some(id),
            Source::User(_) | Source::Memory(_) => None,
        };
        let reply = match chosen {
            // One that is not there is still being written.
            Some(chosen) => self.replies.iter().find(|number| id(number) == Some(chosen)),
            None => self.replies.iter().max_by_key(|number| (entries[**number].at, id(number))),
        };
        seen.extend(reply);
        let maker = chosen.or_else(|| reply.as_ref().and_then(id));
        let hangs_here = |number: &&usize| {
            let made_by = entries[**number].maker.as_ref();
            made_by.is_none() || made_by == maker
        };
        seen.extend(self.memories.iter().filter(hangs_here));
    }
}
