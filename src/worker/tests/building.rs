//! While the index of a long story is made, a turn does not wait for it, and is told so.

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use super::*;
use crate::{
    ports::{Future, hand_on},
    store::{Doc, Stored},
    story::fault::FaultKind,
};

/// A store that takes its time for texts.
struct Slow(Rc<MemoryStore>);

impl Store for Slow {
    hand_on!(0: get query keys count commit revise);

    fn get_many<'a>(&'a self, table: Table, keys: &'a [String]) -> Future<'a, Stored<Vec<Doc>>> {
        Box::pin(async move {
            let mut waited = false;
            poll_fn(|_| if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending }).await;
            self.0.get_many(table, keys).await
        })
    }
}

/// Once, without waiting.
fn poll<T>(future: &mut Pin<Box<impl std::future::Future<Output = T>>>) -> Poll<T> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// Steps that the index of so many turns takes, and what a question hears amid them.
fn amid_building(turns: u32) -> (Poll<Result<Answer, FaultKind>>, Result<Answer, FaultKind>) {
    let shelf = shelf();
    let mut batch = Batch::new();
    (0..turns).for_each(|position| batch.push(&turn("root", position, &format!("Night {position}: the owl sleeps."))));
    shelf.commit(batch);
    let keeper = Keeper::new(Rc::new(Slow(shelf.store.clone())), Rc::new(Alone), clock());
    let search = Search {
        storyline: "s".into(),
        path: root(turns - 1),
        until: turns,
        words: words("night 7"),
        limit: 1,
        ..Default::default()
    };
    let ask = || async { keeper.answer(Request::Search(search.clone())).await.map_err(|fault| fault.kind) };
    let mut build = Box::pin(keeper.answer(Request::CatchUp { storyline: "s".into(), embedder: String::new() }));
    // It has begun to read the texts.
    assert!(poll(&mut build).is_pending());
    let mut amid = Box::pin(ask());
    let heard = poll(&mut amid);
    while poll(&mut build).is_pending() {}
    drop(amid);
    let mut after = Box::pin(ask());
    loop {
        if let Poll::Ready(answer) = poll(&mut after) {
            return (heard, answer);
        }
    }
}

#[test]
fn a_turn_does_not_wait_for_the_index_of_a_long_story() {
    let (amid, after) = amid_building(1_100);
    assert_eq!(amid, Poll::Ready(Err(FaultKind::MemoryBuilding)));
    assert!(matches!(after, Ok(Answer::Hits(hits)) if hits[0].position == 7));
}

#[test]
fn the_index_of_a_short_story_is_waited_for() {
    let (amid, after) = amid_building(500);
    assert_eq!(amid, Poll::Pending);
    assert!(matches!(after, Ok(Answer::Hits(hits)) if hits[0].position == 7));
}
