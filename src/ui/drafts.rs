//! What is typed in a form that may go at any time, with its panel, its row or its turn, and come again: then it is there
//! again, too.

use std::{cell::RefCell, collections::HashMap};

use leptos::{ev::KeyboardEvent, prelude::*};

use super::{
    focus::{is_escape, stay_near},
    library::ask_to_close,
};

thread_local! {
    /// By the place of the form: what was typed and neither saved nor given up.
    static KEPT: RefCell<HashMap<String, Vec<String>>> = RefCell::default();
}

/// Whether something waits for the form of this place.
pub fn waits(place: &str) -> bool {
    KEPT.with_borrow(|kept| kept.contains_key(place))
}

/// What waits for the form of this place was saved, if it is still that; the form may be gone by now.
pub fn forget(place: &str, saved: &[&str]) {
    KEPT.with_borrow_mut(|kept| {
        if kept.get(place).is_some_and(|texts| texts.iter().map(String::as_str).eq(saved.iter().copied())) {
            kept.remove(place);
        }
    });
}

/// The texts of a form.
#[derive(Clone, Copy)]
pub struct Draft<const N: usize> {
    pub texts: [RwSignal<String>; N],
    place: StoredValue<String>,
    is_over: StoredValue<bool>,
}

impl<const N: usize> Draft<N> {
    /// What waits for the form of this place, or else what `was`. Beside what it is of, a place names the story or the
    /// record.
    pub fn of(place: String, was: [String; N]) -> Self {
        let kept =
            KEPT.with_borrow(|kept| kept.get(&place).cloned()).and_then(|kept| <[String; N]>::try_from(kept).ok());
        let texts = kept.unwrap_or_else(|| was.clone()).map(RwSignal::new);
        let draft = Self { texts, place: StoredValue::new(place), is_over: StoredValue::new(false) };
        // As it is typed: of two rows, the new one may stand before the old one goes.
        Effect::new(move |_| {
            let now = texts.map(|text| text.get());
            let place = draft.place.get_value();
            match now == was || draft.is_over.get_value() {
                true => KEPT.with_borrow_mut(|kept| drop(kept.remove(&place))),
                false => KEPT.with_borrow_mut(|kept| drop(kept.insert(place, now.to_vec()))),
            }
        });
        // Where the whole page goes, nothing comes again.
        let closing = ask_to_close(move || draft.place.with_value(|place| waits(place)));
        on_cleanup(move || closing.remove());
        draft
    }

    /// Escape closes a form in which nothing waits: by a slip of the hand nothing is lost that was typed.
    pub fn escape(self, event: &KeyboardEvent, close: impl FnOnce()) {
        if is_escape(event) && !self.place.with_value(|place| waits(place)) {
            event.stop_propagation();
            close();
        }
    }

    /// It is saved, or given up.
    pub fn end(self) {
        stay_near();
        self.is_over.try_set_value(true);
        self.place.try_with_value(|place| KEPT.with_borrow_mut(|kept| drop(kept.remove(place))));
    }
}
