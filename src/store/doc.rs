//! What lies in a table.

use std::rc::Rc;

use serde_json::Value;

/// A stored document: JSON, and bytes beside it where the record is a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Doc {
    pub value: Value,
    pub bytes: Option<Rc<[u8]>>,
}

impl Doc {
    /// Empty where it has none.
    pub fn id(&self) -> &str {
        self.value["id"].as_str().unwrap_or_default()
    }
}

impl From<Value> for Doc {
    fn from(value: Value) -> Self {
        Self { value, bytes: None }
    }
}
