//! The next step before its time: what it would change is looked at, let in, or left out.

use leptos::{prelude::*, task::spawn_local};

use super::{
    page::Looked,
    steps::{changed, title},
    work,
};
use crate::{
    features::cradle::{Ahead, Cradle},
    locales::cradle::T,
    turn::cradle::amend,
};

#[component]
pub fn Preview(looked: Looked) -> impl IntoView {
    let Looked { app, id, character, cradle } = looked;
    let at = work::at();
    let is_running = Memo::new(move |_| at.with(Option::is_some));
    let next = Memo::new(move |_| cradle.with(|one| Some(one.as_ref()?.planned()?.1)));
    // What no longer is what comes next, or what somebody changed since, is looked at anew.
    let ahead = Memo::new(move |_| {
        let next = next.get()?;
        let ahead = cradle.with(|one| one.as_ref()?.ahead.clone())?;
        character.with(|one| one.as_ref().is_some_and(|one| ahead.holds(&next, one))).then_some(ahead)
    });
    let look = move |_| {
        let id = id.get_value();
        spawn_local(async move { work::look_ahead(app, &id).await });
    };
    let again = move |_| {
        let id = id.get_value();
        spawn_local(async move {
            match amend(&app.browser().ports, &id, |one| one.ahead = None).await {
                Ok(()) => work::look_ahead(app, &id).await,
                Err(fault) => app.notify_fault(&fault),
            }
        });
    };
    let let_in = move |_| {
        let id = id.get_value();
        looked.doing(async move { Ok(app.desk().let_in_ahead(&id).await?) });
    };
    let leave_out = move |_| looked.amend(Cradle::leave_out_ahead);
    let shown = move || {
        ahead.get().map(|Ahead { step, .. }| {
            let of = cradle.with_untracked(|one| title(&one.clone().unwrap_or_default(), &step, app.language.get()));
            let is_last = step.piece.is_none();
            view! {
                <section class="cradle-ahead" data-testid="cradle-ahead">
                    <h2>{app.t(T::Ahead)}</h2>
                    <p class="field-note">{of}</p>
                    {step.changes.is_empty().then(|| view! { <p class="empty">{app.t(T::NoChange)}</p> })}
                    <dl class="cradle-so-far">{step.changes.iter().map(|change| changed(looked, change)).collect_view()}</dl>
                    <p class="field-note">{app.t(T::AheadHint)}</p>
                    <div class="row">
                        <button type="button" class="button" data-testid="cradle-let-in" disabled=move || is_running.get() on:click=let_in>{app.t(T::LetIn)}</button>
                        <button type="button" class="button quiet" data-testid="cradle-ahead-again" disabled=move || is_running.get() on:click=again>{app.t(T::AskAgain)}</button>
                        {(!is_last).then(|| view! {
                            <button type="button" class="button quiet" data-testid="cradle-leave-out" disabled=move || is_running.get() on:click=leave_out>{app.t(T::LeaveOut)}</button>
                        })}
                    </div>
                </section>
            }
        })
    };
    let is_open = Memo::new(move |_| next.with(Option::is_some) && ahead.with(Option::is_none));
    view! {
        <Show when=move || is_open.get()>
            <button type="button" class="link" data-testid="cradle-look-ahead" disabled=move || is_running.get() on:click=look>{app.t(T::LookAhead)}</button>
        </Show>
        {shown}
    }
}
