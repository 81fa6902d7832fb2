//! Regex scripts, quick replies, and personas of the reader.

use idb::Error;

use super::{Upgrade, create};
use crate::store::Table;

pub fn run(upgrade: &Upgrade) -> Result<(), Error> {
    create(upgrade, Table::Personas)?;
    create(upgrade, Table::Scripts)?;
    create(upgrade, Table::QuickReplies)
}
