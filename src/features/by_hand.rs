//! What the reader does in the state by hand.

use super::ALL;
use crate::story::{
    ids::GenerationId,
    persona::Origin,
    state::{ByHand, State},
    world::Refusal,
};

/// What an edit is about is not there (any more).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what is to be changed is not there any more")]
pub struct NotThere;

/// An edit does not fit the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error(transparent)]
    NotThere(#[from] NotThere),
    /// The world does not take it.
    #[error(transparent)]
    World(#[from] Refusal),
}

/// Does in the state what the reader asked for, at the turn `position`.
///
/// # Errors
/// It does not fit; the state is as before.
pub fn change_by_hand(
    state: &mut State,
    by_hand: &ByHand,
    position: u32,
    generation: Option<&GenerationId>,
) -> Result<(), Unfit> {
    done(state, by_hand, position, generation).map_or(Err(NotThere.into()), |(_, outcome)| outcome)
}

/// The same, with the name of the feature whose edit it is; `None`: it is none's.
pub(super) fn done(
    state: &mut State,
    by_hand: &ByHand,
    position: u32,
    generation: Option<&GenerationId>,
) -> Option<(&'static str, Result<(), Unfit>)> {
    let origin = Origin { at: by_hand.at, turn: position, generation: generation.cloned(), by_hand: true };
    ALL.iter().find_map(|feature| Some((feature.name(), feature.change_by_hand(state, &by_hand.edit, &origin)?)))
}
