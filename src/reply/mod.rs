//! What the model said: a reply in any mixture of dialects, read as it streams, with nothing lost.

pub mod markup;
pub mod notice;
pub mod parser;
pub mod pattern;
pub mod progress;
pub mod repair;
pub mod repeated;
mod signs;
pub mod sxml;
pub mod update;
