//! The frame of the page: shelf, place, notebook. On a phone the two sides are sheets.

use leptos::{ev, prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;

use super::{
    app::App,
    features::{persona::Updating, summary::Summarising},
    focus::{focus, is_in, is_nowhere},
    icons::{Icon, Shape},
    inspector::Inspected,
    notices::Notices,
    panels::Side,
    route::Route,
    search,
    shelf::Shelf,
    welcome::Welcome,
};
use crate::{
    locales::T,
    story::{ids::StorylineId, storyline::Language, typography::Theme},
    web::{clock::BrowserClock, storage, window},
};

#[component]
pub fn Shell() -> impl IntoView {
    let app = App::here();
    let dress = Memo::new(move |_| {
        app.preferences.with(|all| (app.language.get(), all.theme, all.type_size, all.typography.clone()))
    });
    Effect::new(move |_| put_on(dress.get()));
    let title = Memo::new(move |_| match name_of(&app.route.get()) {
        Some(name) => Some(app.t(name)().to_owned()),
        None => app.story.storyline.with(|storyline| storyline.as_ref().map(|storyline| storyline.title.clone())),
    });
    Effect::new(move |_| {
        if let Some(document) = window().document() {
            document.set_title(&title.get().map_or("Fabula".to_owned(), |title| format!("{title} · Fabula")));
        }
    });
    provide_context(Inspected::default());
    provide_context(Summarising::default());
    provide_context(Updating::default());
    search::listen(app);
    app.panels.follow();
    put_sheets_away_on_escape(app);
    follow_sheets(app);
    let in_story = Memo::new(move |_| {
        matches!(app.route.get(), Route::Story(_) | Route::Home) && app.story.storyline.with(Option::is_some)
    });
    let panels = app.panels;
    let shelf = move || panels.is_open(Side::Shelf);
    let notebook = move || in_story.get() && panels.is_open(Side::Notebook);
    // Going somewhere puts the sheets away.
    Effect::new(move |before: Option<Route>| {
        let route = app.route.get();
        // The storylines are on the shelf: the way to them leaves it open.
        if before.is_some_and(|before| before != route) && route != Route::Home {
            panels.put_sheets_away();
        }
        route
    });
    view! {
        <a class="skip" href="#page" on:click=move |event| { event.prevent_default(); focus_story() }>{app.t(T::SkipToStory)}</a>
        <div class="shell" class:with-shelf=shelf class:with-notebook=notebook>
            <Shelf />
            <main class="page" id="page" tabindex="-1" inert=move || panels.has_sheet() && (shelf() || notebook())>
                <Show when=move || !in_story.get() && !shelf()>
                    <div class="page-bar">
                        <button class="icon-button" data-testid="shelf-open" aria-label=app.t(T::OpenShelf) on:click=move |_| panels.show(Side::Shelf)>
                            <Icon shape=Shape::MENU />
                        </button>
                    </div>
                </Show>
                {move || place(app, app.route.get())}
            </main>
            <Show when=notebook>{move || app.chunks.story.show(app, |story| (story.notebook)())}</Show>
            <Show when=move || panels.has_sheet() && (shelf() || notebook())>
                <div class="scrim" aria-hidden="true" on:click=move |_| panels.put_sheets_away()></div>
            </Show>
            {move || app.shortcuts.get().then(|| app.chunks.aside.added(|aside| (aside.shortcuts)()))}
            <Notices />
        </div>
    }
}

fn place(app: App, route: Route) -> AnyView {
    match route {
        Route::Home => view! { <Home /> }.into_any(),
        Route::Story(id) => story(app, id),
        route => app.chunks.desk.show(app, move |desk| (desk.page)(route.clone())),
    }
}

fn story(app: App, id: StorylineId) -> AnyView {
    app.chunks.story.show(app, move |story| (story.chat)(id.clone()))
}

/// The last story, or the welcome where there is none.
#[component]
fn Home() -> impl IntoView {
    let app = App::here();
    let last = app.preferences.with_untracked(|preferences| preferences.last_storyline.clone());
    let known =
        last.filter(|id| app.storylines.with_untracked(|list| list.iter().any(|storyline| storyline.id == *id)));
    let known =
        known.or_else(|| app.storylines.with_untracked(|list| list.first().map(|storyline| storyline.id.clone())));
    match known {
        Some(id) => story(app, id),
        None => view! { <Welcome /> }.into_any(),
    }
}

/// What the title of the page says of a place that is no story.
fn name_of(route: &Route) -> Option<T> {
    Some(match route {
        Route::Home | Route::Story(_) => return None,
        Route::NewStory => T::NewStoryline,
        Route::Characters | Route::Character(_) => T::Characters,
        Route::Backgrounds | Route::Background(_) => T::Backgrounds,
        Route::Lorebooks | Route::Lorebook(_) => T::Lorebooks,
        Route::Presets | Route::Preset(_) => T::Presets,
        Route::Personas | Route::Persona(_) => T::Personas,
        Route::Cradle(_) => T::Cradle,
        Route::Circle => T::Circle,
        Route::Tools => T::Tools,
        Route::Settings => T::Settings,
        Route::Search(_) => T::Search,
    })
}

/// Where Escape means something of its own.
const BUSY: &str = "form, textarea, select, dialog, [role=menu], input:not([type=checkbox], [type=radio])";

/// As a click beside them does; but not out of what one is writing or choosing, which Escape gives up first.
fn put_sheets_away_on_escape(app: App) {
    let listener = window_event_listener(ev::keydown, move |event| {
        let is_open = untrack(|| app.panels.has_sheet());
        let from = event.target().and_then(|from| from.dyn_into::<web_sys::Element>().ok());
        let is_busy = from.is_some_and(|from| from.closest(BUSY).ok().flatten().is_some());
        if event.key() == "Escape" && is_open && !is_busy && !event.default_prevented() {
            // It means this sheet, and not also the reply that streams beneath it.
            event.prevent_default();
            app.panels.put_sheets_away();
        }
    });
    on_cleanup(move || listener.remove());
}

/// The keyboard goes into a sheet with it, and back to the page.
fn follow_sheets(app: App) {
    Effect::new(move |before: Option<Option<Side>>| {
        let now = app.panels.sheet();
        if before.is_some_and(|before| before != now) {
            spawn_local(async move {
                BrowserClock.frame().await;
                match now {
                    Some(side) if !is_in(side.name()) => drop(focus(side.name())),
                    None if is_nowhere() => focus_story(),
                    _ => {}
                }
            });
        }
        now
    });
}

fn focus_story() {
    // In a story its text, elsewhere the place.
    if !focus("story") {
        focus("page");
    }
}

/// Language, theme and type, on the root element, where the stylesheets look for them. To set one, even to what it
/// was, styles the whole page anew.
fn put_on((language, theme, size, typography): (Language, Theme, u32, String)) {
    let root = window().document().and_then(|document| document.document_element());
    let Some(root) = root else { return };
    let mut is_new = false;
    let mut put = |name: &str, value: &str| {
        if root.get_attribute(name).as_deref() != Some(value) {
            let _ = root.set_attribute(name, value);
            is_new = true;
        }
    };
    put("lang", language.tag());
    let theme = theme.name();
    put("data-theme", theme);
    put("data-type", &size.to_string());
    put("data-typography", &typography);
    if is_new {
        storage::keep_look(&format!("{}|{theme}|{size}|{typography}", language.tag()));
    }
}
