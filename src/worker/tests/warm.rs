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

/// Where all stories are looked through, only so much stays at hand; a story that is asked often does, and one that is gone
/// does not. What is found is the same.
#[test]
fn what_is_looked_through_does_not_all_stay() {
    let shelf = shelf();
    shelf.commit(Batch::new().put(&turn("root", 0, "The key hangs by the door.")));
    let other = Turn {
        id: "t".into(),
        storyline: "other".into(),
        branch: "o".into(),
        user: Some("A key of brass.".into()),
        ..Default::default()
    };
    let story = Storyline { id: "other".into(), ..Default::default() };
    let branch = Branch { id: "o".into(), storyline: "other".into(), length: 1, ..Default::default() };
    shelf.commit(Batch::new().put(&story).put(&branch).put(&other));
    let look_up = || {
        let request = Request::LookUp { text: "key".into(), memories_of: None, limit: 5 };
        let Ok(Answer::Hits(hits)) = block_on(shelf.keeper.answer(request)) else { panic!() };
        hits.into_iter().map(|hit| hit.text).collect::<Vec<_>>()
    };
    let is_held = |id: &str| block_on(shelf.keeper.kept(&id.into()).kept.lock()).version().is_some();
    let found = look_up();
    assert_eq!((found.len(), is_held("s"), is_held("other")), (2, true, true));

    shelf.keeper.holds.set(0);
    shelf.keeper.kept(&"s".into()).is_warm.set(true);
    assert_eq!((look_up(), is_held("s"), is_held("other")), (found.clone(), true, false));
    assert_eq!(look_up(), found);

    shelf.commit(Batch::new().remove(&story));
    assert_eq!(look_up(), ["The key hangs by the door."]);
}
