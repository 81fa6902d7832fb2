//! Numbers of records.

use crate::store::Part;

/// A number per part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; Part::ALL.len()]);

impl Counts {
    pub fn of(&self, part: Part) -> u64 {
        self.0[part as usize]
    }

    pub fn add(&mut self, part: Part, number: u64) {
        self.0[part as usize] = self.0[part as usize].saturating_add(number);
    }

    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, number| sum.saturating_add(*number))
    }
}
