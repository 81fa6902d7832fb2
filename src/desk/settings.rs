//! Settings that all tabs share: each change is one transaction with its reading, so that no tab writes over another's.

use super::{Desk, Stored};
use crate::{
    store::{Table, decode},
    story::{
        connection::Connection,
        settings::{Config, Connections, Preferences},
    },
};

/// What another tab may have set.
#[derive(Default)]
pub struct Followed {
    pub preferences: Option<Preferences>,
    pub connections: Option<Vec<Connection>>,
}

impl Desk {
    /// Changes the preferences, as they are by now; gives what they are then, and tells the other tabs.
    ///
    /// # Errors
    /// The store failed, or what is there cannot be read: nothing has been written.
    pub async fn prefer(&self, change: impl FnOnce(&mut Preferences)) -> Stored<Preferences> {
        let stored = self.ports.store.change(Preferences::ID, change).await?;
        self.ports.tabs.announce(Preferences::ID);
        Ok(stored)
    }

    /// The same for the list of connections.
    ///
    /// # Errors
    /// As [`Self::prefer`].
    pub async fn change_connections(&self, change: impl FnOnce(&mut Vec<Connection>)) -> Stored<Vec<Connection>> {
        let change = |connections: &mut Connections| change(&mut connections.list);
        let stored = self.ports.store.change(Connections::ID, change).await?;
        self.ports.tabs.announce(Connections::ID);
        Ok(stored.list)
    }

    /// The same for limits and thresholds, which are read where they are needed.
    ///
    /// # Errors
    /// As [`Self::prefer`].
    pub async fn change_config(&self, change: impl FnOnce(&mut Config)) -> Stored<Config> {
        self.ports.store.change(Config::ID, change).await
    }

    /// # Errors
    /// The store failed, or what is there cannot be read.
    pub async fn config(&self) -> Stored<Config> {
        Ok(self.ports.store.load(Config::ID).await?.unwrap_or_default())
    }

    /// # Errors
    /// The store failed, or what is there cannot be read.
    pub async fn connections(&self) -> Stored<Vec<Connection>> {
        Ok(self.ports.store.load::<Connections>(Connections::ID).await?.unwrap_or_default().list)
    }

    /// What is stored by now, past what is at hand: that may not have been let go yet.
    ///
    /// # Errors
    /// The store failed.
    pub async fn follow(&self) -> Stored<Followed> {
        let ids = [Preferences::ID, Connections::ID].map(str::to_owned);
        let mut followed = Followed::default();
        for doc in self.ports.store.get_many(Table::Settings, &ids).await? {
            match doc.id() {
                Preferences::ID => followed.preferences = decode(doc.value).ok(),
                _ => followed.connections = decode(doc.value).ok().map(|Connections { list, .. }| list),
            }
        }
        Ok(followed)
    }
}
