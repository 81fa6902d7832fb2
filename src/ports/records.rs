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
        let make = |stored: Option<R>| {
            let mut record = stored.unwrap_or_default();
            change(&mut record);
            Some(record)
        };
        Ok(self.remake(key, make).await?.expect("it was made"))
    }

    /// As [`Self::change`], of a record that must be there: `None` where it is gone, and it stays so.
    ///
    /// # Errors
    /// As [`Self::change`].
    pub async fn amend<R: Record>(&self, key: &str, change: impl FnOnce(&mut R)) -> Stored<Option<R>> {
        let make = |stored: Option<R>| {
            let mut record = stored?;
            change(&mut record);
            Some(record)
        };
        self.remake(key, make).await
    }

    /// As [`Self::change`], given what is there; where nothing is made of it, that stays.
    ///
    /// # Errors
    /// As [`Self::change`].
    pub async fn remake<R: Record>(&self, key: &str, make: impl FnOnce(Option<R>) -> Option<R>) -> Stored<Option<R>> {
        let mut now = None;
        let revise = |stored: Option<Value>| {
            let Some(record) = make(stored.clone().map(decode).transpose()?) else { return Ok(None) };
            let value = serde_json::to_value(&record).expect("records have text keys and finite numbers");
            now = Some(record);
            Ok((stored.as_ref() != Some(&value)).then_some(value))
        };
        self.revise(R::TABLE, key, Box::new(revise)).await?;
        Ok(now)
    }
}
