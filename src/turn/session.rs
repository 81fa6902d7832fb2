//! Sessions: stretches of a storyline (seed `001`). Which one a turn belongs to the tree decides.

use super::{play::Conductor, scene};
use crate::{
    exchange::session::to_jsonl,
    ports::Store,
    prompt::sources::messages_of,
    store::{Batch, Stored},
    story::{
        fault::{Fault, FaultKind},
        ids::{SessionId, StorylineId},
        order,
        preset::Role,
        storyline::{Opened, Session, Storyline},
        tree::{Head, Node, Path},
        turn::Turn,
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

/// Of the last two turns of a path the one that a session which begins at its end follows, and that which waits for its
/// reply: it is the first of the session.
pub(super) fn last_of(mut tip: Vec<Node>) -> Option<(Node, Option<Turn>)> {
    let head = tip.pop()?;
    let is_answered = messages_of(&head).iter().any(|(role, _)| *role == Role::Assistant);
    Some(match tip.pop() {
        Some(before) if !is_answered => (before, Some(head.turn)),
        _ => (head, None),
    })
}

/// What could not be answered before is answered in the new session.
pub(super) fn moved(turn: Turn, storyline: &mut Storyline, session: &mut Session) -> Turn {
    if let Some(before) = storyline.sessions.iter_mut().find(|before| before.id == turn.session) {
        before.turns = before.turns.saturating_sub(1);
    }
    session.turns = 1;
    Turn { session: session.id.clone(), ..turn }
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
        let tip = scene::window(store, &path, path.end.saturating_sub(2), path.end).await?;
        let (last, waiting) = last_of(tip).unzip();
        let end = last.as_ref().map_or(path.end, |node| node.turn.position + 1);
        let before = session_at(store, &storyline, &path, end).await?;
        let begins_here = |session: &Session| session.opened.as_ref().is_some_and(|opened| opened.at.end == end);
        if before.is_some_and(|before| before.id == storyline.current_session && begins_here(before)) {
            return Ok(storyline);
        }
        let before = before.map(|session| session.id.clone());
        let opened = last.map(|node| Opened {
            before: before.unwrap_or_default(),
            at: Head { branch: node.turn.branch.clone(), end },
            generation: node.reply().map(|reply| reply.id.clone()),
            ..Default::default()
        });
        let mut session =
            Session { id: self.ports.id(), created: self.ports.clock.now(), opened, ..Default::default() };
        let mut batch = Batch::new();
        if let Some(turn) = waiting.flatten() {
            batch.push(&moved(turn, &mut storyline, &mut session));
        }
        storyline.current_session = session.id.clone();
        storyline.sessions.push(session);
        self.write(id, batch.put(&storyline)).await?;
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
