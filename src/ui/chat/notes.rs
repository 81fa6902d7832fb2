//! Notes in the margin of a turn: what its reply changed, and what could not be used, as an editor would write them.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use crate::{
    features::{
        BACKGROUND, director, group,
        planner::{self, PlannerSettings},
        reading::Said,
        recap, scribe,
    },
    locales::{T, changes::change_words, fill, mind::T as M, replies::reply_notice_words, warnings::notice_words},
    reply::notice::ReplyNotice,
    story::{
        fault::FaultKind,
        generation::{Generation, Status},
        state::Change,
        storyline::Language,
        tree::Node,
        warning::{Cause, Notice, Planning},
        written::Text,
    },
    ui::{about::took, app::App, mind::by_hand_words, state::NoticeKind, state::Tab},
};

fn ended(node: &Node) -> Option<&Generation> {
    node.reply().filter(|reply| reply.status != Status::Streaming)
}

/// What was odd about a reply's text, or about what the scribe noted of it, folded: with the update itself where it could
/// not be read (B4).
#[component]
pub fn ReadingNotes(
    node: RwSignal<Arc<Node>>,
    of: Said,
    #[prop(optional, into)] state: Signal<String>,
) -> impl IntoView {
    let app = App::here();
    let (words, testid) = match of {
        Said::Reply => (M::ReadingNoted, "turn-reading"),
        Said::Note => (M::NoteReadingNoted, "turn-noted-reading"),
    };
    let notices = Memo::new(move |_| node.with(|node| ended(node).map(|one| of.notices_of(one))).unwrap_or_default());
    let summary = move || fill(app.t(words)(), &[&notices.with(Vec::len).to_string()]);
    let lines = move || {
        let language = app.language.get();
        notices.with(|notices| {
            notices.iter().map(|notice| view! { <li>{reply_notice_words(notice, language)}</li> }).collect_view()
        })
    };
    let raw = move || {
        let unread = notices.with(|all| all.iter().any(|notice| matches!(notice, ReplyNotice::BadJson { .. })));
        Some(state.get()).filter(|state| unread && !state.is_empty())
    };
    view! {
        <Show when=move || notices.with(|notices| !notices.is_empty())>
            <details class="reasoning turn-reading" data-testid=testid>
                <summary>{summary}</summary>
                <ul>{lines}</ul>
                {move || raw().map(|raw| view! { <pre tabindex="0" data-testid="turn-reading-raw">{raw}</pre> })}
            </details>
        </Show>
    }
}

/// What the reply changed, folded to its number, and the update as the model wrote it behind that; beneath it what could
/// not be used.
#[component]
pub fn Notes(node: RwSignal<Arc<Node>>, #[prop(into)] state: Signal<String>) -> impl IntoView {
    let app = App::here();
    let changes = Memo::new(move |_| node.with(|node| ended(node).map(Generation::changes)).unwrap_or_default());
    let notices = Memo::new(move |_| node.with(|node| ended(node).map(Generation::notices)).unwrap_or_default());
    let has_changes = Memo::new(move |_| changes.with(|changes| !changes.is_empty()));
    // While it still comes, nobody knows what it changes.
    let has_state =
        Memo::new(move |_| node.with(|node| ended(node).is_some()) && state.with(|state| !state.is_empty()));
    let summary = move || match changes.with(Vec::len) {
        0 => app.t(M::NoChange)().to_owned(),
        count => fill(app.t(M::Changes)(), &[&count.to_string()]),
    };
    let changed = move || {
        let language = app.language.get();
        changes.with(|changes| changes.iter().map(|change| changed_line(app, change, language)).collect_view())
    };
    let noticed = move || {
        let language = app.language.get();
        notices.with(|notices| notices.iter().map(|notice| noticed_line(app, node, notice, language)).collect_view())
    };
    view! {
        <Show when=move || has_changes.get() || has_state.get()>
            <details class="turn-changes" data-testid="turn-changes">
                <summary data-testid="turn-changes-open">{summary}</summary>
                <ul class="turn-notes" data-testid="turn-notes">{changed}</ul>
                <Show when=move || has_state.get()>
                    <details class="reasoning turn-state" data-testid="turn-state">
                        <summary>{app.t(M::StateUpdate)}</summary>
                        <pre tabindex="0">{move || state.get()}</pre>
                    </details>
                </Show>
            </details>
        </Show>
        <Show when=move || notices.with(|notices| !notices.is_empty())>
            <ul class="turn-notes" data-testid="turn-notices">{noticed}</ul>
        </Show>
    }
}

/// What the scribe noted at the reply, folded to its name and its cost; while it reads, that it does, with a stop.
#[component]
pub fn ScribeNote(node: RwSignal<Arc<Node>>) -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let noted = Memo::new(move |_| node.with(|node| ended(node).and_then(Generation::noted)));
    let is_last = move || story.path.with(|path| node.with(|node| path.end == node.turn.position + 1));
    let reading = Memo::new(move |_| {
        let id = story.storyline.with(|storyline| storyline.as_ref().map(|s| s.id.clone()))?;
        let reads = story.scribing.with(|all| all.iter().any(|(reading, _)| *reading == id));
        (reads && is_last() && node.with(|node| ended(node).is_some())).then_some(id)
    });
    view! {
        {move || noted.get().map(|noted| {
            let (first, last) = noted.turns;
            let title = move || match first == last {
                true => fill(app.t(M::Noted)(), &[&last.to_string()]),
                false => fill(app.t(M::NotedTurns)(), &[&first.to_string(), &last.to_string()]),
            };
            let cost = Planning { model: noted.model, usage: noted.usage, millis: noted.millis };
            view! {
                <details class="reasoning turn-state" data-testid="turn-noted">
                    <summary>{title}" · "<span class="number" data-testid="turn-noted-took">{move || took(&cost, app.language.get())}</span></summary>
                    <pre tabindex="0">{noted.text}</pre>
                </details>
            }
        })}
        {move || reading.get().map(|id| view! {
            <p class="waiting" role="status" data-testid="turn-noting">
                {app.t(M::Noting)} " "
                <button type="button" class="link" data-testid="scribe-stop" on:click=move |_| story.stop_scribe_of(&id, FaultKind::Stopped)>{app.t(T::Stop)}</button>
            </p>
        })}
    }
}

/// Lets the scribe read once more, with what was told since.
fn note_again(app: App) {
    let Some(id) = app.story.id() else { return };
    app.chunks.desk.run(app, async move |desk| (desk.scribe)(app, id, true).await);
}

/// Lets the modules see the reply again, now that what stopped one may be mended.
fn try_again(app: App, node: RwSignal<Arc<Node>>) {
    let Some(id) = node.with_untracked(|node| node.reply().map(|reply| reply.id.clone())) else { return };
    spawn_local(async move {
        if let Err(error) = app.conductor().read_anew(&id).await {
            app.notify(NoticeKind::Warning, move |language| by_hand_words(&error, language));
        }
        app.story.reload(app).await;
    });
}

/// Whether something that helps a turn was left out for want of a key.
fn wants_key(notice: &Notice) -> bool {
    let (Cause::NotPlanned { fault: Some(fault) } | Cause::NotRecalled { fault }) = &notice.cause else {
        return false;
    };
    fault.kind == FaultKind::KeyMissing
}

/// Asks for the key of the planner or of what makes embeddings, for the turns to come.
async fn ask_for_key(app: App, planner: bool) {
    let connection = match planner {
        true => {
            let chosen =
                untrack(|| app.story.played(|story, preset| story.settings::<PlannerSettings>(preset).connection))
                    .flatten();
            app.connections.with_untracked(|list| list.iter().find(|one| Some(&one.id) == chosen.as_ref()).cloned())
        }
        false => app.desk().embedder().await,
    };
    if let Some(connection) = connection {
        app.asking_key.ask(app, connection).await;
    }
}

fn changed_line(app: App, change: &Change, language: Language) -> impl IntoView + use<> {
    let (tab, kind) = match change {
        Change::Plot { .. } | Change::Text { of: Text::Plot, .. } => (Tab::Plot, "plot"),
        Change::World { .. } | Change::Event { .. } => (Tab::World, "world"),
        _ => (Tab::Persona, "persona"),
    };
    note(app, tab, kind, change_words(change, language), None)
}

fn noticed_line(app: App, node: RwSignal<Arc<Node>>, notice: &Notice, language: Language) -> impl IntoView + use<> {
    let tab = match notice.module.as_str() {
        director::NAME | "plot_summary" => Tab::Plot,
        "world" | "happening" => Tab::World,
        recap::NAME => Tab::Memory,
        BACKGROUND | "planner" | scribe::NAME | group::NAME | Notice::STREAM => Tab::Story,
        _ => Tab::Persona,
    };
    let is_scribes = notice.module == scribe::NAME;
    let retry = (notice.is_failure() || is_scribes).then(|| {
        view! {
            <button class="link note-retry" data-testid="note-retry"
                disabled=move || !app.story.writer.get() || app.story.is_playing()
                on:click=move |_| if is_scribes { note_again(app) } else { try_again(app, node) }>
                {app.t(M::TryAgain)}
            </button>
        }
    });
    let planner = notice.module == planner::NAME;
    let key = wants_key(notice).then(|| {
        view! {
            <button class="link" data-testid="note-key" disabled=move || !app.story.writer.get()
                on:click=move |_| spawn_local(ask_for_key(app, planner))>
                {app.t(T::EnterKey)}
            </button>
        }
    });
    note(app, tab, "notice", notice_words(notice, language), Some((retry, key).into_any()))
}

fn note(app: App, tab: Tab, kind: &'static str, text: String, more: Option<AnyView>) -> impl IntoView {
    view! {
        <li class="turn-note" data-testid="turn-note" data-kind=kind>
            <button class="link" on:click=move |_| app.open_notebook(tab)>{text}</button>
            {more}
        </li>
    }
}
