//! The books of the library, read when their place is opened.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    desk::{
        lorebooks::{Hook, Shelved},
        shelves::Glance,
    },
    ui::{
        app::App,
        library::{self, last_played},
    },
};

/// The books of the library, as soon as the store has given them.
pub type Shelf = RwSignal<Option<Vec<Shelved>>>;

impl library::Shelved for Shelved {
    const KIND: &'static str = "lorebook";
    // It is looked for in what cannot be seen in a list: the keys of its entries.
    const MANY: usize = 1;

    fn glance(&self, app: App) -> Glance {
        self.glance(last_played(app, |storyline| storyline.books().contains(&self.id)))
    }
}

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
