//! What an import sets right: where a file cannot be played as it is, and there is one right answer.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::reader::Entry;
use crate::store::Part;

/// What was set right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mended {
    /// The head led beyond the story: now to its end there.
    Head,
    /// A branch had another length than it said.
    Length,
    /// A reply stood elsewhere than its turn.
    ReplyPlace,
    /// A reply is said to be still coming, and nobody writes it.
    Stream,
    /// A reply named a state that is not there: the one before it holds.
    State,
    /// The first state is not there: the oldest is it now.
    FirstState,
    /// The current session is not there: now that of the newest turn.
    Session,
}

/// Fields to set, by record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mends(BTreeMap<(Part, String), Map<String, Value>>);

impl Mends {
    pub(super) fn set(&mut self, part: Part, id: &str, field: &str, value: Value) {
        self.0.entry((part, id.to_owned())).or_default().insert(field.to_owned(), value);
    }

    pub(super) fn extend(&mut self, other: Self) {
        for (record, fields) in other.0 {
            self.0.entry(record).or_default().extend(fields);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets a record of the file right.
    pub fn apply(&self, entry: &mut Entry) {
        if self.0.is_empty() {
            return;
        }
        let fields = self.0.get(&(entry.part, entry.id().to_owned()));
        if let (Some(fields), Value::Object(record)) = (fields, &mut entry.doc.value) {
            record.extend(fields.clone());
        }
    }
}
