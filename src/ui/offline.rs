//! The page without a network: that there is none, and the page that is kept on this device with a newer one beside it.

use leptos::{ev, prelude::*, task::spawn_local};

use super::{
    app::App,
    archive::Given,
    panels::Side,
    settings::{address_of, reload},
    state::{Notice, NoticeKind, Offer},
};
use crate::{
    locales::offline::T,
    provider::is_local,
    web::{
        folder,
        offline::{self, Kept},
        window,
    },
};

/// Keeps the page on this device from now on, offers a newer one as it comes, and takes what other apps give.
pub async fn follow(app: App) {
    let tell = move || {
        spawn_local(async move {
            if offline::state().await == Kept::Newer {
                app.post(Notice::new(NoticeKind::Info, T::Newer, Offer::Own(|| view! { <UseNewer /> }.into_any())));
            }
        });
    };
    offline::keep(tell).await;
    let take = move |mut files: Vec<web_sys::File>| {
        // What is asked of them, and why they are refused, stands there.
        app.panels.show(Side::Shelf);
        app.given.set(match (files.pop(), files.is_empty()) {
            (Some(file), true) => Some(Given::File(file)),
            (last, _) => Some(Given::Folder(folder::Given::Files(files.into_iter().chain(last).collect()))),
        });
    };
    offline::given(take).await;
}

/// Never in the middle of a reply, nor of what is typed into a form: the page asks before it is left.
#[component]
fn UseNewer() -> impl IntoView {
    let app = App::here();
    let playing = Memo::new(move |_| app.story.is_playing());
    let why = move || app.t(if playing.get() { T::AfterReply } else { T::UseHint })();
    let put_in_place = move |_| {
        spawn_local(async move {
            offline::use_newer().await;
            let here = window().location().hash().unwrap_or_default();
            reload(app, &here, true).await;
        });
    };
    view! {
        <button type="button" class="button quiet" data-testid="offline-use" title=why disabled=move || playing.get() on:click=put_in_place>
            {app.t(T::Use)}
        </button>
    }
}

/// In the settings: how the page is kept.
#[component]
pub fn OnThisDevice() -> impl IntoView {
    let app = App::here();
    let kept = RwSignal::new(None);
    // A notice says that a newer one has come meanwhile.
    Effect::new(move |_| {
        app.notices.track();
        spawn_local(async move {
            let now = offline::state().await;
            kept.try_set(Some(now));
        });
    });
    view! {
        <section class="settings-part" aria-labelledby="settings-offline">
            <h2 id="settings-offline">{app.t(T::Title)}</h2>
            {move || kept.get().map(|kept: Kept| {
                let (name, text) = match kept {
                    Kept::No => ("no", T::KeptNot),
                    Kept::Yes => ("yes", T::Kept),
                    Kept::Newer => ("newer", T::Newer),
                };
                view! {
                    <p data-testid="offline-kept" data-kept=name>{app.t(text)}</p>
                    {(kept == Kept::Newer).then(|| view! { <p class="field-note">{app.t(T::UseHint)}</p> <UseNewer /> })}
                }
            })}
            <p class="field-note">{app.t(T::Install)}</p>
        </section>
    }
}

/// Above the composer, where the story's model is out of reach.
#[component]
pub fn NoNetwork() -> impl IntoView {
    let app = App::here();
    let has_none = || !window().navigator().on_line();
    let offline = RwSignal::new(has_none());
    let listeners = [
        window_event_listener(ev::online, move |_| offline.set(has_none())),
        window_event_listener(ev::offline, move |_| offline.set(has_none())),
    ];
    on_cleanup(move || listeners.into_iter().for_each(WindowListenerHandle::remove));
    // A demo plays from what is here, and so does a model on this machine.
    let is_demo = move || app.story.storyline.with(|story| story.as_ref().is_none_or(|story| story.demo));
    let is_far = move || app.story_connection().is_some_and(|own| !is_local(address_of(&own)));
    let needs_it = Memo::new(move |_| !is_demo() && is_far());
    view! {
        <Show when=move || offline.get() && needs_it.get()>
            <p class="dock-note" role="status" data-testid="offline-note">{app.t(T::NoNetwork)}</p>
        </Show>
    }
}
