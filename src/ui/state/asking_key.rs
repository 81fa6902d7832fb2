//! The question for a key.

use futures_channel::oneshot;
use leptos::prelude::*;

use crate::{ports::Keeping, story::connection::Connection};

/// The question that stands, if one does.
#[derive(Clone, Copy)]
pub struct AskingKey {
    pub asked: RwSignal<Option<Asked>>,
    pub answer: StoredValue<Option<oneshot::Sender<bool>>, LocalStorage>,
    /// On how many places of the page it can be seen.
    pub places: StoredValue<u32>,
}

#[derive(Clone, PartialEq)]
pub struct Asked {
    pub connection: Connection,
    /// How its key is kept; `None` where it was never given.
    pub keeping: Option<Keeping>,
    /// The key is here, and waits for the passphrase.
    pub locked: bool,
}

impl AskingKey {
    pub fn new() -> Self {
        Self { asked: RwSignal::default(), answer: StoredValue::new_local(None), places: StoredValue::new(0) }
    }
}
