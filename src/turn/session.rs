//! Sessions: stretches of a storyline (seed `001`).

use super::{play::Conductor, scene};
use crate::{
    exchange::session::to_jsonl,
    story::{
        fault::{Fault, FaultKind},
        ids::{SessionId, StorylineId},
    },
};

impl Conductor {
    /// One session on the path that is seen, as the JSONL of seed `001`.
    ///
    /// # Errors
    /// The storyline or the session is not there, or the store failed.
    pub async fn session_text(&self, id: &StorylineId, session: &SessionId) -> Result<String, Fault> {
        let store = &*self.ports.store;
        let storyline = self.storyline(id).await?;
        let known = storyline.sessions.iter().find(|known| known.id == *session);
        let known = known.ok_or_else(|| Fault::new(FaultKind::NoSession, ""))?;
        let path = scene::path(store, &storyline).await?;
        let nodes = scene::window(store, &path, 0, path.end).await?;
        Ok(to_jsonl(id, known, &nodes))
    }
}
