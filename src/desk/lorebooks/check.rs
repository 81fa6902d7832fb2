//! What is wrong with the keys of an entry.

use crate::reply::pattern::{as_pattern, compile};

/// Characters that a key may have.
pub const KEY_CHARS: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyFault {
    /// Written as a pattern, and none that can be read; why, in the engine's words.
    Pattern {
        key: String,
        why: String,
    },
    Long {
        key: String,
        chars: usize,
    },
}

pub fn key_faults(keys: &[String]) -> Vec<KeyFault> {
    keys.iter().filter_map(|key| key_fault(key)).collect()
}

fn key_fault(key: &str) -> Option<KeyFault> {
    let chars = key.chars().count();
    if chars > KEY_CHARS {
        return Some(KeyFault::Long { key: key.to_owned(), chars });
    }
    let (pattern, flags) = as_pattern(key.trim())?;
    compile(pattern, flags).err().map(|why| KeyFault::Pattern { key: key.to_owned(), why })
}
