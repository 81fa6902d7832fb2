//! The records of a storyline in one table, read together and kept together: what is made of them is made once.

use std::{any::Any, cell::OnceCell, rc::Rc};

use crate::store::Doc;

/// In no order.
#[derive(Clone, Default)]
pub struct Together {
    docs: Vec<Doc>,
    made: OnceCell<Rc<dyn Any>>,
}

impl Together {
    pub fn new(docs: Vec<Doc>) -> Self {
        Self { docs, made: OnceCell::new() }
    }

    pub fn docs(&self) -> &[Doc] {
        &self.docs
    }

    /// What `make` makes of the records, or has made of them before. There is one kind of it for a table.
    pub fn made<T: 'static>(&self, make: impl FnOnce(&[Doc]) -> T) -> Rc<T> {
        let made = self.made.get_or_init(|| Rc::new(make(&self.docs)));
        made.clone().downcast().expect("one kind of thing is made of the records of a table")
    }

    /// With these records in the place of those under `keys`.
    pub fn with(mut self, keys: &[String], now: Vec<Doc>) -> Self {
        self.docs.retain(|doc| !keys.iter().any(|key| key == doc.id()));
        self.docs.extend(now);
        Self::new(self.docs)
    }
}
