//! The history tree, stored as branches.
//!
//! A branch is a run of turns at consecutive positions that leaves its parent at a fork. The path from any turn to
//! the root is therefore a short list of spans (one per branch), a window of it is one range read per span, and
//! whether something made at (branch, position) is visible from here is one comparison. Forking copies nothing.

mod bin;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

pub use self::bin::{Gone, Tree, alive, limb, with_descendants};
use super::{
    Extra, Millis,
    company::Company,
    generation::Generation,
    ids::{BranchId, GenerationId, StorylineId, TurnId},
    order,
    turn::Turn,
};
use crate::store::record;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Branch {
    pub id: BranchId,
    pub storyline: StorylineId,
    /// Where it leaves its parent; `None` for the root branch.
    pub parent: Option<Fork>,
    /// Position of its first turn: `parent.position + 1`, or 0 at the root.
    pub first: u32,
    /// How many turns it has. An empty branch is a second reply that has no future yet.
    pub length: u32,
    pub created: Millis,
    /// Its turns that have a name: found by them without reading the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<TurnId>,
    /// Points of the outline that its replies have finished, in the order of their turns: found without reading them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beads: Vec<FinishedPoint>,
    /// Positions of its turns that have several replies, rising.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub swipes: Vec<u32>,
    /// Its turns at which the company changes, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub company: Vec<Company>,
    /// Its turns that no model is told any more, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untold: Vec<Untold>,
    /// Turns at its end that lie in the bin.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Cut>,
    /// In the bin, with all that hangs on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Millis>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Branch, Branches);

/// A point of the outline, at the reply that finished it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FinishedPoint {
    pub position: u32,
    pub generation: GenerationId,
    /// The number of the point, from 1.
    pub point: u32,
    /// The point's text as of then.
    pub content: String,
}

/// The turns of a branch from a position on, in the bin with all that leaves them. The branch itself stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// Position of the first turn that is gone.
    pub at: u32,
    pub deleted: Millis,
}

/// A turn that the reader has taken out: no model is told it, and no memory of it is found. What it changed stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Untold {
    /// Position of the turn.
    pub at: u32,
    /// The reader does not want to see it either.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub folded: bool,
}

/// No branch ends after this position, whatever its record says: there is room for one more turn and its end.
const FARTHEST: u32 = u32::MAX - 2;

impl Branch {
    /// Position after its last turn, whether or not that lies in the bin.
    pub fn end(&self) -> u32 {
        self.first.saturating_add(self.length).min(FARTHEST)
    }

    /// Position after its last turn that does not lie in the bin.
    pub fn tip(&self) -> u32 {
        let cut = self.cuts.iter().map(|cut| cut.at.max(self.first)).min();
        cut.map_or(self.end(), |cut| cut.min(self.end()))
    }

    /// Whether a turn of it lies in the bin although the branch does not.
    pub fn is_cut(&self, position: u32) -> bool {
        self.cuts.iter().any(|cut| cut.at <= position)
    }

    /// What the reader has said of one of its turns that no model is told.
    pub fn untold_at(&self, position: u32) -> Option<&Untold> {
        self.untold.iter().find(|turn| turn.at == position)
    }

    /// Whether it goes on from this reply of a turn.
    pub fn leaves(&self, turn: &Turn, generation: &GenerationId) -> bool {
        self.parent.as_ref().is_some_and(|fork| {
            fork.branch == turn.branch && fork.position == turn.position && fork.generation.as_ref() == Some(generation)
        })
    }
}

/// The place at which a branch leaves its parent, and the reply there that it continues from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fork {
    pub branch: BranchId,
    pub position: u32,
    pub generation: Option<GenerationId>,
}

/// A place in the tree: the end of the path that the reader sees.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Head {
    pub branch: BranchId,
    /// Position after the last visible turn: the number of turns on the path, opening included.
    pub end: u32,
}

/// A stretch of the path within one branch, first to last position inclusive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub branch: BranchId,
    pub first: u32,
    pub last: u32,
    /// The reply that the path leaves this span by, where it goes on in another branch.
    pub leaves_by: Option<GenerationId>,
}

/// The way from the root to a head: spans in order, without gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path {
    pub spans: Vec<Span>,
    /// Number of turns on the path, opening included.
    pub end: u32,
    /// Those of them that no model is told, rising.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untold: Vec<Untold>,
}

/// The stored branches do not lead to a root.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("branch {0} is missing or part of a circle")]
pub struct BrokenTree(pub BranchId);

impl Path {
    /// Walks from `head` to the root. A head after the end of its branch is taken for that end.
    ///
    /// # Errors
    /// A branch on the way is missing, or its parents form a circle.
    pub fn of(branches: &HashMap<BranchId, Branch>, head: &Head) -> Result<Self, BrokenTree> {
        let mut spans = Vec::new();
        let mut untold: Vec<Untold> = Vec::new();
        let mut at = head.branch.clone();
        let tip = branches.get(&at).map_or(head.end, |branch| head.end.min(branch.end()));
        let mut end = tip;
        let mut leaves_by = None;
        for _ in 0..=branches.len() {
            let branch = branches.get(&at).ok_or_else(|| BrokenTree(at.clone()))?;
            if branch.first < end {
                let is_here = |turn: &&Untold| (branch.first..end).contains(&turn.at);
                untold.extend(branch.untold.iter().filter(is_here));
                spans.push(Span { branch: at.clone(), first: branch.first, last: end - 1, leaves_by });
                leaves_by = None;
            }
            let Some(fork) = &branch.parent else {
                spans.reverse();
                order::by_key(&mut untold, |turn| turn.at);
                return Ok(Self { spans, end: tip, untold });
            };
            // A fork before any turn of this branch that is visible: the path ends earlier than the branch begins.
            if fork.position < end {
                leaves_by = fork.generation.clone();
                end = fork.position + 1;
            }
            at = fork.branch.clone();
        }
        Err(BrokenTree(at))
    }

    /// This path with one more turn at its end, in `branch`.
    pub fn grown(&self, branch: &BranchId) -> Self {
        let mut grown = self.clone();
        match grown.spans.last_mut().filter(|span| span.branch == *branch) {
            Some(span) => span.last = self.end,
            None => grown.spans.push(Span { branch: branch.clone(), first: self.end, last: self.end, leaves_by: None }),
        }
        grown.end += 1;
        grown
    }

    /// The same way, only as far as to the position before `end`.
    pub fn until(&self, end: u32) -> Self {
        let untold = self.untold.iter().filter(|turn| turn.at < end).copied().collect();
        Self { spans: self.window(0, end), end, untold }
    }

    /// What the reader has said of a turn that no model is told; `None`: it is told.
    pub fn untold_at(&self, position: u32) -> Option<&Untold> {
        let at = self.untold.binary_search_by_key(&position, |turn| turn.at).ok()?;
        Some(&self.untold[at])
    }

    /// Whether a model is told the turn at a position.
    pub fn is_told(&self, position: u32) -> bool {
        self.untold_at(position).is_none()
    }

    /// How many positions from the root on are the same on both paths: the same turns, and the same replies left by.
    pub fn shared(&self, other: &Self) -> u32 {
        let mut shared = 0;
        for (a, b) in self.spans.iter().zip(&other.spans) {
            if (&a.branch, a.first) != (&b.branch, b.first) {
                break;
            }
            if a == b {
                shared = a.last + 1;
                continue;
            }
            // Where one of them leaves the branch by a reply, the other may show another there.
            let last = a.last.min(b.last);
            let leaves = [a, b].into_iter().any(|span| span.last == last && span.leaves_by.is_some());
            shared = if leaves { last } else { last + 1 };
            break;
        }
        shared
    }

    /// The spans cut to the positions from `from` up to, but not including, `to`.
    pub fn window(&self, from: u32, to: u32) -> Vec<Span> {
        if from >= to {
            return Vec::new();
        }
        let begin = self.spans.partition_point(|span| span.last < from);
        let end = self.spans.partition_point(|span| span.first < to).max(begin);
        self.spans[begin..end]
            .iter()
            .map(|span| Span {
                branch: span.branch.clone(),
                first: span.first.max(from),
                last: span.last.min(to.saturating_sub(1)),
                leaves_by: if span.last < to { span.leaves_by.clone() } else { None },
            })
            .collect()
    }

    /// Whether what was made at (branch, position) lies on this path.
    pub fn contains(&self, branch: &BranchId, position: u32) -> bool {
        self.branch_at(position).is_some_and(|span| span.branch == *branch)
    }

    /// The first position at which two paths may differ: that of the last turn which both have, since each may see
    /// another reply there.
    pub fn parts_from(&self, other: &Self) -> u32 {
        let mut shared = 0;
        for (a, b) in self.spans.iter().zip(&other.spans) {
            if a.branch != b.branch || a.first != b.first {
                break;
            }
            shared = a.last.min(b.last);
            if a != b {
                break;
            }
        }
        shared
    }

    /// The branch that holds `position` on this path.
    pub fn branch_at(&self, position: u32) -> Option<&Span> {
        // A deep tree has a span for each turn: nothing may go through all of them for each of its turns.
        let at = self.spans.partition_point(|span| span.last < position);
        self.spans.get(at).filter(|span| span.first <= position)
    }

    /// The generation of `turn` that this path continues from: where the path leaves its branch, the one that the
    /// fork names; elsewhere the chosen one.
    pub fn generation_of<'a>(&'a self, turn: &'a Turn) -> Option<&'a GenerationId> {
        self.branch_at(turn.position)
            .filter(|span| span.branch == turn.branch && span.last == turn.position)
            .and_then(|span| span.leaves_by.as_ref())
            .or(turn.chosen.as_ref())
    }
}

/// A turn with all its replies, and the one that is seen from here.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub turn: Turn,
    /// In the order in which they began.
    pub generations: Vec<Generation>,
    /// Index into `generations`.
    pub seen: Option<usize>,
}

impl Node {
    pub fn reply(&self) -> Option<&Generation> {
        self.seen.map(|at| &self.generations[at])
    }
}

/// Puts turns and generations of a window together, in order of position.
pub fn nodes(path: &Path, mut turns: Vec<Turn>, generations: Vec<Generation>) -> Vec<Node> {
    order::by_key(&mut turns, |turn| turn.position);
    let mut by_turn: HashMap<_, Vec<Generation>> = HashMap::new();
    for generation in generations {
        by_turn.entry(generation.turn.clone()).or_default().push(generation);
    }
    turns
        .into_iter()
        .map(|turn| {
            let mut generations = by_turn.remove(&turn.id).unwrap_or_default();
            order::by(&mut generations, |a, b| (a.started, &a.id).cmp(&(b.started, &b.id)));
            let wanted = path.generation_of(&turn);
            let seen = generations
                .iter()
                .position(|generation| Some(&generation.id) == wanted)
                .or_else(|| generations.len().checked_sub(1));
            Node { turn, generations, seen }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn branch(id: &str, parent: Option<(&str, u32, &str)>, length: u32) -> Branch {
        let parent = parent.map(|(branch, position, generation)| Fork {
            branch: branch.into(),
            position,
            generation: Some(generation.into()),
        });
        let first = parent.as_ref().map_or(0, |fork| fork.position + 1);
        Branch { id: id.into(), parent, first, length, ..Default::default() }
    }

    fn tree(branches: impl IntoIterator<Item = Branch>) -> HashMap<BranchId, Branch> {
        branches.into_iter().map(|branch| (branch.id.clone(), branch)).collect()
    }

    fn show(spans: &[Span]) -> Vec<String> {
        spans
            .iter()
            .map(|s| {
                let by = s.leaves_by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
                format!("{} {}..={}{by}", s.branch, s.first, s.last)
            })
            .collect()
    }

    #[test]
    fn what_two_paths_share_ends_where_they_part() {
        let tree = tree([
            branch("a", None, 10),
            branch("b", Some(("a", 4, "g4")), 3),
            branch("c", Some(("a", 4, "h4")), 3),
            branch("d", Some(("b", 6, "g6")), 1),
        ]);
        #[track_caller]
        fn check(tree: &HashMap<BranchId, Branch>, a: (&str, u32), b: (&str, u32), expected: u32) {
            let path = |(branch, end): (&str, u32)| Path::of(tree, &Head { branch: branch.into(), end }).unwrap();
            assert_eq!((path(a).shared(&path(b)), path(b).shared(&path(a))), (expected, expected), "{a:?} {b:?}");
        }
        check(&tree, ("a", 10), ("a", 10), 10);
        check(&tree, ("a", 7), ("a", 10), 7);
        check(&tree, ("a", 10), ("b", 8), 4);
        check(&tree, ("a", 3), ("b", 8), 3);
        check(&tree, ("b", 8), ("c", 8), 4);
        check(&tree, ("b", 8), ("d", 8), 6);
        check(&tree, ("b", 6), ("d", 8), 6);
        assert_eq!(Path::default().shared(&Path::default()), 0);
    }

    #[test]
    fn a_path_is_a_span_per_branch() {
        let tree =
            tree([branch("a", None, 10), branch("b", Some(("a", 4, "g4")), 3), branch("c", Some(("b", 5, "g5")), 0)]);
        let at = |branch: &str, end| Path::of(&tree, &Head { branch: branch.into(), end }).unwrap();
        assert_eq!(show(&at("a", 10).spans), ["a 0..=9"]);
        assert_eq!(show(&at("b", 8).spans), ["a 0..=4 by g4", "b 5..=7"]);
        assert_eq!(
            show(&at("c", 6).spans),
            ["a 0..=4 by g4", "b 5..=5 by g5"],
            "an empty branch still picks its reply"
        );
        assert_eq!(show(&at("b", 3).spans), ["a 0..=2"], "a head before the fork");
        assert_eq!(show(&at("b", 8).window(3, 6)), ["a 3..=4 by g4", "b 5..=5"]);
        assert!([(4, 4), (5, 5), (6, 3)].iter().all(|(from, to)| at("b", 8).window(*from, *to).is_empty()));
        assert!(at("b", 8).contains(&"a".into(), 4));
        assert!(!at("b", 8).contains(&"a".into(), 5), "a sibling's turn");
    }

    #[test]
    fn a_broken_tree_is_an_error_not_a_hang() {
        let circle = tree([branch("a", Some(("b", 1, "g")), 1), branch("b", Some(("a", 1, "g")), 1)]);
        assert!(Path::of(&circle, &Head { branch: "a".into(), end: 3 }).is_err());
        assert_eq!(Path::of(&circle, &Head { branch: "x".into(), end: 3 }), Err(BrokenTree("x".into())));
    }

    proptest! {
        /// Against a walk from parent to parent over every single turn, on random trees.
        #[test]
        fn a_path_holds_every_ancestor_once(forks in prop::collection::vec((any::<prop::sample::Index>(), 0u32..12, 0u32..8), 0..12), pick in any::<prop::sample::Index>(), cut in 0u32..4) {
            let mut list = vec![branch("0", None, 12)];
            for (n, (parent, at, length)) in forks.iter().enumerate() {
                let parent = &list[parent.index(list.len())];
                if parent.length == 0 { continue; }
                let position = parent.first + at % parent.length;
                let id = parent.id.as_str().to_owned();
                list.push(branch(&format!("{}", n + 1), Some((&id, position, &format!("{id}@{position}"))), *length));
            }
            let from = list[pick.index(list.len())].clone();
            let branches = tree(list);
            let end = from.end().saturating_sub(cut).max(1);
            let path = Path::of(&branches, &Head { branch: from.id.clone(), end }).unwrap();

            let mut expected = Vec::new();
            let (mut at, mut position) = (from.id.clone(), end);
            while position > 0 {
                position -= 1;
                while position < branches[&at].first {
                    at = branches[&at].parent.as_ref().unwrap().branch.clone();
                }
                expected.push((at.clone(), position));
            }
            expected.reverse();
            let walked: Vec<_> = path.spans.iter().flat_map(|span| (span.first..=span.last).map(|p| (span.branch.clone(), p))).collect();
            prop_assert_eq!(&walked, &expected);
            for (branch, position) in &expected {
                prop_assert!(path.contains(branch, *position));
            }
            let windowed: Vec<_> = (0..end).step_by(3).flat_map(|from| path.window(from, from + 3)).flat_map(|span| (span.first..=span.last).map(move |p| (span.branch.clone(), p))).collect();
            prop_assert_eq!(windowed.into_iter().filter(|(_, p)| *p < end).collect::<Vec<_>>(), expected);
        }
    }
}
