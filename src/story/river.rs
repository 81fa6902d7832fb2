//! The tree as a picture: a river that branches, from the opening downwards.
//!
//! It is laid out by branches and marked places alone: a run of turns between two of them is one line, however long.
//! What a place is called by is a [`Head`]: the branch, and the position after the turn.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    ids::{BranchId, GenerationId},
    order,
    tree::{Branch, Head, Path, Span},
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
    /// Replies that are seen at turns of which that is not known from the branches alone; see [`unclear`].
    pub chosen: HashMap<(BranchId, u32), Chosen>,
}

/// What is seen at a turn with several replies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The reply that the branch of the turn goes on from.
    pub reply: Option<GenerationId>,
    /// How many replies there are.
    pub replies: usize,
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
    /// The turn has other replies, without a future.
    pub others: bool,
    /// Points of the outline that the reply has finished: number and text.
    pub points: Vec<(u32, String)>,
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
        order::by(&mut order, |a, b| (a.first, a.created, &a.id).cmp(&(b.first, b.created, &b.id)));
        let forks = forks(&order);
        let mut landmarks = Landmarks::default();
        order.iter().for_each(|branch| landmarks.add(branch, &forks, marks));
        let Landmarks { others, mut points } = landmarks;
        let mut places: HashSet<Head> = forks.keys().cloned().collect();
        for branch in &order {
            places.insert(Head { branch: branch.id.clone(), end: branch.tip() });
            if branch.parent.is_none() {
                places.insert(Head { branch: branch.id.clone(), end: 1.min(branch.tip()) });
            }
        }
        places.insert(head.clone());
        places.extend(marks.names.keys().chain(&marks.sessions).chain(&marks.saved).cloned());
        places.extend(others.iter().chain(points.keys()).cloned());
        places.retain(|place| branches.get(&place.branch).is_some_and(|branch| place.end <= branch.tip()));

        let knots = knots(places.iter().map(|place| place.end).collect());
        let lanes = lanes(&order);
        let x_of = |branch: &BranchId| f64::from(lanes.get(branch).copied().unwrap_or_default()) * LANE;
        let spans: HashMap<&BranchId, &Span> = path.spans.iter().map(|span| (&span.branch, span)).collect();
        let mut river = Self { knots, ..Self::default() };
        let beds = order.iter().map(|branch| {
            let from = fork_of(branch).map(|fork| (x_of(&fork.branch), river.depth(fork.end)));
            let top = from.map_or(river.depth(1), |(_, y)| y + BEND);
            let bottom = if branch.length == 0 { top } else { river.depth(branch.tip()).max(top) };
            let seen_to = spans.get(&branch.id).map(|span| river.depth(span.last + 1));
            // A head on a branch without turns follows the bend alone.
            let seen_to = seen_to.or((head.branch == branch.id && head.end == branch.first).then_some(top));
            Bed { branch: branch.id.clone(), x: x_of(&branch.id), from, top, bottom, seen_to }
        });
        let beds: Vec<_> = beds.collect();
        let stones = places.into_iter().map(|at| {
            let branch = &branches[&at.branch];
            // Right after the fork, at the reply that the branch goes on from.
            let is_start = branch.parent.is_some() && at.end == branch.first;
            let is_passed = spans.contains_key(&at.branch);
            Stone {
                x: x_of(&at.branch),
                y: river.depth(at.end) + if is_start { BEND } else { 0.0 },
                name: marks.names.get(&at).cloned(),
                is_head: at == *head,
                on_path: at == *head
                    || if is_start { is_passed } else { at.end > 0 && path.contains(&at.branch, at.end - 1) },
                is_bud: is_start && branch.length == 0,
                is_fork: forks.contains_key(&at),
                session: marks.sessions.contains(&at),
                saved: marks.saved.contains(&at),
                others: others.contains(&at),
                points: points.remove(&at).unwrap_or_default(),
                at,
            }
        });
        let mut stones: Vec<_> = stones.collect();
        order::by(&mut stones, |a, b| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x)));
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

/// The branches that leave each place.
type Forks<'a> = HashMap<Head, Vec<&'a Branch>>;

fn forks<'a>(order: &[&'a Branch]) -> Forks<'a> {
    let mut forks = Forks::new();
    for branch in order {
        if let Some(place) = fork_of(branch) {
            forks.entry(place).or_default().push(branch);
        }
    }
    forks
}

/// Turns with several replies of which the branches alone do not tell what is seen there: one that another branch leaves,
/// or at which the plot moved on.
pub fn unclear(branches: &HashMap<BranchId, Branch>) -> Vec<(BranchId, u32)> {
    let order: Vec<&Branch> = branches.values().collect();
    let forks = forks(&order);
    let of_branch = |branch: &&Branch| {
        let place = |position: &u32| Head { branch: branch.id.clone(), end: position + 1 };
        let is_unclear = |position: &&u32| {
            forks.contains_key(&place(position)) || branch.beads.iter().any(|bead| bead.position == **position)
        };
        let found = branch.swipes.iter().filter(|position| **position < branch.tip()).filter(is_unclear);
        found.map(|position| (branch.id.clone(), *position)).collect::<Vec<_>>()
    };
    order.iter().flat_map(of_branch).collect()
}

/// What was played and not played where a turn has several replies, and how the plot moved on.
#[derive(Default)]
struct Landmarks {
    others: HashSet<Head>,
    points: HashMap<Head, Vec<(u32, String)>>,
}

impl Landmarks {
    fn add(&mut self, branch: &Branch, forks: &Forks, marks: &Marks) {
        let place = |position: u32| Head { branch: branch.id.clone(), end: position + 1 };
        let leaving = |position: u32| forks.get(&place(position)).into_iter().flatten();
        let goes_by = |branch: &Branch| branch.parent.as_ref().and_then(|fork| fork.generation.clone());
        for &position in branch.swipes.iter().filter(|position| **position < branch.tip()) {
            let is_plain = leaving(position).next().is_none() && branch.beads.iter().all(|b| b.position != position);
            let has_others = match marks.chosen.get(&(branch.id.clone(), position)) {
                Some(chosen) => {
                    let played = leaving(position).filter_map(|branch| goes_by(branch)).chain(chosen.reply.clone());
                    chosen.replies > played.collect::<HashSet<_>>().len()
                }
                None => is_plain,
            };
            if has_others {
                self.others.insert(place(position));
            }
        }
        for bead in branch.beads.iter().filter(|bead| bead.position < branch.tip()) {
            let point = (bead.point, bead.content.clone());
            let chosen = marks.chosen.get(&(branch.id.clone(), bead.position));
            let is_seen = match chosen {
                Some(chosen) => chosen.reply.as_ref() == Some(&bead.generation),
                None => !branch.swipes.contains(&bead.position),
            };
            if is_seen {
                self.points.entry(place(bead.position)).or_default().push(point);
            } else if chosen.is_some() {
                // It is on the way of those that go on from that reply.
                let by_it = leaving(bead.position).filter(|branch| goes_by(branch).as_ref() == Some(&bead.generation));
                for other in by_it {
                    let start = Head { branch: other.id.clone(), end: other.first };
                    self.points.entry(start).or_default().push(point.clone());
                }
            }
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
        taken[lane] = branch.tip() + 1;
        lanes.insert(branch.id.clone(), lane as u32);
    }
    lanes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::story::tree::{Bead, Cut, Fork};

    /// Every other branch hangs on the one before, and a bush of them on the root.
    #[test]
    fn a_deep_tree_and_a_wide_one_cost_no_square() {
        for parent_of in [|n: u32| n - 1, |_| 0] {
            let name = |n: u32| format!("branch-of-a-long-name-{n}");
            let of = |n: u32| match n {
                0 => branch(&name(0), None, 1),
                n => branch(&name(n), Some((&name(parent_of(n)), parent_of(n))), 1),
            };
            let branches: HashMap<BranchId, Branch> = (0..10_000).map(of).map(|one| (one.id.clone(), one)).collect();
            let last = &branches[&BranchId::from(name(9_999).as_str())];
            let head = Head { branch: last.id.clone(), end: last.end() };
            let path = Path::of(&branches, &head).unwrap();
            assert!(path.spans.iter().all(|span| path.contains(&span.branch, span.last)));
            let river = River::of(&branches, &head, &path, &Marks::default());
            let seen = river.beds.iter().filter(|bed| bed.seen_to.is_some()).count();
            assert_eq!((river.beds.len(), seen), (10_000, path.spans.len()));
        }
    }

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

    /// What is seen at a turn with several replies, and what the plot did there.
    #[test]
    fn landmarks() {
        let bead = |position, generation: &str| Bead {
            position,
            generation: generation.into(),
            point: position,
            content: format!("point {position}"),
        };
        let by = |id: &str, at: u32, reply: &str| {
            let parent = Some(Fork { branch: "a".into(), position: at, generation: Some(reply.into()) });
            Branch { parent, ..branch(id, Some(("a", at)), 2) }
        };
        let root = Branch {
            beads: vec![bead(1, "r1"), bead(3, "r3"), bead(5, "r5b"), bead(8, "r8")],
            swipes: vec![3, 5, 6, 9],
            cuts: vec![Cut { at: 8, deleted: 1 }],
            ..branch("a", None, 10)
        };
        let list = [root, by("b", 5, "r5b"), by("c", 6, "r6b")];
        let branches: HashMap<_, _> = list.into_iter().map(|branch| (branch.id.clone(), branch)).collect();
        let head = Head { branch: "b".into(), end: 8 };
        let path = Path::of(&branches, &head).unwrap();
        let seen = |marks: &Marks| {
            let river = River::of(&branches, &head, &path, marks);
            let told = |stone: &Stone| {
                let points: Vec<u32> = stone.points.iter().map(|(point, _)| *point).collect();
                let is_landmark = stone.others || !points.is_empty();
                is_landmark.then(|| (stone.at.branch.0.clone(), stone.at.end, stone.others, points, stone.on_path))
            };
            let end = river.stones.iter().filter(|stone| stone.at.branch.as_str() == "a").map(|s| s.at.end).max();
            assert_eq!(end, Some(8), "what lies in the bin is not drawn");
            river.stones.iter().filter_map(told).collect::<Vec<_>>()
        };
        let unclear: HashSet<_> = unclear(&branches).into_iter().map(|(_, position)| position).collect();
        assert_eq!(unclear, [3, 5, 6].into());
        assert_eq!(seen(&Marks::default()), [("a".into(), 2, false, vec![1], true)]);
        let chosen = |reply: &str, replies| Chosen { reply: Some(reply.into()), replies };
        let known = [(3, chosen("r3", 2)), (5, chosen("r5", 2)), (6, chosen("r6", 3))];
        let known = known.map(|(position, chosen)| (("a".into(), position), chosen));
        assert_eq!(
            seen(&Marks { chosen: known.into(), ..Marks::default() }),
            [
                ("a".into(), 2, false, vec![1], true),
                ("a".into(), 4, true, vec![3], true),
                ("b".into(), 6, false, vec![5], true),
                ("a".into(), 7, true, vec![], false),
            ],
            "the branch that goes on from the reply with the point has it; of three replies two were played"
        );
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
