//! What changed in the last turns.

use std::collections::HashSet;

use crate::story::{generation::Status, state::Change, tree::Node};

/// What one reply changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// Position of its turn.
    pub turn: u32,
    pub changes: Vec<Change>,
}

/// What the replies of these turns changed, the newest first: as many as `most`, those that changed something. That a
/// persona was tidied is no change of the story.
pub fn lately<'a>(nodes: impl IntoIterator<Item = &'a Node>, most: usize) -> Vec<Changed> {
    let nodes: Vec<_> = nodes.into_iter().collect();
    let changed = nodes.into_iter().rev().filter_map(|node| {
        let reply = node.reply().filter(|reply| reply.status != Status::Streaming)?;
        let mut changes = reply.changes();
        changes.retain(|change| !matches!(change, Change::Maintained { .. }));
        (!changes.is_empty()).then_some(Changed { turn: node.turn.position, changes })
    });
    changed.take(most).collect()
}

/// The keys of the world in them, the last changed first.
pub fn keys(lately: &[Changed]) -> Vec<String> {
    let mut known = HashSet::new();
    let changes = lately.iter().flat_map(|changed| changed.changes.iter().rev());
    let keys = changes.filter_map(|change| match change {
        Change::World { key, to: Some(_), .. } => Some(key.clone()),
        _ => None,
    });
    keys.filter(|key| known.insert(key.clone())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::story::{
        generation::Generation,
        persona::{Item, ItemKind},
        turn::Turn,
    };

    fn node(position: u32, status: Status, changes: &[Change]) -> Node {
        let mut reply = Generation { status, position, ..Default::default() };
        reply.set_changes(changes);
        let turn = Turn { position, ..Default::default() };
        Node { turn, generations: vec![reply], seen: Some(0) }
    }

    fn world(key: &str, to: Option<&str>) -> Change {
        Change::World { key: key.into(), from: None, to: to.map(|to| json!(to)) }
    }

    #[test]
    fn the_newest_first_and_nothing_that_says_nothing() {
        let feels = Change::Item { item: Item::new(ItemKind::Emotion, ["weary", "a march", ""]), was: None };
        let nodes = [
            node(1, Status::Done, &[world("lamp", Some("lit"))]),
            node(2, Status::Done, &[Change::Maintained { removed: 2 }]),
            node(3, Status::Done, &[feels.clone(), world("gold", Some("3")), world("lamp", Some("out"))]),
            node(4, Status::Interrupted, &[world("key", None)]),
            node(5, Status::Streaming, &[feels]),
        ];
        let found = lately(&nodes, 9);
        assert_eq!(found.iter().map(|changed| changed.turn).collect::<Vec<_>>(), [4, 3, 1]);
        assert_eq!(keys(&found), ["lamp", "gold"]);
        assert_eq!(lately(&nodes, 1).len(), 1);
        assert_eq!(lately(&[], 9), []);
    }
}
