//! Changes of the world by hand, taken back wherever they are still what one sees.
//!
//! At the newest reply the change goes as if it had not been made. One that turns have followed stays where it is, for
//! they were played with it: what the key was before is put back at the head.

use std::collections::HashSet;

use super::{ByHandError, play::Conductor, scene};
use crate::{
    features::NotThere,
    store::Batch,
    story::{
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::StorylineId,
        state::State,
        storyline::Storyline,
        tree::Path,
        world::{self, WorldEdit},
    },
};

impl Conductor {
    /// Takes back the last change of the world by hand on the path that nothing has changed since.
    ///
    /// # Errors
    /// There is none, a reply is still being written, another tab writes this story, or the store failed.
    pub async fn undo_world(&self, id: &StorylineId) -> Result<State, ByHandError> {
        let store = &*self.ports.store;
        let storyline = self.storyline(id).await?;
        let path = scene::path(store, &storyline).await?;
        let mut changed = HashSet::new();
        let key = scene::back(store, &path, path.end, |reply| world::seen_by_hand(reply, &mut changed)).await?;
        self.undo_world_key(id, &key.ok_or(NotThere)?).await
    }

    /// Takes back the last change of a key of the world, where it was made by hand.
    ///
    /// # Errors
    /// As [`Self::undo_world`].
    pub async fn undo_world_key(&self, id: &StorylineId, key: &str) -> Result<State, ByHandError> {
        let store = &*self.ports.store;
        if !self.ports.tabs.owns(id.as_str()) {
            return Err(Fault::new(FaultKind::TakenOver, "").into());
        }
        let storyline = self.storyline(id).await?;
        let path = scene::path(store, &storyline).await?;
        let newest = scene::newest_reply(store, &path, path.end).await?.ok_or(NotThere)?;
        if newest.open.is_some() {
            return Err(ByHandError::Streaming);
        }
        let changed = |reply: &Generation| {
            let steps = world::steps(reply, key);
            (!steps.is_empty()).then(|| (reply.clone(), steps))
        };
        let (made_at, mut steps) = scene::back(store, &path, path.end, changed).await?.ok_or(NotThere)?;
        if !steps.pop().is_some_and(|step| step.by_hand) {
            return Err(NotThere.into());
        }
        if newest.id == made_at.id && world::last_by_hand(&newest).as_deref() == Some(key) {
            return self.take_back(&storyline, &path, newest).await;
        }
        let before = match steps.pop() {
            Some(step) => step.to,
            None => {
                let before = scene::state_before(store, &storyline, &path, made_at.position).await?;
                let missing = || Fault::new(FaultKind::NoState, "");
                store.load::<State>(before.as_str()).await?.ok_or_else(missing)?.world.get(key).cloned()
            }
        };
        let key = key.to_owned();
        self.edit_world(
            id,
            match before {
                Some(value) => WorldEdit::Put { key, value },
                None => WorldEdit::Remove { key },
            },
        )
        .await
    }

    /// The last change of the world by hand at the newest reply, as if it had not been made.
    async fn take_back(&self, storyline: &Storyline, path: &Path, mut reply: Generation) -> Result<State, ByHandError> {
        let store = &*self.ports.store;
        let _alone = self.recent.settling.lock().await;
        // As it is by now.
        reply = store.load(reply.id.as_str()).await?.unwrap_or(reply);
        reply.take_back_world();
        let before = scene::state_before(store, storyline, path, reply.position).await?;
        let after = reply.state.clone().unwrap_or_else(|| before.clone());
        let missing = || Fault::new(FaultKind::NoState, "");
        let before = store.load::<State>(before.as_str()).await?.ok_or_else(missing)?;
        let mut state = store.load::<State>(after.as_str()).await?.ok_or_else(missing)?;
        state.world = world::after(&before.world, &reply);
        (state.id, state.created) = (self.ports.id(), self.ports.clock.now());
        reply.state = Some(state.id.clone());
        store.commit(Batch::new().put(&state).put(&reply)).await?;
        self.ports.tabs.announce(storyline.id.as_str());
        Ok(state)
    }
}
