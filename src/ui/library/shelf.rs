//! What finds and orders the entries of a library: words, tags, an order that stays, and favourites first.

use std::cmp::Ordering;

use js_sys::{Function, Reflect};
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast, JsValue};

use super::{Entry, of};
use crate::{
    desk::shelves::{Glance, Sort, View, shown, tags},
    locales::{fill, shelves as words},
    story::{Millis, storyline::Storyline},
    ui::{
        app::App,
        icons::{Icon, Shape},
    },
    web::{call, window},
};

/// What stands in a library.
pub trait Shelved: Clone + PartialEq + Send + Sync + 'static {
    /// What the test ids of its library begin with.
    const KIND: &'static str;
    /// A library smaller than this is seen whole: it needs no search.
    const MANY: usize = 6;
    fn glance(&self, app: App) -> Glance;
}

impl<E: Entry> Shelved for E {
    const KIND: &'static str = <E as Entry>::KIND;

    fn glance(&self, app: App) -> Glance {
        Glance {
            name: self.name().to_owned(),
            texts: vec![self.line().to_owned()],
            tags: self.tags().to_vec(),
            is_favourite: self.is_favourite(),
            changed: self.updated(),
            made: self.created(),
            played: last_played(app, |storyline| self.is_used_by(storyline)),
        }
    }
}

/// When one of these stories was last played.
pub fn last_played(app: App, is_one: impl Fn(&Storyline) -> bool) -> Option<Millis> {
    app.storylines.with(|list| list.iter().filter(|story| is_one(story)).map(|story| story.last_active).max())
}

/// What of a library is asked for, and what is shown then.
pub struct Shelf<E: Shelved> {
    app: App,
    view: RwSignal<View>,
    glances: Memo<Vec<Glance>>,
    pub shown: Memo<Vec<E>>,
}

impl<E: Shelved> Clone for Shelf<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Shelved> Copy for Shelf<E> {}

impl<E: Shelved> Shelf<E> {
    pub fn new(app: App, library: Signal<Vec<E>>) -> Self {
        let view = RwSignal::new(View::default());
        spawn_local(async move {
            if let Ok(sort) = app.desk().sort_of(E::KIND).await {
                view.try_update(|view| view.sort = sort);
            }
        });
        let glances: Memo<Vec<Glance>> =
            Memo::new(move |_| library.with(|all: &Vec<E>| all.iter().map(|entry| entry.glance(app)).collect()));
        let is_by_name = Memo::new(move |_| view.with(|view| view.sort == Sort::Name));
        let names = Memo::new(move |_| is_by_name.get().then(|| Names::new(app, &glances.read())));
        let shown = Memo::new(move |_| {
            let glances: &Vec<Glance> = &glances.read();
            let names = names.read();
            let by_name = |a, b| names.as_ref().map_or(Ordering::Equal, |names: &Names| names.order(a, b));
            let places = shown(glances, &view.read(), by_name);
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

/// The places of the names in the order of the reader's language (pinyin in Chinese).
#[derive(PartialEq)]
struct Names(Vec<usize>);

impl Names {
    fn new(app: App, glances: &[Glance]) -> Self {
        // `Intl.Collator(language).compare`, by name: what is bound for itself stands in the first page's script.
        let made = |language: &str| {
            let intl = Reflect::get(&window(), &"Intl".into())?;
            Reflect::get(&call(&intl, "Collator", [&language.into()])?, &"compare".into())?.dyn_into::<Function>()
        };
        let compare = made(app.language.get().tag());
        let names: Vec<JsValue> = glances.iter().map(|glance| glance.name.as_str().into()).collect();
        let order = |a: &usize, b: &usize| {
            let compare = compare.as_ref().ok()?;
            compare.call2(&JsValue::UNDEFINED, &names[*a], &names[*b]).ok()?.as_f64()
        };
        let mut places: Vec<usize> = (0..names.len()).collect();
        places.sort_by(|a, b| order(a, b).unwrap_or_default().total_cmp(&0.0));
        let mut ranks = vec![0; places.len()];
        places.into_iter().enumerate().for_each(|(rank, place)| ranks[place] = rank);
        Self(ranks)
    }

    fn order(&self, a: usize, b: usize) -> Ordering {
        self.0[a].cmp(&self.0[b])
    }
}

/// The star of an entry.
pub fn star(app: App, kind: &str, name: &str, is_favourite: bool, favour: impl Fn() + Send + 'static) -> impl IntoView {
    view! {
        <button type="button" class="icon-button" data-testid=format!("{kind}-favourite") aria-pressed=is_favourite.to_string()
            aria-label=of(app, words::T::Favourite, name) title=app.t(words::T::Favourite) on:click=move |_| favour()>
            <Icon shape=Shape::STAR />
        </button>
    }
}

/// Said in the place of the entries where none is as it is asked for.
pub fn nothing_found<E: Shelved>(shelf: Shelf<E>) -> impl IntoView {
    let app = shelf.app;
    view! {
        <Show when=move || shelf.is_nothing_found()>
            <p class="empty">
                {app.t(words::T::NoneShown)}" "
                <button type="button" class="link" on:click=move |_| shelf.show_all()>{app.t(words::T::ShowAll)}</button>
            </p>
        </Show>
    }
}

/// The controls above the entries, where there are many or something is asked for.
pub fn bar<E: Shelved>(shelf: Shelf<E>) -> impl IntoView {
    let Shelf { app, view, glances, shown } = shelf;
    let is_there = Memo::new(move |_| glances.with(Vec::len) >= E::MANY || shelf.is_asked());
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
