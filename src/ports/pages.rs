//! Records of a table that may be large, a page at a time.

use super::Store;
use crate::store::{Doc, Query, Stored, Table};

/// A long walk through a table.
pub enum Pages {
    Table {
        table: Table,
        /// The last key seen; `None` at the start.
        after: Option<String>,
        ended: bool,
    },
    /// Under these keys, which go as they are read.
    Keys { table: Table, keys: Vec<String> },
}

impl Pages {
    pub fn new(table: Table) -> Self {
        Self::Table { table, after: None, ended: false }
    }

    /// `None` at the end.
    ///
    /// # Errors
    /// The store failed.
    pub async fn next(&mut self, store: &dyn Store) -> Stored<Option<Vec<Doc>>> {
        match self {
            Self::Table { ended: true, .. } => Ok(None),
            Self::Table { table, after, ended } => {
                let size = table.describe().page;
                let page = Query::page(*table, after.as_deref(), size);
                // The keys first: a record that cannot be read is not among the records, and must not end the walk.
                let keys = store.keys(page.clone()).await?;
                let mut docs = store.query(page).await?;
                if let Some(after) = after.as_deref() {
                    docs.retain(|doc| doc.id() != after);
                }
                *ended = keys.len() < size as usize;
                *after = docs.last().map(|doc| doc.id().to_owned()).or_else(|| keys.into_iter().last());
                Ok(Some(docs))
            }
            Self::Keys { keys, .. } if keys.is_empty() => Ok(None),
            Self::Keys { table, keys } => {
                let rest = keys.split_off(keys.len().min(table.describe().page as usize));
                let page = std::mem::replace(keys, rest);
                store.get_many(*table, &page).await.map(Some)
            }
        }
    }
}
