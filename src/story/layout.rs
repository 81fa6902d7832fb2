//! The tree as a picture, which branches from the opening downwards.
//!
//! It is laid out by branches and marked places alone: a run of turns between two of them is one line, however long.
//! What a place is called by is a [`Head`]: the branch, and the position after the turn.

mod course;
mod landmarks;

use std::collections::{BTreeSet, HashMap, HashSet};

pub use self::landmarks::unclear;
use self::{
    course::{Course, Spot},
    landmarks::Landmarks,
};
use super::{
    ids::{BranchId, GenerationId},
    order,
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
pub struct Edge {
    pub branch: BranchId,
    pub x: f64,
    /// From where it comes, if it has a parent.
    pub from: Option<(f64, f64)>,
    pub top: f64,
    pub bottom: f64,
    /// How far the path to the head follows it.
    pub seen_to: Option<f64>,
    /// Stretches of turns that the model is not told, each from a depth to a depth.
    pub untold: Vec<(f64, f64)>,
}

/// A place that is marked.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutNode {
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
    /// The model is not told the turn.
    pub untold: bool,
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
pub struct TreeLayout {
    pub edges: Vec<Edge>,
    /// By depth, then from left to right.
    pub nodes: Vec<LayoutNode>,
    /// The position after a turn, and its depth in the picture; rising.
    pub knots: Vec<(u32, f64)>,
    pub width: f64,
    pub height: f64,
}

impl TreeLayout {
    pub fn of(branches: &HashMap<BranchId, Branch>, head: &Head, path: &Path, marks: &Marks) -> Self {
        let course = Course::of(branches);
        let spot = |place: &Head| course.spot(&place.branch, place.end);
        let head = spot(head);
        let names: HashMap<Spot, &String> =
            marks.names.iter().filter_map(|(at, name)| Some((spot(at)?, name))).collect();
        let [sessions, saved] =
            [&marks.sessions, &marks.saved].map(|places| places.iter().filter_map(spot).collect::<HashSet<Spot>>());
        let Landmarks { others, mut points } = Landmarks::of(&course, marks);

        let ends = course.order.iter().zip(0..).map(|(branch, number)| (number, branch.tip()));
        let openings = course.order.iter().zip(0..).filter(|(branch, _)| branch.parent.is_none());
        let openings = openings.map(|(branch, number)| (number, 1.min(branch.tip())));
        let marked = [&sessions, &saved, &others].into_iter().flatten().chain(names.keys()).chain(points.keys());
        let places = course.leaving.keys().chain(marked).chain(&head).copied().chain(ends).chain(openings);
        let mut places: Vec<Spot> = places.filter(|(at, end)| *end <= course.order[*at].tip()).collect();
        places.sort_unstable();
        places.dedup();

        let knots = knots(places.iter().map(|(_, end)| *end).collect());
        let lanes = lanes(&course);
        let x_of = |branch: usize| f64::from(lanes[branch]) * LANE;
        let mut seen_to: Vec<Option<u32>> = vec![None; course.order.len()];
        for span in &path.spans {
            if let Some(branch) = course.number.get(&span.branch) {
                seen_to[*branch] = Some(span.last + 1);
            }
        }
        let mut layout = Self { knots, ..Self::default() };
        let edges = course.order.iter().zip(&course.from).enumerate().map(|(number, (branch, from))| {
            let from = from.map(|(parent, end)| (x_of(parent), layout.depth(end)));
            let top = from.map_or(layout.depth(1), |(_, y)| y + BEND);
            let bottom = if branch.length == 0 { top } else { layout.depth(branch.tip()).max(top) };
            let seen_to = seen_to[number].map(|end| layout.depth(end));
            // A head on a branch without turns follows the bend alone.
            let seen_to = seen_to.or((head == Some((number, branch.first))).then_some(top));
            let depth = |end| if end == branch.first { top } else { layout.depth(end) };
            let untold = stretches(branch).into_iter().map(|(first, end)| (depth(first), depth(end))).collect();
            Edge { branch: branch.id.clone(), x: x_of(number), from, top, bottom, seen_to, untold }
        });
        let edges: Vec<_> = edges.collect();
        let nodes = places.into_iter().map(|at| {
            let (number, end) = at;
            let branch = course.order[number];
            // Right after the fork, at the reply that the branch goes on from.
            let is_start = branch.parent.is_some() && end == branch.first;
            let passed_to = seen_to[number];
            LayoutNode {
                at: Head { branch: branch.id.clone(), end },
                x: x_of(number),
                y: layout.depth(end) + if is_start { BEND } else { 0.0 },
                name: names.get(&at).map(|name| (*name).clone()),
                is_head: head == Some(at),
                on_path: head == Some(at) || passed_to.is_some_and(|to| is_start || (1..=to).contains(&end)),
                is_bud: is_start && branch.length == 0,
                is_fork: course.leaving.contains_key(&at),
                session: sessions.contains(&at),
                saved: saved.contains(&at),
                others: others.contains(&at),
                untold: end.checked_sub(1).is_some_and(|last| branch.untold_at(last).is_some()),
                points: points.remove(&at).unwrap_or_default(),
            }
        });
        let mut nodes: Vec<_> = nodes.collect();
        order::by(&mut nodes, |a, b| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x)));
        layout.width = edges.iter().map(|edge| edge.x).fold(0.0, f64::max);
        layout.height = nodes.iter().map(|node| node.y).fold(0.0, f64::max);
        (layout.edges, layout.nodes) = (edges, nodes);
        layout
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
        if let Some(node) = self.nodes.iter().find(|node| node.at == *at) {
            return Some((node.x, node.y));
        }
        let edge = self.edges.iter().find(|edge| edge.branch == at.branch)?;
        Some((edge.x, self.depth(at.end)))
    }

    /// The marked place that one comes to from another: along the branch, to the fork that it comes from, or across.
    pub fn next(&self, from: &Head, way: Way) -> Option<Head> {
        let (x, y) = self.spot(from)?;
        let own = |node: &&LayoutNode| node.at.branch == from.branch && node.at != *from;
        let distance = |node: &&LayoutNode| ((node.x - x).hypot((node.y - y) * 2.0) * 64.0) as i64;
        let nodes = self.nodes.iter();
        let found = match way {
            Way::First => nodes.clone().next(),
            Way::Last => nodes.clone().last(),
            Way::Down => nodes.clone().filter(own).find(|node| node.y > y),
            Way::Up => {
                let before = nodes.clone().filter(own).rfind(|node| node.y < y);
                let source = self.edges.iter().find(|edge| edge.branch == from.branch).and_then(|edge| edge.from);
                before.or_else(|| nodes.clone().find(|node| Some((node.x, node.y)) == source))
            }
            Way::Left => nodes.clone().filter(|node| node.x < x).min_by_key(distance),
            Way::Right => nodes.clone().filter(|node| node.x > x).min_by_key(distance),
        };
        found.map(|node| node.at.clone())
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

/// The runs of turns on a branch that are not told, each from its first position to that after its last.
fn stretches(branch: &Branch) -> Vec<(u32, u32)> {
    let here = branch.first..branch.tip();
    let places: BTreeSet<u32> = branch.untold.iter().map(|turn| turn.at).filter(|at| here.contains(at)).collect();
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for at in places {
        match runs.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => runs.push((at, at + 1)),
        }
    }
    runs
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
fn lanes(course: &Course) -> Vec<u32> {
    let mut lanes: Vec<u32> = Vec::with_capacity(course.order.len());
    // Up to which position each lane is taken. Branches come by their forks, so that what ended before stays free.
    let mut taken: Vec<u32> = Vec::new();
    for (branch, from) in course.order.iter().zip(&course.from) {
        let first = from.and_then(|(parent, _)| lanes.get(parent)).map_or(0, |lane| lane + 1);
        let free = (first as usize..taken.len()).find(|lane| taken[*lane] < branch.first);
        let lane = free.unwrap_or(taken.len().max(first as usize));
        taken.resize(taken.len().max(lane + 1), 0);
        taken[lane] = branch.tip() + 1;
        lanes.push(lane as u32);
    }
    lanes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::story::tree::{Cut, FinishedPoint, Fork, Untold};

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
            let layout = TreeLayout::of(&branches, &head, &path, &Marks::default());
            let seen = layout.edges.iter().filter(|edge| edge.seen_to.is_some()).count();
            assert_eq!((layout.edges.len(), seen), (10_000, path.spans.len()));
        }
    }

    fn branch(id: &str, parent: Option<(&str, u32)>, length: u32) -> Branch {
        let parent = parent.map(|(branch, position)| Fork { branch: branch.into(), position, generation: None });
        let first = parent.as_ref().map_or(0, |fork| fork.position + 1);
        Branch { id: id.into(), parent, first, length, ..Default::default() }
    }

    fn layout(list: Vec<Branch>, branch: &str, end: u32) -> TreeLayout {
        let branches = list.into_iter().map(|branch| (branch.id.clone(), branch)).collect();
        let head = Head { branch: branch.into(), end };
        let path = Path::of(&branches, &head).unwrap();
        TreeLayout::of(&branches, &head, &path, &Marks::default())
    }

    #[test]
    fn a_long_run_is_one_line() {
        let layout = layout(vec![branch("a", None, 10_000), branch("b", Some(("a", 4_999)), 3)], "b", 5_003);
        let nodes: Vec<_> = layout.nodes.iter().map(|s| (s.at.branch.as_str(), s.at.end, s.on_path)).collect();
        assert_eq!(nodes, [("a", 1, true), ("a", 5_000, true), ("b", 5_003, true), ("a", 10_000, false)]);
        assert!(layout.height < 600.0, "{}", layout.height);
        assert_eq!(layout.edges[1].x, LANE);
        assert_eq!(layout.edges[0].seen_to, Some(layout.depth(5_000)), "the path leaves it at the fork");
    }

    #[test]
    fn a_reply_without_a_future_is_a_bud() {
        let layout = layout(vec![branch("a", None, 4), branch("b", Some(("a", 1)), 0)], "b", 2);
        let bud = layout.nodes.iter().find(|node| node.is_bud).unwrap();
        assert_eq!((bud.at.end, bud.is_head, bud.x, bud.y), (2, true, LANE, layout.depth(2) + BEND));
    }

    #[test]
    fn what_is_not_told_is_a_stretch_of_its_branch() {
        let untold = |turns: &[u32]| turns.iter().map(|at| Untold { at: *at, folded: false }).collect();
        let root = Branch { untold: untold(&[5, 3, 4, 8]), ..branch("a", None, 10) };
        let side = Branch { untold: untold(&[3]), ..branch("b", Some(("a", 2)), 2) };
        let layout = layout(vec![root, side], "a", 10);
        let depth = |end| layout.depth(end);
        assert_eq!(layout.edges[0].untold, [(depth(3), depth(6)), (depth(8), depth(9))]);
        assert_eq!(layout.edges[1].untold, [(layout.edges[1].top, depth(4))], "it begins where its branch does");
        let marked: Vec<_> = layout.nodes.iter().filter(|node| node.untold).map(|node| node.at.end).collect();
        assert_eq!(marked, [] as [u32; 0], "a turn that is not marked otherwise is on the line alone");
        let ends_untold = Branch { untold: untold(&[9]), ..branch("a", None, 10) };
        let layout = self::layout(vec![ends_untold], "a", 10);
        let marked: Vec<_> = layout.nodes.iter().filter(|node| node.untold).map(|node| node.at.end).collect();
        assert_eq!(marked, [10]);
    }

    /// What is seen at a turn with several replies, and what the plot did there.
    #[test]
    fn landmarks() {
        let bead = |position, generation: &str| FinishedPoint {
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
            let layout = TreeLayout::of(&branches, &head, &path, marks);
            let told = |node: &LayoutNode| {
                let points: Vec<u32> = node.points.iter().map(|(point, _)| *point).collect();
                let is_landmark = node.others || !points.is_empty();
                is_landmark.then(|| (node.at.branch.0.clone(), node.at.end, node.others, points, node.on_path))
            };
            let end = layout.nodes.iter().filter(|node| node.at.branch.as_str() == "a").map(|s| s.at.end).max();
            assert_eq!(end, Some(8), "what lies in the bin is not drawn");
            layout.nodes.iter().filter_map(told).collect::<Vec<_>>()
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
        let layout =
            layout(vec![branch("a", None, 9), branch("b", Some(("a", 3)), 2), branch("c", Some(("a", 3)), 0)], "a", 9);
        let check = |from: (&str, u32), way: Way, to: Option<(&str, u32)>| {
            let head = |(branch, end): (&str, u32)| Head { branch: branch.into(), end };
            assert_eq!(layout.next(&head(from), way), to.map(head), "{from:?} {way:?}");
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
            let layout = layout(list.clone(), "0", 40);
            for (n, a) in layout.edges.iter().enumerate() {
                for b in &layout.edges[n + 1..] {
                    prop_assert!(a.x != b.x || a.bottom < b.top - BEND || b.bottom < a.top - BEND, "{a:?} {b:?}");
                }
            }
            for end in 1..=layout.knots.last().unwrap().0 {
                prop_assert_eq!(layout.end_at(layout.depth(end)), end);
            }
        }
    }
}
