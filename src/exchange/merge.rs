//! Putting an archive into a library that has stories already.
//!
//! Two ways to take a file in:
//!
//! - **Merge**: what has the same id is the same thing. A storyline that both sides have becomes their union: what is
//!   not there is added, and of two versions of a record the one that says more stays ([`settle`]). Merging adds and
//!   never deletes: a turn that was deleted here and is in the file comes back. Where both sides went on **differently
//!   at one place of a branch**, their trees cannot be one, and the file's storyline comes in as a copy beside the
//!   library's ([`Fate::Copy`]; [`Plan::diverged`] says so).
//! - **Copy**: the storyline and all that hangs on it get fresh ids ([`Renamer`]). Characters, background, lorebooks and
//!   preset are those of the library where it has an equal one (but for ids and times), else they are copied too.
//!   Pictures are addressed by their content and stay what they are. Titles stay too: the caller says "copy" in the
//!   reader's language.
//!
//! How: read the file once for a check, giving each entry to an [`Inventory`]; make another of the library (all that stands
//! on a shelf, and the branches and turns of those storylines that the file has too);
//! [`Plan::new`]; read the file again and for each entry: skip it if the plan does, [`Renamer::rewrite`], [`settle`]
//! with what the store has under its id, put. A file of one storyline fits into memory and needs one reading.
//!
//! A storyline may name a connection; the id means nothing on another machine, where the default one is used.

mod inventory;
mod plan;
mod rename;
mod settle;
#[cfg(test)]
mod tests;

pub use inventory::Inventory;
pub use plan::{Fate, Mode, Plan};
pub use rename::Renamer;
pub use settle::settle;
