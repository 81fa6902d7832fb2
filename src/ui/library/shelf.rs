//! What finds and orders the entries of a library: words, tags, an order that stays, and favourites first.

use std::cmp::Ordering;

use js_sys::{Function, Reflect};
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast, JsValue};

use super::Entry;
use crate::{
    desk::shelves::{Glance, Sort, View, shown, tags},
    locales::{fill, shelves as words},
    story::storyline::Storyline,
    ui::app::App,
    web::window,
};

/// A library smaller than this is seen whole: it needs no search.
const MANY: usize = 6;

/// What of a library is asked for, and what is shown then.
pub struct Shelf<E: Entry> {
    app: App,
    view: RwSignal<View>,
    glances: Memo<Vec<Glance>>,
    pub shown: Memo<Vec<E>>,
}

impl<E: Entry> Clone for Shelf<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Entry> Copy for Shelf<E> {}

impl<E: Entry> Shelf<E> {
    pub fn new(app: App) -> Self {
        let library = E::library(app);
        let view = RwSignal::new(View::default());
        spawn_local(async move {
            if let Ok(sort) = app.desk().sort_of(E::KIND).await {
                view.try_update(|view| view.sort = sort);
            }
        });
        let glances: Memo<Vec<Glance>> =
            Memo::new(move |_| library.with(|all: &Vec<E>| all.iter().map(|entry| glance(app, entry)).collect()));
        let shown = Memo::new(move |_| {
            let glances: &Vec<Glance> = &glances.read();
            let names = Names::new(app, glances);
            let places = shown(glances, &view.read(), |a, b| names.order(a, b));
            library.with(|all| places.into_iter().filter_map(|place| all.get(place).cloned()).collect())
        });
        Self { app, view, glances, shown }
    }

    /// Entries are there, and what is asked for leaves none of them.
    pub fn is_nothing_found(self) -> bool {
        self.shown.with(Vec::is_empty) && !self.glances.with(Vec::is_empty)
    }

    fn is_asked(self) -> bool {
        self.view.with(|view| !view.words.trim().is_empty() || view.tag.is_some())
    }

    /// Asks for all of it again.
    pub fn show_all(self) {
        self.view.update(|view| *view = View { sort: view.sort, ..View::default() });
    }
}

fn glance<E: Entry>(app: App, entry: &E) -> Glance {
    let last = |list: &Vec<Storyline>| {
        list.iter().filter(|storyline| entry.is_used_by(storyline)).map(|storyline| storyline.last_active).max()
    };
    Glance {
        name: entry.name().to_owned(),
        texts: vec![entry.line().to_owned()],
        tags: entry.tags().to_vec(),
        is_favourite: entry.is_favourite(),
        changed: entry.updated(),
        made: entry.created(),
        played: app.storylines.with(last),
    }
}

/// The names, in the order of the reader's language (pinyin in Chinese).
struct Names {
    names: Vec<JsValue>,
    compare: Option<Function>,
}

impl Names {
    fn new(app: App, glances: &[Glance]) -> Self {
        // `Intl.Collator(language).compare`, by name: what is bound for itself stands in the first page's script.
        let field = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
        let made = |language: &str| {
            let collator: Function = field(&field(&window(), "Intl")?, "Collator")?.dyn_into().ok()?;
            let collator = collator.call1(&JsValue::UNDEFINED, &language.into()).ok()?;
            field(&collator, "compare")?.dyn_into::<Function>().ok()
        };
        let compare = made(app.language.get().tag());
        Self { names: glances.iter().map(|glance| glance.name.as_str().into()).collect(), compare }
    }

    fn order(&self, a: usize, b: usize) -> Ordering {
        let order = self
            .compare
            .as_ref()
            .and_then(|compare| compare.call2(&JsValue::UNDEFINED, &self.names[a], &self.names[b]).ok());
        order.and_then(|order| order.as_f64()).unwrap_or_default().total_cmp(&0.0)
    }
}

/// The controls above the entries, where there are many or something is asked for.
pub fn bar<E: Entry>(shelf: Shelf<E>) -> impl IntoView {
    let Shelf { app, view, glances, shown } = shelf;
    let is_there = Memo::new(move |_| glances.with(Vec::len) >= MANY || shelf.is_asked());
    let known = Memo::new(move |_| glances.with(|all| tags(all)));
    let order = move |event| {
        let name = event_target_value(&event);
        if let Some(sort) = Sort::ALL.into_iter().find(|sort| format!("{sort:?}") == name) {
            view.update(|view| view.sort = sort);
            spawn_local(async move {
                app.is_stored(app.desk().sort_by(E::KIND, sort).await);
            });
        }
    };
    let option = move |sort: Sort| {
        view! {
            <option value=format!("{sort:?}") selected=move || view.with(|view| view.sort == sort)>{app.t(words::sort(sort))}</option>
        }
    };
    let choices = move || {
        known
            .get()
            .into_iter()
            .map(|(tag, count)| {
                let own = tag.clone();
                let is_chosen = move || view.with(|view| view.tag.as_ref() == Some(&own));
                view! { <option value=tag.clone() selected=is_chosen>{format!("{tag} ({count})")}</option> }
            })
            .collect_view()
    };
    let ask_tag = move |event| {
        let tag = event_target_value(&event);
        view.update(|view| view.tag = Some(tag).filter(|tag| !tag.is_empty()));
    };
    let count = move || {
        let (some, all) = (shown.with(Vec::len), glances.with(Vec::len));
        if shelf.is_asked() {
            fill(app.t(words::T::Shown)(), &[&some.to_string(), &all.to_string()])
        } else {
            String::new()
        }
    };
    view! {
        <Show when=move || is_there.get()>
            <div class="field shelves" role="search">
                <input type="search" autocomplete="off" data-testid=format!("{}-find", E::KIND)
                    aria-label=app.t(words::T::Find) placeholder=app.t(words::T::Find)
                    prop:value=move || view.with(|view| view.words.clone())
                    on:input=move |event| view.update(|view| view.words = event_target_value(&event)) />
                <Show when=move || known.with(|known| !known.is_empty())>
                    <select data-testid=format!("{}-tag", E::KIND) aria-label=app.t(words::T::Tags) on:change=ask_tag>
                        <option value="">{app.t(words::T::AllTags)}</option>
                        {choices}
                    </select>
                </Show>
                <select data-testid=format!("{}-sort", E::KIND) aria-label=app.t(words::T::Sort) on:change=order>{Sort::ALL.map(option)}</select>
                <p class="field-note" role="status" data-testid=format!("{}-shown", E::KIND)>{count}</p>
            </div>
        </Show>
    }
}
