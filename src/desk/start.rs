//! What a start reads before there is a page.

use futures_util::join;

use super::{Desk, Stored};
use crate::{
    store::{Query, Table},
    story::settings::{Config, Connections, Preferences},
    transfer::journal,
    turn::{
        aside::{self, Read},
        recover,
    },
};

/// Each on its own: what cannot be read keeps nobody from the rest.
pub struct Start {
    pub preferences: Stored<Read<Preferences>>,
    pub connections: Stored<Read<Connections>>,
    pub config: Stored<Read<Config>>,
    /// Whether there is a storyline at all.
    pub has_stories: Stored<bool>,
}

impl Desk {
    pub async fn start(&self) -> Start {
        let first = Query { limit: Some(1), ..Query::all(Table::Storylines) };
        let (preferences, connections, config, any) = join!(
            aside::read(&self.ports, Preferences::ID),
            aside::read(&self.ports, Connections::ID),
            aside::read(&self.ports, Config::ID),
            // Not their records: one that cannot be read is there all the same.
            self.ports.store.keys(first),
        );
        Start { preferences, connections, config, has_stories: any.map(|any| !any.is_empty()) }
    }

    /// Whether an import was cut off; where that is not known, one may have been.
    pub async fn has_open_import(&self) -> bool {
        journal::is_open(&*self.ports.store).await.unwrap_or(true)
    }

    /// Whether an ended tab has left a reply open (A5).
    pub async fn has_open_reply(&self) -> bool {
        self.ports.store.count(recover::open()).await.is_ok_and(|open| open > 0)
    }
}
