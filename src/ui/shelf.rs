//! The shelf: the storylines, and the way to everything else.

use leptos::prelude::*;

use super::{app::App, icons::Icon, route::Route, storyline_item::StorylineItem};
use crate::locales::T;

#[component]
pub fn Shelf() -> impl IntoView {
    let app = App::here();
    view! {
        <nav class="shelf" aria-label=app.t(T::MainNavigation) inert=move || !app.shelf_open.get()>
            <div class="brand">
                <a href=Route::Home.hash()><span class="brand-dot"></span>"Fabula"</a>
                <button class="icon-button shelf-close" aria-label=app.t(T::CollapseShelf) title=app.t(T::CollapseShelf) on:click=move |_| app.shelf_open.set(false)>
                    <Icon name="x" />
                </button>
            </div>
            <div class="shelf-head">
                <h2>{app.t(T::Storylines)}</h2>
                <a class="button quiet" href=Route::NewStory.hash() data-testid="storyline-new"><Icon name="plus" />{app.t(T::NewStoryline)}</a>
                <super::archive::ImportButton />
            </div>
            <ul class="storylines">
                <For each=move || app.storylines.with(|list| list.iter().map(|storyline| storyline.id.clone()).collect::<Vec<_>>()) key=Clone::clone let:id>
                    <StorylineItem id />
                </For>
            </ul>
            <Show when=move || app.storylines.with(Vec::is_empty)>
                <p class="shelf-empty">{app.t(T::NoStorylines)}</p>
            </Show>
            <div class="nav">
                <NavLink to=Route::Home testid="nav-storylines" icon="book" label=T::Storylines />
                <NavLink to=Route::Search(String::new()) testid="nav-search" icon="search" label=T::Search />
                <NavLink to=Route::Characters testid="nav-characters" icon="user" label=T::Characters />
                <NavLink to=Route::Backgrounds testid="nav-backgrounds" icon="mountain" label=T::Backgrounds />
                <NavLink to=Route::Presets testid="nav-presets" icon="layers" label=T::PresetsShort />
                <NavLink to=Route::Settings testid="nav-settings" icon="sliders" label=T::Settings />
            </div>
        </nav>
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
        (Route::Preset(_) | Route::Presets, Route::Presets) => true,
        (Route::Search(_), Route::Search(_)) => true,
        (now, here) => now == *here,
    });
    view! {
        <a href=to.hash() data-testid=testid aria-current=move || is_here.get().then_some("page")>
            <Icon name=icon />
            <span>{app.t(label)}</span>
        </a>
    }
}
