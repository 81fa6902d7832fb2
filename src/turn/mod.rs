//! One turn, from input to commit: the conductor.
//!
//! The order is fixed (seed `000`): the reader's words are stored before anything is told or sent; a reply is stored
//! before it is shown; the end of a turn is one commit.

mod ahead;
mod anew;
pub mod aside;
mod ask;
pub mod bin;
#[cfg(target_arch = "wasm32")]
mod brought;
pub mod budget;
mod chooser;
pub mod circle;
pub mod cradle;
pub mod edit;
pub mod embed;
mod event;
mod expand;
mod fit;
pub mod group;
pub mod hand;
mod impersonate;
mod landmarks;
mod learned;
pub mod limits;
pub mod lore;
pub mod memories;
pub mod memory;
mod meter;
pub mod open;
mod opening;
mod past;
mod plan;
pub mod play;
mod prefill;
mod prose;
pub mod prune;
mod recall;
pub mod recap;
pub mod recover;
pub mod rehearse;
pub mod savepoints;
pub mod scene;
pub mod scribe;
pub mod scripts;
pub mod session;
mod setting;
pub mod sheet;
pub mod stream;
pub mod summarise;
pub mod travel;
mod undo;
pub mod unsent;
pub mod untold;
pub mod wire;

pub use ahead::Ahead;
pub use ask::Ask;
pub use hand::ByHandError;
pub use meter::tried;
pub use open::NewStoryline;
pub use play::{Conductor, Shown};
pub use summarise::SummariseError;

#[cfg(test)]
mod tests;
