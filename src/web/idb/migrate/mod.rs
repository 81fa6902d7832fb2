//! Migrations, one step per file. A step runs inside the browser's upgrade transaction: all of it, or nothing.
//!
//! A store that is not named here is left alone: steps say what changes, never what there is.

mod v0_to_v1;

use idb::{Database, Error, Transaction};

/// What a step may touch.
pub struct Upgrade<'a> {
    pub database: &'a Database,
    pub transaction: &'a Transaction,
}

pub type Step = fn(&Upgrade) -> Result<(), Error>;

/// `STEPS[n]` leads from version n to version n + 1.
pub const STEPS: &[Step] = &[v0_to_v1::run];

/// The version that this program writes.
pub const VERSION: u32 = STEPS.len() as u32;
