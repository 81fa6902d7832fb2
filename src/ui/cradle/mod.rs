//! The cradle: characters that grow out of what they are fed.

mod ahead;
mod feeds;
mod page;
mod steps;
mod work;

use leptos::{prelude::*, task::spawn_local};

pub use self::{page::CradlePage, work::rock};
use super::{app::App, fields::TextField, route::Route};
use crate::{
    features::cradle::{Cradle, Next},
    locales::{T as Common, cradle::T, fill},
    ports::Clock,
    story::{Millis, character::Character, ids::CharacterId, storyline::Language},
    web::clock::BrowserClock,
};

/// How long something is, in the largest unit of which there is one.
fn span(millis: Millis, language: Language) -> String {
    let minutes = millis.div_ceil(60_000).max(1);
    let (text, count) = match minutes {
        0..=90 => (T::Minutes, minutes),
        91..=2_880 => (T::Hours, minutes.div_ceil(60)),
        _ => (T::Days, minutes.div_ceil(24 * 60)),
    };
    fill(text.text(language), &[&count.to_string()])
}

/// How one stands, in words; `here`: it grows on this machine.
fn standing(cradle: &Cradle, here: bool, language: Language) -> String {
    if cradle.is_ripe() {
        return T::Ripe.text(language).to_owned();
    }
    if cradle.begun.is_none() {
        return T::NotBegun.text(language).to_owned();
    }
    let (left, read) = (cradle.left().len(), cradle.steps.len());
    let mut said = vec![fill(T::Growing.text(language), &[&read.to_string(), &(read + left).to_string()])];
    if cradle.paused.is_some() || !here {
        said.push(T::Resting.text(language).to_owned());
    }
    let now = BrowserClock.now();
    match cradle.next().filter(|_| here) {
        Some((at, _)) if at <= now => said.push(T::Due.text(language).to_owned()),
        Some((at, next)) => {
            said.push(fill(T::NextIn.text(language), &[&span(at - now, language)]));
            if next == Next::Ripen {
                said.push(T::Hungry.text(language).to_owned());
            }
        }
        None => {}
    }
    said.join(language.pick("", " "))
}

fn name_of(character: &Character, language: Language) -> String {
    match character.name.is_empty() {
        true => T::Nameless.text(language).to_owned(),
        false => character.name.clone(),
    }
}

/// All of them.
#[component]
pub fn Cradles() -> impl IntoView {
    let app = App::here();
    let name = RwSignal::new(String::new());
    let busy = RwSignal::new(false);
    let new = move |_| {
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        let name = name.get_untracked();
        spawn_local(async move {
            let laid = app.desk().lay_in_cradle(&name, app.language.get_untracked()).await;
            busy.try_set(false);
            match laid {
                Ok(id) => {
                    app.refresh().await;
                    app.go(Route::Cradle(Some(id)));
                }
                Err(error) => app.notify_store(error),
            }
        });
    };
    let rows = move || {
        let language = app.language.get();
        let all: Vec<(CharacterId, String, String)> = app.characters.with(|all| {
            let grown = |one: &Character| {
                Some((
                    one.id.clone(),
                    name_of(one, language),
                    standing(&Cradle::of(one)?, work::is_begun_here(app, &one.id), language),
                ))
            };
            all.iter().filter_map(grown).collect()
        });
        let row = |(id, name, standing): (CharacterId, String, String)| {
            view! {
                <li data-testid="cradle-item">
                    <a href=Route::Cradle(Some(id)).hash()><b>{name}</b><span>{standing}</span></a>
                </li>
            }
        };
        match all.is_empty() {
            true => view! { <p class="empty">{app.t(T::Empty)}</p> }.into_any(),
            false => view! { <ul class="cradle-list">{all.into_iter().map(row).collect_view()}</ul> }.into_any(),
        }
    };
    view! {
        <section class="sheet-page">
            <h1>{app.t(Common::Cradle)}</h1>
            <p class="field-note cradle-hint">{app.t(T::Hint)}</p>
            <div class="form cradle-new">
                <TextField label=app.t(T::NewName) value=name testid="cradle-name" />
                <div class="row"><button type="button" class="button primary" data-testid="cradle-new" on:click=new>{app.t(T::New)}</button></div>
            </div>
            {rows}
        </section>
    }
}
