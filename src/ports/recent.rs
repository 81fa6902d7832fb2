//! The newest stretch of a story as it was read for the last prompt, so that the next one need not read it again.
//!
//! It must never differ from the store, so it hears of every write ([`Watched`]): one that touches a turn or a reply of
//! the stretch ends it. What other tabs write ends it too ([`Recent::forget`]). So it is with what was posted lately in the
//! circle, which who speaks may remember.

use std::{
    cell::{Cell, RefCell},
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    rc::Rc,
    sync::Arc,
};

use futures_util::lock::Mutex;

use crate::{
    ports::{Change, Future, Store, hand_on},
    store::{Batch, Op, Stored, Table},
    story::{
        Millis,
        generation::Generation,
        ids::StorylineId,
        post::Post,
        tree::{Node, Path},
    },
};

/// Turns that a stretch may grow by before it is read anew: what no prompt needs is let go.
const GROWTH: usize = 64;

#[derive(Default)]
pub struct Recent {
    stretch: RefCell<Option<Stretch>>,
    /// Marks of the turns and replies of the stretch, also while a turn that is being played has it. Two that share one
    /// are taken for the same, which costs a read.
    held: RefCell<HashSet<u64>>,
    /// Something of it was written by others than the turn that has it.
    spoilt: Cell<bool>,
    /// Rises with each write that touches a turn or a reply.
    heard: Cell<u64>,
    /// What was posted since a time.
    posts: RefCell<Option<(Millis, Rc<[Post]>)>>,
    /// The same of posts.
    posted: Cell<u64>,
    /// Whoever changes what stands in a story has it from the reading to the writing: what a state is built on does not move
    /// under it, and no record is written over by an older one. Who takes in what other devices told has it, too.
    pub settling: Arc<Mutex<()>>,
}

/// Turns and replies from some place of a path to its end.
pub struct Stretch {
    pub storyline: StorylineId,
    pub path: Path,
    /// The tokens that it was read for, uncalibrated.
    pub budget: u32,
    pub nodes: Vec<Node>,
    /// How many it was read with.
    pub read: usize,
}

impl Recent {
    /// The stretch that ends where `path` does, if it is at hand and holds `budget` tokens or all that there is.
    pub fn take(&self, storyline: &StorylineId, path: &Path, budget: u32) -> Option<Stretch> {
        let stretch = self.stretch.take().filter(|_| !self.spoilt.get())?;
        let is_enough = stretch.budget >= budget || stretch.nodes.len() == path.end as usize;
        let fits = is_enough && stretch.storyline == *storyline && stretch.path == *path;
        (fits && stretch.nodes.len() < stretch.read + GROWTH).then_some(stretch)
    }

    /// What is found going back through the replies that are seen on `path`, if the turns that end there are at hand, none of
    /// them left out for it is not told, and it is among them.
    pub fn back<T>(
        &self,
        storyline: &StorylineId,
        path: &Path,
        find: impl FnMut(&Generation) -> Option<T>,
    ) -> Option<T> {
        let stretch = self.stretch.borrow();
        let stretch = stretch.as_ref().filter(|stretch| stretch.storyline == *storyline && stretch.path == *path)?;
        let at_hand = (!self.spoilt.get()).then_some(&stretch.nodes)?;
        let from = at_hand.first()?.turn.position;
        let is_whole = path.untold.iter().all(|untold| untold.at < from);
        at_hand.iter().rev().filter(|_| is_whole).filter_map(Node::reply).find_map(find)
    }

    /// Says what is about to be read; what is written from now on spoils it.
    pub fn hold(&self, nodes: &[Node]) {
        let marks = |node: &'_ Node| {
            let turn = mark(Table::Turns, node.turn.id.as_str());
            node.generations
                .iter()
                .map(|reply| mark(Table::Generations, reply.id.as_str()))
                .chain([turn])
                .collect::<Vec<_>>()
        };
        self.held.replace(nodes.iter().flat_map(marks).collect());
        self.spoilt.set(false);
    }

    /// Keeps what was held, with what has been added to it, unless it was spoilt meanwhile.
    pub fn keep(&self, stretch: Stretch) {
        if !self.spoilt.get() {
            self.hold(&stretch.nodes);
            self.stretch.replace(Some(stretch));
        }
    }

    /// Lets go of it: somebody else has written.
    pub fn forget(&self) {
        self.spoilt.set(true);
        self.repost();
    }

    /// What was posted since a time or earlier, if it is at hand.
    pub fn posts(&self, since: Millis) -> Option<Rc<[Post]>> {
        let posts = self.posts.borrow();
        posts.as_ref().filter(|(from, _)| *from <= since).map(|(_, posts)| posts.clone())
    }

    /// The same of posts.
    pub fn posted(&self) -> u64 {
        self.posted.get()
    }

    /// Keeps what was read of them, unless one was written since that number.
    pub fn keep_posts(&self, since: Millis, posts: Rc<[Post]>, posted: u64) {
        if self.posted.get() == posted {
            self.posts.replace(Some((since, posts)));
        }
    }

    fn repost(&self) {
        self.posted.set(self.posted.get() + 1);
        self.posts.take();
    }

    /// Rises with each write that touches a turn or a reply: the same number twice means that none came in between.
    pub fn heard(&self) -> u64 {
        self.heard.get()
    }

    /// Hears of a write before and after it: what is read amid it may be either.
    fn around<'a>(&'a self, touched: Touched, write: Future<'a, Stored<()>>) -> Future<'a, Stored<()>> {
        Box::pin(async move {
            self.hear(&touched);
            let outcome = write.await;
            self.hear(&touched);
            outcome
        })
    }

    fn hear(&self, touched: &Touched) {
        self.heard.set(self.heard.get() + u64::from(!touched.told.is_empty()));
        let held = self.held.borrow();
        if touched.told.iter().any(|mark| held.contains(mark)) {
            self.spoilt.set(true);
        }
        if touched.posts {
            self.repost();
        }
    }
}

fn mark(table: Table, id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (table, id).hash(&mut hasher);
    hasher.finish()
}

/// What of it a write touches.
#[derive(Default)]
struct Touched {
    /// Marks of turns and replies.
    told: Vec<u64>,
    posts: bool,
}

impl Touched {
    fn of<'a>(places: impl Iterator<Item = (Table, &'a str)>) -> Self {
        let mut touched = Self::default();
        for (table, id) in places {
            match table {
                Table::Turns | Table::Generations => touched.told.push(mark(table, id)),
                Table::Posts => touched.posts = true,
                _ => {}
            }
        }
        touched
    }
}

/// A store whose writes are heard.
pub struct Watched {
    pub store: Rc<dyn Store>,
    pub recent: Rc<Recent>,
}

impl Store for Watched {
    hand_on!(store: get get_many query alone together keys count);

    fn commit(&self, batch: Batch) -> Future<'_, Stored<()>> {
        let touched = Touched::of(batch.ops.iter().map(Op::place));
        self.recent.around(touched, self.store.commit(batch))
    }

    fn revise<'a>(&'a self, table: Table, key: &'a str, change: Change<'a>) -> Future<'a, Stored<()>> {
        let touched = Touched::of([(table, key)].into_iter());
        self.recent.around(touched, self.store.revise(table, key, change))
    }
}
