//! A provider by its name, where its keys are made, and what runs on this machine.

use futures_util::future::join_all;
use leptos::prelude::*;

use super::{
    editor::Editor,
    trial::{self, Models},
    work::Work,
};
use crate::{
    locales::{fill, keys::T as K, providers::T},
    provider::{
        address::origin,
        known::{KNOWN, Known, Start, locals},
        log_in,
    },
    story::connection::Connection,
    ui::app::App,
    web::{log_in::Back, policy, text_of, window},
};

/// What was found on this machine.
#[derive(Clone)]
struct Running {
    known: &'static Known,
    models: Vec<String>,
}

#[derive(Clone)]
enum Looked {
    NotYet,
    Looking,
    Found(Vec<Running>),
}

fn name(app: App, known: &Known) -> &'static str {
    let [zh, en] = known.name;
    app.language.get().pick(zh, en)
}

/// Fills in what is known of one; the key and the model are asked for.
fn choose(editor: Editor, known: &Known) {
    editor.draft.kind.set(known.kind.name().to_owned());
    editor.draft.url.set(known.url.to_owned());
    editor.edited();
    editor.server_changed();
}

/// Goes on where the page left for the log-in.
pub fn back(editor: Editor, back: Back) {
    let is_there = |known: &&Known| known.url == log_in::BASE;
    let is_chosen =
        editor.draft.names_server() && Known::of(&editor.draft.target()).is_some_and(|known| is_there(&known));
    if let Some(known) = KNOWN.iter().find(is_there).filter(|_| !is_chosen) {
        choose(editor, known);
    }
    editor.logged_in(back);
}

#[component]
pub fn ProviderField(editor: Editor) -> impl IntoView {
    let app = App::here();
    let known = Memo::new(move |_| {
        let known = Known::of(&editor.draft.target())?;
        // Nothing was said of OpenAI yet where no address is typed.
        let is_said = editor.draft.names_server();
        KNOWN.iter().position(|one| is_said && one == known)
    });
    let chosen = move |event| {
        if let Some(known) = event_target_value(&event).parse::<usize>().ok().and_then(|at| KNOWN.get(at)) {
            choose(editor, known);
        }
    };
    let options = move |is_local: bool| {
        let all = KNOWN.iter().enumerate().filter(move |(_, one)| matches!(one.start, Start::Line(_)) == is_local);
        let option = move |(at, one): (usize, &'static Known)| {
            view! { <option value=at.to_string() selected=move || known.get() == Some(at)>{move || name(app, one)}</option> }
        };
        all.map(option).collect_view()
    };
    view! {
        <div class="field">
            <label for="field-connection-provider">{app.t(T::Provider)}</label>
            <select id="field-connection-provider" data-testid="connection-provider" on:change=chosen>
                <option value="" selected=move || known.get().is_none()>{app.t(T::Other)}</option>
                <optgroup label=app.t(T::Hosted)>{options(false)}</optgroup>
                <optgroup label=app.t(T::Local)>{options(true)}</optgroup>
            </select>
            {move || known.get().map(|at| match KNOWN[at].start {
                Start::Key(page) => view! { <p class="field-note"><KeyPage page /></p> }.into_any(),
                Start::Line(line) => view! { <StartLine line /> }.into_any(),
            })}
        </div>
    }
}

/// A key without copying one, where the provider has a way to it.
#[component]
pub fn LogIn(editor: Editor) -> impl IntoView {
    let app = App::here();
    let has_one = move || Known::of(&editor.draft.target()).is_some_and(|known| known.url == log_in::BASE);
    let has_one = Memo::new(move |_| has_one());
    view! {
        <Show when=move || has_one.get()>
            <p class="log-in">
                <button type="button" class="button" data-testid="connection-log-in" disabled=move || editor.busy.get() on:click=move |_| editor.log_in()>
                    {app.t(T::LogIn)}
                </button>
                <span class="field-note">{app.t(T::LogInHint)}</span>
            </p>
        </Show>
    }
}

#[component]
fn KeyPage(page: &'static str) -> impl IntoView {
    let app = App::here();
    let host = origin(page).unwrap_or_default();
    let host = host.trim_start_matches("https://").to_owned();
    view! {
        <a class="link" data-testid="connection-key-page" href=page target="_blank" rel="noopener noreferrer">
            {move || fill(app.t(T::MakeKey)(), &[&host])}
        </a>
    }
}

/// How it is started, to be copied.
#[component]
fn StartLine(line: &'static str) -> impl IntoView {
    let app = App::here();
    let line = StoredValue::new(line.replace("{}", &text_of(&window().location(), "origin")));
    let copy = move |_| app.copy(line.get_value());
    view! {
        <p class="field-note">{app.t(T::StartLine)}</p>
        <p class="start-line">
            <code data-testid="connection-start-line">{line.get_value()}</code>
            <button type="button" class="link" on:click=copy>{app.t(T::Copy)}</button>
        </p>
    }
}

/// Asks the usual ports of this machine.
#[component]
pub fn FindLocal(editor: Editor) -> impl IntoView {
    let app = App::here();
    let looked = RwSignal::new(Looked::NotYet);
    let work = Work::new();
    let look = move |_| {
        looked.set(Looked::Looking);
        work.start(async move {
            let ask = async |known: &'static Known| {
                let connection = Connection { kind: known.kind, url: known.url.to_owned(), ..Default::default() };
                let Models { names, .. } = trial::models(app, connection, None).await.ok()?;
                Some(Running { known, models: names })
            };
            let all = join_all(locals().map(ask)).await;
            looked.set(Looked::Found(all.into_iter().flatten().collect()));
        });
    };
    // Where the page may reach the saved addresses only, asking would tell nothing.
    let may_look = || locals().any(|known| policy::allows(known.url));
    let rows = move |all: Vec<Running>| {
        let row = move |Running { known, models }| {
            let count = models.len().to_string();
            let take = move |_| {
                choose(editor, known);
                editor.draft.model.set(models.first().cloned().unwrap_or_default());
                editor.models.set(models.clone());
                editor.draft.model_changed();
            };
            view! {
                <li data-testid="connection-found">
                    <span>{move || fill(app.t(T::FoundOne)(), &[name(app, known), &count])}</span>
                    <button type="button" class="button" data-testid="connection-found-take" on:click=take>{app.t(T::Take)}</button>
                </li>
            }
        };
        view! { <ul class="found-local">{all.into_iter().map(row).collect_view()}</ul> }
    };
    view! {
        <div class="find-local" aria-live="polite">
            <button type="button" class="button quiet" data-testid="connection-find" disabled=move || !may_look() || matches!(looked.get(), Looked::Looking) on:click=look>
                {move || if matches!(looked.get(), Looked::Looking) { app.t(T::Finding)() } else { app.t(T::Find)() }}
            </button>
            {(!may_look()).then(|| view! { <p class="field-note" data-testid="connection-find-not">{app.t(K::NeedsReload)}</p> })}
            {move || match looked.get() {
                Looked::NotYet | Looked::Looking => None,
                Looked::Found(none) if none.is_empty() => Some(view! {
                    <p class="field-note" data-testid="connection-found-none">{app.t(T::FoundNone)}</p>
                    {locals().map(|known| {
                        let Start::Line(line) = known.start else { return None };
                        Some(view! { <p class="field-note"><b>{known.name[1]}</b></p> <StartLine line /> })
                    }).collect_view()}
                }.into_any()),
                Looked::Found(all) => Some(rows(all).into_any()),
            }}
        </div>
    }
}
