//! Which session a turn belongs to: the tree decides.

use super::scene;
use crate::{
    ports::{Store, Stored},
    story::{
        storyline::{Session, Storyline},
        tree::{Node, Path},
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
    opened.sort_by_key(|(_, opened)| opened.at.end);
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
