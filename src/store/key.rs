//! Keys, as the database orders them.

use std::cmp::Ordering;

/// A key, ordered as IndexedDB orders keys: numbers, then texts (by UTF-16), then lists.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    Number(f64),
    Text(String),
    List(Vec<Key>),
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.encode_utf16().cmp(b.encode_utf16()),
            (Self::List(a), Self::List(b)) => a.cmp(b),
            (Self::Number(_), _) | (Self::Text(_), Self::List(_)) => Ordering::Less,
            _ => Ordering::Greater,
        }
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u32> for Key {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl<A: Into<Key>, B: Into<Key>> From<(A, B)> for Key {
    fn from((a, b): (A, B)) -> Self {
        Self::List(vec![a.into(), b.into()])
    }
}
