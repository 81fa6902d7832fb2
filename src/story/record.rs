//! A record: a type that lives in a store of the database under a key of its own.

use serde::{Serialize, de::DeserializeOwned};

use crate::ports::Table;

/// Ties a stored type to its table. The key field is `id` in every table.
pub trait Record: Serialize + DeserializeOwned + Clone + 'static {
    const TABLE: Table;
    fn key(&self) -> &str;
}

macro_rules! record {
    ($type:ty, $table:ident) => {
        impl crate::story::record::Record for $type {
            const TABLE: crate::ports::Table = crate::ports::Table::$table;
            fn key(&self) -> &str {
                self.id.as_str()
            }
        }
    };
}
pub(crate) use record;
