//! Who is in the room, and who hears what is said (`group`).
//!
//! It hangs on the tree: each branch notes the turns at which the company changes, or at which fewer hear than are there.
//! What is between follows from them, so a turn of a long story costs nothing, and going back to an earlier place brings
//! back its company. Where nothing is noted the whole cast is there: a story of one character notes nothing.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{
    ids::{BranchId, CharacterId},
    storyline::Storyline,
    tree::{Branch, Node, Path},
};

/// A turn at which the company changes, or that not all of it hear.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Company {
    /// Position of the turn.
    pub at: u32,
    /// Who hears it.
    pub heard: Vec<CharacterId>,
    /// Who is there after it.
    pub present: Vec<CharacterId>,
}

/// Turns of a path, from the first up to, but not with, the last.
pub type Stretch = (u32, u32);

/// What is noted of the company along a path, in order.
pub struct Noted<'a> {
    cast: &'a [CharacterId],
    notes: Vec<&'a Company>,
    end: u32,
}

impl<'a> Noted<'a> {
    pub fn of(storyline: &'a Storyline, branches: &'a HashMap<BranchId, Branch>, path: &Path) -> Self {
        let of_span = path.spans.iter().flat_map(|span| {
            let notes = branches.get(&span.branch).map_or(&[][..], |branch| &branch.company);
            notes.iter().filter(|note| (span.first..=span.last).contains(&note.at))
        });
        let mut notes: Vec<_> = of_span.collect();
        // Those of a branch that was merged may lie in any order.
        notes.sort_by_key(|note| note.at);
        Self { cast: &storyline.cast, notes, end: path.end }
    }

    /// Whether nothing is noted: the whole cast heard everything.
    pub fn is_blank(&self) -> bool {
        self.notes.is_empty()
    }

    /// All that are named in it.
    pub fn everybody(&self) -> impl Iterator<Item = &'a CharacterId> {
        self.notes.iter().flat_map(|note| note.heard.iter().chain(&note.present))
    }

    /// Whether the whole cast is said to have been there from the beginning.
    pub fn begins(&self) -> bool {
        self.notes.first().is_some_and(|note| note.at == 0)
    }

    /// Who is there at its end.
    pub fn present(&self) -> &'a [CharacterId] {
        self.notes.last().map_or(self.cast, |note| &note.present)
    }

    /// Who hears the turn at `position`.
    pub fn heard(&self, position: u32) -> &'a [CharacterId] {
        let after = self.notes.partition_point(|note| note.at <= position);
        match after.checked_sub(1).map(|last| self.notes[last]) {
            None => self.cast,
            Some(note) if note.at == position => &note.heard,
            Some(note) => &note.present,
        }
    }

    /// The turns that `who` did not hear, in order.
    pub fn unheard(&self, who: &CharacterId) -> Vec<Stretch> {
        let mut unheard: Vec<Stretch> = Vec::new();
        let mut miss = |from: u32, to: u32, by: &[CharacterId]| {
            if from >= to || by.contains(who) {
                return;
            }
            match unheard.last_mut().filter(|(_, last)| *last == from) {
                Some((_, last)) => *last = to,
                None => unheard.push((from, to)),
            }
        };
        let (mut at, mut present) = (0, self.cast);
        for note in &self.notes {
            miss(at, note.at, present);
            miss(note.at, note.at + 1, &note.heard);
            (at, present) = (note.at + 1, &note.present);
        }
        miss(at, self.end, present);
        unheard
    }
}

/// The turns of a path that who speaks did not hear, and those that no model is told.
pub fn missed(unheard: &[Stretch], path: &Path) -> Vec<Stretch> {
    let untold = path.untold.iter().map(|turn| (turn.at, turn.at + 1));
    let mut missed: Vec<Stretch> = unheard.iter().copied().chain(untold).collect();
    missed.sort_unstable();
    missed.dedup_by(|(from, to), (_, last)| {
        let goes_on = *from <= *last;
        if goes_on {
            *last = (*last).max(*to);
        }
        goes_on
    });
    missed
}

/// Whether a turn is among them.
pub fn is_in(stretches: &[Stretch], position: u32) -> bool {
    touches(stretches, position, position + 1)
}

/// Whether one of the turns from the first up to, but not with, the last is among them.
pub fn touches(stretches: &[Stretch], from: u32, to: u32) -> bool {
    let after = stretches.partition_point(|(_, last)| *last <= from);
    stretches.get(after).is_some_and(|(first, _)| *first < to)
}

/// How many turns they are.
pub fn count(stretches: &[Stretch]) -> u32 {
    stretches.iter().map(|(from, to)| to - from).sum()
}

/// Several who speak in a story, as one of them sees it who is about to speak.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// The storyline's own character: who speaks where a reply names nobody.
    pub own: CharacterId,
    /// Of everybody who speaks in it, or did.
    pub names: BTreeMap<CharacterId, String>,
    /// Who hears the turn that is answered, in the order of the cast.
    pub hears: Vec<CharacterId>,
    /// Others are in the room who do not hear it.
    pub is_whisper: bool,
    /// The turns before it that the speaker did not hear.
    pub unheard: Vec<Stretch>,
}

impl Group {
    /// What is called who spoke in a turn; nothing where nobody knows it.
    pub fn name_of<'a>(&'a self, speaker: Option<&CharacterId>) -> &'a str {
        self.names.get(speaker.unwrap_or(&self.own)).map_or("", String::as_str)
    }

    /// Those who hear it, by their names.
    pub fn there(&self) -> impl Iterator<Item = &str> {
        self.hears.iter().filter_map(|id| self.names.get(id)).map(String::as_str)
    }
}

/// Who spoke in each turn, for transcripts.
#[derive(Clone, Debug, Default)]
pub struct Voices {
    /// Of the storyline's own character.
    pub own: String,
    /// Of the others.
    pub others: BTreeMap<CharacterId, String>,
}

impl Voices {
    pub fn of(&self, speaker: Option<&CharacterId>) -> &str {
        speaker.and_then(|speaker| self.others.get(speaker)).unwrap_or(&self.own)
    }

    /// Who spoke in a turn.
    pub fn in_turn(&self, node: &Node) -> &str {
        self.of(node.reply().and_then(|reply| reply.speaker.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::tree::{Fork, Head, Untold};

    fn ids(names: &str) -> Vec<CharacterId> {
        names.split_whitespace().map(CharacterId::from).collect()
    }

    fn note(at: u32, heard: &str, present: &str) -> Company {
        Company { at, heard: ids(heard), present: ids(present) }
    }

    #[test]
    fn what_somebody_did_not_hear() {
        let storyline = Storyline { cast: ids("a b c"), ..Default::default() };
        // c comes in at 3, b leaves at 5, a hears a whisper at 7, b returns at 9.
        let company = vec![
            note(0, "a b", "a b"),
            note(3, "a b c", "a b c"),
            note(5, "a b c", "a c"),
            note(7, "a", "a c"),
            note(9, "a b c", "a b c"),
        ];
        let root = Branch { id: "r".into(), length: 12, company, ..Default::default() };
        let fork = Fork { branch: "r".into(), position: 5, generation: None };
        let beside = Branch {
            id: "s".into(),
            parent: Some(fork),
            first: 6,
            length: 2,
            company: vec![note(7, "a c", "c")],
            ..Default::default()
        };
        let branches: HashMap<_, _> = [root, beside].into_iter().map(|one| (one.id.clone(), one)).collect();
        let at = |branch: &str, end| Path::of(&branches, &Head { branch: branch.into(), end }).unwrap();
        let path = at("r", 12);
        let noted = Noted::of(&storyline, &branches, &path);
        let unheard = |who: &str| noted.unheard(&who.into());
        assert_eq!((unheard("a"), unheard("b"), unheard("c")), (vec![], vec![(6, 9)], vec![(0, 3), (7, 8)]));
        assert_eq!(
            (noted.present(), noted.heard(7), noted.heard(8)),
            (&ids("a b c")[..], &ids("a")[..], &ids("a c")[..])
        );
        for (who, position) in ["a", "b", "c"].into_iter().flat_map(|who| (0..12).map(move |at| (who, at))) {
            let heard = noted.heard(position).contains(&who.into());
            assert_eq!(is_in(&unheard(who), position), !heard, "{who} {position}");
        }
        // Another branch has another company; and so has an earlier place.
        let beside = at("s", 8);
        let noted = Noted::of(&storyline, &branches, &beside);
        assert_eq!((noted.present(), noted.unheard(&"b".into())), (&ids("c")[..], vec![(6, 8)]));
        let earlier = at("r", 4);
        let noted = Noted::of(&storyline, &branches, &earlier);
        assert_eq!((noted.present(), noted.unheard(&"b".into())), (&ids("a b c")[..], vec![]));
        assert!(touches(&[(2, 4)], 0, 3) && !touches(&[(2, 4)], 4, 9) && !touches(&[(2, 4)], 0, 2));
        assert_eq!(count(&[(0, 3), (7, 8)]), 4);
    }

    #[test]
    fn what_is_not_told_joins_what_was_not_heard() {
        let untold = [0, 3, 5, 9].map(|at| Untold { at, folded: at == 5 }).to_vec();
        let path = Path { end: 12, untold, ..Path::default() };
        assert_eq!(missed(&[(3, 5), (7, 8)], &path), [(0, 1), (3, 6), (7, 8), (9, 10)]);
        assert_eq!(missed(&[], &Path::default()), []);
    }
}
