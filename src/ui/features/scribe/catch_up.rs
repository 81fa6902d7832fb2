//! Catching up: from which turn, what it takes before it begins, how far it has come, and what ended it.

use leptos::{prelude::*, task::spawn_local};

use super::{Reading, ask_for_key, chosen, say, wants_key, wants_leave};
use crate::{
    locales::{
        T, costs, faults, fill,
        mind::T as M,
        scribe::T as S,
        warnings::{FieldWords, grouped},
    },
    story::{
        connection::Connection, fault::FaultKind, figures::ungrouped, generation::Usage, spending::Kind,
        storyline::Language,
    },
    turn::scribe::{Miss, Progress, Task},
    ui::{app::App, settings::WholeNumber},
};

#[component]
pub fn CatchUp() -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let id = Memo::new(move |_| story.storyline.with(|storyline| storyline.as_ref().map(|s| s.id.clone())));
    let from = RwSignal::new("0".to_owned());
    let task = RwSignal::new(None::<Option<Task>>);
    let said = RwSignal::new(None::<Miss>);
    let running = Memo::new(move |_| {
        story.scribing.with(|all| all.iter().find(|(reading, _)| Some(reading) == id.get().as_ref()).map(|(_, at)| *at))
    });
    let first = Memo::new(move |_| from.with(|from| ungrouped(from).parse::<u32>().ok()));
    // What it takes is reckoned anew wherever the path, or what is on in the story, has changed.
    let played =
        Memo::new(move |_| (story.path.get(), story.storyline.with(|s| s.as_ref().map(|s| s.features.clone()))));
    Effect::new(move |_| {
        played.track();
        let (Some(id), Some(turn), None) = (id.get(), first.get(), running.get()) else { return };
        spawn_local(async move {
            let reckoned = app.conductor().task(&id, turn).await;
            // Meanwhile the reader may have gone elsewhere, or the form may be gone.
            if app.story.is_open(id.as_str()) && first.try_get_untracked().flatten() == Some(turn) {
                task.try_set(reckoned.ok());
            }
        });
    });
    let begin = move |_| {
        let (Some(id), Some(first)) = (id.get_untracked(), first.get_untracked()) else { return };
        said.set(None);
        spawn_local(async move {
            loop {
                let Some((reading, stop)) = Reading::begin(app, &id) else { return };
                let outcome = app.conductor().catch_up(&id, first, stop, &|progress| reading.come_to(progress)).await;
                reading.end().await;
                match outcome {
                    Err(miss) if wants_key(&miss) && ask_for_key(app, &id, chosen(app)).await => {}
                    Err(miss) if wants_leave(&miss) && app.asking_budget.ask(app, &id, Kind::Scribe).await => {}
                    Err(miss) if !is_stopped(&miss) => return drop(said.try_set(Some(miss))),
                    _ => return,
                }
            }
        });
    };
    let stop = move |_| {
        if let Some(id) = id.get_untracked() {
            story.stop_scribe_of(&id, FaultKind::Stopped);
        }
    };
    let words =
        Signal::derive(move || FieldWords { label: say(app, S::From)(), unit: "", hint: say(app, S::CatchUpHint)() });
    let takes = move || {
        let language = app.language.get();
        task.get().map(|task| match task {
            None => S::NothingOn.text(language).to_owned(),
            Some(Task { calls: 0, .. }) => S::NothingUnread.text(language).to_owned(),
            Some(task) => {
                let said = reckoned(&task, language);
                let price = app.connections.with(|list| priced(list, &task));
                price.map(|price| format!("{said} {}", fill(S::TaskPrice.text(language), &[&price]))).unwrap_or(said)
            }
        })
    };
    let has_task = Memo::new(move |_| task.with(|task| matches!(task, Some(Some(task)) if task.calls > 0)));
    let at = move || match running.get().flatten() {
        Some(Progress { part, parts }) => fill(say(app, S::Reading)(), &[&part.to_string(), &parts.to_string()]),
        None => M::Noting.text(app.language.get()).to_owned(),
    };
    view! {
        <h3>{say(app, S::CatchUp)}</h3>
        <WholeNumber words text=from fault=Signal::derive(|| None) testid="scribe-from" fault_testid="scribe-from-error" />
        <p class="field-note number" data-testid="scribe-task" aria-live="polite">{takes}</p>
        <Show
            when=move || running.with(Option::is_some)
            fallback=move || view! {
                <button type="button" class="button" data-testid="scribe-catch-up" disabled=move || !has_task.get() || story.is_playing() on:click=begin>
                    {say(app, S::Begin)}
                </button>
            }
        >
            <div class="row" role="status">
                <span class="waiting" data-testid="scribe-progress">{at}</span>
                <button type="button" class="button quiet" data-testid="scribe-cancel" on:click=stop>{app.t(T::Stop)}</button>
            </div>
        </Show>
        {move || said.get().map(|miss| view! {
            <p class="place-fault" role="alert" data-testid="scribe-failed">{words_of(&miss, app.language.get())}</p>
        })}
    }
}

fn is_stopped(miss: &Miss) -> bool {
    miss.fault().is_some_and(|fault| fault.kind == FaultKind::Stopped)
}

fn reckoned(task: &Task, language: Language) -> String {
    let counts = [task.turns, task.calls, task.prompt_tokens, task.answer_tokens].map(grouped);
    fill(S::Task.text(language), &counts.each_ref().map(String::as_str))
}

/// What it will cost, where the connection's prices are known.
fn priced(connections: &[Connection], task: &Task) -> Option<String> {
    let price = connections.iter().find(|one| one.id == task.connection)?.price()?;
    let usage = Usage { prompt_tokens: task.prompt_tokens, completion_tokens: task.answer_tokens, ..Usage::default() };
    Some(costs::in_currency(price.of(usage), &price.currency))
}

fn words_of(miss: &Miss, language: Language) -> String {
    let why = match miss.fault() {
        Some(fault) => faults::in_full(fault, language),
        None => S::Unusable.text(language).to_owned(),
    };
    format!("{why} {}", S::Kept.text(language))
}
