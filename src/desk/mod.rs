//! The floor under the page: what panels, lists and forms show, read and put together; and every change of a record that
//! a person causes beside a turn. `ui` renders and forwards, and names no store.
//!
//! One protocol changes a storyline ([`Desk::change_storyline`]: as its only writer, not amid a turn), one what several
//! tabs share ([`Desk::prefer`], [`Desk::change_entry`] and their like: one transaction with its reading). What is new, and
//! a preset, is written whole.

pub mod aloud;
mod change;
pub mod circle;
pub mod commands;
pub mod costs;
mod cradle;
mod demo;
mod devices;
pub mod expression;
pub mod gallery;
pub mod intake;
pub mod lately;
mod library;
pub mod lorebooks;
pub mod memories;
mod mind;
pub mod sampling;
mod settings;
pub mod sheet;
pub mod shelves;
pub mod shortcuts;
mod start;
mod story;
#[cfg(test)]
mod tests;
pub mod tools;
pub mod tree;

pub use self::{
    change::{Changed, Writer},
    library::{Lists, StoredPicture},
    settings::Followed,
    start::Start,
    story::Sight,
};
use crate::ports::Ports;
pub use crate::store::{Part, Record, StoreError, Stored};

/// Made anew wherever it is needed: it holds nothing but the ports.
#[derive(Clone)]
pub struct Desk {
    ports: Ports,
}

impl Desk {
    pub fn new(ports: Ports) -> Self {
        Self { ports }
    }
}
