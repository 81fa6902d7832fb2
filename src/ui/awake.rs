//! The screen stays on while a reply is on its way or the story is read aloud: a phone that sleeps lets go of both.

use leptos::{ev, prelude::*, task::spawn_local};

use super::app::App;
use crate::web::awake::Awake;

#[component]
pub fn KeepAwake() -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let awake = StoredValue::new_local(None::<Awake>);
    let wanted = Memo::new(move |_| story.is_playing() || story.aloud.is_on() && !story.aloud.is_paused.get());
    let ask = move || {
        spawn_local(async move {
            let got = Awake::ask().await;
            // It may have ended meanwhile.
            if wanted.try_get_untracked() == Some(true) {
                awake.try_set_value(got);
            }
        });
    };
    Effect::new(move |_| if wanted.get() { ask() } else { awake.set_value(None) });
    // The browser takes it back when the page is not seen.
    let seen = window_event_listener(ev::visibilitychange, move |_| {
        if wanted.get_untracked() {
            ask();
        }
    });
    on_cleanup(move || seen.remove());
}
