//! Notes in the margin of a turn: what its reply changed, and what could not be used, as an editor would write them.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::{T, fill, mind::T as M, replies::reply_notice_words, warnings::notice_words},
    modules::{BACKGROUND, director, planner, reading::notices_of},
    reply::notice::ReplyNotice,
    story::{
        clip,
        event::Stage,
        fault::FaultKind,
        generation::Status,
        persona::Item,
        plot::PointStatus,
        state::{Change, MajorEvent},
        storyline::Language,
        tree::Node,
        warning::{Cause, Notice},
        world,
    },
    turn::embed::embedder,
    ui::{
        app::App,
        mind::{by_hand_words, sentence, word},
        notebook::Tab,
        notices::NoticeKind,
    },
};

/// More notes than this are folded to a number.
const SHOWN: usize = 6;

#[derive(Clone, PartialEq)]
enum Note {
    Change(Change),
    Notice(Notice),
}

/// What was odd about a reply's text, folded: with the update itself where it could not be read (B4).
#[component]
pub fn ReadingNotes(node: RwSignal<Arc<Node>>, #[prop(into)] state: Signal<String>) -> impl IntoView {
    let app = App::here();
    let notices = Memo::new(move |_| {
        node.with(|node| match node.reply().filter(|reply| reply.status != Status::Streaming) {
            Some(reply) => notices_of(reply),
            None => Vec::new(),
        })
    });
    let summary = move || fill(word(app, M::ReadingNoted)(), &[&notices.with(Vec::len).to_string()]);
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
            <details class="reasoning turn-reading" data-testid="turn-reading">
                <summary>{summary}</summary>
                <ul>{lines}</ul>
                {move || raw().map(|raw| view! { <pre tabindex="0" data-testid="turn-reading-raw">{raw}</pre> })}
            </details>
        </Show>
    }
}

#[component]
pub fn Notes(node: RwSignal<Arc<Node>>) -> impl IntoView {
    let app = App::here();
    let notes = Memo::new(move |_| {
        node.with(|node| match node.reply().filter(|reply| reply.status != Status::Streaming) {
            Some(reply) => reply
                .changes()
                .into_iter()
                .map(Note::Change)
                .chain(reply.notices().into_iter().map(Note::Notice))
                .collect(),
            None => Vec::new(),
        })
    });
    let all = RwSignal::new(false);
    let lines = move || {
        let language = app.language.get();
        let limit = if all.get() { usize::MAX } else { SHOWN };
        notes.with(|notes| notes.iter().take(limit).map(|note| line(app, node, note, language)).collect_view())
    };
    let more = move || notes.with(Vec::len).saturating_sub(SHOWN);
    view! {
        <Show when=move || notes.with(|notes| !notes.is_empty())>
            <ul class="turn-notes" data-testid="turn-notes">{lines}</ul>
            <Show when=move || !all.get() && (more() > 0)>
                <button class="link notes-more" on:click=move |_| all.set(true)>
                    {move || fill(word(app, M::MoreNotes)(), &[&more().to_string()])}
                </button>
            </Show>
        </Show>
    }
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
fn wants_key(note: &Note) -> bool {
    let Note::Notice(Notice { cause: Cause::NotPlanned { fault: Some(fault) } | Cause::NotRecalled { fault }, .. }) =
        note
    else {
        return false;
    };
    fault.kind == FaultKind::KeyMissing
}

/// Asks for the key of the planner or of what makes embeddings, for the turns to come.
async fn ask_for_key(app: App, planner: bool) {
    let connection = match planner {
        true => {
            let chosen =
                app.story.storyline.with_untracked(|story| story.as_ref().and_then(|s| s.planner().connection));
            app.connections.with_untracked(|list| list.iter().find(|one| Some(&one.id) == chosen.as_ref()).cloned())
        }
        false => embedder(&*app.store()).await,
    };
    if let Some(connection) = connection {
        app.asking_key.ask(app, connection).await;
    }
}

fn line(app: App, node: RwSignal<Arc<Node>>, note: &Note, language: Language) -> AnyView {
    let failed = matches!(note, Note::Notice(notice) if notice.is_failure());
    let (tab, kind, text) = match note {
        Note::Change(change @ Change::Plot { .. }) => (Tab::Plot, "plot", change_words(change, language)),
        Note::Change(change @ (Change::World { .. } | Change::Event { .. })) => {
            (Tab::World, "world", change_words(change, language))
        }
        Note::Change(change) => (Tab::Persona, "persona", change_words(change, language)),
        Note::Notice(notice) => {
            let tab = match notice.module.as_str() {
                director::NAME => Tab::Plot,
                BACKGROUND => Tab::Story,
                "world" | "happening" => Tab::World,
                "planner" | Notice::STREAM => Tab::Story,
                _ => Tab::Persona,
            };
            (tab, "notice", notice_words(notice, language))
        }
    };
    view! {
        <li class="turn-note" data-testid="turn-note" data-kind=kind>
            <button class="link" on:click=move |_| app.open_notebook(tab)>{text}</button>
            {failed.then(|| view! {
                <button class="link note-retry" data-testid="note-retry"
                    disabled=move || !app.story.writer.get() || app.story.is_playing()
                    on:click=move |_| try_again(app, node)>
                    {word(app, M::TryAgain)}
                </button>
            })}
            {wants_key(note).then(|| {
                let planner = matches!(note, Note::Notice(notice) if notice.module == planner::NAME);
                view! {
                    <button class="link" data-testid="note-key" disabled=move || !app.story.writer.get()
                        on:click=move |_| spawn_local(ask_for_key(app, planner))>
                        {app.t(T::EnterKey)}
                    </button>
                }
            })}
        </li>
    }
    .into_any()
}

/// Characters of a value in a note.
const VALUE: usize = 60;

fn change_words(change: &Change, language: Language) -> String {
    let say = |text: M, values: &[&str]| fill(text.text(language), values);
    match change {
        Change::Item { item: Item::Relationship { entity, status, .. }, was: Some(was) }
            if !was.is_empty() && was != status =>
        {
            say(M::NoteRelationMoved, &[entity, was, status])
        }
        Change::Item { item: Item::Physical { condition }, was: Some(was) } if was != condition => {
            say(M::NotePhysicalMoved, &[was, condition])
        }
        Change::Item { item, .. } => {
            let label = match item {
                Item::Belief { .. } => M::NoteBelief,
                Item::Pattern { .. } => M::NotePattern,
                Item::Relationship { .. } => M::NoteRelation,
                Item::Emotion { .. } => M::NoteEmotion,
                Item::Goal { .. } => M::NoteGoal,
                Item::Physical { .. } => M::NotePhysical,
            };
            say(label, &[&sentence(item, language)])
        }
        Change::MajorEvent { event } => match event {
            MajorEvent::Said { reason } if reason.is_empty() => say(M::NoteMajorSaid, &[]),
            MajorEvent::Said { reason } => say(M::NoteMajor, &[reason]),
            MajorEvent::Relationship { entity } => say(M::NoteMajorRelation, &[entity]),
            MajorEvent::Belief { formed_from } => say(M::NoteMajorBelief, &[formed_from]),
        },
        Change::GrowthHeld { items } => {
            let items: Vec<String> = items.iter().map(|item| sentence(item, language)).collect();
            say(M::NoteHeld, &[&items.join(language.pick("；", "; "))])
        }
        Change::Event { name, stage: Stage::Settled, .. } => say(M::NoteEventSettled, &[name]),
        Change::Event { name, .. } => say(M::NoteEventBegins, &[name]),
        Change::World { key, from, to } => {
            let value = |value: &Option<_>| value.as_ref().map(|value| clip(&world::words(value, language), VALUE));
            match (value(from), value(to)) {
                (_, None) => say(M::NoteWorldGone, &[key]),
                (None, Some(to)) => say(M::NoteWorld, &[key, &to]),
                (Some(from), Some(to)) => say(M::NoteWorldMoved, &[key, &from, &to]),
            }
        }
        Change::Maintained { removed } => say(M::NoteMaintained, &[&removed.to_string()]),
        Change::Plot { index, status, content, from_index, jumped_back, .. } => {
            let index = index.to_string();
            if *jumped_back {
                return say(M::NotePlotBack, &[&from_index.to_string(), &index, content]);
            }
            let text = match status {
                PointStatus::Completed => M::NotePlotCompleted,
                PointStatus::InProgress => M::NotePlotBegun,
                PointStatus::Pending => M::NotePlotPending,
            };
            say(text, &[&index, content])
        }
    }
}
