//! Values of the database as JSON, within limits, and without what may be a key: that is passed over as it is read.

use std::{
    cell::{Cell, RefCell},
    fmt,
};

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::exchange::{
    limits::{DATABASE, DATABASE_VALUES, JSON_DEPTH, Unpacking},
    refusal::Refusal,
};

/// What reading has used up, and why it went no further: what a decoder says of that is only words.
pub(super) struct Reading {
    pub limits: Unpacking,
    pub unpacked: Cell<u64>,
    kept: Cell<u64>,
    records: Cell<usize>,
    refusal: RefCell<Option<Refusal>>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            limits: DATABASE,
            unpacked: Cell::default(),
            kept: Cell::default(),
            records: Cell::default(),
            refusal: RefCell::default(),
        }
    }
}

impl Reading {
    /// Ends it.
    pub fn refuse<E: de::Error>(&self, why: Refusal) -> E {
        let said = E::custom(&why);
        self.refusal.borrow_mut().get_or_insert(why);
        said
    }

    /// Why it ended, where it was ended here.
    pub fn refusal(&self) -> Option<Refusal> {
        self.refusal.take()
    }

    /// Another text is held.
    pub fn keep<E: de::Error>(&self, text: String) -> Result<String, E> {
        self.kept.update(|kept| kept + text.len() as u64);
        self.records.update(|records| records + 1);
        if self.kept.get() > self.limits.bytes {
            return Err(self.refuse(Refusal::TooLarge { bytes: self.kept.get(), limit: self.limits.bytes }));
        }
        if self.records.get() > self.limits.files {
            return Err(self.refuse(Refusal::TooMany { limit: self.limits.files as u64 }));
        }
        Ok(text)
    }
}

/// Whether a field of this name may hold a key, or what else lets one in. Entries of lorebooks have keys of another kind.
pub(super) fn is_secret(name: &str) -> bool {
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let is_key = name.ends_with("key") && !["key", "secondkey"].contains(&name.as_str());
    is_key || ["token", "password", "secret", "credential", "bearer", "cookie"].iter().any(|end| name.ends_with(end))
}

/// Any value. What JSON has no word for is nothing, and a field that is nothing is not there.
pub(super) struct Foreign<'a> {
    reading: &'a Reading,
    left: &'a Cell<usize>,
    depth: usize,
}

impl<'a> Foreign<'a> {
    /// Of what may have so many values.
    pub fn new(reading: &'a Reading, left: &'a Cell<usize>) -> Self {
        Self { reading, left, depth: 0 }
    }

    fn inner<E: de::Error>(&self) -> Result<Self, E> {
        let depth = self.depth + 1;
        if depth > JSON_DEPTH {
            return Err(self.reading.refuse(Refusal::TooDeep));
        }
        Ok(Self { depth, ..*self })
    }

    fn count<E: de::Error>(&self) -> Result<(), E> {
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(self.reading.refuse(Refusal::TooMany { limit: DATABASE_VALUES as u64 })),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Foreign<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.count()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Foreign<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_bool<E>(self, is: bool) -> Result<Value, E> {
        Ok(is.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        /// Up to which its program has whole numbers at all.
        const WHOLE: f64 = 9_007_199_254_740_992.0;
        if number.fract() == 0.0 && number.abs() <= WHOLE {
            return Ok((number as i64).into());
        }
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    /// Text, too, where its program cut a letter in two.
    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Value, E> {
        Ok(String::from_utf8_lossy(bytes).into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    /// What MessagePack has an extension for: what is undefined, times, sets.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_ignored_any(IgnoredAny)?;
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(self.inner()?)? {
            items.push(item);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(Key(key)) = map.next_key()? {
            if is_secret(&key) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value_seed(self.inner()?)?;
            if !value.is_null() {
                fields.insert(key, value);
            }
        }
        Ok(fields.into())
    }
}

/// The name of a field, which MessagePack may write as a number.
pub(super) struct Key(pub String);

impl<'de> de::Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Key;

            fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
                out.write_str("a name")
            }

            fn visit_str<E>(self, name: &str) -> Result<Key, E> {
                Ok(Key(name.to_owned()))
            }

            fn visit_bytes<E>(self, name: &[u8]) -> Result<Key, E> {
                Ok(Key(String::from_utf8_lossy(name).into_owned()))
            }

            fn visit_i64<E>(self, name: i64) -> Result<Key, E> {
                Ok(Key(name.to_string()))
            }

            fn visit_u64<E>(self, name: u64) -> Result<Key, E> {
                Ok(Key(name.to_string()))
            }
        }
        deserializer.deserialize_any(Name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_key() {
        for name in
            ["openAIKey", "proxyKey", "api_key", "apiKey", "accessToken", "google-token", "Password", "oaicompKey"]
        {
            assert!(is_secret(name), "{name}");
        }
        for name in ["key", "secondkey", "inputTokens", "tokenBudget", "keys", "data", "名"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
