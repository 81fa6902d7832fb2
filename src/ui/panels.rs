//! The two sides of the page: beside it where there is room; where there is none, sheets over it, one at a time, and
//! none that was not asked for.
//!
//! An open sheet is a step in the tab's history, so that the way back puts it away before it leaves the place. A place
//! that is gone to from a sheet takes the stead of that step.

use leptos::{ev, prelude::*};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, History, MouseEvent};

use super::route::Route;
use crate::web::window;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Shelf,
    Notebook,
}

impl Side {
    /// Its name as the state of a step, and the id of its element.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shelf => "shelf",
            Self::Notebook => "notebook",
        }
    }

    /// The sheet that the present step is of.
    fn of_step() -> Option<Self> {
        let name = history()?.state().ok()?.as_string()?;
        [Self::Shelf, Self::Notebook].into_iter().find(|side| side.name() == name)
    }
}

#[derive(Clone, Copy)]
pub struct Panels {
    /// There is room for sheets only.
    narrow: RwSignal<bool>,
    /// Which stand beside the page, where there is room.
    shelf: RwSignal<bool>,
    notebook: RwSignal<bool>,
    sheet: RwSignal<Option<Side>>,
    /// The browser has been told to go back from the step of a sheet, and has not yet.
    returning: StoredValue<bool>,
    /// The place to go to after that.
    then: StoredValue<Option<String>>,
}

impl Panels {
    pub fn new() -> Self {
        let narrow = has_no_room();
        Self {
            narrow: RwSignal::new(narrow),
            shelf: RwSignal::new(true),
            notebook: RwSignal::new(true),
            sheet: RwSignal::new(Side::of_step().filter(|_| narrow)),
            returning: StoredValue::new(false),
            then: StoredValue::new(None),
        }
    }

    pub fn is_open(self, side: Side) -> bool {
        if self.narrow.get() { self.sheet.get() == Some(side) } else { self.beside(side).get() }
    }

    /// The sheet that lies over the page.
    pub fn sheet(self) -> Option<Side> {
        self.sheet.get()
    }

    /// A sheet lies over the page.
    pub fn has_sheet(self) -> bool {
        self.sheet.with(Option::is_some)
    }

    pub fn is_narrow(self) -> bool {
        self.narrow.get_untracked()
    }

    pub fn show(self, side: Side) {
        if self.is_narrow() { self.lay(Some(side)) } else { self.beside(side).set(true) }
    }

    pub fn close(self, side: Side) {
        if self.is_narrow() { self.lay(None) } else { self.beside(side).set(false) }
    }

    pub fn toggle(self, side: Side) {
        if untrack(|| self.is_open(side)) { self.close(side) } else { self.show(side) }
    }

    pub fn put_sheets_away(self) {
        self.lay(None);
    }

    fn beside(self, side: Side) -> RwSignal<bool> {
        match side {
            Side::Shelf => self.shelf,
            Side::Notebook => self.notebook,
        }
    }

    fn lay(self, sheet: Option<Side>) {
        if self.sheet.get_untracked() != sheet {
            self.sheet.set(sheet);
        }
        self.settle();
    }

    /// Makes the history agree with what lies over the page.
    fn settle(self) {
        let Some(history) = history().filter(|_| !self.returning.get_value()) else { return };
        let _ = match (self.sheet.get_untracked(), Side::of_step()) {
            (Some(side), None) => history.push_state_with_url(&side.name().into(), "", None),
            (Some(side), Some(_)) => history.replace_state_with_url(&side.name().into(), "", None),
            (None, Some(_)) => {
                self.returning.set_value(true);
                history.back()
            }
            (None, None) => Ok(()),
        };
    }

    /// Goes to the place of an address.
    pub fn leave_for(self, hash: &str) {
        let location = window().location();
        if self.returning.get_value() {
            self.then.set_value(Some(hash.to_owned()));
        } else if Side::of_step().is_none() {
            let _ = location.set_hash(hash);
        } else if location.hash().is_ok_and(|here| here == hash) {
            self.stay(hash);
        } else {
            self.take_the_stead(hash);
            self.stay(hash);
        }
    }

    /// At once, where the browser's own way takes a while.
    fn take_the_stead(self, hash: &str) {
        let put = history().and_then(|history| history.replace_state_with_url(&JsValue::NULL, "", Some(hash)).ok());
        if let (Some(()), Ok(changed)) = (put, Event::new("hashchange")) {
            let _ = window().dispatch_event(&changed);
        }
    }

    /// The storylines are on the shelf: the way to them leaves it open, unless the place before is not left.
    fn stay(self, hash: &str) {
        let is_home = hash == Route::Home.hash() && window().location().hash().is_ok_and(|here| here == hash);
        self.lay(self.sheet.get_untracked().filter(|side| *side == Side::Shelf && is_home));
    }

    /// Follows the window, the history and the links on a sheet, for as long as the page lives.
    pub fn follow(self) {
        window_event_listener(ev::resize, move |_| {
            let narrow = has_no_room();
            if narrow != self.is_narrow() {
                self.narrow.set(narrow);
                self.lay(None);
            }
        });
        window_event_listener(ev::popstate, move |_| {
            if self.returning.get_value() {
                self.returning.set_value(false);
                match self.then.try_update_value(Option::take).flatten() {
                    Some(hash) => self.leave_for(&hash),
                    None => self.settle(),
                }
            } else {
                self.sheet.set(Side::of_step().filter(|_| self.is_narrow()));
            }
        });
        window_event_listener(ev::click, move |event: MouseEvent| {
            let modified = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
            if event.default_prevented() || modified || event.button() != 0 {
                return;
            }
            let from = event.target().and_then(|from| from.dyn_into::<Element>().ok());
            let link = from.and_then(|from| from.closest("a[href^=\"#/\"]").ok().flatten());
            let hash = link.and_then(|link| link.get_attribute("href"));
            if let Some(hash) = hash.filter(|_| self.returning.get_value() || Side::of_step().is_some()) {
                event.prevent_default();
                self.leave_for(&hash);
            }
        });
    }
}

fn history() -> Option<History> {
    window().history().ok()
}

/// As the stylesheets say: `@media (max-width: 1100px)`.
fn has_no_room() -> bool {
    window().inner_width().ok().and_then(|width| width.as_f64()).is_some_and(|width| width <= 1100.0)
}
