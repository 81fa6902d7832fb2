//! The reader's words, spoken into the composer.

use leptos::prelude::*;

use super::{
    app::App,
    icons::{Icon, Shape},
    state::NoticeKind,
};
use crate::{
    desk::aloud::Dictated,
    locales::aloud::T,
    web::dictation::{self, Dictation, Said},
};

#[component]
pub fn Dictate() -> impl IntoView {
    dictation::is_there().then(|| view! { <Ear /> })
}

#[component]
fn Ear() -> impl IntoView {
    let app = App::here();
    let text = app.story.composed;
    let ear = StoredValue::new_local(None::<Dictation>);
    let listens = RwSignal::new(false);
    let field = StoredValue::new(Dictated::default());
    let hear = move |said: Said| match said {
        Said::Words(words) => {
            let now = text.get_untracked();
            text.set(field.try_update_value(|field| field.hear(&now, &words)).unwrap_or(now));
        }
        Said::Ended(fault) => {
            listens.set(false);
            match fault.as_deref() {
                None => {}
                Some("not-allowed" | "service-not-allowed") => app.notify(NoticeKind::Error, T::MayNotListen),
                Some(fault) => app.notify(NoticeKind::Error, T::HearsNothing.with(&[fault])),
            }
        }
    };
    let stop = move || {
        ear.set_value(None);
        listens.set(false);
    };
    let toggle = move |_| {
        if listens.get_untracked() {
            return stop();
        }
        field.set_value(Dictated::after(text.get_untracked()));
        let begun = Dictation::begin(app.language.get_untracked(), hear);
        if begun.is_none() {
            app.notify(NoticeKind::Error, T::MayNotListen);
        }
        listens.set(begun.is_some());
        ear.set_value(begun);
    };
    // What is said is sent, or another story is read: it listens no more.
    Effect::new(move |was: Option<bool>| {
        let plays = app.story.is_playing();
        if plays && was == Some(false) && listens.get_untracked() {
            stop();
        }
        plays
    });
    let label = move || app.t(if listens.get() { T::StopListening } else { T::Dictate })();
    view! {
        <button type="button" class="icon-button" data-testid="composer-dictate" aria-pressed=move || listens.get().to_string()
            aria-label=label title=move || format!("{} {}", label(), app.t(T::DictateHint)()) on:click=toggle>
            <Icon shape=Shape::MIC />
        </button>
    }
}
