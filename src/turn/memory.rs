//! "Update memory" (seed `000`): base persona, evolved persona and the last turns become a new evolved persona (C6).

use super::{
    budget::Leave,
    group,
    hand::ByHandError,
    meter,
    play::Conductor,
    scene,
    stream::{self, Stop},
    wire,
};
use crate::{
    features::{persona::evolve, reading::narrative},
    story::{
        company,
        fault::{Fault, FaultKind},
        ids::{CharacterId, StorylineId},
        persona::PersonaEdit,
        spending::Kind,
        state::{HandEdit, State},
    },
};

/// Milliseconds between looks at a reply that is still being written, and how many looks.
const WAIT: u32 = 500;
const LOOKS: u32 = 1_200;

impl Conductor {
    /// Draws a new evolved persona from the story, and lets it hold at the head; the old one stays as a version. Gives
    /// the state that then holds, or `None` where the model had nothing to say. Whatever goes wrong changes nothing.
    /// `of`: whose, of what they heard; `None`: the storyline's own character's.
    pub async fn update_memory(
        &self,
        id: &StorylineId,
        of: Option<CharacterId>,
        stop: Stop,
    ) -> Result<Option<State>, ByHandError> {
        let store = &*self.ports.store;
        let storyline = self.storyline(id).await?;
        let connection = scene::connection(store, &storyline).await?;
        let path = scene::path(store, &storyline).await?;
        let mut turns = scene::window(store, &path, path.end.saturating_sub(evolve::TURNS), path.end).await?;
        let missed = group::missed(store, &storyline, &path, storyline.speaker(of.as_ref())).await?;
        turns.retain(|node| !company::is_in(&missed, node.turn.position));
        let before = scene::state_before(store, &storyline, &path, path.end).await?;
        let mut state =
            store.load::<State>(before.as_str()).await?.ok_or_else(|| Fault::new(FaultKind::NoState, ""))?;
        storyline.introduce(&mut state);
        let character = group::own(store, &storyline).await?;
        if turns.is_empty() {
            return Ok(None);
        }

        let voices = group::voices(store, &storyline, &character.name).await?;
        let budget = scene::budget(&connection);
        let messages = evolve::request(
            state.persona(of.as_ref()),
            voices.of(of.as_ref()),
            &voices,
            storyline.reader(),
            &turns,
            budget,
        );
        let purpose = meter::purpose(Kind::Persona, &storyline);
        let wire = wire::Wire::unlocked(&self.ports, &connection, &messages, purpose).await?;
        Leave::ask(&self.ports, &storyline, Kind::Persona).await?;
        let said = stream::text(&self.ports, wire, stop).await;
        meter::book(&self.ports).await;
        let text = narrative(&said?).trim().to_owned();
        if text.is_empty() {
            return Ok(None);
        }
        // The story may have gone on meanwhile: what holds now is evolved, once no reply is being written. Elsewhere in the
        // tree it is another's.
        for _ in 0..LOOKS {
            let edit = HandEdit::Persona { edit: PersonaEdit::Evolve { text: text.clone() }, of: of.clone() };
            match self.change_behind(id, edit, Some(&path)).await {
                Err(ByHandError::Streaming) => self.ports.clock.sleep(WAIT).await,
                outcome => return outcome.map(Some),
            }
        }
        Err(ByHandError::Streaming)
    }
}
