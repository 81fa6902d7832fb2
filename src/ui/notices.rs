//! Notices: short messages at the edge of the page, some with an undo.

use std::sync::atomic::{AtomicU64, Ordering};

use leptos::{prelude::*, task::spawn_local};

use super::{app::App, icons::Icon, route::Route};
use crate::{locales::T, ports::Clock, web::clock::BrowserClock};

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

#[derive(Clone)]
pub struct Notice {
    id: u64,
    kind: NoticeKind,
    text: String,
    undo: Option<Callback<()>>,
    link: Option<(T, Route)>,
}

impl Notice {
    pub fn add(notices: &mut Vec<Notice>, kind: NoticeKind, text: String, undo: Option<Callback<()>>) {
        Self::push(notices, Notice { id: 0, kind, text, undo, link: None });
    }

    /// A notice that leads somewhere.
    pub fn add_link(notices: &mut Vec<Notice>, kind: NoticeKind, text: String, label: T, to: Route) {
        Self::push(notices, Notice { id: 0, kind, text, undo: None, link: Some((label, to)) });
    }

    fn push(notices: &mut Vec<Notice>, notice: Notice) {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        notices.retain(|other| other.text != notice.text);
        notices.push(Notice { id: NEXT.fetch_add(1, Ordering::Relaxed), ..notice });
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
    let Notice { id, kind, text, undo, link } = notice;
    let dismiss = move || app.notices.update(|notices| notices.retain(|notice| notice.id != id));
    if kind == NoticeKind::Info {
        spawn_local(async move {
            BrowserClock.sleep(if undo.is_some() { 12_000 } else { 5_000 }).await;
            dismiss();
        });
    }
    view! {
        <div class="notice" data-testid="notice" data-kind=kind.name() role=(kind == NoticeKind::Error).then_some("alert")>
            <p>{text}</p>
            {undo.map(|undo| view! {
                <button class="button quiet" data-testid="notice-undo" on:click=move |_| { undo.run(()); dismiss(); }>
                    {app.t(T::Undo)}
                </button>
            })}
            {link.map(|(label, to)| view! {
                <a class="button quiet" data-testid="notice-link" href=to.hash() on:click=move |_| dismiss()>{app.t(label)}</a>
            })}
            <button class="icon-button" aria-label=app.t(T::Close) on:click=move |_| dismiss()><Icon name="x" /></button>
        </div>
    }
}
