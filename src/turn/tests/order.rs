//! What is stored before what is sent, where the store takes its time.

use std::{cell::Cell, future::pending};

use super::*;
use crate::{
    ports::{Clock, cache::RecordCache, hand_on, recent::Watched},
    store::{Op, StoreError, Stored},
    turn::Ahead,
};

/// A store whose commits take a while; the one that is told so is refused in the end.
struct Slow {
    store: Rc<MemoryStore>,
    clock: Rc<dyn Clock>,
    refuse: u32,
    commits: Cell<u32>,
}

impl Store for Slow {
    hand_on!(store: get get_many query keys count revise);

    fn commit(&self, batch: Batch) -> Future<'_, Stored<()>> {
        Box::pin(async move {
            self.commits.set(self.commits.get() + 1);
            let is_refused = self.commits.get() == self.refuse;
            self.clock.sleep(500).await;
            if is_refused { Err(StoreError::new("QuotaExceededError", "")) } else { self.store.commit(batch).await }
        })
    }
}

/// A model that never answers, and knows what was stored when it was asked, and whether it is still being waited for.
#[derive(Default)]
struct Looks {
    store: Rc<MemoryStore>,
    /// The readers' words in the store at each request.
    seen: RefCell<Vec<Vec<String>>>,
    waiting: Rc<Cell<u32>>,
}

struct Waiting(Rc<Cell<u32>>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Llm for Looks {
    fn send(&self, _: WireRequest) -> Future<'_, Result<WireResponse, Fault>> {
        let store: &dyn Store = &*self.store;
        let turns = store.list::<Turn>(Query::all(Table::Turns)).now_or_never().unwrap().unwrap();
        self.seen.borrow_mut().push(turns.into_iter().filter_map(|turn| turn.user).collect());
        self.waiting.set(self.waiting.get() + 1);
        let waiting = Waiting(self.waiting.clone());
        Box::pin(async move {
            let _waiting = waiting;
            pending().await
        })
    }
}

/// A turn that is played with such a store, and how it ended.
fn played(refuse: u32) -> (Result<Generation, Fault>, Rc<Looks>) {
    let mut play = play([]);
    let store = play.sim.store.clone();
    let looks = Rc::new(Looks { store: store.clone(), ..Default::default() });
    let ports = &mut play.conductor.ports;
    ports.store = Rc::new(Slow { store, clock: ports.clock.clone(), refuse, commits: Cell::default() });
    ports.llm = looks.clone();
    (play.ask(Ask::New("先存后发".into())), looks)
}

/// A1: at the moment of the request the reader's words are in the store, however long that took.
#[test]
fn words_are_stored_before_they_are_sent() {
    let (reply, looks) = played(0);
    assert_eq!(reply.unwrap().fault.map(|fault| fault.kind), Some(FaultKind::Stalled), "nobody answered");
    assert_eq!(*looks.seen.borrow(), [["先存后发"]]);
    assert_eq!(looks.waiting.get(), 0);
}

#[test]
fn words_that_cannot_be_stored_are_not_sent() {
    let (reply, looks) = played(1);
    assert_eq!(reply.unwrap_err().kind, FaultKind::StorageFull);
    assert_eq!(looks.seen.borrow().len(), 0);
}

/// The request is on its way while the reply's place is stored; where that fails nobody waits for an answer.
#[test]
fn a_reply_without_a_place_ends_its_request() {
    let (reply, looks) = played(2);
    assert_eq!(reply.unwrap_err().kind, FaultKind::StorageFull);
    assert_eq!((looks.seen.borrow().len(), looks.waiting.get()), (1, 0));
}

#[test]
fn getting_ready_writes_and_sends_nothing_and_changes_no_prompt() {
    let plays = [false, true].map(|ready| {
        let play = play((0..3).map(|_| Answer::text(["嗯。"])));
        play.say("一");
        // The memory's index catches up whenever it is asked.
        let told = |op: &Op| matches!(op, Op::Put(table, _) if !matches!(table, Table::Postings | Table::Due));
        let written = || play.sim.store.commits().iter().filter(|batch| batch.ops.iter().any(told)).count();
        let before = (written(), play.sim.llm.requests().len());
        if ready {
            block_on(play.conductor.get_ready(&play.story.id, Ahead::Told)).unwrap();
        }
        assert_eq!((written(), play.sim.llm.requests().len()), before);
        play.say("二");
        if ready {
            block_on(play.conductor.get_ready(&play.story.id, Ahead::Read)).unwrap();
        }
        block_on(play.conductor.edit_user(&play.nodes()[1].turn.id, "壹")).unwrap();
        play.say("三");
        [1, 2].map(|request| play.messages(request))
    });
    assert_eq!(plays[0], plays[1]);
    assert!(plays[1][1].iter().any(|(_, text)| text == "壹"), "{:?}", plays[1][1]);
}

/// A store that knows how much was read when it was first written.
struct Reads {
    store: Rc<MemoryStore>,
    before_words: Cell<Option<u64>>,
}

impl Store for Reads {
    hand_on!(store: get get_many query keys count revise);

    fn commit(&self, batch: Batch) -> Future<'_, Stored<()>> {
        self.before_words.set(self.before_words.get().or(Some(self.store.operations())));
        self.store.commit(batch)
    }
}

/// Between a key and the next frame a browser lets nothing through from its database.
#[test]
fn words_are_on_their_way_before_anything_is_read() {
    let mut play = play([Answer::text(["嗯。"]), Answer::text(["嗯。"])]);
    let reads = Rc::new(Reads { store: play.sim.store.clone(), before_words: Cell::default() });
    let store = Rc::new(RecordCache::new(reads.clone(), || {}));
    play.conductor.ports.store = Rc::new(Watched { store, recent: play.conductor.recent.clone() });
    for ahead in [Ahead::Told, Ahead::Read] {
        block_on(play.conductor.get_ready(&play.story.id, ahead)).unwrap();
        reads.before_words.set(None);
        let before = play.sim.store.operations();
        play.say("一");
        assert_eq!(reads.before_words.get(), Some(before), "{ahead:?}");
    }
}

/// Other tabs are told of the last words before a silence, however soon they came after others that were told.
#[test]
fn a_silence_leaves_no_words_untold() {
    let told = |silence: u32| {
        let piece = |text| Answer::unfinished([text]).steps.remove(0);
        let answer = Answer::text(["。"]);
        let steps = [piece("半"), Step::Wait(70), piece("句"), Step::Wait(silence)].into_iter().chain(answer.steps);
        let play = play([Answer { steps: steps.collect(), ..Answer::text([]) }]);
        assert_eq!(play.say("走吧").text, "半句。");
        play.sim.tabs.announced.get()
    };
    assert_eq!(told(20_000), told(0) + 1);
}
