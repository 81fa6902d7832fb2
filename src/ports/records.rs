//! Records in and out of a store, by their types.

use serde_json::Value;

use super::Store;
use crate::store::{Batch, Query, Record, Stored, decode};

impl dyn Store + '_ {
    /// Reads one record.
    ///
    /// # Errors
    /// The store failed, or the record is not of this type (`UnreadableRecord`).
    pub async fn load<R: Record>(&self, key: &str) -> Stored<Option<R>> {
        match self.get(R::TABLE, key).await? {
            Some(doc) => decode(doc.value).map(Some),
            None => Ok(None),
        }
    }

    /// Reads records; one that cannot be read never hides the others: it is left out.
    pub async fn list<R: Record>(&self, query: Query) -> Stored<Vec<R>> {
        Ok(self.query(query).await?.into_iter().filter_map(|doc| decode(doc.value).ok()).collect())
    }

    /// Writes one record, strictly.
    pub async fn save<R: Record>(&self, record: &R) -> Stored<()> {
        self.commit(Batch::new().put(record)).await
    }

    /// Changes a record that several tabs share, as [`Store::revise`] does, and gives what is stored now. For records
    /// that the memory's index does not hold.
    ///
    /// # Errors
    /// The store failed, or the record is not of this type (`UnreadableRecord`): nothing has been written over it.
    pub async fn change<R: Record + Default>(&self, key: &str, change: impl FnOnce(&mut R)) -> Stored<R> {
        let mut now = None;
        let revise = |stored: Option<Value>| {
            let mut record: R = stored.clone().map(decode).transpose()?.unwrap_or_default();
            change(&mut record);
            let value = serde_json::to_value(&record).expect("records have text keys and finite numbers");
            now = Some(record);
            Ok((stored.as_ref() != Some(&value)).then_some(value))
        };
        self.revise(R::TABLE, key, Box::new(revise)).await?;
        Ok(now.expect("it was changed"))
    }
}
