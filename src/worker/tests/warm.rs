//! What the keeper does while nobody asks.

use std::cell::Cell;

use super::*;
use crate::worker::warm::THOROUGH;

/// Warms up until it has asked itself whether it is quiet so many times; gives how often it has.
fn warm_up(shelf: &Shelf, quiet: u32) -> u32 {
    let asked = Cell::new(0);
    let is_quiet = || {
        asked.set(asked.get() + 1);
        asked.get() <= quiet
    };
    block_on(shelf.keeper.warm_up(&"s".into(), THOROUGH, &is_quiet)).unwrap();
    asked.get()
}

#[test]
fn it_warms_up_while_nobody_asks_and_leaves_no_trace() {
    let shelf = shelf();
    shelf.commit(Batch::new().put(&turn("root", 0, "The key hangs by the door.")));
    shelf.commit(Batch::new().put(&reply("root", 0, "g", "It rains.")));
    let head = Head { branch: "root".into(), end: 1 };
    shelf.commit(Batch::new().put(&Storyline { id: "s".into(), cast: vec!["ada".into()], head, ..Default::default() }));
    shelf.commit(Batch::new().put(&Branch {
        id: "root".into(),
        storyline: "s".into(),
        length: 1,
        ..Default::default()
    }));
    let path = root(0);
    let found = shelf.search(&path, "key");
    let stored = block_on(shelf.store.query(Query::all(Table::Postings))).unwrap();

    assert_eq!(warm_up(&shelf, 0), 1, "somebody asks: it does nothing");
    assert_eq!(warm_up(&shelf, 3), 4, "somebody asks after three rounds");
    assert_eq!(warm_up(&shelf, u32::MAX), THOROUGH - 3 + 1, "it goes on, and ends");
    assert_eq!(warm_up(&shelf, u32::MAX), 1, "it is warm");

    assert_eq!(shelf.search(&path, "key"), found);
    assert_eq!(block_on(shelf.store.query(Query::all(Table::Postings))).unwrap(), stored);
}

#[test]
fn a_story_without_an_index_is_no_reason_to_warm_up() {
    assert_eq!(warm_up(&shelf(), u32::MAX), 1);
}
