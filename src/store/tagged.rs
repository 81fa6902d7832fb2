//! Enums whose variant stands among their fields: `{"kind": "belief", "content": "…"}`.
//!
//! Of the derived `#[serde(tag = …)]` the page would carry each variant's fields, and the types in them, once more for
//! serde's own buffer. These are derived as enums that stand around their fields (with `remote = "Self"`), and
//! [`tagged`](super::tagged) puts the tag where it belongs. A variant has named fields, or none.

use serde::{
    Deserializer, Serializer,
    de::{DeserializeSeed, EnumAccess, Error as _, VariantAccess, Visitor, value::EnumAccessDeserializer},
    ser::{Error as _, SerializeMap},
};
use serde_json::{Error, Map, Value};

use super::read::{Name, Reader};

macro_rules! tagged {
    ($type:ty, $tag:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::store::put_tag($tag, <$type>::serialize(self, serde_json::value::Serializer), serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = <serde_json::Value as serde::Deserialize>::deserialize(deserializer)?;
                let read = crate::store::by_tag($tag, value).and_then(|tagged| <$type>::deserialize(tagged));
                read.map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use tagged;

/// Writes what stands as `{"variant": {fields}}`, or as `"variant"`, with the tag among the fields.
///
/// # Errors
/// It could not be made, or not be written.
pub fn put_tag<S: Serializer>(tag: &'static str, made: Result<Value, Error>, serializer: S) -> Result<S::Ok, S::Error> {
    let (name, fields) = match made.map_err(S::Error::custom)? {
        Value::Object(variant) => variant.into_iter().next().unwrap_or_default(),
        name => (name.as_str().unwrap_or_default().to_owned(), Value::Null),
    };
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry(tag, &name)?;
    for (name, value) in fields.as_object().into_iter().flatten() {
        map.serialize_entry(name, value)?;
    }
    map.end()
}

/// What is there, to be read as the variant that its tag names.
///
/// # Errors
/// It has no tag.
pub fn by_tag<'de>(tag: &'static str, value: Value) -> Result<impl Deserializer<'de, Error = Error>, Error> {
    let mut fields = match value {
        Value::Object(fields) => fields,
        other => return Err(super::read::wrong(&other, &"a map")),
    };
    match fields.shift_remove(tag) {
        Some(Value::String(name)) => Ok(EnumAccessDeserializer::new(Tagged { name, fields })),
        Some(other) => Err(super::read::wrong(&other, &"variant identifier")),
        None => Err(Error::missing_field(tag)),
    }
}

struct Tagged {
    name: String,
    fields: Map<String, Value>,
}

struct Fields(Map<String, Value>);

impl<'de> EnumAccess<'de> for Tagged {
    type Error = Error;
    type Variant = Fields;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Fields), Error> {
        Ok((seed.deserialize(Name(self.name))?, Fields(self.fields)))
    }
}

impl<'de> VariantAccess<'de> for Fields {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(Reader(Value::Object(self.0)))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        Reader(Value::Object(self.0)).object(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        Reader(Value::Object(self.0)).object(visitor)
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize, de::DeserializeOwned};
    use serde_json::json;

    use super::*;
    use crate::store::from_value;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(remote = "Self", rename_all = "snake_case")]
    enum Own {
        Nothing,
        SomeThing {
            text: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            more: Option<Box<Own>>,
        },
    }
    tagged!(Own, "do");

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "do", rename_all = "snake_case")]
    enum Derived {
        Nothing,
        SomeThing {
            text: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            more: Option<Box<Derived>>,
        },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Within<T> {
        at: u32,
        #[serde(flatten)]
        edit: T,
    }

    /// Read and written again.
    fn through<T: DeserializeOwned + Serialize>(value: &Value) -> Option<String> {
        let read = from_value::<T>(value.clone()).ok()?;
        Some(serde_json::to_string(&read).unwrap())
    }

    #[test]
    fn it_is_read_and_written_as_with_a_derived_tag() {
        let cases = [
            json!({ "do": "nothing" }),
            json!({ "unknown": 1, "do": "nothing", "at": 3 }),
            json!({ "text": "t", "do": "some_thing", "at": 3 }),
            json!({ "at": 3, "do": "some_thing", "text": "t", "more": { "do": "some_thing", "text": "", "more": { "do": "nothing" } } }),
            json!({ "do": "some_thing", "at": 3 }),
            json!({ "do": "some_thing", "text": 1, "at": 3 }),
            json!({ "do": "other", "at": 3 }),
            json!({ "do": 1, "at": 3 }),
            json!({ "at": 3 }),
            json!({}),
            json!("nothing"),
            json!(null),
        ];
        let read = cases.iter().filter(|case| {
            let own = through::<Own>(case);
            assert_eq!(own, through::<Derived>(case), "{case}");
            assert_eq!(through::<Within<Own>>(case), through::<Within<Derived>>(case), "{case}");
            own.is_some()
        });
        assert_eq!(read.count(), 4);
    }
}
