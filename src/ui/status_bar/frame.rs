//! A frame that runs a bar, watched by its guard.

use leptos::{html, prelude::*, task::spawn_local};

use crate::{
    ports::Clock,
    story::status_bar::{
        self, Feed,
        guard::{ANSWER, Guard, Off},
        message::Message,
    },
    ui::app::App,
    web::{clock::BrowserClock, frame as web_frame},
};

/// Milliseconds that a page which has just woken up gives a frame to catch up.
const GRACE: u32 = 500;

/// Runs `code`. Says when it is over (`off`), and what words it has for the composer (`draft`).
#[component]
pub fn BarFrame(
    code: String,
    #[prop(into)] feed: Signal<Feed>,
    #[prop(into)] title: Signal<String>,
    off: Callback<Off>,
    draft: Callback<String>,
) -> impl IntoView {
    let app = App::here();
    let element = NodeRef::<html::Iframe>::new();
    let guard = StoredValue::new(Guard::new(BrowserClock.now()));
    let height = RwSignal::new(None::<u32>);
    let listening = StoredValue::new_local(Vec::new());
    // Once it is over, or gone, nothing of it counts any more.
    let is_over = StoredValue::new(false);
    let end = move |why: Off| {
        if !is_over.try_get_value().unwrap_or(true) {
            is_over.set_value(true);
            listening.set_value(Vec::new());
            off.run(why);
        }
    };
    on_cleanup(move || drop(listening.try_set_value(Vec::new())));

    let tell = move |text: &str| {
        if let Some(frame) = element.get_untracked() {
            web_frame::tell(&frame, text);
        }
    };
    let watch = move || {
        spawn_local(async move {
            BrowserClock.sleep(ANSWER as u32).await;
            BrowserClock.sleep(GRACE).await;
            if let Some(Err(why)) = guard.try_with_value(|guard| guard.looked_at(BrowserClock.now())) {
                end(why);
            }
        });
    };
    let hear = move |said: Option<String>| {
        if is_over.get_value() {
            return;
        }
        match guard.try_update_value(|guard| guard.heard(said.as_deref(), BrowserClock.now())) {
            Some(Ok(Some(Message::Height(px)))) => height.set(Some(px)),
            Some(Ok(Some(Message::Draft(words)))) => draft.run(words),
            Some(Err(why)) => end(why),
            _ => {}
        }
    };
    let redress = move || tell(&status_bar::look(&web_frame::look()));
    Effect::new(move |_| {
        let Some(frame) = element.get() else { return };
        let heard = [Some(web_frame::listen(&frame, hear)), web_frame::on_scheme(redress)];
        listening.set_value(heard.into_iter().flatten().collect());
    });
    let loaded = move |_| match guard.try_update_value(|guard| guard.loaded(BrowserClock.now())) {
        Some(Ok(())) => {
            tell(&status_bar::begin(&code, &web_frame::look(), &feed.get_untracked()));
            watch();
        }
        Some(Err(why)) => end(why),
        None => {}
    };
    Effect::new(move |_| {
        let feed = feed.get();
        if guard.with_value(Guard::is_loaded) && !is_over.get_value() {
            let n = guard.try_update_value(|guard| guard.tells(BrowserClock.now())).unwrap_or_default();
            tell(&status_bar::state(n, &feed));
            watch();
        }
    });
    let theme = Memo::new(move |_| app.preferences.with(|preferences| preferences.theme));
    Effect::new(move |before: Option<()>| {
        theme.track();
        if before.is_some() {
            // The root element changes its dress after this.
            spawn_local(async move {
                BrowserClock.frame().await;
                redress();
            });
        }
    });
    view! {
        <iframe
            node_ref=element
            class="status-frame"
            data-testid="statusbar-frame"
            sandbox="allow-scripts"
            referrerpolicy="no-referrer"
            src=web_frame::address()
            title=title
            style:height=move || height.get().map(|px| format!("{px}px"))
            on:load=loaded
        ></iframe>
    }
}
