//! What of the settings is not saved yet: whoever leaves it is asked.

use std::{collections::BTreeMap, future::Future, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};
use leptos::{prelude::*, task::spawn_local};

use crate::ui::{
    library::{LeaveBar, Wanted, Wish, hold},
    route::Route,
};

/// The forms of the settings, in the order in which they are saved: a connection may take a reload.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Limits,
    Connection,
}

#[derive(Clone)]
struct Form {
    changed: Memo<bool>,
    /// False where it was not saved; the form has said why.
    save: Rc<dyn Fn() -> LocalBoxFuture<'static, bool>>,
}

#[derive(Clone, Copy)]
pub struct Unsaved {
    forms: RwSignal<BTreeMap<Part, Form>, LocalStorage>,
    /// The reader wants to lose them.
    discarded: RwSignal<bool>,
    wanted: Wanted,
}

impl Unsaved {
    /// Holds the page while one of its forms has changes.
    pub fn new() -> Self {
        let forms = RwSignal::new_local(BTreeMap::<Part, Form>::new());
        let discarded = RwSignal::new(false);
        let is_changed = |form: &Form| form.changed.try_get().unwrap_or(false);
        let changed = Memo::new(move |_| !discarded.get() && forms.with(|forms| forms.values().any(is_changed)));
        Self { forms, discarded, wanted: hold(changed) }
    }

    pub fn here() -> Self {
        expect_context()
    }

    /// Watches a form as long as the component that calls this is there.
    pub fn watch<F: Future<Output = bool> + 'static>(
        self,
        part: Part,
        changed: Memo<bool>,
        save: impl Fn() -> F + 'static,
    ) {
        let save = Rc::new(move || save().boxed_local());
        self.forms.update(|forms| _ = forms.insert(part, Form { changed, save }));
        on_cleanup(move || _ = self.forms.try_update(|forms| forms.remove(&part)));
    }

    /// Puts something in the place of the connection's form: at once, or once the reader has decided on its changes.
    pub fn replace_connection(self, with: impl Fn() + Send + Sync + 'static) {
        let changed = |form: &Form| form.changed.get_untracked();
        if self.forms.with_untracked(|forms| forms.get(&Part::Connection).is_some_and(changed)) {
            self.wanted.set(Some(Wish::Do(Callback::new(move |()| with()))));
        } else {
            with();
        }
    }

    /// Where a page that is loaded anew is to be: where the reader wants to go, or here.
    pub fn goal(self) -> String {
        match self.wanted.try_get_untracked().flatten() {
            Some(Wish::Go(hash)) => hash,
            _ => Route::Settings.hash(),
        }
    }

    fn save(self) {
        let Some(wish) = self.wanted.get_untracked() else { return };
        let is_left = |part: &Part| matches!(wish, Wish::Go(_)) || *part == Part::Connection;
        let forms: Vec<Form> = self.forms.with_untracked(|forms| {
            let left = forms.iter().filter(|(part, form)| is_left(part) && form.changed.get_untracked());
            left.map(|(_, form)| form.clone()).collect()
        });
        spawn_local(async move {
            for form in forms {
                if !(form.save)().await {
                    self.wanted.try_set(None);
                    return;
                }
            }
            self.grant(wish);
        });
    }

    fn discard(self) {
        if let Some(wish) = self.wanted.get_untracked() {
            self.grant(wish);
        }
    }

    /// Nothing holds the reader any more.
    fn grant(self, wish: Wish) {
        self.wanted.try_set(None);
        if matches!(wish, Wish::Go(_)) {
            self.discarded.try_set(true);
        }
        wish.grant();
    }
}

/// The question, at the head of the page.
#[component]
pub fn LeaveSettings(unsaved: Unsaved) -> impl IntoView {
    let save = Callback::new(move |()| unsaved.save());
    let discard = Callback::new(move |()| unsaved.discard());
    view! { <LeaveBar wanted=unsaved.wanted save discard /> }
}
