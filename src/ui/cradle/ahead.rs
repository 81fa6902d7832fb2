//! The next step before its time: what it would change is looked at, let in, or left out.

use leptos::{
    prelude::*,
    task::{spawn_local, tick},
};

use super::{
    page::Looked,
    steps::{changed, title},
    work,
};
use crate::{
    features::cradle::{Ahead, Cradle},
    locales::cradle::T,
    ports::Clock,
    story::Millis,
    ui::focus::{focus, is_nowhere},
    web::clock::BrowserClock,
};

/// Where it stands in the page.
const PLACE: &str = "cradle-ahead";

#[component]
pub fn Preview(looked: Looked) -> impl IntoView {
    let Looked { app, id, character, cradle } = looked;
    let at = work::at();
    let is_running = Memo::new(move |_| at.with(Option::is_some));
    // What no longer is what comes next, or what somebody changed since, is looked at anew.
    let ahead =
        Memo::new(move |_| character.with(|one| cradle.with(|cradle| cradle.as_ref()?.shown(one.as_ref()?).cloned())));
    let time = work::tick();
    // What is due is let in by itself in a moment, unless it has failed before.
    let is_open = Memo::new(move |_| {
        time.track();
        let here = id.with_value(|id| work::is_begun_here(app, id));
        let is_awaited = |one: &Cradle| here && one.missed.is_none() && one.due(BrowserClock.now()).is_some();
        let may = |one: &Cradle| one.planned().is_some() && !is_awaited(one);
        ahead.with(Option::is_none) && cradle.with(|one| one.as_ref().is_some_and(may))
    });
    let look = move |_| {
        let id = id.get_value();
        spawn_local(async move {
            work::look_ahead(app, &id).await;
            tick().await;
            // What was pressed is gone; whoever has gone on to something else stays there.
            if is_nowhere() {
                focus(PLACE);
            }
        });
    };
    let let_in = move |of: Millis| {
        let id = id.get_value();
        looked.doing(async move { Ok(app.desk().let_in_ahead(&id, of).await?) });
    };
    let leave_out = move |of: Millis| looked.amend(move |one| one.leave_out_ahead(of));
    let shown = move || {
        ahead.get().map(|Ahead { step, .. }| {
            let of = cradle.with_untracked(|one| title(&one.clone().unwrap_or_default(), &step, app.language.get()));
            let (is_last, of_when) = (step.piece.is_none(), step.at);
            view! {
                <section class="cradle-ahead" id=PLACE tabindex="-1" aria-label=app.t(T::Ahead) data-testid="cradle-ahead">
                    <h2>{app.t(T::Ahead)}</h2>
                    <p class="field-note">{of}</p>
                    {step.changes.is_empty().then(|| view! { <p class="empty">{app.t(T::NoChange)}</p> })}
                    <dl class="cradle-so-far">{step.changes.iter().map(|change| changed(looked, change)).collect_view()}</dl>
                    <p class="field-note">{app.t(T::AheadHint)}</p>
                    <div class="row">
                        <button type="button" class="button" data-testid="cradle-let-in" disabled=move || is_running.get() on:click=move |_| let_in(of_when)>{app.t(T::LetIn)}</button>
                        <button type="button" class="button quiet" data-testid="cradle-ahead-again" disabled=move || is_running.get() on:click=look>{app.t(T::AskAgain)}</button>
                        {(!is_last).then(|| view! {
                            <button type="button" class="button quiet" data-testid="cradle-leave-out" disabled=move || is_running.get() on:click=move |_| leave_out(of_when)>{app.t(T::LeaveOut)}</button>
                        })}
                    </div>
                </section>
            }
        })
    };
    view! {
        <Show when=move || is_open.get()>
            <button type="button" class="link" data-testid="cradle-look-ahead" disabled=move || is_running.get() on:click=look>{app.t(T::LookAhead)}</button>
        </Show>
        {shown}
    }
}
