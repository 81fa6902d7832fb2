//! The memory summary (seed `004`, F4): where a conversation grows long, a second call summarises its middle, and prompts tell
//! that in the middle's place.
//!
//! It is asked for when the reply is stored and shown, and delays nobody. What came lies with the newest reply
//! ([`crate::story::recap`]) and holds from there on; each next one tells what the last one told, and what was said since.

pub mod due;
pub mod request;

#[cfg(test)]
mod tests;

use super::{Absorbed, Module, ModuleFault, NotThere, Outcome, Played, TurnContext, Unfit};
use crate::story::{
    character::Character,
    persona::Origin,
    state::{HandEdit, State},
    storyline::Storyline,
};

pub const NAME: &str = "recap";

pub struct Feature;

/// Whether one is written in a story with this character. A demo has nobody who could.
pub fn is_on(storyline: &Storyline, character: &Character) -> bool {
    character.recap.enabled && !storyline.demo
}

impl super::Feature for Feature {
    fn name(&self) -> &'static str {
        NAME
    }

    /// What was written stays where it is switched off.
    fn module(&self, _: &Played) -> Option<Box<dyn Module>> {
        Some(Box::new(Self))
    }

    fn change_by_hand(&self, state: &mut State, edit: &HandEdit, _: &Origin) -> Option<Result<(), Unfit>> {
        let HandEdit::Recap { to, text } = edit else { return None };
        let Some(recap) = state.recap.as_mut().filter(|recap| recap.to == *to) else {
            return Some(Err(NotThere.into()));
        };
        text.trim().clone_into(&mut recap.text);
        if recap.text.is_empty() {
            state.recap = None;
        }
        Some(Ok(()))
    }

    fn works_apart(&self) -> bool {
        true
    }
}

impl Module for Feature {
    fn name(&self) -> &'static str {
        NAME
    }

    fn absorb(&self, input: &Absorbed, _: &TurnContext, state: &mut State) -> Result<Outcome, ModuleFault> {
        if let Some(recap) = &input.recap {
            state.recap = Some(recap.clone());
        }
        Ok(Outcome::default())
    }
}
