//! The head of a story: title, who and where, and the ways to its shelf and notebook.

use leptos::prelude::*;

use crate::{
    locales::{T, aloud::T as A, fill},
    ui::{
        app::App,
        icons::{Icon, Shape},
        panels::Side,
    },
};

#[component]
pub fn Header() -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let title =
        move || story.storyline.with(|storyline| storyline.as_ref().map(|s| s.title.clone()).unwrap_or_default());
    let subtitle = move || {
        let storyline = story.storyline.get()?;
        let who = app.character(storyline.character()).map(|character| character.name).unwrap_or_default();
        let turns = fill(app.t(T::TurnNumber)(), &[&storyline.total_turns.to_string()]);
        Some(format!("{who} · {turns}"))
    };
    view! {
        <header class="chat-header">
            <button
                class="icon-button"
                aria-label=move || if app.panels.is_open(Side::Shelf) { app.t(T::CollapseShelf)() } else { app.t(T::OpenShelf)() }
                aria-expanded=move || app.panels.is_open(Side::Shelf).to_string()
                data-testid="shelf-open"
                on:click=move |_| app.panels.toggle(Side::Shelf)
            >
                <Icon shape=Shape::PANEL_LEFT />
            </button>
            <div class="chat-title">
                <h1 dir="auto">{title}</h1>
                <p>{subtitle}</p>
            </div>
            <button class="icon-button" data-testid="reader-open" aria-label=app.t(A::Read) title=app.t(A::Read)
                on:click=move |_| app.chunks.aside.run(app, async move |aside| (aside.read)(app, true).await)>
                <Icon shape=Shape::BOOK_OPEN />
            </button>
            <button
                class="icon-button"
                aria-label=move || if app.panels.is_open(Side::Notebook) { app.t(T::CollapseNotebook)() } else { app.t(T::OpenNotebook)() }
                aria-expanded=move || app.panels.is_open(Side::Notebook).to_string()
                data-testid="notebook-open"
                on:click=move |_| app.panels.toggle(Side::Notebook)
            >
                <Icon shape=Shape::PANEL_RIGHT />
            </button>
        </header>
    }
}
