//! What the story knows by its turns: the state at the head, and how persona and world came to be what they are.

use std::collections::{BTreeMap, HashSet};

use futures_util::future::try_join_all;
use serde_json::Value;

use super::{Desk, Stored};
use crate::{
    story::{
        ids::{CharacterId, StateId, StorylineId},
        persona::{Item, ItemKind},
        state::State,
        storyline::Storyline,
        tree::{Node, Path},
        world::{self, Step},
    },
    turn::scene,
};

impl Desk {
    /// The state at the end of a path; `seen` is its id, where the newest reply tells it.
    ///
    /// # Errors
    /// The store failed.
    pub async fn state(
        &self,
        id: &StorylineId,
        initial: &StateId,
        path: &Path,
        seen: Option<&StateId>,
    ) -> Stored<Option<State>> {
        let store = &*self.ports.store;
        let state = match seen {
            Some(seen) => seen.clone(),
            None => {
                let storyline = Storyline { id: id.clone(), initial_state: initial.clone(), ..Default::default() };
                scene::state_before(store, &storyline, path, path.end).await?
            }
        };
        store.load(state.as_str()).await
    }

    /// Relationships and emotions of one who speaks, each at the turn that made it, as the states of a stretch of the path
    /// have them.
    ///
    /// # Errors
    /// The store failed.
    pub async fn timeline(
        &self,
        path: &Path,
        from: u32,
        to: u32,
        of: Option<&CharacterId>,
    ) -> Stored<BTreeMap<u32, Vec<Item>>> {
        let store = &*self.ports.store;
        let nodes = scene::window(store, path, from, to).await?;
        let mut known = HashSet::<StateId>::new();
        let ids: Vec<_> = nodes
            .iter()
            .filter_map(|node: &Node| node.reply()?.state.clone())
            .filter(|id| known.insert(id.clone()))
            .collect();
        let states = try_join_all(ids.iter().map(|id| store.load::<State>(id.as_str()))).await?;
        let mut entries = BTreeMap::<u32, Vec<Item>>::new();
        for state in states.into_iter().flatten() {
            let persona = state.persona(of);
            let lists = [
                (ItemKind::Relationship, &persona.growth_state.relationships),
                (ItemKind::Emotion, &persona.current_state.emotions),
            ];
            for (kind, list) in lists {
                for stored in list {
                    let turn = stored.get("turn").and_then(Value::as_u64).unwrap_or_default() as u32;
                    let items = entries.entry(turn).or_default();
                    if let Some(item) = Item::read(kind, stored)
                        && !items.contains(&item)
                    {
                        items.push(item);
                    }
                }
            }
        }
        Ok(entries)
    }

    /// What the replies of a stretch of the path did to an entry of the world, the newest first.
    ///
    /// # Errors
    /// The store failed.
    pub async fn world_steps(&self, path: &Path, from: u32, to: u32, key: &str) -> Stored<Vec<(u32, Step)>> {
        let nodes = scene::window(&*self.ports.store, path, from, to).await?;
        let steps = nodes.iter().rev().filter_map(Node::reply).flat_map(|reply| {
            let own = world::steps(reply, key);
            own.into_iter().rev().map(|step| (reply.position, step))
        });
        Ok(steps.collect())
    }
}
