//! The tree as it is drawn: by numbers, not by names.

use std::collections::HashMap;

use crate::story::{ids::BranchId, order, tree::Branch};

/// A place by the number of its branch, and the position after the turn: ids of thousands of branches are texts, and slow
/// to compare.
pub type Spot = (usize, u32);

/// The branches in the order in which they are drawn, and how they hang together.
pub struct Course<'a> {
    pub order: Vec<&'a Branch>,
    pub number: HashMap<&'a BranchId, usize>,
    /// Where each branch comes from.
    pub from: Vec<Option<Spot>>,
    /// The branches that leave each place.
    pub leaving: HashMap<Spot, Vec<usize>>,
}

impl<'a> Course<'a> {
    pub fn of(branches: &'a HashMap<BranchId, Branch>) -> Self {
        let mut order: Vec<&Branch> = branches.values().collect();
        order::by(&mut order, |a, b| (a.first, a.created, &a.id).cmp(&(b.first, b.created, &b.id)));
        let number = order.iter().enumerate().map(|(number, branch)| (&branch.id, number)).collect();
        let mut course = Self { order, number, from: Vec::new(), leaving: HashMap::new() };
        for (number, branch) in course.order.iter().enumerate() {
            let fork = branch.parent.as_ref();
            let from = fork.and_then(|fork| course.spot(&fork.branch, fork.position + 1));
            course.from.push(from);
            if let Some(from) = from {
                course.leaving.entry(from).or_default().push(number);
            }
        }
        course
    }

    pub fn spot(&self, branch: &BranchId, end: u32) -> Option<Spot> {
        Some((*self.number.get(branch)?, end))
    }

    pub fn leaving(&self, place: Spot) -> impl Iterator<Item = (usize, &'a Branch)> {
        self.leaving.get(&place).into_iter().flatten().map(|number| (*number, self.order[*number]))
    }
}
