//! Whole folders: what is in one, how far it is taken in, and what became of each file.

mod dialog;
mod report;
mod take;

use std::{cell::Cell, rc::Rc};

use leptos::{prelude::*, task::spawn_local};

pub use self::{dialog::FolderDialog, report::tell, take::take_personas};
use crate::{
    desk::intake::Row,
    exchange::folder::{Role, Why},
    locales::{Say, Saying},
    ui::{app::App, archive::words},
    web::folder::{Given, Place},
};

/// How far it is.
#[derive(Clone)]
pub enum Stage {
    Closed,
    Looking,
    /// What is in it, by what it is: how many, and how many bytes.
    Asks(Rc<Found>),
    /// Files that are done, of how many, and the one that is under way.
    Working {
        done: usize,
        of: usize,
        path: String,
    },
    /// What became of them; and why it went no further.
    Done {
        rows: Rc<Vec<Row>>,
        ended: Option<Saying>,
    },
}

pub struct Found {
    /// In the order in which they are taken.
    pub places: Vec<(Role, Place)>,
    pub bytes: u64,
}

impl Found {
    fn of(places: Vec<Place>) -> Self {
        let bytes = places.iter().map(|place| place.bytes).sum();
        let mut places: Vec<_> = places.into_iter().map(|place| (place.role, place)).collect();
        // What leads all of a folder's chats to one story lies side by side.
        places.sort_by(|(role, one), (other, another)| (role, &one.path).cmp(&(other, &another.path)));
        Self { places, bytes }
    }

    /// How many there are of which this is true.
    pub fn count(&self, is: impl Fn(Role) -> bool) -> usize {
        self.places.iter().filter(|(role, _)| is(*role)).count()
    }

    pub fn comes(&self) -> usize {
        self.count(|role| !matches!(role, Role::Left(_)))
    }

    pub fn left(&self, is: impl Fn(Why) -> bool) -> usize {
        self.count(|role| matches!(role, Role::Left(why) if is(why)))
    }
}

/// One folder, from its choice to its report.
#[derive(Clone, Copy)]
pub struct Folder {
    app: App,
    pub stage: RwSignal<Stage, LocalStorage>,
    stop: StoredValue<Rc<Cell<bool>>, LocalStorage>,
}

impl Folder {
    pub fn new(app: App) -> Self {
        Self { app, stage: RwSignal::new_local(Stage::Closed), stop: StoredValue::new_local(Rc::default()) }
    }

    pub fn is_open(self) -> bool {
        self.stage.with(|stage| !matches!(stage, Stage::Closed))
    }

    /// Looks what is in it, and asks.
    pub fn open(self, given: Given) {
        if !self.stage.with_untracked(|stage| matches!(stage, Stage::Closed)) {
            return;
        }
        self.stage.set(Stage::Looking);
        spawn_local(async move {
            let stage = match given.list().await {
                Ok(places) => Stage::Asks(Rc::new(Found::of(places))),
                Err(why) => {
                    let said = move |language| words(&why, language);
                    Stage::Done { rows: Rc::default(), ended: Some(said.kept()) }
                }
            };
            self.stage.try_set(stage);
        });
    }

    /// The reader wants it.
    pub fn begin(self, found: Rc<Found>) {
        let stop = Rc::new(Cell::new(false));
        self.stop.set_value(stop.clone());
        spawn_local(async move {
            let show = |done, path: &str| {
                self.stage.try_set(Stage::Working { done, of: found.places.len(), path: path.to_owned() });
            };
            let (rows, ended) = take::take(self.app, &found, &stop, &show).await;
            self.app.refresh().await;
            self.stage.try_set(Stage::Done { rows: Rc::new(rows), ended });
        });
    }

    pub fn stop(self) {
        self.stop.with_value(|stop| stop.set(true));
    }

    pub fn is_stopped(self) -> bool {
        self.stop.with_value(|stop| stop.get())
    }

    pub fn close(self) {
        self.stage.set(Stage::Closed);
    }
}
