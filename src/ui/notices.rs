//! Notices: short messages that take a strip of their own at the foot of the page, some with a way on.

use leptos::{prelude::*, task::spawn_local};

use super::{
    app::App,
    icons::{Icon, Shape},
    route::Route,
    settings::remind,
    state::{Notice, NoticeKind, Offer},
};
use crate::{locales::T, ports::Clock, web::clock::BrowserClock};

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
    if kind == NoticeKind::Info && !matches!(offer, Offer::Own(_)) {
        let time = if matches!(offer, Offer::Undo(_)) { 12_000 } else { 5_000 };
        spawn_local(async move {
            BrowserClock.sleep(time).await;
            // Not from under a hand that is about to press what one of them offers.
            while document().query_selector(".notice:is(:hover, :focus-within)").is_ok_and(|held| held.is_some()) {
                BrowserClock.sleep(1_000).await;
            }
            dismiss();
        });
    }
    let closes = !matches!(offer, Offer::Backup);
    let ways = match offer {
        Offer::Nothing => ().into_any(),
        Offer::Own(way) => way(),
        Offer::Undo(undo) => view! {
            <button class="button quiet" data-testid="notice-undo" on:click=move |_| { undo.run(()); dismiss(); }>
                {app.t(T::Undo)}
            </button>
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
    let close = closes.then(|| view! {
        <button class="icon-button" data-testid="notice-close" aria-label=app.t(T::Close) on:click=move |_| dismiss()>
            <Icon shape=Shape::X />
        </button>
    });
    view! {
        <div class="notice" data-testid="notice" data-kind=kind.name() role=(kind == NoticeKind::Error).then_some("alert")>
            <p>{move || app.read(&words)}</p>
            <span class="notice-ways">{ways}{close}</span>
        </div>
    }
}
