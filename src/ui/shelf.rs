//! The shelf: the storylines, and the way to everything else.

use leptos::{html, prelude::*, task::spawn_local};

use super::{
    app::App,
    icons::{Icon, Shape},
    panels::Side,
    route::Route,
    storyline_item::StorylineItem,
};
use crate::{locales::T, web::clock::BrowserClock};

#[component]
pub fn Shelf() -> impl IntoView {
    let app = App::here();
    let list = NodeRef::<html::Ul>::new();
    let open = Memo::new(move |_| app.story.storyline.with(|story| story.as_ref().map(|story| story.id.clone())));
    // The open story is in sight: when the page opens, when another is opened, when the shelf is.
    Effect::new(move |_| {
        if open.get().is_some() && app.panels.is_open(Side::Shelf) {
            spawn_local(async move {
                // Once the list stands.
                BrowserClock.frame().await;
                let list = list.try_get_untracked().flatten();
                let item = list.as_ref().and_then(|list| list.query_selector("[aria-current]").ok().flatten());
                if let (Some(list), Some(item)) = (list, item) {
                    let (view, item) = (list.get_bounding_client_rect(), item.get_bounding_client_rect());
                    if item.top() < view.top() || item.bottom() > view.bottom() {
                        let middle = (view.height() - item.height()) / 2.0;
                        list.set_scroll_top(list.scroll_top() + (item.top() - view.top() - middle) as i32);
                    }
                }
            });
        }
    });
    view! {
        <nav class="shelf" id="shelf" tabindex="-1" aria-label=app.t(T::MainNavigation) inert=move || !app.panels.is_open(Side::Shelf)>
            <div class="brand">
                <a href=Route::Home.hash()><span class="brand-dot"></span>"Fabula"</a>
                <button class="icon-button shelf-close" aria-label=app.t(T::CollapseShelf) title=app.t(T::CollapseShelf) on:click=move |_| app.panels.close(Side::Shelf)>
                    <Icon shape=Shape::X />
                </button>
            </div>
            <div class="shelf-head">
                <h2>{app.t(T::Storylines)}</h2>
                <a class="button quiet" href=Route::NewStory.hash() data-testid="storyline-new"><Icon shape=Shape::PLUS />{app.t(T::NewStoryline)}</a>
                <super::archive::ImportButton />
            </div>
            <ul class="storylines" node_ref=list>
                <For each=move || app.storylines.with(|list| list.iter().map(|storyline| storyline.id.clone()).collect::<Vec<_>>()) key=Clone::clone let:id>
                    <StorylineItem id />
                </For>
                {app.chunks.desk.added(|desk| (desk.arriving)())}
            </ul>
            <Show when=move || app.storylines.with(Vec::is_empty)>
                <p class="shelf-empty">{app.t(T::NoStorylines)}</p>
            </Show>
            <div class="nav">
                <NavLink to=Route::Home testid="nav-storylines" icon=Shape::BOOK label=T::Storylines />
                <NavLink to=Route::Search(String::new()) testid="nav-search" icon=Shape::SEARCH label=T::Search />
                <NavLink to=Route::Characters testid="nav-characters" icon=Shape::USER label=T::Characters />
                <NavLink to=Route::Backgrounds testid="nav-backgrounds" icon=Shape::MOUNTAIN label=T::Backgrounds />
                <NavLink to=Route::Lorebooks testid="nav-lorebooks" icon=Shape::LIBRARY label=T::Lorebooks />
                <NavLink to=Route::Presets testid="nav-presets" icon=Shape::LAYERS label=T::PresetsShort />
                <NavLink to=Route::Personas testid="nav-personas" icon=Shape::MASK label=T::PersonasShort />
                <NavLink to=Route::Cradle(None) testid="nav-cradle" icon=Shape::SPROUT label=T::Cradle />
                <NavLink to=Route::Circle testid="nav-circle" icon=Shape::USERS label=T::Circle />
                <NavLink to=Route::Tools testid="nav-tools" icon=Shape::WAND label=T::Tools />
                <NavLink to=Route::Settings testid="nav-settings" icon=Shape::SLIDERS label=T::Settings />
            </div>
        </nav>
    }
}

#[component]
fn NavLink(to: Route, testid: &'static str, icon: Shape, label: T) -> impl IntoView {
    let app = App::here();
    let here = to.clone();
    let is_circle = to == Route::Circle;
    let is_here = Memo::new(move |_| match (app.route.get(), &here) {
        (Route::Story(_) | Route::NewStory | Route::Home, Route::Home) => true,
        (Route::Character(_) | Route::Characters, Route::Characters) => true,
        (Route::Background(_) | Route::Backgrounds, Route::Backgrounds) => true,
        (Route::Lorebook(_) | Route::Lorebooks, Route::Lorebooks) => true,
        (Route::Preset(_) | Route::Presets, Route::Presets) => true,
        (Route::Search(_), Route::Search(_)) | (Route::Cradle(_), Route::Cradle(_)) => true,
        (now, here) => now == *here,
    });
    view! {
        <a href=to.hash() data-testid=testid aria-current=move || is_here.get().then_some("page")>
            <Icon shape=icon />
            <span>{app.t(label)}</span>
            <Show when=move || is_circle && app.unread.get() != 0>
                <b class="nav-unread number" data-testid="circle-unread">{move || app.unread.get()}</b>
            </Show>
        </a>
    }
}
