//! Lore: what a lorebook says comes into the prompt where its words come up (seed `004`, world book; F2).
//!
//! A book is made ready once ([`book`]), each turn is looked through for its keys ([`wake`]), and what came up is put where
//! its entries say ([`tell`]). What lasts beyond the turn is kept in the state ([`timers`]).

pub mod book;
pub mod decorators;
pub mod keys;
mod settings;
pub mod tell;
#[cfg(test)]
mod tests;
pub mod timers;
pub mod tried;
pub mod wake;

pub use settings::LoreSettings;

use crate::{
    features::{Module, Played},
    prompt::{
        context::Priority,
        sources::{Give, Source},
    },
    story::preset::Section,
};

pub const NAME: &str = "lore";

/// The markers of what stands before the character and after them.
pub const BEFORE: &str = "lore_before";
pub const AFTER: &str = "lore_after";

pub struct Feature;

impl super::Feature for Feature {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sources(&self) -> &'static [Source] {
        const GIVE: Give = Give::Turn(Priority::LORE, Section::Head);
        &[
            Source { name: BEFORE, title: ["世界书（角色之前）", "Lore before the character"], give: GIVE },
            Source { name: AFTER, title: ["世界书（角色之后）", "Lore after the character"], give: GIVE },
            Source { name: NAME, title: ["世界书", "Lore"], give: GIVE },
        ]
    }

    fn module(&self, played: &Played) -> Option<Box<dyn Module>> {
        // Unlike others it is on until it is switched off, for without a book it says nothing.
        (!played.storyline.is_off(played.preset, NAME)).then(|| Box::new(timers::Running) as _)
    }
}
