//! Turns that the reader takes out of what a model is told: they stay in the story, and can be put back at any time.

use super::{edit::missing, play::Conductor};
use crate::{
    store::Batch,
    story::{
        fault::Fault,
        ids::TurnId,
        order,
        tree::{Branch, Untold},
        turn::Turn,
    },
};

/// Whom a turn is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// The reader and the models.
    All,
    /// The reader alone.
    Reader,
    /// Nobody: the reader sees that there is one.
    Nobody,
}

impl Conductor {
    /// Says whom a turn is for, on every branch that goes through it. What its reply changed stays as it is, and so does
    /// what was written from it.
    ///
    /// # Errors
    /// The turn is gone, another tab writes this story, or the store failed: all is as before.
    pub async fn tell_to(&self, turn: &TurnId, telling: Telling) -> Result<(), Fault> {
        let store = &*self.ports.store;
        let turn = store.load::<Turn>(turn.as_str()).await?.ok_or_else(missing)?;
        let mut branch = store.load::<Branch>(turn.branch.as_str()).await?.ok_or_else(missing)?;
        branch.untold.retain(|untold| untold.at != turn.position);
        if telling != Telling::All {
            branch.untold.push(Untold { at: turn.position, folded: telling == Telling::Nobody });
            order::by_key(&mut branch.untold, |untold| untold.at);
        }
        self.write(&turn.storyline, Batch::new().put(&branch)).await
    }
}
