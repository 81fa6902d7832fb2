//! The open story: the stretch that the page shows, and what stands unsent in its composer.

use std::ops::Range;

use futures_util::join;

use super::{Desk, Stored};
use crate::{
    store::{Table, UNSENT},
    story::{
        connection::Connection,
        fault::Fault,
        generation::Generation,
        ids::StorylineId,
        preset::Preset,
        state::State,
        storyline::Storyline,
        tree::{Head, Node, Path},
    },
    turn::{
        embed,
        rehearse::rehearse,
        scene::{self, Loaded},
        unsent::{self, Unsent},
    },
};

/// What the page shows of a story.
pub struct Sight {
    pub storyline: Storyline,
    pub preset: Preset,
    pub path: Path,
    /// The end of the head's branch where that goes on after it.
    pub tip: Option<Head>,
    pub nodes: Vec<Node>,
}

impl Desk {
    /// A story and the stretch of its turns that `wanted` names, given how many there are; `None` where it is gone.
    ///
    /// # Errors
    /// The store failed.
    pub async fn sight(&self, id: &StorylineId, wanted: impl FnOnce(u32) -> Range<u32>) -> Stored<Option<Sight>> {
        let store = &*self.ports.store;
        let Some(storyline) = store.load::<Storyline>(id.as_str()).await? else { return Ok(None) };
        let read = async {
            let (path, tip) = scene::sight(store, &storyline).await?;
            let wanted = wanted(path.end);
            let nodes = scene::window(store, &path, wanted.start, wanted.end).await?;
            Stored::Ok((path, tip, nodes))
        };
        let (read, preset) = join!(read, scene::preset(store, &storyline));
        let (path, tip, nodes) = read?;
        Ok(Some(Sight { storyline, preset, path, tip, nodes }))
    }

    /// What a story is told by as it is stored by now, past what is at hand: that may not have been let go yet.
    pub async fn preset_of(&self, storyline: &Storyline) -> Preset {
        scene::preset_by_now(&*self.ports.store, storyline).await
    }

    /// Turns of a path.
    ///
    /// # Errors
    /// The store failed.
    pub async fn turns(&self, path: &Path, range: Range<u32>) -> Stored<Vec<Node>> {
        scene::window(&*self.ports.store, path, range.start, range.end).await
    }

    /// The state at a story's head, and the position of its newest turn.
    ///
    /// # Errors
    /// The store failed.
    pub async fn present(&self, id: &str) -> Stored<Option<(State, u32)>> {
        let store = &*self.ports.store;
        let Some(story) = store.load::<Storyline>(id).await? else { return Ok(None) };
        let path = scene::path(store, &story).await?;
        let state = scene::state_before(store, &story, &path, path.end).await?;
        let state = store.load::<State>(state.as_str()).await?;
        Ok(state.map(|state| (state, path.end.saturating_sub(1))))
    }

    /// A reply, and the state after it.
    ///
    /// # Errors
    /// The store failed.
    pub async fn reply(&self, id: &str) -> Stored<Option<(Generation, Option<State>)>> {
        let store = &*self.ports.store;
        let Some(reply) = store.load::<Generation>(id).await? else { return Ok(None) };
        let state = match &reply.state {
            Some(state) => store.load::<State>(state.as_str()).await?,
            None => None,
        };
        Ok(Some((reply, state)))
    }

    /// The connection that a story is told by.
    ///
    /// # Errors
    /// There is none, or the store failed.
    pub async fn connection(&self, storyline: &Storyline) -> Result<Connection, Fault> {
        scene::connection(&*self.ports.store, storyline).await
    }

    /// The connection that makes embeddings, if there is one.
    pub async fn embedder(&self) -> Option<Connection> {
        embed::embedder(&*self.ports.store).await
    }

    /// What the newest turn of a story would be told, for a preset to be tried on.
    ///
    /// # Errors
    /// The store failed.
    pub async fn rehearse(&self, storyline: &Storyline) -> Stored<Loaded> {
        rehearse(&*self.ports.store, &*self.ports.clock, storyline).await
    }

    /// What stands unsent in a story; see [`unsent::newest`].
    ///
    /// # Errors
    /// The store failed.
    pub async fn unsent(&self, id: &StorylineId, left: Option<Unsent>) -> Stored<Unsent> {
        unsent::newest(&*self.ports.store, id, left).await
    }

    /// Keeps what stands unsent; see [`unsent::keep`].
    ///
    /// # Errors
    /// The store failed.
    pub async fn keep_unsent(&self, unsent: &Unsent) -> Stored<()> {
        self.ports.store.commit(unsent::keep(unsent)).await
    }

    /// Of the ids of what stands unsent those whose story is gone, from the bin, too. One that cannot be read is there.
    pub async fn of_gone_stories(&self, ids: Vec<String>) -> Vec<String> {
        let mut gone = Vec::new();
        for id in ids {
            if let Some(story) = id.strip_prefix(UNSENT)
                && self.ports.store.get(Table::Storylines, story).await == Ok(None)
            {
                gone.push(id);
            }
        }
        gone
    }
}
