//! The small ports in memory: a clock that jumps, counted chance, keys in the open, one tab.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use super::{
    llm::{Answer, ScriptedLlm},
    store::MemoryStore,
};
use crate::{
    ports::{
        Clock, Drawn, Future, Pictures, Ports, Random, Tabs, Vault,
        recent::{Recent, Watched},
    },
    story::{
        Millis,
        fault::{Fault, FaultKind},
        ids::ConnectionId,
        picture,
    },
    worker::{Alone, Keeper},
};

/// Time stands still but for `sleep`, which jumps ahead. Each yields once, so that others run.
pub struct MemoryClock {
    now: Cell<Millis>,
    utc_offset: i32,
}

impl MemoryClock {
    pub fn at(now: Millis) -> Self {
        Self { now: Cell::new(now), utc_offset: 0 }
    }

    /// So many minutes ahead of UTC.
    pub fn ahead_of_utc(self, utc_offset: i32) -> Self {
        Self { utc_offset, ..self }
    }
}

impl Clock for MemoryClock {
    fn now(&self) -> Millis {
        self.now.get()
    }

    fn utc_offset(&self, _: Millis) -> i32 {
        self.utc_offset
    }

    fn sleep(&self, millis: u32) -> Future<'_, ()> {
        let until = self.now.get() + Millis::from(millis);
        Box::pin(async move {
            // The sleeper with the nearest end should wake first. One jump per poll, no further than 16 ms, lets
            // several sleepers share the time.
            while self.now.get() < until {
                self.now.set((self.now.get() + 16).min(until));
                yield_once().await;
            }
        })
    }
}

/// Lets others run.
pub(crate) async fn yield_once() {
    let mut yielded = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

/// 0, 1, 2, … as bytes: ids differ and are the same in every run.
#[derive(Default)]
pub struct Counter(Cell<u64>);

impl Random for Counter {
    fn bytes(&self) -> [u8; 10] {
        self.0.set(self.0.get() + 1);
        let mut bytes = [0; 10];
        bytes[2..].copy_from_slice(&self.0.get().to_be_bytes());
        bytes
    }
}

/// For each connection that has or had a key: the key, or `None` where it is locked or gone.
#[derive(Default)]
pub struct MemoryVault(pub RefCell<HashMap<ConnectionId, Option<String>>>);

impl Vault for MemoryVault {
    fn key<'a>(&'a self, connection: &'a ConnectionId) -> Future<'a, Result<Option<String>, Fault>> {
        Box::pin(async move {
            match self.0.borrow().get(connection) {
                Some(Some(key)) => Ok(Some(key.clone())),
                Some(None) => Err(Fault::new(FaultKind::KeyMissing, "")),
                None => Ok(None),
            }
        })
    }
}

/// Sees no more of a picture than its head.
pub struct Heads;

impl Pictures for Heads {
    fn judge<'a>(&'a self, bytes: &'a [u8]) -> Future<'a, Result<(), picture::Fault>> {
        Box::pin(async move { picture::look(bytes).map(drop) })
    }

    fn draw<'a>(&'a self, bytes: &'a [u8]) -> Future<'a, Result<Drawn, picture::Fault>> {
        Box::pin(async move { picture::look(bytes).map(|head| Drawn { kind: head.kind, small: None }) })
    }
}

/// The only tab, until a test takes the story away.
pub struct OneTab {
    owns: Cell<bool>,
    pub announced: Cell<u32>,
}

impl Default for OneTab {
    fn default() -> Self {
        Self { owns: Cell::new(true), announced: Cell::new(0) }
    }
}

impl OneTab {
    pub fn lose(&self) {
        self.owns.set(false);
    }

    pub fn gain(&self) {
        self.owns.set(true);
    }
}

impl Tabs for OneTab {
    fn owns(&self, _: &str) -> bool {
        self.owns.get()
    }

    fn announce(&self, _: &str) {
        self.announced.set(self.announced.get() + 1);
    }
}

/// All ports in memory, with handles to steer them.
pub struct Sim {
    pub ports: Ports,
    pub store: Rc<MemoryStore>,
    pub llm: Rc<ScriptedLlm>,
    pub tabs: Rc<OneTab>,
    pub vault: Rc<MemoryVault>,
    pub recent: Rc<Recent>,
}

impl Sim {
    pub fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let clock: Rc<dyn Clock> = Rc::new(MemoryClock::at(1_760_610_600_000));
        let store = Rc::new(MemoryStore::new());
        let llm = Rc::new(ScriptedLlm::new(clock.clone(), answers));
        let tabs = Rc::new(OneTab::default());
        let vault = Rc::new(MemoryVault::default());
        let recent = Rc::new(Recent::default());
        let ports = Ports {
            store: Rc::new(Watched { store: store.clone(), recent: recent.clone() }),
            llm: llm.clone(),
            clock: clock.clone(),
            random: Rc::new(Counter::default()),
            vault: vault.clone(),
            tabs: tabs.clone(),
            recall: Rc::new(Keeper::new(store.clone(), Rc::new(Alone), clock)),
            till: Rc::default(),
        };
        Self { ports, store, llm, tabs, vault, recent }
    }
}
