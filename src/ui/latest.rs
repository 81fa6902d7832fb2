//! Of several who ask for the same thing, one after the other, only the last is answered: an answer may come after that to a
//! later question.

use leptos::prelude::*;

/// How often it was asked. While the component lives that made it.
#[derive(Clone, Copy)]
pub struct Latest(StoredValue<u64>);

/// One who asks.
#[derive(Clone, Copy)]
pub struct Asked {
    of: Latest,
    number: u64,
}

impl Latest {
    pub fn new() -> Self {
        Self(StoredValue::new(0))
    }

    /// Whoever asked before is no longer the last.
    pub fn ask(self) -> Asked {
        self.0.update_value(|number| *number += 1);
        Asked { of: self, number: self.0.get_value() }
    }
}

impl Asked {
    /// Whether nobody has asked since, and somebody still waits.
    pub fn is_last(self) -> bool {
        self.of.0.try_get_value() == Some(self.number)
    }
}
