//! Storylines on the shelf: reworded, thrown away, fetched back, without getting in the way of a turn.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::T,
    ports::Clock,
    story::{fault::FaultKind, ids::StorylineId, storyline::Storyline},
    ui::{app::App, route::Route, story::change_story_of},
    web::clock::BrowserClock,
};

/// Into the bin, with a way back. A turn that is under way is stopped first; what came of its reply is kept.
pub async fn discard(app: App, storyline: Storyline) {
    let id = storyline.id;
    app.story.stop_turn_of(&id, FaultKind::Stopped);
    let was_here = match app.route.get_untracked() {
        Route::Story(here) => here == id,
        Route::Home => app.story.is_open(id.as_str()),
        _ => false,
    };
    let now = BrowserClock.now();
    if !change_story_of(app, &id, |storyline| storyline.deleted = Some(now)).await {
        return;
    }
    if was_here {
        app.go(Route::Home);
        // The address may have been this one already.
        app.route.set(Route::Home);
    }
    app.notify_undo(T::Deleted.with(&[&storyline.title]), move || {
        let id = id.clone();
        spawn_local(async move {
            if restore(app, &id).await && was_here {
                app.go(Route::Story(id));
            }
        });
    });
}

/// Out of the bin.
pub async fn restore(app: App, id: &StorylineId) -> bool {
    change_story_of(app, id, |storyline| storyline.deleted = None).await
}
