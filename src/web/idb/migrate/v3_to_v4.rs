//! What calls of models have cost. Of what was spent before, nobody has kept account.

use idb::Error;

use super::{Upgrade, create};
use crate::store::Table;

pub fn run(upgrade: &Upgrade) -> Result<(), Error> {
    create(upgrade, Table::Spending)
}
