//! Before the reader speaks: a turn is gone through as far as it goes without a word, a write or a request.

use futures_util::join;

use super::{ask::Ask, circle, lore, opening::Said, play::Conductor, scene};
use crate::{
    ports::Ports,
    story::{fault::Fault, ids::StorylineId},
};

/// How far a turn is gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// What it needs is read, and at hand.
    Read,
    /// The prompt is made as well, for a turn that is the first: all that it will pass through is awake then.
    Told,
}

impl Conductor {
    /// Reads what the next turn of a storyline will tell, and keeps its history at hand.
    ///
    /// # Errors
    /// As a turn's; the turn itself will say so.
    pub async fn get_ready(&self, id: &StorylineId, ahead: Ahead) -> Result<(), Fault> {
        let before = self.recent.heard();
        let (mut opening, _unwritten) = self.begin(id, &Said::words("")).await?;
        let Ports { store, clock, .. } = &self.ports;
        let loading = scene::load(&**store, &**clock, &opening, Some(&self.recent));
        let (loaded, _kept) = join!(loading, circle::newest(&self.ports, &opening, &self.recent));
        let mut loaded = loaded?;
        let _ = lore::lore(&self.ports, &mut loaded).await;
        let _ = self.ports.vault.key(&loaded.connection.id).await;
        if ahead == Ahead::Told {
            let _ = self.prompt(&mut loaded, &Ask::New(String::new()), &mut opening);
        }
        // What was written meanwhile may not be in what was read.
        if let Some(past) = loaded.take_past().filter(|_| self.recent.heard() == before) {
            self.recent.keep(past);
        }
        Ok(())
    }
}
