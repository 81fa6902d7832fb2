//! Notes in the margin of a turn: what its reply changed, and what could not be used, as an editor would write them.

use std::sync::Arc;

use leptos::prelude::*;

use crate::{
    locales::{fill, mind::T as M, warnings::notice_words},
    story::{
        generation::Status,
        persona::Item,
        plot::PointStatus,
        state::{Change, MajorEvent},
        storyline::Language,
        tree::Node,
        warning::Notice,
    },
    ui::{
        app::App,
        mind::{sentence, word},
        notebook::Tab,
    },
};

/// More notes than this are folded to a number.
const SHOWN: usize = 6;

#[derive(Clone, PartialEq)]
enum Note {
    Change(Change),
    Notice(Notice),
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
        notes.with(|notes| notes.iter().take(limit).map(|note| line(app, note, language)).collect_view())
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

fn line(app: App, note: &Note, language: Language) -> AnyView {
    let (tab, kind, text) = match note {
        Note::Change(change @ Change::Plot { .. }) => (Tab::Plot, "plot", change_words(change, language)),
        Note::Change(change) => (Tab::Persona, "persona", change_words(change, language)),
        Note::Notice(notice) => {
            let tab = if notice.module == "director" { Tab::Plot } else { Tab::Persona };
            (tab, "notice", notice_words(notice, language))
        }
    };
    view! {
        <li class="turn-note" data-testid="turn-note" data-kind=kind>
            <button class="link" on:click=move |_| app.open_notebook(tab)>{text}</button>
        </li>
    }
    .into_any()
}

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
