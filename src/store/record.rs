//! A record: a type that lives in a store of the database under a key of its own.

use serde::{Serialize, de::DeserializeOwned};

use super::{StoreError, Stored, Table, read::Reader};

/// Reads a value as a type. All reading of types goes through here, and through a `Value`: each other way (from a text,
/// from a borrowed value) would compile every type's reading once more, and the page has to be small.
///
/// # Errors
/// It is not of this type.
#[inline(never)]
pub fn from_value<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, serde_json::Error> {
    T::deserialize(Reader(value))
}

/// As [`from_value`], from a text.
///
/// # Errors
/// It is not JSON, or not of this type.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    from_value(serde_json::from_str(text)?)
}

/// Reads what can be read: of a record that is damaged, the fields that are sound on their own. For types that have a
/// default for every field.
pub fn salvage<T: DeserializeOwned + Default>(damaged: &serde_json::Value) -> T {
    let fields = damaged.as_object().into_iter().flatten().filter(|(name, value)| is_sound::<T>(name, value));
    let fields = fields.map(|(name, value)| (name.clone(), value.clone())).collect();
    from_value(serde_json::Value::Object(fields)).unwrap_or_default()
}

/// The first field of a record that cannot be read; for types as above.
pub fn unsound_field<T: DeserializeOwned + Default>(damaged: &serde_json::Value) -> Option<&str> {
    let mut fields = damaged.as_object().into_iter().flatten();
    fields.find(|(name, value)| !is_sound::<T>(name, value)).map(|(name, _)| name.as_str())
}

fn is_sound<T: DeserializeOwned>(name: &str, value: &serde_json::Value) -> bool {
    let field = serde_json::Map::from_iter([(name.to_owned(), value.clone())]);
    from_value::<T>(serde_json::Value::Object(field)).is_ok()
}

/// Ties a stored type to its table. The key field is `id` in every table.
pub trait Record: Serialize + DeserializeOwned + Clone + 'static {
    const TABLE: Table;
    fn key(&self) -> &str;
}

/// Reads a stored record.
///
/// # Errors
/// It is not of this type (`UnreadableRecord`).
pub fn decode<R: Record>(value: serde_json::Value) -> Stored<R> {
    from_value(value).map_err(|error| StoreError::unreadable(R::TABLE, error))
}

macro_rules! record {
    ($type:ty, $table:ident) => {
        impl crate::store::Record for $type {
            const TABLE: crate::store::Table = crate::store::Table::$table;
            fn key(&self) -> &str {
                self.id.as_str()
            }
        }
    };
}
pub(crate) use record;
