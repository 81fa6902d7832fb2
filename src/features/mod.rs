//! Features, a folder each: settings, sources for the prompt, what is done with a reply and by hand, and the tests.
//!
//! To add one:
//!
//! 1. Make its folder here, and a type in it that is a [`Feature`]. What it can be told in a preset or a storyline is a
//!    type of its own that implements [`crate::story::features::Settings`]; what it keeps in the state is a field of
//!    [`crate::story::state::State`].
//! 2. Name it in [`ALL`]. Now its sources stand behind their markers in every prompt, its module takes in each reply, and a
//!    preset that declares its settings turns it on, whether built-in, copied or read from a file.
//! 3. What it shows goes into a folder of `ui`, its words into `locales`. What asks a model or the memory ahead of a reply
//!    goes through ports, and is a step of [`crate::turn::Conductor::play`].
//!
//! A module reads what the reply said and changes its own part of the state. One that fails leaves its part as it was,
//! says so in a notice stored with the reply, and stops nobody else.

mod by_hand;
pub mod director;
pub mod events;
mod feature;
mod module;
pub mod note;
pub mod persona;
pub mod planner;
pub mod reading;
pub mod recall;
mod settle;
pub mod status_bar;
pub mod summary;
mod transcript;
pub mod world;

pub use by_hand::{NotThere, Unfit, change_by_hand};
pub use feature::{Feature, Played};
pub use module::{Absorbed, Module, ModuleFault, Outcome, Outline, PersonaUpdate, TurnContext, absorb};
pub use settle::settle;

use crate::{
    prompt::sources::Source,
    story::{event::StoryEvent, features::Features, preset::Preset, storyline::Storyline},
};
use module::readable;

/// All features, in the order in which they see a reply: a story's events see what all others have done.
pub const ALL: &[&dyn Feature] = &[
    &director::Director,
    &persona::Feature,
    &world::World,
    &events::Feature,
    &planner::Feature,
    &recall::Feature,
    &note::Feature,
    #[cfg(test)]
    &tests::lantern::Lantern,
];

/// Stands in a notice for no feature: the background itself.
pub const BACKGROUND: &str = "background";

/// What features tell the model.
pub fn sources() -> Vec<&'static [Source]> {
    ALL.iter().map(|feature| feature.sources()).collect()
}

/// The modules that are on in a storyline told by this preset, with their settings; `events` are those of its background.
pub fn enabled(storyline: &Storyline, preset: &Preset, events: &[StoryEvent]) -> Vec<Box<dyn Module>> {
    let played = Played { storyline, preset, events };
    ALL.iter().filter_map(|feature| feature.module(&played)).collect()
}

/// Takes out of a preset what belongs to the place that it was made in.
pub fn leave_home(settings: &mut Features) {
    ALL.iter().for_each(|feature| feature.leave_home(settings));
}

#[cfg(test)]
mod tests;
