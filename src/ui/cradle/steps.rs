//! How it came to be what it is: step by step, the newest first, each with what it changed.

use leptos::prelude::*;

use super::{feeds::titled, page::Looked, work};
use crate::{
    features::cradle::{Change, Cradle, Field, Step},
    locales::{
        cradle::{self, T},
        fill, time,
    },
    ports::Clock,
    story::storyline::Language,
    ui::difference::{Side, difference},
    web::clock::BrowserClock,
};

/// Steps that are shown; more on demand.
const SHOWN: usize = 30;

#[component]
pub fn Steps(looked: Looked) -> impl IntoView {
    let app = looked.app;
    let shown = RwSignal::new(SHOWN);
    let at = work::at();
    let is_running = Memo::new(move |_| at.with(Option::is_some));
    let back = move |of: usize| {
        let id = looked.id.get_value();
        looked.doing(async move { Ok(app.desk().take_step_back(&id, of).await?) });
    };
    let steps = move || {
        let (language, cradle) = (app.language.get(), looked.cradle.get().unwrap_or_default());
        let all = cradle.steps.len();
        let row = |(number, step): (usize, &Step)| {
            let when = time::ago(step.at, BrowserClock.now(), language).unwrap_or_default();
            let is_newest = number == 0;
            view! {
                <li data-testid="cradle-step">
                    <details open=is_newest>
                        <summary><b>{title(&cradle, step, language)}</b><span class="number">{when}</span></summary>
                        {step.changes.is_empty().then(|| view! { <p class="empty">{app.t(if step.faded { T::Faded } else { T::NoChange })}</p> })}
                        <dl class="cradle-so-far">{step.changes.iter().map(|change| changed(looked, change)).collect_view()}</dl>
                    </details>
                    {(is_newest && !step.faded).then(|| view! {
                        <button type="button" class="link" data-testid="cradle-back" disabled=move || is_running.get() on:click=move |_| back(all)>{app.t(T::TakeBack)}</button>
                    })}
                </li>
            }
        };
        let rows = cradle.steps.iter().rev().enumerate().take(shown.get()).map(row).collect_view();
        let more = all.saturating_sub(shown.get());
        (all > 0).then(|| view! {
            <h2>{app.t(T::History)}</h2>
            <ol class="cradle-steps">{rows}</ol>
            {(more > 0).then(|| view! { <button type="button" class="link" on:click=move |_| shown.update(|shown| *shown += SHOWN)>{format!("+ {more}")}</button> })}
        })
    };
    view! { {steps} }
}

/// Of which piece it is.
pub fn title(cradle: &Cradle, step: &Step, language: Language) -> String {
    let Some(piece) = &step.piece else { return T::LastStep.text(language).to_owned() };
    let feed = cradle.feeds.iter().find(|feed| feed.id == piece.feed);
    let title = titled(feed.map_or("", |feed| &feed.title), language);
    let number = (piece.number + 1).to_string();
    fill(T::StepOf.text(language), &[title, &number])
}

pub fn changed(looked: Looked, change: &Change) -> impl IntoView + use<> {
    let app = looked.app;
    let label = match Field::named(&change.field) {
        Some(field) => cradle::field(field, app.language.get_untracked()).to_owned(),
        None => format!("{} · {}", app.t(T::Knows)(), change.title),
    };
    let parts = difference(&change.before, &change.after).into_iter().map(|(side, text)| match side {
        Side::Both => text.into_any(),
        Side::Old => view! { <del>{text}</del> }.into_any(),
        Side::New => view! { <ins>{text}</ins> }.into_any(),
    });
    view! { <div data-testid="cradle-change" data-field=change.field.clone()><dt>{label}</dt><dd>{parts.collect_view()}</dd></div> }
}
