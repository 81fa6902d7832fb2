//! Memories, and what finds them. Storylines of the first version have no index yet: it is built when it is first
//! asked for.

use idb::Error;

use super::{Upgrade, create};
use crate::store::Table;

const TABLES: [Table; 4] = [Table::Memories, Table::Due, Table::Postings, Table::Vectors];

pub fn run(upgrade: &Upgrade) -> Result<(), Error> {
    TABLES.into_iter().try_for_each(|table| create(upgrade, table))
}
