//! What the model is told: sources → framework → messages, with an account of what, why and how many tokens.
//!
//! Deterministic: the same scene gives the same messages, byte for byte. A new source is one function in `sources`
//! and one line in its registry; a new framework is a preset.

pub mod builtin;
pub mod framework;
pub mod macros;
pub mod sources;
pub mod tokens;

use crate::story::{
    background::Background, character::Character, preset::Preset, state::State, storyline::Storyline, tree::Node,
};

/// Everything that a prompt may draw on, loaded before it is built.
pub struct Scene<'a> {
    pub storyline: &'a Storyline,
    pub character: &'a Character,
    /// Optional: an empty world where there is none (A2).
    pub background: Option<&'a Background>,
    pub state: &'a State,
    pub preset: &'a Preset,
    /// The newest stretch of the path, in order; the last one is the turn to answer.
    pub history: &'a [Node],
    /// Turns of the path before `history`, which were not loaded since they would not fit.
    pub not_loaded: u32,
}
