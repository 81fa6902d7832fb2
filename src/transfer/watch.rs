//! Progress, cancelling, and letting the page breathe.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use super::Failure;
use crate::{ports::Clock, story::Millis};

/// Work at a stretch. The page answers in between.
const STRETCH: Millis = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Exporting,
    Reading,
    Writing,
    /// From here on there is no cancelling.
    Finishing,
    /// What was written is taken back.
    Undoing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub stage: Stage,
    pub records: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

pub struct Watch<'a> {
    clock: &'a dyn Clock,
    cancel: Cancel,
    tell: &'a dyn Fn(Progress),
    now: Cell<Progress>,
    breathed: Cell<Millis>,
}

impl<'a> Watch<'a> {
    pub fn new(clock: &'a dyn Clock, cancel: Cancel, tell: &'a dyn Fn(Progress)) -> Self {
        let now = Progress { stage: Stage::Reading, records: 0 };
        Self { clock, cancel, tell, now: Cell::new(now), breathed: Cell::new(clock.now()) }
    }

    pub fn enter(&self, stage: Stage) {
        self.now.set(Progress { stage, records: 0 });
        (self.tell)(self.now.get());
    }

    /// So many more records are done.
    pub fn count(&self, records: usize) {
        let Progress { stage, records: before } = self.now.get();
        self.now.set(Progress { stage, records: before + records as u64 });
        (self.tell)(self.now.get());
    }

    /// Lets the page do its own work if this has gone on for long.
    ///
    /// # Errors
    /// `Cancelled`.
    pub async fn breathe(&self) -> Result<(), Failure> {
        if self.clock.now().saturating_sub(self.breathed.get()) > STRETCH {
            self.clock.sleep(0).await;
            self.breathed.set(self.clock.now());
        }
        if self.cancel.is_cancelled() { Err(Failure::Cancelled) } else { Ok(()) }
    }
}
