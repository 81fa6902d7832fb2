//! The library on several devices, as this one keeps it.

use super::{Desk, Stored};
use crate::{
    store::{Batch, Op, Query, Table},
    sync::{Older, Site, older, to_tell},
};

impl Desk {
    /// Where the reader keeps it; `None`: on this device alone.
    ///
    /// # Errors
    /// The store failed; so everywhere here.
    pub async fn site(&self) -> Stored<Option<Site>> {
        self.ports.store.load(Site::ID).await
    }

    pub async fn keep_site(&self, site: Site) -> Stored<()> {
        self.ports.store.save(&Site { id: Site::ID.to_owned(), ..site }).await
    }

    /// From now on this device is alone. All that is here stays.
    pub async fn leave_site(&self) -> Stored<()> {
        let store = &*self.ports.store;
        let keys = store.keys(Query::all(Table::Sync)).await?;
        let mut ops = vec![Op::Delete(Table::Settings, Site::ID.to_owned())];
        ops.extend(keys.into_iter().map(|key| Op::Delete(Table::Sync, key)));
        store.commit(Batch { ops, ..Batch::new() }).await
    }

    /// How many records the other devices are still to be told of.
    pub async fn left_to_tell(&self) -> Stored<u32> {
        to_tell(&*self.ports.store).await
    }

    /// What lost against something newer from another device.
    pub async fn older_versions(&self) -> Stored<Vec<Older>> {
        older(&*self.ports.store).await
    }

    pub async fn forget_older_versions(&self) -> Stored<()> {
        let ops = self.older_versions().await?.into_iter().map(|older| Op::Delete(Table::Sync, older.id)).collect();
        self.ports.store.commit(Batch { ops, ..Batch::new() }).await
    }
}
