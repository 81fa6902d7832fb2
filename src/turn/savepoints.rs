//! Save points (F5): a place of the tree with a name, and with what the story was played with there.
//!
//! It holds no copy of the story: the turns, the persona and the plot of that place hang on the tree, and going there
//! brings them back.

use super::{edit::missing, play::Conductor, scene, travel::Way};
use crate::{
    prompt::builtin,
    store::Batch,
    story::{
        fault::Fault,
        features::Features,
        ids::{GenerationId, PresetId, StorylineId, TurnId},
        order,
        preset::Preset,
        storyline::SavePoint,
        tree::{Head, Node},
        turn::Turn,
    },
};

/// What held before a save point was gone to.
#[derive(Clone, Debug)]
pub struct Before {
    head: Head,
    preset: PresetId,
    features: Features,
    /// The turn of the save point, and the reply that it showed.
    shown: (TurnId, Option<GenerationId>),
    /// What held then: who is elsewhere by now has gone on, and what was set anew stays.
    then: (Head, PresetId, Features),
}

impl Conductor {
    /// Keeps the end of the path as a save point.
    ///
    /// # Errors
    /// Another tab writes this story, or the store failed: nothing was kept.
    pub async fn save_point(&self, id: &StorylineId, name: &str, note: &str) -> Result<SavePoint, Fault> {
        let _alone = self.recent.settling.lock().await;
        let store = &*self.ports.store;
        let mut storyline = self.storyline(id).await?;
        let path = scene::path(store, &storyline).await?;
        let node = scene::window(store, &path, path.end.saturating_sub(1), path.end).await?.pop();
        let node = node.ok_or_else(missing)?;
        let place = SavePoint {
            id: self.ports.id(),
            name: name.trim().to_owned(),
            note: note.trim().to_owned(),
            created: self.ports.clock.now(),
            generation: Node::reply(&node).map(|reply| reply.id.clone()),
            branch: node.turn.branch,
            turn: node.turn.id,
            position: node.turn.position,
            preset: storyline.preset.clone(),
            features: storyline.features.clone(),
            ..Default::default()
        };
        storyline.savepoints.push(place.clone());
        self.write(id, Batch::new().put(&storyline)).await?;
        Ok(place)
    }

    /// Goes to a save point, and plays on with the preset and the features of then. A preset that is not there any more
    /// leaves the one that is. Nothing is copied and nothing lost: the turns that came after it stay where they are. Gives
    /// what held before, for [`Self::leave_point`].
    ///
    /// # Errors
    /// The place is gone, another tab writes this story, or the store failed: all is as before.
    pub async fn restore_point(&self, id: &StorylineId, place: &str) -> Result<Before, Fault> {
        let _alone = self.recent.settling.lock().await;
        let mut storyline = self.storyline(id).await?;
        let place = storyline.savepoints.iter().find(|known| known.id == place).cloned().ok_or_else(missing)?;
        let Way { head, batch } = self.way_to(id, &place.turn, place.generation.as_ref()).await?;
        let turn = self.ports.store.load::<Turn>(place.turn.as_str()).await?;
        let (was, preset, features) = (storyline.head.clone(), storyline.preset.clone(), storyline.features.clone());
        storyline.total_turns = head.end - 1;
        storyline.head = head;
        let is_builtin = builtin::builtin(place.preset.as_str(), storyline.language).is_some();
        if is_builtin || self.ports.store.load::<Preset>(place.preset.as_str()).await?.is_some() {
            storyline.preset = place.preset;
        }
        storyline.features = place.features;
        self.write(id, batch.put(&storyline)).await?;
        Ok(Before {
            head: was,
            preset,
            features,
            shown: (place.turn, turn.and_then(|turn| turn.chosen)),
            then: (storyline.head, storyline.preset, storyline.features),
        })
    }

    /// Takes it back that a save point was gone to. Who has played on from there, or gone elsewhere, stays where that is.
    ///
    /// # Errors
    /// The place of before is gone, another tab writes this story, or the store failed: all is as before.
    pub async fn leave_point(&self, id: &StorylineId, before: Before) -> Result<(), Fault> {
        let _alone = self.recent.settling.lock().await;
        let mut storyline = self.storyline(id).await?;
        let Before { head, preset, features, shown, then } = before;
        let mut batch = Batch::new();
        if storyline.head == then.0 {
            let tree = scene::tree(&*self.ports.store, id).await?;
            let branch = tree.alive.get(&head.branch).ok_or_else(missing)?;
            storyline.head = Head { end: head.end.min(branch.tip()), ..head };
            storyline.total_turns = storyline.head.end - 1;
            let turn = self.ports.store.load::<Turn>(shown.0.as_str()).await?;
            if let Some(turn) = turn.filter(|turn| turn.chosen != shown.1) {
                batch.push(&Turn { chosen: shown.1, ..turn });
            }
        }
        if storyline.preset == then.1 {
            storyline.preset = preset;
        }
        if storyline.features == then.2 {
            storyline.features = features;
        }
        self.write(id, batch.put(&storyline)).await
    }

    /// Forgets a save point; the turns stay. Gives it back for [`Self::put_back_point`].
    ///
    /// # Errors
    /// It is not there, another tab writes this story, or the store failed.
    pub async fn delete_point(&self, id: &StorylineId, place: &str) -> Result<SavePoint, Fault> {
        let _alone = self.recent.settling.lock().await;
        let mut storyline = self.storyline(id).await?;
        let at = storyline.savepoints.iter().position(|known| known.id == place).ok_or_else(missing)?;
        let place = storyline.savepoints.remove(at);
        self.write(id, Batch::new().put(&storyline)).await?;
        Ok(place)
    }

    /// Puts a deleted save point back.
    ///
    /// # Errors
    /// Another tab writes this story, or the store failed.
    pub async fn put_back_point(&self, id: &StorylineId, place: SavePoint) -> Result<(), Fault> {
        let _alone = self.recent.settling.lock().await;
        let mut storyline = self.storyline(id).await?;
        storyline.savepoints.push(place);
        order::by_key(&mut storyline.savepoints, |place| place.created);
        self.write(id, Batch::new().put(&storyline)).await
    }
}
