//! Turns that the reader takes out of what a model is told: they stay in the story, and can be put back at any time.

use super::{edit::missing, play::Conductor};
use crate::{
    store::Batch,
    story::{
        fault::Fault,
        ids::{StorylineId, TurnId},
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
        let _alone = self.recent.settling.lock().await;
        let store = &*self.ports.store;
        let turn = store.load::<Turn>(turn.as_str()).await?.ok_or_else(missing)?;
        let mut branch = store.load::<Branch>(turn.branch.as_str()).await?.ok_or_else(missing)?;
        set(&mut branch, turn.position, telling);
        self.write(&turn.storyline, Batch::new().put(&branch)).await
    }

    /// The same for those of these turns of the path that models are told, or of those that they are not, with
    /// [`Telling::All`]. Gives the positions that changed.
    ///
    /// # Errors
    /// Another tab writes this story, or the store failed: all is as before.
    pub async fn tell_all_to(
        &self,
        id: &StorylineId,
        turns: impl IntoIterator<Item = u32>,
        telling: Telling,
    ) -> Result<Vec<u32>, Fault> {
        let _alone = self.recent.settling.lock().await;
        let storyline = self.storyline(id).await?;
        let path = self.path(&storyline).await?;
        let is_other = |at: &u32| *at < path.end && path.is_told(*at) != (telling == Telling::All);
        let changed: Vec<u32> = turns.into_iter().filter(is_other).collect();
        let mut batch = Batch::new();
        for span in &path.spans {
            let here = || changed.iter().filter(|at| (span.first..=span.last).contains(*at));
            if here().next().is_none() {
                continue;
            }
            let mut branch = self.ports.store.load::<Branch>(span.branch.as_str()).await?.ok_or_else(missing)?;
            here().for_each(|at| set(&mut branch, *at, telling));
            batch.push(&branch);
        }
        if !changed.is_empty() {
            self.write(id, batch).await?;
        }
        Ok(changed)
    }
}

fn set(branch: &mut Branch, at: u32, telling: Telling) {
    branch.untold.retain(|untold| untold.at != at);
    if telling != Telling::All {
        branch.untold.push(Untold { at, folded: telling == Telling::Nobody });
        order::by_key(&mut branch.untold, |untold| untold.at);
    }
}
