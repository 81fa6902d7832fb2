//! The tree as a picture: a river that branches, from the opening downwards.
//!
//! It is laid out by branches and marked places alone: a run of turns between two of them is one line, however long.
//! What a place is called by is a [`Head`]: the branch, and the position after the turn.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    ids::BranchId,
    tree::{Branch, Head, Path},
};

/// Pixels from lane to lane.
const LANE: f64 = 32.0;
/// Pixels between two marked places that follow each other, and what each doubling of the distance adds.
const STEP: f64 = 32.0;
const PER_DOUBLING: f64 = 9.0;
/// The bend by which a branch leaves its parent.
const BEND: f64 = 24.0;

/// What there is to see besides forks and ends.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    pub names: HashMap<Head, String>,
    /// Places after which a session opens.
    pub sessions: HashSet<Head>,
    pub saved: HashSet<Head>,
}

/// A branch as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Bed {
    pub branch: BranchId,
    pub x: f64,
    /// From where it comes, if it has a parent.
    pub from: Option<(f64, f64)>,
    pub top: f64,
    pub bottom: f64,
    /// How far the path to the head follows it.
    pub seen_to: Option<f64>,
}

/// A place that is marked.
#[derive(Clone, Debug, PartialEq)]
pub struct Stone {
    pub at: Head,
    pub x: f64,
    pub y: f64,
    pub name: Option<String>,
    pub is_head: bool,
    pub on_path: bool,
    /// A reply without a future.
    pub is_bud: bool,
    pub is_fork: bool,
    pub session: bool,
    pub saved: bool,
}

/// A step from one marked place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Up,
    Down,
    Left,
    Right,
    First,
    Last,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct River {
    pub beds: Vec<Bed>,
    /// By depth, then from left to right.
    pub stones: Vec<Stone>,
    /// The position after a turn, and its depth in the picture; rising.
    pub knots: Vec<(u32, f64)>,
    pub width: f64,
    pub height: f64,
}

impl River {
    pub fn of(branches: &HashMap<BranchId, Branch>, head: &Head, path: &Path, marks: &Marks) -> Self {
        let mut order: Vec<&Branch> = branches.values().collect();
        order.sort_by(|a, b| (a.first, a.created, &a.id).cmp(&(b.first, b.created, &b.id)));
        let forks: HashSet<Head> = order.iter().filter_map(|branch| fork_of(branch)).collect();
        let mut places: HashSet<Head> = forks.clone();
        for branch in &order {
            places.insert(Head { branch: branch.id.clone(), end: branch.end() });
            if branch.parent.is_none() {
                places.insert(Head { branch: branch.id.clone(), end: 1.min(branch.end()) });
            }
        }
        places.insert(head.clone());
        places.extend(marks.names.keys().chain(&marks.sessions).chain(&marks.saved).cloned());
        places.retain(|place| branches.contains_key(&place.branch));

        let knots = knots(places.iter().map(|place| place.end).collect());
        let lanes = lanes(&order);
        let x_of = |branch: &BranchId| f64::from(lanes.get(branch).copied().unwrap_or_default()) * LANE;
        let mut river = Self { knots, ..Self::default() };
        let beds = order.iter().map(|branch| {
            let from = fork_of(branch).map(|fork| (x_of(&fork.branch), river.depth(fork.end)));
            let top = from.map_or(river.depth(1), |(_, y)| y + BEND);
            let bottom = if branch.length == 0 { top } else { river.depth(branch.end()).max(top) };
            let span = path.spans.iter().find(|span| span.branch == branch.id);
            let seen_to = span.map(|span| river.depth(span.last + 1));
            // A head on a branch without turns follows the bend alone.
            let seen_to = seen_to.or((head.branch == branch.id && head.end == branch.first).then_some(top));
            Bed { branch: branch.id.clone(), x: x_of(&branch.id), from, top, bottom, seen_to }
        });
        let beds: Vec<_> = beds.collect();
        let stones = places.into_iter().map(|at| {
            let branch = &branches[&at.branch];
            let is_bud = branch.parent.is_some() && at.end == branch.first;
            Stone {
                x: x_of(&at.branch),
                y: river.depth(at.end) + if is_bud { BEND } else { 0.0 },
                name: marks.names.get(&at).cloned(),
                is_head: at == *head,
                on_path: at == *head || (!is_bud && at.end > 0 && path.contains(&at.branch, at.end - 1)),
                is_bud,
                is_fork: forks.contains(&at),
                session: marks.sessions.contains(&at),
                saved: marks.saved.contains(&at),
                at,
            }
        });
        let mut stones: Vec<_> = stones.collect();
        stones.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x)));
        river.width = beds.iter().map(|bed| bed.x).fold(0.0, f64::max);
        river.height = stones.iter().map(|stone| stone.y).fold(0.0, f64::max);
        (river.beds, river.stones) = (beds, stones);
        river
    }

    /// How deep the turn before `end` lies in the picture.
    pub fn depth(&self, end: u32) -> f64 {
        let after = self.knots.partition_point(|(knot, _)| *knot < end);
        match (after.checked_sub(1).map(|at| self.knots[at]), self.knots.get(after)) {
            (_, Some((knot, y))) if *knot == end => *y,
            (Some((a, from)), Some((b, to))) => from + (to - from) * f64::from(end - a) / f64::from(b - a),
            (Some((_, y)), None) | (None, Some(&(_, y))) => y,
            (None, None) => 0.0,
        }
    }

    /// Where a place lies in the picture, marked or not.
    pub fn spot(&self, at: &Head) -> Option<(f64, f64)> {
        if let Some(stone) = self.stones.iter().find(|stone| stone.at == *at) {
            return Some((stone.x, stone.y));
        }
        let bed = self.beds.iter().find(|bed| bed.branch == at.branch)?;
        Some((bed.x, self.depth(at.end)))
    }

    /// The marked place that one comes to from another: along the branch, to the fork that it comes from, or across.
    pub fn next(&self, from: &Head, way: Way) -> Option<Head> {
        let (x, y) = self.spot(from)?;
        let own = |stone: &&Stone| stone.at.branch == from.branch && stone.at != *from;
        let distance = |stone: &&Stone| ((stone.x - x).hypot((stone.y - y) * 2.0) * 64.0) as i64;
        let stones = self.stones.iter();
        let found = match way {
            Way::First => stones.clone().next(),
            Way::Last => stones.clone().last(),
            Way::Down => stones.clone().filter(own).find(|stone| stone.y > y),
            Way::Up => {
                let before = stones.clone().filter(own).rfind(|stone| stone.y < y);
                let source = self.beds.iter().find(|bed| bed.branch == from.branch).and_then(|bed| bed.from);
                before.or_else(|| stones.clone().find(|stone| Some((stone.x, stone.y)) == source))
            }
            Way::Left => stones.clone().filter(|stone| stone.x < x).min_by_key(distance),
            Way::Right => stones.clone().filter(|stone| stone.x > x).min_by_key(distance),
        };
        found.map(|stone| stone.at.clone())
    }

    /// The turn that lies nearest to a depth, as the position after it.
    pub fn end_at(&self, depth: f64) -> u32 {
        let after = self.knots.partition_point(|(_, y)| *y < depth);
        match (after.checked_sub(1).map(|at| self.knots[at]), self.knots.get(after)) {
            (Some((a, from)), Some((b, to))) => a + ((depth - from) / (to - from) * f64::from(b - a)).round() as u32,
            (Some((knot, _)), None) | (None, Some(&(knot, _))) => knot,
            (None, None) => 1,
        }
    }
}

fn fork_of(branch: &Branch) -> Option<Head> {
    let fork = branch.parent.as_ref()?;
    Some(Head { branch: fork.branch.clone(), end: fork.position + 1 })
}

fn knots(ends: BTreeSet<u32>) -> Vec<(u32, f64)> {
    let mut knots: Vec<(u32, f64)> = Vec::with_capacity(ends.len());
    for end in ends {
        let y = knots.last().map_or(0.0, |(before, y)| y + STEP + PER_DOUBLING * f64::from(end - before).log2());
        knots.push((end, y));
    }
    knots
}

/// Each branch in the first lane right of its parent's that is free from its fork to its end.
fn lanes(order: &[&Branch]) -> HashMap<BranchId, u32> {
    let mut lanes: HashMap<BranchId, u32> = HashMap::new();
    // Up to which position each lane is taken. Branches come by their forks, so that what ended before stays free.
    let mut taken: Vec<u32> = Vec::new();
    for branch in order {
        let first = branch.parent.as_ref().and_then(|fork| lanes.get(&fork.branch)).map_or(0, |lane| lane + 1);
        let free = (first as usize..taken.len()).find(|lane| taken[*lane] < branch.first);
        let lane = free.unwrap_or(taken.len().max(first as usize));
        taken.resize(taken.len().max(lane + 1), 0);
        taken[lane] = branch.end() + 1;
        lanes.insert(branch.id.clone(), lane as u32);
    }
    lanes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::story::tree::Fork;

    fn branch(id: &str, parent: Option<(&str, u32)>, length: u32) -> Branch {
        let parent = parent.map(|(branch, position)| Fork { branch: branch.into(), position, generation: None });
        let first = parent.as_ref().map_or(0, |fork| fork.position + 1);
        Branch { id: id.into(), parent, first, length, ..Default::default() }
    }

    fn river(list: Vec<Branch>, branch: &str, end: u32) -> River {
        let branches = list.into_iter().map(|branch| (branch.id.clone(), branch)).collect();
        let head = Head { branch: branch.into(), end };
        let path = Path::of(&branches, &head).unwrap();
        River::of(&branches, &head, &path, &Marks::default())
    }

    #[test]
    fn a_long_run_is_one_line() {
        let river = river(vec![branch("a", None, 10_000), branch("b", Some(("a", 4_999)), 3)], "b", 5_003);
        let stones: Vec<_> = river.stones.iter().map(|s| (s.at.branch.as_str(), s.at.end, s.on_path)).collect();
        assert_eq!(stones, [("a", 1, true), ("a", 5_000, true), ("b", 5_003, true), ("a", 10_000, false)]);
        assert!(river.height < 600.0, "{}", river.height);
        assert_eq!(river.beds[1].x, LANE);
        assert_eq!(river.beds[0].seen_to, Some(river.depth(5_000)), "the path leaves it at the fork");
    }

    #[test]
    fn a_reply_without_a_future_is_a_bud() {
        let river = river(vec![branch("a", None, 4), branch("b", Some(("a", 1)), 0)], "b", 2);
        let bud = river.stones.iter().find(|stone| stone.is_bud).unwrap();
        assert_eq!((bud.at.end, bud.is_head, bud.x, bud.y), (2, true, LANE, river.depth(2) + BEND));
    }

    #[test]
    fn steps() {
        let river =
            river(vec![branch("a", None, 9), branch("b", Some(("a", 3)), 2), branch("c", Some(("a", 3)), 0)], "a", 9);
        let check = |from: (&str, u32), way: Way, to: Option<(&str, u32)>| {
            let head = |(branch, end): (&str, u32)| Head { branch: branch.into(), end };
            assert_eq!(river.next(&head(from), way), to.map(head), "{from:?} {way:?}");
        };
        check(("a", 1), Way::Down, Some(("a", 4)));
        check(("a", 4), Way::Down, Some(("a", 9)));
        check(("a", 9), Way::Down, None);
        check(("a", 4), Way::Right, Some(("c", 4)));
        check(("b", 6), Way::Up, Some(("a", 4)));
        check(("c", 4), Way::Up, Some(("a", 4)));
        check(("c", 4), Way::Left, Some(("b", 6)));
        check(("a", 7), Way::Up, Some(("a", 4)));
        check(("b", 6), Way::First, Some(("a", 1)));
        check(("b", 6), Way::Last, Some(("a", 9)));
    }

    proptest! {
        /// No two branches run over each other, and each turn is found again by its depth.
        #[test]
        fn branches_keep_apart(forks in prop::collection::vec((any::<prop::sample::Index>(), 0u32..40, 0u32..30), 0..60)) {
            let mut list = vec![branch("0", None, 40)];
            for (n, (parent, at, length)) in forks.iter().enumerate() {
                let parent = parent.get(&list);
                if parent.length == 0 { continue; }
                let (id, position) = (parent.id.0.clone(), parent.first + at % parent.length);
                list.push(branch(&(n + 1).to_string(), Some((&id, position)), *length));
            }
            let river = river(list.clone(), "0", 40);
            for (n, a) in river.beds.iter().enumerate() {
                for b in &river.beds[n + 1..] {
                    prop_assert!(a.x != b.x || a.bottom < b.top - BEND || b.bottom < a.top - BEND, "{a:?} {b:?}");
                }
            }
            for end in 1..=river.knots.last().unwrap().0 {
                prop_assert_eq!(river.end_at(river.depth(end)), end);
            }
        }
    }
}
