//! Storylines on the shelf: reworded, thrown away, fetched back, without getting in the way of a turn.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::T,
    ports::{Clock, Stored, Tabs},
    story::{fault::FaultKind, ids::StorylineId, storyline::Storyline},
    turn::bin,
    ui::{app::App, notices::NoticeKind, route::Route},
    web::clock::BrowserClock,
};

/// Changes the record of a storyline as its writer, once no turn of this tab is under way in it: a turn writes the
/// record, too. False (and a notice) where it could not.
pub async fn change(app: App, id: &StorylineId, change: impl FnOnce(&mut Storyline)) -> bool {
    let browser = app.browser();
    let is_played = || app.story.is_taken(id);
    loop {
        while is_played() {
            BrowserClock.sleep(50).await;
        }
        if !browser.tabs.acquire(id.as_str()).await {
            app.notify(NoticeKind::Warning, app.say(T::PlayedElsewhere));
            return false;
        }
        if !is_played() {
            break;
        }
    }
    let store = app.store();
    let changed = async {
        if let Some(mut storyline) = store.load::<Storyline>(id.as_str()).await? {
            change(&mut storyline);
            store.save(&storyline).await?;
        }
        Ok(())
    };
    let outcome: Stored<()> = changed.await;
    browser.tabs.announce(id.as_str());
    if app.story.is_open(id.as_str()) {
        app.story.reload(app).await;
    } else if !is_played() {
        browser.tabs.release(id.as_str());
    }
    app.refresh().await;
    outcome.map_err(|error| app.notify_store(error)).is_ok()
}

/// Into the bin, with a way back. A turn that is under way is stopped first; what came of its reply is kept.
pub async fn discard(app: App, storyline: Storyline) {
    let id = storyline.id;
    if app.story.is_taken(&id) {
        app.story.stop(FaultKind::Stopped);
    }
    let was_here = match app.route.get_untracked() {
        Route::Story(here) => here == id,
        Route::Home => app.story.is_open(id.as_str()),
        _ => false,
    };
    let now = BrowserClock.now();
    if !change(app, &id, |storyline| storyline.deleted = Some(now)).await {
        return;
    }
    if was_here {
        app.go(Route::Home);
        // The address may have been this one already.
        app.route.set(Route::Home);
    }
    app.notify_undo(app.say_with(T::Deleted, &[&storyline.title]), move || {
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
    match bin::restore::<Storyline>(&app.browser().ports, id.as_str()).await {
        Ok(()) => {
            app.refresh().await;
            true
        }
        Err(error) => {
            app.notify_store(error);
            false
        }
    }
}
