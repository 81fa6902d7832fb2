//! Notices: short messages that take a strip of their own at the foot of the page, some with a way on.

use std::sync::atomic::{AtomicU64, Ordering};

use leptos::{prelude::*, task::spawn_local};

use super::{app::App, icons::Icon, route::Route, settings::remind};
use crate::{
    locales::{Say, Saying, T},
    ports::Clock,
    story::storyline::Language,
    web::clock::BrowserClock,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    Info,
    Warning,
    Error,
}

impl NoticeKind {
    fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What can be done about a notice, beside putting it away.
#[derive(Clone)]
pub enum Offer {
    Nothing,
    Undo(Callback<()>),
    /// To make a backup, or to be reminded again.
    Backup,
}

/// It keeps what it means, and follows the language.
#[derive(Clone)]
pub struct Notice {
    id: u64,
    kind: NoticeKind,
    words: Saying,
    offer: Offer,
}

impl Notice {
    pub fn new(kind: NoticeKind, words: impl Say, offer: Offer) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), kind, words: words.kept(), offer }
    }

    pub fn is_of_backup(&self) -> bool {
        matches!(self.offer, Offer::Backup)
    }

    /// Joins the others, in the place of one that says the same.
    pub fn join(self, notices: &mut Vec<Notice>, language: Language) {
        let said = self.words.say(language);
        notices.retain(|other| other.words.say(language) != said);
        notices.push(self);
        // More than a few say nothing.
        let surplus = notices.len().saturating_sub(4);
        notices.drain(..surplus);
    }
}

#[component]
pub fn Notices() -> impl IntoView {
    let app = App::here();
    view! {
        <div class="notices" role="status" aria-live="polite">
            <For each=move || app.notices.get() key=|notice| notice.id let:notice>
                <NoticeView notice />
            </For>
        </div>
    }
}

#[component]
fn NoticeView(notice: Notice) -> impl IntoView {
    let app = App::here();
    let Notice { id, kind, words, offer } = notice;
    let dismiss = move || app.notices.update(|notices| notices.retain(|notice| notice.id != id));
    if kind == NoticeKind::Info {
        let time = if matches!(offer, Offer::Undo(_)) { 12_000 } else { 5_000 };
        spawn_local(async move {
            BrowserClock.sleep(time).await;
            dismiss();
        });
    }
    let close = move || {
        view! {
            <button class="icon-button" data-testid="notice-close" aria-label=app.t(T::Close) on:click=move |_| dismiss()>
                <Icon name="x" />
            </button>
        }
    };
    let ways = match offer {
        Offer::Nothing => close().into_any(),
        Offer::Undo(undo) => view! {
            <button class="button quiet" data-testid="notice-undo" on:click=move |_| { undo.run(()); dismiss(); }>
                {app.t(T::Undo)}
            </button>
            {close()}
        }
        .into_any(),
        Offer::Backup => view! {
            <a class="button quiet" data-testid="notice-link" href=Route::Settings.hash() on:click=move |_| remind::put_off(app)>
                {app.t(T::BackupGo)}
            </a>
            <button class="button quiet" data-testid="notice-later" on:click=move |_| remind::put_off(app)>{app.t(T::Later)}</button>
        }
        .into_any(),
    };
    view! {
        <div class="notice" data-testid="notice" data-kind=kind.name() role=(kind == NoticeKind::Error).then_some("alert")>
            <p>{move || app.read(&words)}</p>
            <span class="notice-ways">{ways}</span>
        </div>
    }
}
