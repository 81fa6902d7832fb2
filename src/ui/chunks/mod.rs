//! What of the page comes after it, when it is needed: the story (to read and to write in), what
//! stands beside it and what plays, and the desk (all else). Each is a
//! chunk of the program with a few entrances; what they alone reach comes with them. What is named outside of them is
//! part of the first load. `main.rs` says where the program is cut.

mod aside;
mod desk;
mod entrances;
mod story;

use std::{future::Future, pin::Pin};

use leptos::{prelude::*, task::spawn_local};

/// A chunk did not come.
pub use leptos::wasm_split::SplitLoaderError as NotHere;

pub use self::entrances::{Aside, Desk, StoryPage};
use super::{app::App, state::NoticeKind};
use crate::{
    locales::T,
    ports::Clock,
    web::{clock::BrowserClock, sheet, window},
};

/// Something that a chunk does.
pub type Doing<T = ()> = Pin<Box<dyn Future<Output = T>>>;

/// How a chunk is fetched.
type Fetch<E> = fn() -> Doing<Result<E, NotHere>>;

/// What is not there from the start, and how it comes.
#[derive(Clone, Copy)]
pub struct Rest {
    pub story: Fetch<StoryPage>,
    pub aside: Fetch<Aside>,
    pub desk: Fetch<Desk>,
}

/// The page has them from its start; what is in them may come later.
#[derive(Clone, Copy)]
pub struct Chunks {
    pub story: Chunk<StoryPage>,
    pub aside: Chunk<Aside>,
    pub desk: Chunk<Desk>,
}

impl Chunks {
    pub fn new(rest: Rest) -> Self {
        Self { story: Chunk::new(rest.story), aside: Chunk::new(rest.aside), desk: Chunk::new(rest.desk) }
    }
}

/// Milliseconds until a chunk that did not come is asked for once more.
const AGAIN: u32 = 400;

#[derive(Clone, Copy)]
enum State<E> {
    Away,
    Coming,
    Here(E),
    /// It was asked for and did not come: no network, or a newer page stands where it was.
    Missed,
}

/// A chunk by its entrances.
pub struct Chunk<E: 'static> {
    state: RwSignal<State<E>>,
    fetch: Fetch<E>,
}

impl<E> Clone for Chunk<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Chunk<E> {}

impl<E: Copy + Send + Sync> Chunk<E> {
    fn new(fetch: Fetch<E>) -> Self {
        Self { state: RwSignal::new(State::Away), fetch }
    }

    /// Its entrances, if it is here.
    pub fn here(self) -> Option<E> {
        match self.state.get_untracked() {
            State::Here(entrances) => Some(entrances),
            _ => None,
        }
    }

    /// Whether nobody has asked for it yet.
    pub fn is_away(self) -> bool {
        matches!(self.state.get_untracked(), State::Away)
    }

    /// Its entrances, once it is here; `None` where it does not come.
    pub async fn get(self) -> Option<E> {
        if let Some(entrances) = self.here() {
            return Some(entrances);
        }
        self.awaited();
        let mut come = self.come().await;
        if come.is_none() {
            // What fails for a moment is nobody's trouble.
            BrowserClock.sleep(AGAIN).await;
            come = self.come().await;
        }
        // Of two who ask, the other may have had its answer: what is shown is not made anew.
        if let Some(entrances) = self.here() {
            return Some(entrances);
        }
        self.state.set(come.map_or(State::Missed, State::Here));
        come
    }

    /// It, and its look.
    async fn come(self) -> Option<E> {
        let look = sheet::asked();
        let come = (self.fetch)().await.ok();
        if look.await { come } else { None }
    }

    /// It is asked for: from here on nothing says that it did not come.
    fn awaited(self) {
        if matches!(self.state.get_untracked(), State::Away | State::Missed) {
            self.state.set(State::Coming);
        }
    }

    /// [`Chunk::get`]; a notice says where it does not come.
    pub async fn asked(self, app: App) -> Option<E> {
        let come = self.get().await;
        if come.is_none() {
            app.notify(NoticeKind::Error, T::PartMissing);
        }
        come
    }

    /// Does something with it.
    pub fn run(self, app: App, act: impl AsyncFnOnce(E) + 'static) {
        spawn_local(async move {
            if let Some(entrances) = self.asked(app).await {
                act(entrances).await;
            }
        });
    }

    /// What it shows once it is here, and nothing before.
    pub fn added(self, view: impl Fn(E) -> AnyView + Send + Sync + 'static) -> impl IntoView {
        move || match self.state.get() {
            State::Here(entrances) => Some(view(entrances)),
            _ => None,
        }
    }

    /// What it shows, in its place: at once where it is here, else when it has come.
    pub fn show(self, app: App, view: impl Fn(E) -> AnyView + Send + Sync + 'static) -> AnyView {
        if let Some(entrances) = self.here() {
            return view(entrances);
        }
        let ask = move || {
            // At once, before anything is drawn: that it did not come an earlier time is not news.
            self.awaited();
            spawn_local(async move {
                self.get().await;
            });
        };
        ask();
        let again = Callback::new(move |()| ask());
        let shown = move || match self.state.get() {
            State::Here(entrances) => view(entrances),
            State::Away | State::Coming => {
                view! { <p class="part-coming" role="status">{app.t(T::Loading)}</p> }.into_any()
            }
            State::Missed => missed(app, again),
        };
        shown.into_any()
    }
}

fn missed(app: App, again: Callback<()>) -> AnyView {
    view! {
        <div class="part-missing" role="alert" data-testid="part-missing">
            <p>{app.t(T::PartMissing)}</p>
            <div class="row">
                <button type="button" class="button primary" data-testid="part-again" on:click=move |_| again.run(())>{app.t(T::Retry)}</button>
                <button type="button" class="button quiet" data-testid="part-reload" on:click=|_| drop(window().location().reload())>{app.t(T::Reload)}</button>
            </div>
        </div>
    }
    .into_any()
}
