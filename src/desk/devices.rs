//! The library on several devices, as this one keeps it.

use std::cmp::Reverse;

use serde_json::Value;

use super::{Desk, Stored};
use crate::{
    store::{Batch, Op, Query, Table},
    story::order,
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

    /// Changes it as it stands by now; `None`: this device is alone.
    pub async fn change_site(&self, change: impl FnOnce(&mut Site)) -> Stored<Option<Site>> {
        self.ports.store.amend(Site::ID, change).await
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

    /// What lost against something newer from another device, the newest first, each with the title of the story that it
    /// belongs to, or of what it is of itself; empty where that is gone.
    pub async fn older_versions(&self) -> Stored<Vec<(Older, String)>> {
        let store = &*self.ports.store;
        let mut all = Vec::new();
        for older in older(store).await? {
            let (table, id) = older.of.split_once('/').unwrap_or_default();
            let (table, id) = match older.value.get("storyline").and_then(Value::as_str) {
                Some(story) => (Table::Storylines.name(), story),
                None => (table, id),
            };
            let found = match Table::from_name(table) {
                Some(table) => store.get(table, id).await?,
                None => None,
            };
            let named = |name| found.as_ref()?.value.get(name)?.as_str();
            let title = named("title").or_else(|| named("name")).unwrap_or_default().to_owned();
            all.push((older, title));
        }
        order::by_key(&mut all, |(older, _)| Reverse(older.stamp.at));
        Ok(all)
    }

    pub async fn forget_older_versions(&self) -> Stored<()> {
        let all = older(&*self.ports.store).await?;
        let ops = all.into_iter().map(|older| Op::Delete(Table::Sync, older.id)).collect();
        self.ports.store.commit(Batch { ops, ..Batch::new() }).await
    }
}
