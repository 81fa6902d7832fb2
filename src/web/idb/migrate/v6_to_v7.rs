//! What other devices know.

use idb::Error;

use super::{Upgrade, create};
use crate::store::Table;

pub fn run(upgrade: &Upgrade) -> Result<(), Error> {
    create(upgrade, Table::Sync)
}
