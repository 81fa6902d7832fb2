//! What a feature is to the rest of the program.

use super::{Unfit, module::Module};
use crate::{
    prompt::{draft::Draft, sources::Source},
    story::{
        event::StoryEvent,
        features::Features,
        persona::Origin,
        preset::Preset,
        state::{HandEdit, State},
        storyline::Storyline,
    },
};

/// A feature has what it needs of this, and nothing else of the program knows of it.
pub trait Feature {
    /// Its settings are stored under it, and what kept it from its work is said under it.
    fn name(&self) -> &'static str;

    /// What it tells the model.
    fn sources(&self) -> &'static [Source] {
        &[]
    }

    /// What it asks the model to say of changes, in the lines of the reply protocol ([`super::changes`]); empty where it is
    /// off in this story or has nothing that could change.
    fn asks(&self, _: &Draft) -> &'static str {
        ""
    }

    /// What it does with the replies of a story; `None` where it is off or does nothing with them.
    fn module(&self, _: &Played) -> Option<Box<dyn Module>> {
        None
    }

    /// Does an edit of the reader's in the state; `None`: it is another feature's. One that does not fit changes nothing.
    fn change_by_hand(&self, _: &mut State, _: &HandEdit, _: &Origin) -> Option<Result<(), Unfit>> {
        None
    }

    /// Whether it works ahead of the reply or after it: what is said under its name stays when the reply is read anew.
    fn works_apart(&self) -> bool {
        false
    }

    /// Takes out of a preset's settings what means nothing in another place: names of records that lie in this one.
    fn leave_home(&self, _: &mut Features) {}
}

/// A story as it is told.
pub struct Played<'a> {
    pub storyline: &'a Storyline,
    pub preset: &'a Preset,
    /// Of its background.
    pub events: &'a [StoryEvent],
}
