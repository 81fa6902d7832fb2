//! Sessions: stretches of a storyline (seed `001`). Which one a turn belongs to the tree decides.

use super::{play::Conductor, scene};
use crate::{
    exchange::session::to_jsonl,
    ports::Store,
    store::{Batch, Stored},
    story::{
        fault::{Fault, FaultKind},
        ids::{SessionId, StorylineId},
        order,
        storyline::{Opened, Session, Storyline},
        tree::{Head, Node, Path},
    },
};

/// The session of a turn at `position` of this path: of those that begin before it on the path, the one that begins
/// the latest. It follows from the tree alone, so that going back to an earlier place brings back its session.
pub async fn session_at<'a>(
    store: &dyn Store,
    storyline: &'a Storyline,
    path: &Path,
    position: u32,
) -> Stored<Option<&'a Session>> {
    let opened = storyline.sessions.iter().filter_map(|session| Some((session, session.opened.as_ref()?)));
    let mut opened: Vec<_> = opened
        .filter(|(_, opened)| {
            let before = opened.at.end.checked_sub(1);
            opened.at.end <= position && before.is_some_and(|before| path.contains(&opened.at.branch, before))
        })
        .collect();
    // Of two at one place the later.
    order::by_key(&mut opened, |(_, opened)| opened.at.end);
    for (session, opened) in opened.into_iter().rev() {
        let nodes = scene::window(store, path, opened.at.end - 1, opened.at.end).await?;
        let seen = nodes.first().and_then(Node::reply).map(|reply| &reply.id);
        if seen == opened.generation.as_ref() {
            return Ok(Some(session));
        }
    }
    let current = storyline.session(&storyline.current_session);
    Ok(match current {
        Some(session) if session.opened.is_some() => storyline.sessions.iter().find(|session| session.opened.is_none()),
        _ => current,
    })
}

impl Conductor {
    /// Begins a session at the head by hand: the turns to come belong to it, and nothing is summarised.
    ///
    /// # Errors
    /// The story could not be read or written, or this tab does not own it.
    pub async fn begin_session(&self, id: &StorylineId) -> Result<Storyline, Fault> {
        let store = &*self.ports.store;
        let _alone = self.recent.settling.lock().await;
        let mut storyline = self.storyline(id).await?;
        let path = scene::path(store, &storyline).await?;
        let tip = scene::window(store, &path, path.end.saturating_sub(1), path.end).await?;
        let before = session_at(store, &storyline, &path, path.end).await?.map(|session| session.id.clone());
        let opened = tip.first().map(|node| Opened {
            before: before.unwrap_or_default(),
            at: Head { branch: node.turn.branch.clone(), end: path.end },
            generation: node.reply().map(|reply| reply.id.clone()),
            ..Default::default()
        });
        let session = Session { id: self.ports.id(), created: self.ports.clock.now(), opened, ..Default::default() };
        storyline.current_session = session.id.clone();
        storyline.sessions.push(session);
        self.write(id, Batch::new().put(&storyline)).await?;
        Ok(storyline)
    }

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
