//! What was played and not played at the turns of the tree, and how the plot moved on.

use std::collections::{HashMap, HashSet};

use super::{
    Marks,
    course::{Course, Spot},
};
use crate::story::{ids::BranchId, tree::Branch};

/// Turns with several replies of which the branches alone do not tell what is seen there: one that another branch leaves,
/// or at which the plot moved on.
pub fn unclear(branches: &HashMap<BranchId, Branch>) -> Vec<(BranchId, u32)> {
    if branches.values().all(|branch| branch.swipes.is_empty()) {
        return Vec::new();
    }
    let course = Course::of(branches);
    let of_branch = |(number, branch): (usize, &&Branch)| {
        let is_unclear = |position: &&u32| {
            course.leaving.contains_key(&(number, **position + 1))
                || branch.beads.iter().any(|bead| bead.position == **position)
        };
        let found = branch.swipes.iter().filter(|position| **position < branch.tip()).filter(is_unclear);
        found.map(|position| (branch.id.clone(), *position)).collect::<Vec<_>>()
    };
    course.order.iter().enumerate().flat_map(of_branch).collect()
}

/// What was played and not played where a turn has several replies, and how the plot moved on.
#[derive(Default)]
pub struct Landmarks {
    pub others: HashSet<Spot>,
    pub points: HashMap<Spot, Vec<(u32, String)>>,
}

impl Landmarks {
    pub fn of(course: &Course, marks: &Marks) -> Self {
        let mut found = Self::default();
        course.order.iter().enumerate().for_each(|(number, branch)| found.add(number, branch, course, marks));
        found
    }

    fn add(&mut self, number: usize, branch: &Branch, course: &Course, marks: &Marks) {
        let leaving = |position: u32| course.leaving((number, position + 1));
        let goes_by = |branch: &Branch| branch.parent.as_ref().and_then(|fork| fork.generation.clone());
        for &position in branch.swipes.iter().filter(|position| **position < branch.tip()) {
            let is_plain = leaving(position).next().is_none() && branch.beads.iter().all(|b| b.position != position);
            let has_others = match marks.chosen.get(&(branch.id.clone(), position)) {
                Some(chosen) => {
                    let played =
                        leaving(position).filter_map(|(_, branch)| goes_by(branch)).chain(chosen.reply.clone());
                    chosen.replies > played.collect::<HashSet<_>>().len()
                }
                None => is_plain,
            };
            if has_others {
                self.others.insert((number, position + 1));
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
                self.points.entry((number, bead.position + 1)).or_default().push(point);
            } else if chosen.is_some() {
                // It is on the way of those that go on from that reply.
                let by_it =
                    leaving(bead.position).filter(|(_, branch)| goes_by(branch).as_ref() == Some(&bead.generation));
                for (other, branch) in by_it {
                    self.points.entry((other, branch.first)).or_default().push(point.clone());
                }
            }
        }
    }
}
