//! Features, a folder each: settings, sources for the prompt, what is done with a reply and by hand, and the tests.
//!
//! To add one:
//!
//! 1. A folder here, in it a type that is a [`Feature`], and a line in [`ALL`]. Now its sources stand behind their markers
//!    in every prompt, its module takes in each reply, its edits are done by hand and done again with a reply that is
//!    read anew, and a preset that declares it turns it on, be that built-in, copied or read from a file.
//! 2. What it can be told in a preset or a storyline is a type of its own, `…Settings`, that implements
//!    [`crate::story::features::Settings`]. `story` knows none of them.
//! 3. What the state keeps of it is a field of [`crate::story::state::State`]. Where it makes changes of a new kind, or is
//!    edited by hand in a new way, these are variants there; the compiler then asks for their words.
//! 4. What it shows lies in a folder of `ui::features`, in words of `locales`; a switch for presets is one line of
//!    `ui::presets::features`.
//! 5. What it wants to be told of in each reply is its [`Feature::asks`], in the lines of [`changes`].
//! 6. What asks a model or the memory ahead of the reply needs ports, and is a step of [`crate::turn::Conductor::play`]
//!    that puts what it learns under the marker of a [`crate::prompt::sources::Give::Turn`]. What asks one after the reply
//!    delays nobody, and lays what it learns beside the reply, for [`settle`] to take in (see [`scribe`]).
//!
//! A module reads what the reply said and changes its own part of the state. One that fails leaves its part as it was,
//! says so in a notice stored with the reply, and stops nobody else.

mod again;
mod by_hand;
pub mod changes;
pub mod circle;
pub mod cradle;
pub mod director;
mod echo;
pub mod events;
mod feature;
pub mod group;
pub mod impersonate;
pub mod lore;
mod module;
pub mod note;
pub mod persona;
pub mod planner;
pub mod reading;
pub mod recall;
pub mod recap;
pub mod scribe;
pub mod scripts;
mod settle;
pub mod sheet;
pub mod status_bar;
pub mod summary;
pub mod transcript;
pub mod world;

pub use by_hand::{NotThere, Unfit, change_by_hand};
pub use feature::{Feature, Played};
pub use module::{Absorbed, Module, ModuleFault, Outcome, Outline, PersonaUpdate, TurnContext, absorb};
pub use settle::settle;

use crate::{
    prompt::sources::Source,
    story::{event::StoryEvent, features::Features, preset::Preset, storyline::Storyline, written::Text},
};
use module::readable;

/// All features, in the order in which they see a reply: a story's events see what all others have done.
pub const ALL: &[&dyn Feature] = &[
    &director::Director,
    &persona::Feature,
    &world::World,
    &events::Feature,
    &planner::Feature,
    &scribe::Feature,
    &sheet::Texts(Text::Sheet),
    &sheet::Texts(Text::Plot),
    &recap::Feature,
    &recall::Feature,
    &lore::Feature,
    &note::Feature,
    &group::Feature,
    &circle::Feature,
    &changes::Feature,
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
