//! What the reader changes in the state by hand, and replies that are read anew.
//!
//! A change belongs to the place where the reader is: the newest reply that is seen names the new state, and keeps the
//! change with it, so that it is done again when the reply is continued or read anew. Turns that already follow keep
//! the states that they have. How a change of the world is taken back: [`super::undo`].

use super::{event, landmarks, play::Conductor, scene};
use crate::{
    features::{self, NotThere, Unfit},
    store::{Batch, StoreError},
    story::{
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::{CharacterId, GenerationId, StorylineId},
        persona::PersonaEdit,
        plot::PointStatus,
        state::{ByHand, HandEdit, State},
        tree::Path,
        world::{self, Refusal, WorldEdit},
    },
};

/// Why a change by hand was not made. The state is as before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ByHandError {
    #[error(transparent)]
    NotThere(#[from] NotThere),
    /// The outline has this many points.
    #[error("the outline has {points} points")]
    NoSuchPoint { points: u32 },
    /// The world does not take it.
    #[error(transparent)]
    World(#[from] Refusal),
    #[error("a reply is still being written")]
    Streaming,
    /// The reader is elsewhere in the tree by now.
    #[error("the story has gone on meanwhile")]
    Moved,
    #[error("{0}")]
    Fault(Fault),
}

impl ByHandError {
    /// What stopped it, where that is none of its own errors.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Fault(fault) => Some(fault),
            _ => None,
        }
    }
}

impl From<Fault> for ByHandError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Unfit> for ByHandError {
    fn from(unfit: Unfit) -> Self {
        match unfit {
            Unfit::NotThere(gone) => gone.into(),
            Unfit::World(refusal) => refusal.into(),
        }
    }
}

impl From<StoreError> for ByHandError {
    fn from(error: StoreError) -> Self {
        Self::Fault(error.into())
    }
}

impl Conductor {
    /// Moves the plot to a point of the outline, ahead or back.
    pub async fn set_plot(&self, id: &StorylineId, index: u32, status: PointStatus) -> Result<State, ByHandError> {
        let storyline = self.storyline(id).await?;
        let outline = scene::outline(&*self.ports.store, &storyline).await?;
        let point = (index as usize).checked_sub(1).and_then(|at| outline.get(at));
        let content = point.ok_or(ByHandError::NoSuchPoint { points: outline.len() as u32 })?.content.clone();
        self.change(id, HandEdit::Plot { index, status, content }).await
    }

    /// Edits, adds or removes an item of growth or current state, decides on waiting growth, or rewords or restores
    /// the evolved persona. The core has no edit. `of`: whose; `None`: the storyline's own character's.
    pub async fn edit_persona(
        &self,
        id: &StorylineId,
        of: Option<CharacterId>,
        edit: PersonaEdit,
    ) -> Result<State, ByHandError> {
        self.change(id, HandEdit::Persona { edit, of }).await
    }

    /// Puts a value into the world, or takes one out.
    pub async fn edit_world(&self, id: &StorylineId, edit: WorldEdit) -> Result<State, ByHandError> {
        let edit = match edit {
            WorldEdit::Put { key, value } => WorldEdit::Put { key: world::key(&key)?.to_owned(), value },
            remove => remove,
        };
        self.change(id, HandEdit::World { edit }).await
    }

    /// Makes a change at the head, in one commit, and gives the state that then holds.
    pub(super) async fn change(&self, id: &StorylineId, edit: HandEdit) -> Result<State, ByHandError> {
        self.change_behind(id, edit, None).await
    }

    /// The same, where the story still goes along the path, if one is given, or on from its end.
    pub(super) async fn change_behind(
        &self,
        id: &StorylineId,
        edit: HandEdit,
        behind: Option<&Path>,
    ) -> Result<State, ByHandError> {
        let store = &*self.ports.store;
        if !self.ports.tabs.owns(id.as_str()) {
            return Err(Fault::new(FaultKind::TakenOver, "").into());
        }
        let _alone = self.recent.settling.lock().await;
        let mut storyline = self.storyline(id).await?;
        let path = scene::path(store, &storyline).await?;
        if behind.is_some_and(|behind| path.shared(behind) < behind.end) {
            return Err(ByHandError::Moved);
        }
        let mut reply = scene::newest_reply(store, &path, path.end).await?;
        if reply.as_ref().is_some_and(|reply| reply.open.is_some()) {
            return Err(ByHandError::Streaming);
        }
        let before = reply.as_ref().and_then(|reply| reply.state.clone());
        let before = before.unwrap_or_else(|| storyline.initial_state.clone());
        let mut state =
            store.load::<State>(before.as_str()).await?.ok_or_else(|| Fault::new(FaultKind::NoState, ""))?;
        storyline.introduce(&mut state);

        let by_hand = ByHand { at: self.ports.clock.now(), edit };
        let position = reply.as_ref().map_or(0, |reply| reply.position);
        features::change_by_hand(&mut state, &by_hand, position, reply.as_ref().map(|reply| &reply.id))?;
        (state.id, state.created) = (self.ports.id(), by_hand.at);
        let mut batch = Batch::new().put(&state);
        match &mut reply {
            Some(reply) => {
                reply.state = Some(state.id.clone());
                reply.add_by_hand(&by_hand);
                batch.push(&*reply);
                batch.ops.extend(landmarks::note(store, &storyline, reply).await?.ops);
            }
            // Nothing has been said yet: it is how the story begins.
            None => {
                storyline.initial_state = state.id.clone();
                batch.push(&storyline);
            }
        }
        store.commit(batch).await?;
        self.ports.tabs.announce(id.as_str());
        Ok(state)
    }

    /// Reads a finished reply anew: for one that was reworded, or whose module had failed. What was changed by hand at
    /// it stays.
    pub async fn read_anew(&self, id: &GenerationId) -> Result<Generation, ByHandError> {
        let store = &*self.ports.store;
        let _alone = self.recent.settling.lock().await;
        let missing = || Fault::new(FaultKind::StorageFailed, "the reply is not there any more");
        let mut reply = store.load::<Generation>(id.as_str()).await?.ok_or_else(missing)?;
        if reply.open.is_some() {
            return Err(ByHandError::Streaming);
        }
        if !self.ports.tabs.owns(reply.storyline.as_str()) {
            return Err(Fault::new(FaultKind::TakenOver, "").into());
        }
        let storyline = self.storyline(&reply.storyline).await?;
        let path = scene::path_to(store, &reply).await?;
        let before = scene::state_before(store, &storyline, &path, reply.position).await?;
        reply.state = Some(before);
        let state = scene::settle(&self.ports, &storyline, &mut reply).await?;
        let mut batch = event::note(store, &storyline, &reply).await.put(&reply);
        batch.ops.extend(landmarks::note(store, &storyline, &reply).await?.ops);
        if let Some(state) = &state {
            batch.push(state);
        }
        store.commit(batch).await?;
        self.ports.tabs.announce(storyline.id.as_str());
        Ok(reply)
    }
}
