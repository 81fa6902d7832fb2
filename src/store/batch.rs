//! What is written.

use super::{Doc, Record, Table, due};

/// How long a commit waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Until the operating system has it: survives the death of the browser. For checkpoints of a running stream.
    Relaxed,
    /// Until the disk has it: survives the loss of power.
    #[default]
    Strict,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    Put(Table, Doc),
    Delete(Table, String),
}

impl Op {
    /// The table and the id of the record that it changes.
    pub fn place(&self) -> (Table, &str) {
        match self {
            Self::Put(table, doc) => (*table, doc.id()),
            Self::Delete(table, id) => (*table, id),
        }
    }
}

/// Changes that happen together or not at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    pub ops: Vec<Op>,
    pub durability: Durability,
}

impl Batch {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn relaxed() -> Self {
        Self { ops: Vec::new(), durability: Durability::Relaxed }
    }

    pub fn put<R: Record>(mut self, record: &R) -> Self {
        self.push(record);
        self
    }

    pub fn push<R: Record>(&mut self, record: &R) {
        let value = serde_json::to_value(record).expect("records have text keys and finite numbers");
        self.ops.extend(due::written(R::TABLE, &value));
        self.ops.push(Op::Put(R::TABLE, value.into()));
    }

    /// Deletes a record; where the memory's index holds it, the index will know.
    pub fn remove<R: Record>(self, record: &R) -> Self {
        let value = serde_json::to_value(record).expect("records have text keys and finite numbers");
        let mut batch = self.delete(R::TABLE, record.key());
        batch.ops.extend(due::gone(R::TABLE, &value));
        batch
    }

    pub fn delete(mut self, table: Table, key: &str) -> Self {
        self.ops.push(Op::Delete(table, key.to_owned()));
        self
    }
}
