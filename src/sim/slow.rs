//! A store that takes its time: others run before each operation, as they do where it is a database.

use std::rc::Rc;

use super::ports::yield_once;
use crate::{
    ports::{Change, Future, Store},
    store::{Batch, Doc, Query, Stored, Table},
};

pub struct Slow(pub Rc<dyn Store>);

impl Store for Slow {
    fn get<'a>(&'a self, table: Table, key: &'a str) -> Future<'a, Stored<Option<Doc>>> {
        after_others(self.0.get(table, key))
    }

    fn get_many<'a>(&'a self, table: Table, keys: &'a [String]) -> Future<'a, Stored<Vec<Doc>>> {
        after_others(self.0.get_many(table, keys))
    }

    fn query(&self, query: Query) -> Future<'_, Stored<Vec<Doc>>> {
        after_others(self.0.query(query))
    }

    fn keys(&self, query: Query) -> Future<'_, Stored<Vec<String>>> {
        after_others(self.0.keys(query))
    }

    fn count(&self, query: Query) -> Future<'_, Stored<u32>> {
        after_others(self.0.count(query))
    }

    fn commit(&self, batch: Batch) -> Future<'_, Stored<()>> {
        after_others(self.0.commit(batch))
    }

    fn revise<'a>(&'a self, table: Table, key: &'a str, change: Change<'a>) -> Future<'a, Stored<()>> {
        after_others(self.0.revise(table, key, change))
    }
}

fn after_others<'a, T: 'a>(operation: Future<'a, T>) -> Future<'a, T> {
    Box::pin(async move {
        yield_once().await;
        operation.await
    })
}
