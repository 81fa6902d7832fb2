//! What calls have cost that is not written yet, and what the reader lets run past a budget.

use std::{cell::RefCell, rc::Rc};

use super::Store;
use crate::{
    store::Stored,
    story::{
        ids::{SessionId, StorylineId},
        spending::{Day, Kind, Spending, Spent, add},
    },
};

/// What was spent in a turn so far.
pub type Tally = Rc<RefCell<Vec<Spent>>>;

/// What a call is made for.
#[derive(Clone, Debug, Default)]
pub struct Purpose {
    pub kind: Kind,
    pub storyline: Option<StorylineId>,
    pub session: Option<SessionId>,
    /// Where what it costs is said too.
    pub tally: Tally,
    /// Nothing is paid.
    pub is_free: bool,
}

impl Purpose {
    pub fn new(kind: Kind, storyline: &StorylineId, session: &SessionId) -> Self {
        let session = (!session.as_str().is_empty()).then(|| session.clone());
        Self { kind, storyline: Some(storyline.clone()), session, ..Self::default() }
    }

    /// The same for something else within it.
    pub fn also(&self, kind: Kind) -> Self {
        Self { kind, ..self.clone() }
    }
}

/// A call that ended and is not written yet.
struct Entry {
    day: Day,
    storyline: Option<StorylineId>,
    spent: Spent,
}

/// Whoever makes calls pays here. A call that is dropped amid its answer cannot wait for the store: it leaves what it cost,
/// and that is written with the next one's.
#[derive(Default)]
pub struct Till {
    entries: RefCell<Vec<Entry>>,
    let_run: RefCell<Vec<(StorylineId, Kind)>>,
}

impl Till {
    pub fn pay(&self, day: Day, purpose: &Purpose, spent: Spent) {
        let Purpose { storyline, session, tally, is_free, .. } = purpose;
        if *is_free {
            return;
        }
        add(&mut tally.borrow_mut(), &spent);
        let spent = Spent { session: session.clone(), ..spent };
        self.entries.borrow_mut().push(Entry { day, storyline: storyline.clone(), spent });
    }

    /// Writes what was paid, each in one transaction with its reading.
    ///
    /// # Errors
    /// The store failed: what is not written stays, for the next time.
    pub async fn book(&self, store: &dyn Store) -> Stored<()> {
        loop {
            let Some(entry) = self.entries.borrow_mut().pop() else { return Ok(()) };
            let Entry { day, storyline, spent } = &entry;
            let id = Spending::id(*day, storyline.as_ref());
            let enter = |record: Option<Spending>| {
                let new = || Spending { day: *day, storyline: storyline.clone(), ..Spending::default() };
                let mut record = record.unwrap_or_else(new);
                record.id.clone_from(&id);
                add(&mut record.lines, spent);
                Some(record)
            };
            if let Err(error) = store.remake(&id, enter).await {
                self.entries.borrow_mut().push(entry);
                return Err(error);
            }
        }
    }

    /// Lets one run of this kind pass whatever the budgets say.
    pub fn let_run(&self, storyline: &StorylineId, kind: Kind) {
        self.let_run.borrow_mut().push((storyline.clone(), kind));
    }

    /// Whether one was let run; it is used up with that.
    pub fn may_run(&self, storyline: &StorylineId, kind: Kind) -> bool {
        let mut all = self.let_run.borrow_mut();
        let at = all.iter().position(|(of, what)| of == storyline && *what == kind);
        at.map(|at| all.swap_remove(at)).is_some()
    }
}
