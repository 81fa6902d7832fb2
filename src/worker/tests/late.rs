//! What is written while the memory takes in what was written before.

use std::cell::RefCell;

use super::*;
use crate::{
    ports::{Future, hand_on},
    store::{Doc, Stored},
};

/// A store into which somebody writes right after texts have been read.
struct Busy {
    store: Rc<MemoryStore>,
    late: RefCell<Option<Batch>>,
}

impl Store for Busy {
    hand_on!(store: get query keys count commit revise);

    fn get_many<'a>(&'a self, table: Table, keys: &'a [String]) -> Future<'a, Stored<Vec<Doc>>> {
        Box::pin(async move {
            let found = self.store.get_many(table, keys).await;
            let late = self.late.take();
            if let Some(batch) = late {
                self.store.commit(batch).await?;
            }
            found
        })
    }
}

#[test]
fn what_changes_while_it_is_taken_in_is_taken_in_again() {
    let shelf = shelf();
    let path = root(1);
    let (was, is) = (turn("root", 1, "The key hangs by the door."), turn("root", 1, "The key lies in the well."));
    shelf.commit(Batch::new().put(&turn("root", 0, "It rains.")));
    assert_eq!(shelf.due(), 1);
    shelf.search(&path, "rain");
    for (late, found) in [(Batch::new().put(&is), true), (Batch::new().remove(&is), false)] {
        let busy = Rc::new(Busy { store: shelf.store.clone(), late: RefCell::default() });
        let busy_shelf =
            Shelf { store: shelf.store.clone(), keeper: Keeper::new(busy.clone(), Rc::new(Alone), clock()) };
        busy_shelf.search(&path, "rain");
        shelf.commit(Batch::new().put(&was));
        *busy.late.borrow_mut() = Some(late);
        busy_shelf.search(&path, "rain");
        assert_eq!(busy_shelf.due(), 1, "the later note stays");
        let hits = busy_shelf.search(&path, "well");
        assert_eq!(hits.iter().any(|hit| hit.words.contains(&"well".to_owned())), found);
        assert_eq!(busy_shelf.due(), 0);
    }
}

/// A turn does not wait for its own words; nor for an index that is there but for them.
#[test]
fn who_asks_does_not_wait_for_their_own_words() {
    let shelf = shelf();
    shelf.commit(Batch::new().put(&turn("root", 0, "The key hangs by the door.")));
    shelf.search(&root(0), "key");
    let asks = turn("root", 1, "Where is the key?");
    let ask = |text: &str| {
        let search = Search {
            storyline: "s".into(),
            path: root(1),
            until: 1,
            asking: Some(asks.id.clone()),
            words: words(text),
            limit: 9,
            ..Default::default()
        };
        block_on((&shelf.keeper as &dyn Recall).hits(Request::Search(search))).unwrap().len()
    };
    shelf.commit(Batch::new().put(&asks));
    assert_eq!((ask("Where is the key?"), shelf.due()), (1, 1));
    shelf.commit(Batch::new().put(&reply("root", 0, "g", "It rains.")));
    assert_eq!((ask("rain"), shelf.due()), (2, 0), "what else is due is taken in, and the words with it");
}
