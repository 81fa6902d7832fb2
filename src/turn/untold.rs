//! Turns that the reader takes out of what a model is told: they stay in the story, and can be put back at any time.

use super::{edit::missing, play::Conductor};
use crate::{
    store::Batch,
    story::{
        fault::Fault,
        ids::{BranchId, StorylineId, TurnId},
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
        let turn = self.ports.store.load::<Turn>(turn.as_str()).await?.ok_or_else(missing)?;
        self.set_told(&turn.storyline, &[(turn.branch, turn.position)], telling).await
    }

    /// The same for those of these turns of the path that models are told, or of those that they are not, with
    /// [`Telling::All`]. Gives where the turns stand that changed, for [`Self::tell_places_to`].
    ///
    /// # Errors
    /// Another tab writes this story, or the store failed: all is as before.
    pub async fn tell_all_to(
        &self,
        id: &StorylineId,
        turns: impl IntoIterator<Item = u32>,
        telling: Telling,
    ) -> Result<Vec<(BranchId, u32)>, Fault> {
        let _alone = self.recent.settling.lock().await;
        let storyline = self.storyline(id).await?;
        let path = self.path(&storyline).await?;
        let is_other = |at: &u32| *at < path.end && path.is_told(*at) != (telling == Telling::All);
        let place = |at: u32| {
            let span = path.spans.iter().find(|span| (span.first..=span.last).contains(&at))?;
            Some((span.branch.clone(), at))
        };
        let changed: Vec<_> = turns.into_iter().filter(is_other).filter_map(place).collect();
        self.set_told(id, &changed, telling).await?;
        Ok(changed)
    }

    /// Says whom the turns are for that stand at these places, whatever the path is by now.
    ///
    /// # Errors
    /// A branch is gone, another tab writes this story, or the store failed: all is as before.
    pub async fn tell_places_to(
        &self,
        id: &StorylineId,
        places: &[(BranchId, u32)],
        telling: Telling,
    ) -> Result<(), Fault> {
        let _alone = self.recent.settling.lock().await;
        self.set_told(id, places, telling).await
    }

    async fn set_told(&self, id: &StorylineId, places: &[(BranchId, u32)], telling: Telling) -> Result<(), Fault> {
        let mut batch = Batch::new();
        for of_one in places.chunk_by(|(one, _), (other, _)| one == other) {
            let mut branch = self.ports.store.load::<Branch>(of_one[0].0.as_str()).await?.ok_or_else(missing)?;
            of_one.iter().for_each(|(_, at)| set(&mut branch, *at, telling));
            batch.push(&branch);
        }
        match places.is_empty() {
            true => Ok(()),
            false => self.write(id, batch).await,
        }
    }
}

fn set(branch: &mut Branch, at: u32, telling: Telling) {
    branch.untold.retain(|untold| untold.at != at);
    if telling != Telling::All {
        branch.untold.push(Untold { at, folded: telling == Telling::Nobody });
        order::by_key(&mut branch.untold, |untold| untold.at);
    }
}
