//! The first version: its tables with their indexes, as they were then.

use idb::Error;

use super::{Upgrade, create};
use crate::store::Table;

const TABLES: [Table; 11] = [
    Table::Characters,
    Table::Backgrounds,
    Table::Presets,
    Table::Storylines,
    Table::Turns,
    Table::Branches,
    Table::Generations,
    Table::States,
    Table::Blobs,
    Table::Settings,
    Table::Vault,
];

pub fn run(upgrade: &Upgrade) -> Result<(), Error> {
    TABLES.into_iter().try_for_each(|table| create(upgrade, table))
}
