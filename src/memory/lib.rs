//! Long-term memory: what was said, found again by words, by where it stands, and by likeness.
//!
//! - [`words`], [`dates`], [`passages`]: what a text holds.
//! - [`Index`]: which units hold which words; [`segment`] is its stored form.
//! - [`Terms`]: which sentences of a text that was found matter.
//! - [`View`]: what is seen from one place of the tree. Everything that depends on a branch stands there.
//! - [`Searcher`]: the search. What a score is the sum of: [`Weights`]; why a unit was found: [`Hit`].
//! - [`salient`]: what a text may be looked up by.
//! - [`dense`]: vectors, fused in where there are any.
//!
//! What each term is worth, and what was tried in vain, stands in `FINDINGS.md`; `cargo xtask recall` measures it.
//!
//! No clock, no browser, no chance: the same units in the same view give the same hits. A crate of its own because the
//! page is built for size and a search must be fast: the root `Cargo.toml` compiles it for speed.

mod classes;
pub mod dates;
pub mod dense;
mod excerpts;
mod forms;
mod index;
mod passages;
mod query;
mod rank;
mod salient;
mod search;
pub mod segment;
#[cfg(test)]
mod tests;
mod versions;
mod view;
mod weights;
pub mod words;

pub use dates::Date;
pub use excerpts::{Read, Terms, sentences};
pub use index::{Index, Said, Unit};
pub use passages::{PASSAGE, passages};
pub use query::Query;
pub use rank::{Hit, Parts};
pub use salient::salient;
pub use search::Searcher;
pub use view::View;
pub use weights::Weights;
