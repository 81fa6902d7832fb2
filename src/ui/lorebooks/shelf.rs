//! The books of the library, read when their place is opened.

use leptos::{prelude::*, task::spawn_local};

use crate::{desk::lorebooks::Shelved, ui::app::App};

/// The books of the library, as soon as the store has given them.
pub type Shelf = RwSignal<Option<Vec<Shelved>>>;

pub fn shelf(app: App) -> Shelf {
    let shelf = RwSignal::new(None);
    spawn_local(read_shelf(app, shelf));
    shelf
}

pub async fn read_shelf(app: App, shelf: Shelf) {
    match app.desk().lorebooks().await {
        Ok(books) => drop(shelf.try_set(Some(books))),
        Err(error) => app.notify_store(error),
    }
}
