//! How a type is read out of a JSON value: as `serde_json` does it, but that a struct is read from an object alone and never
//! from a list of its fields. With that the page would carry the reading of each stored type twice.

use std::vec;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Map, Number, Value, map};

/// A value, to be read as whatever type is asked for.
pub struct Reader(pub Value);

#[cold]
#[inline(never)]
pub fn wrong(found: &Value, wanted: &dyn Expected) -> Error {
    let unexpected = match found {
        Value::Null => Unexpected::Unit,
        Value::Bool(is) => Unexpected::Bool(*is),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => Unexpected::Unsigned(number),
            (_, Some(number)) => Unexpected::Signed(number),
            _ => Unexpected::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    };
    Error::invalid_type(unexpected, wanted)
}

fn number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, Error> {
    match (number.as_u64(), number.as_i64()) {
        (Some(number), _) => visitor.visit_u64(number),
        (_, Some(number)) => visitor.visit_i64(number),
        _ => visitor.visit_f64(number.as_f64().unwrap_or_default()),
    }
}

fn list<'de, V: Visitor<'de>>(items: Vec<Value>, visitor: V) -> Result<V::Value, Error> {
    let all = items.len();
    let mut items = Items(items.into_iter());
    let read = visitor.visit_seq(&mut items)?;
    match items.0.len() {
        0 => Ok(read),
        _ => Err(Error::invalid_length(all, &"fewer")),
    }
}

fn object<'de, V: Visitor<'de>>(fields: Map<String, Value>, visitor: V) -> Result<V::Value, Error> {
    let all = fields.len();
    let mut fields = Fields { rest: fields.into_iter(), value: Value::Null };
    let read = visitor.visit_map(&mut fields)?;
    match fields.rest.len() {
        0 => Ok(read),
        _ => Err(Error::invalid_length(all, &"fewer")),
    }
}

macro_rules! read_as {
    ($($method:ident)* => $reads:ident) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.$reads(visitor)
        })*
    };
}

impl Reader {
    fn bool<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Bool(is) => visitor.visit_bool(is),
            other => Err(wrong(&other, &visitor)),
        }
    }

    fn number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Number(found) => number(&found, visitor),
            other => Err(wrong(&other, &visitor)),
        }
    }

    fn text<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(text) => visitor.visit_string(text),
            other => Err(wrong(&other, &visitor)),
        }
    }

    fn nothing<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            other => Err(wrong(&other, &visitor)),
        }
    }

    fn list<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => list(items, visitor),
            other => Err(wrong(&other, &visitor)),
        }
    }

    pub fn object<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(fields) => object(fields, visitor),
            other => Err(wrong(&other, &visitor)),
        }
    }
}

impl<'de> Deserializer<'de> for Reader {
    type Error = Error;

    read_as!(deserialize_bool => bool);
    read_as!(
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16 deserialize_u32
        deserialize_u64 deserialize_f32 deserialize_f64 => number
    );
    read_as!(deserialize_char deserialize_str deserialize_string deserialize_identifier => text);
    read_as!(deserialize_unit => nothing);
    read_as!(deserialize_seq deserialize_bytes deserialize_byte_buf => list);
    read_as!(deserialize_map => object);

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(is) => visitor.visit_bool(is),
            Value::Number(found) => number(&found, visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => list(items, visitor),
            Value::Object(fields) => object(fields, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.nothing(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.object(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(variant(self.0)?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}

/// What an enum is read from: its variant's name, or an object of one field, which the variant's name is the name of.
fn variant(value: Value) -> Result<Variant, Error> {
    match value {
        Value::String(name) => Ok(Variant { name, value: None }),
        Value::Object(fields) => {
            let mut fields = fields.into_iter();
            match (fields.next(), fields.next()) {
                (Some((name, value)), None) => Ok(Variant { name, value: Some(value) }),
                _ => Err(Error::invalid_value(Unexpected::Map, &"map with a single key")),
            }
        }
        other => Err(wrong(&other, &"string or map")),
    }
}

struct Items(vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for &mut Items {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|item| seed.deserialize(Reader(item))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Fields {
    rest: map::IntoIter,
    /// Of the field whose name was read last.
    value: Value,
}

impl<'de> MapAccess<'de> for &mut Fields {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        self.value = value;
        seed.deserialize(Name(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Reader(self.value.take()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The name of a field or of a variant.
pub struct Name(pub String);

impl<'de> Deserializer<'de> for Name {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.0)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str(&self.0)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct map struct enum ignored_any
    }
}

struct Variant {
    name: String,
    value: Option<Value>,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Error;
    type Variant = Reader;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Reader), Error> {
        Ok((seed.deserialize(Name(self.name))?, Reader(self.value.unwrap_or_default())))
    }
}

/// What a variant holds: nothing, where its name stands alone.
impl<'de> VariantAccess<'de> for Reader {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        <()>::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.object(visitor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, de::DeserializeOwned};
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Id(String);

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Plain,
        Held(u32),
        Pair(i64, f32),
        Named { text: String, other: Option<bool> },
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "do", rename_all = "snake_case")]
    enum Tagged {
        Nothing,
        Put { value: Value, by: Kind },
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Open {
        id: Id,
        #[serde(default)]
        list: Vec<Kind>,
        map: BTreeMap<Id2, (u8, char)>,
        #[serde(flatten)]
        extra: Map<String, Value>,
    }

    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    struct Id2(String);

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        n: u8,
        f: f64,
        open: Option<Box<Open>>,
        done: Vec<Tagged>,
    }

    /// Whether it is read: as `serde_json` reads it, and refused where that refuses it.
    fn same<T: DeserializeOwned + PartialEq + std::fmt::Debug>(value: &Value) -> bool {
        let [own, theirs] =
            [T::deserialize(Reader(value.clone())), serde_json::from_value(value.clone())].map(Result::ok);
        assert_eq!(own, theirs, "{value}");
        own.is_some()
    }

    #[test]
    fn what_is_read_and_what_is_refused_is_as_with_serde_json() {
        let open = json!({ "id": "a", "list": ["plain", { "held": 3 }, { "pair": [-1, 0.5] }, { "named": { "text": "t" } }],
            "map": { "k": [1, "字"] }, "more": { "deep": [null, true, 1e300, -5, u64::MAX] } });
        let strict = json!({ "n": 255, "f": 3, "open": open, "done": [{ "do": "nothing" },
            { "do": "put", "value": [1.5, {}], "by": { "named": { "text": "", "other": true } } }] });
        assert!(same::<Strict>(&strict) && same::<Value>(&strict));
        assert!(same::<Strict>(&json!({ "n": 0, "f": 0.1, "open": null, "done": [] })));
        let mut refused = 0;
        // Each part of it in turn is something else.
        let paths = [
            "/n",
            "/f",
            "/open",
            "/open/id",
            "/open/list",
            "/open/list/0",
            "/open/list/1/held",
            "/open/list/2/pair",
            "/open/list/2/pair/0",
            "/open/list/3/named",
            "/open/list/3/named/text",
            "/open/map",
            "/open/map/k",
            "/open/map/k/1",
            "/open/more",
            "/done",
            "/done/0/do",
            "/done/1/by",
            "/done/1/by/named/other",
        ];
        for path in paths {
            for other in [
                json!(null),
                json!(true),
                json!(-1),
                json!(256),
                json!(1.5),
                json!("x"),
                json!(["plain"]),
                json!({}),
                json!({ "plain": null }),
                json!({ "plain": 1 }),
                json!({ "a": 1, "b": 2 }),
            ] {
                let mut damaged = strict.clone();
                *damaged.pointer_mut(path).unwrap() = other;
                refused += u32::from(!same::<Strict>(&damaged));
            }
        }
        assert!(refused > 100, "{refused}");
        for field in ["n", "f", "done"] {
            let mut without = strict.clone();
            without.as_object_mut().unwrap().remove(field);
            assert!(!same::<Strict>(&without));
        }
        assert!(!same::<Strict>(&json!({ "n": 0, "f": 0, "done": [], "unknown": 1 })));
    }

    #[test]
    fn a_list_is_no_struct() {
        #[derive(Debug, Deserialize)]
        struct Pair {
            #[expect(dead_code)]
            a: u8,
        }
        let error = Pair::deserialize(Reader(json!([1]))).unwrap_err();
        assert_eq!(error.to_string(), "invalid type: sequence, expected struct Pair");
    }
}
