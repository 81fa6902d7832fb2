//! The story: its header, its turns, and the composer.

mod composer;
mod demo;
mod editor;
mod header;
mod history;
mod notes;
pub mod place;
mod reading;
mod reply;
mod session;
mod too_long;
mod turn;
mod untold;
mod warnings;

use leptos::{prelude::*, task::spawn_local};

use self::{composer::Composer, header::Header, history::History};
pub use self::{
    demo::DemoBar,
    editor::Editor,
    too_long::TooLong,
    untold::{TakenOut, take_out},
    warnings::Warnings,
};
use super::{app::App, features::status_bar::StoryStatus};
use crate::{
    locales::T,
    story::ids::StorylineId,
    web::{policy, window},
};

/// Leaves of the page only what the stylesheet leaves of it.
fn put_away(on: bool) {
    if let Some(body) = window().document().and_then(|document| document.body()) {
        let _ = body.class_list().toggle_with_force("reading", on);
    }
}

/// The page of one story.
#[component]
pub fn Chat(id: StorylineId) -> impl IntoView {
    let app = App::here();
    let story = app.story;
    // Foreign text is rendered from here on: the page may now reach the configured providers only. A demo that no
    // connection stands behind leaves the first connection to be made without a reload.
    let connections = app.connections.get_untracked();
    let is_demo = untrack(|| app.storyline(&id)).is_some_and(|storyline| storyline.demo);
    if !(is_demo && connections.is_empty()) {
        policy::tighten(connections.iter().map(|connection| match connection.url.as_str() {
            "" => connection.kind.default_url(),
            url => url,
        }));
    }
    let wanted = id.clone();
    story.expect(&wanted);
    spawn_local(async move {
        story.open(app, wanted.clone()).await;
        app.prefer(move |preferences| preferences.last_storyline = Some(wanted.clone()));
        story.arrive(app).await;
    });
    on_cleanup(move || story.close(app));
    let named = StoredValue::new(id.clone());
    let is_here =
        move || story.storyline.with(|storyline| storyline.as_ref().is_some_and(|storyline| storyline.id == id));
    let is_here = Memo::new(move |_| is_here());
    // What stands beside the story is no part of it, and is put away with the rest.
    on_cleanup(|| put_away(false));
    Effect::new(move |_| put_away(story.reading.get()));
    view! {
        <Show
            when=move || is_here.get()
            fallback=move || move || if story.missing.get() {
                let id = named.get_value();
                app.chunks.desk.show(app, move |desk| (desk.not_here)(id.clone()))
            } else {
                view! { <div class="chat-empty"><p>{app.t(T::Loading)}</p></div> }.into_any()
            }
        >
            <section class="chat">
                <Header />
                <History />
                <StoryStatus />
                <Composer />
                {move || story.reading.get().then(|| app.chunks.aside.added(|aside| (aside.reader_bar)()))}
            </section>
        </Show>
    }
}
