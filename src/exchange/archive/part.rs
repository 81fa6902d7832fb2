//! The parts of an archive: the tables that a story is made of.

use serde::{Deserialize, Serialize};

use crate::store::Table;

/// A table that may leave this machine. `settings` and `vault` are none: connections and keys stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Characters,
    Backgrounds,
    Presets,
    Storylines,
    Branches,
    States,
    Turns,
    Generations,
    Memories,
    Blobs,
}

impl Part {
    /// In the order of an archive: what is pointed to comes first.
    pub const ALL: [Self; 10] = [
        Self::Characters,
        Self::Backgrounds,
        Self::Presets,
        Self::Storylines,
        Self::Branches,
        Self::States,
        Self::Turns,
        Self::Generations,
        Self::Memories,
        Self::Blobs,
    ];

    pub fn table(self) -> Table {
        match self {
            Self::Characters => Table::Characters,
            Self::Backgrounds => Table::Backgrounds,
            Self::Presets => Table::Presets,
            Self::Storylines => Table::Storylines,
            Self::Branches => Table::Branches,
            Self::States => Table::States,
            Self::Turns => Table::Turns,
            Self::Generations => Table::Generations,
            Self::Memories => Table::Memories,
            Self::Blobs => Table::Blobs,
        }
    }

    pub fn of(table: Table) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.table() == table)
    }

    pub fn name(self) -> &'static str {
        self.table().name()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_keys_nor_connections() {
        assert_eq!(Part::of(Table::Vault), None);
        assert_eq!(Part::of(Table::Settings), None);
        for part in Part::ALL {
            assert_eq!(serde_json::to_value(part).unwrap(), part.name(), "the stored name");
            assert_eq!(Part::of(part.table()), Some(part));
        }
    }
}
