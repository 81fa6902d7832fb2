//! The shelf: the storylines, and the way to everything else.

use leptos::prelude::*;

use super::{app::App, icons::Icon, route::Route};
use crate::{
    locales::{T, fill, time},
    ports::Clock,
    story::storyline::Storyline,
    web::clock::BrowserClock,
};

#[component]
pub fn Shelf() -> impl IntoView {
    let app = App::here();
    view! {
        <nav class="shelf" aria-label=app.t(T::MainNavigation) inert=move || !app.shelf_open.get()>
            <div class="brand">
                <a href=Route::Home.hash()><span class="brand-dot"></span>"Fabula"</a>
                <button class="icon-button shelf-close" aria-label=app.t(T::CollapseShelf) on:click=move |_| app.shelf_open.set(false)>
                    <Icon name="x" />
                </button>
            </div>
            <div class="shelf-head">
                <h2>{app.t(T::Storylines)}</h2>
                <a class="icon-button" href=Route::NewStory.hash() data-testid="storyline-new" aria-label=app.t(T::NewStoryline) title=app.t(T::NewStoryline)>
                    <Icon name="plus" />
                </a>
                <super::archive::ImportButton />
            </div>
            <ul class="storylines">
                <For each=move || app.storylines.get() key=|storyline| (storyline.id.clone(), storyline.last_active, storyline.total_turns, storyline.title.clone(), storyline.status) let:storyline>
                    <Item storyline />
                </For>
            </ul>
            <Show when=move || app.storylines.with(Vec::is_empty)>
                <p class="shelf-empty">{app.t(T::NoStorylines)}</p>
            </Show>
            <div class="nav">
                <NavLink to=Route::Home testid="nav-storylines" icon="book" label=T::Storylines />
                <NavLink to=Route::Characters testid="nav-characters" icon="user" label=T::Characters />
                <NavLink to=Route::Backgrounds testid="nav-backgrounds" icon="mountain" label=T::Backgrounds />
                <NavLink to=Route::Settings testid="nav-settings" icon="sliders" label=T::Settings />
            </div>
        </nav>
    }
}

#[component]
fn Item(storyline: Storyline) -> impl IntoView {
    let app = App::here();
    let id = storyline.id.clone();
    let is_open = Memo::new(move |_| app.story.storyline.with(|open| open.as_ref().is_some_and(|open| open.id == id)));
    let character = storyline.character.clone();
    let line = move || {
        let who = app.character(&character).map(|character| character.name).unwrap_or_default();
        let turn = fill(app.t(T::TurnNumber)(), &[&storyline.total_turns.to_string()]);
        let when = time::ago(storyline.last_active, BrowserClock.now(), app.language.get())
            .unwrap_or_else(|| super::about::date(storyline.last_active, app.language.get()));
        [who, turn, when].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    };
    let title = storyline.title.clone();
    let (export, copy) = (storyline.id.clone(), storyline.id.clone());
    view! {
        <li>
            <a
                class="storyline"
                data-testid="storyline-item"
                href=Route::Story(storyline.id.clone()).hash()
                aria-current=move || is_open.get().then_some("page")
            >
                <b>{title}</b>
                <span>{line}</span>
            </a>
            <button data-testid="storyline-export" on:click=move |_| leptos::task::spawn_local(super::archive::export_storyline(app, export.clone()))>"⤓"</button>
            <button data-testid="storyline-duplicate" on:click=move |_| leptos::task::spawn_local(super::archive::duplicate_storyline(app, copy.clone()))>"⧉"</button>
        </li>
    }
}

#[component]
fn NavLink(to: Route, testid: &'static str, icon: &'static str, label: T) -> impl IntoView {
    let app = App::here();
    let here = to.clone();
    let is_here = Memo::new(move |_| match (app.route.get(), &here) {
        (Route::Story(_) | Route::NewStory | Route::Home, Route::Home) => true,
        (Route::Character(_) | Route::Characters, Route::Characters) => true,
        (Route::Background(_) | Route::Backgrounds, Route::Backgrounds) => true,
        (now, here) => now == *here,
    });
    view! {
        <a href=to.hash() data-testid=testid aria-label=app.t(label) title=app.t(label) aria-current=move || is_here.get().then_some("page")>
            <Icon name=icon />
        </a>
    }
}
