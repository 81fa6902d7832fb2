//! A reply: its text as it comes, what the model thought aloud, and how it ended.

use std::sync::Arc;

use leptos::prelude::*;

use super::{
    notes::{Notes, ReadingNotes, ScribeNote},
    reading::{Reading, Seen},
    too_long::too_long,
};
use crate::{
    features::reading::Said,
    locales::{T, faults, mind::T as M},
    story::{
        fault::FaultKind,
        generation::{Generation, Status, finish},
        script::Place,
        storyline::Language,
        tree::Node,
    },
    ui::{about::took, app::App, markdown::Markdown, route::Route},
};

/// What stands where a reply has no words of its own (A4).
fn stand_in(generation: &Generation, language: Language) -> Option<String> {
    match (generation.status, &generation.fault) {
        (Status::Empty, _) => Some(T::NoReply.text(language).to_owned()),
        (Status::Error, Some(fault)) if generation.text.trim().is_empty() => {
            Some(faults::in_place_of_reply(fault, language))
        }
        _ => None,
    }
}

/// Why a reply that met no fault is short all the same, or has no words; with what helps where it is the last.
fn cause(reply: &Generation, is_last: bool, language: Language) -> Option<String> {
    let is_empty = reply.status == Status::Empty;
    let texts: &[T] = match () {
        () if reply.is_cut_off() && is_last => &[T::CutOff, T::CutOffAdvice],
        () if reply.is_cut_off() => &[T::CutOff],
        () if is_empty && reply.finished_by(finish::LENGTH) => &[T::CutBeforeWords],
        () if is_empty && reply.finished_by(finish::CALLS) => &[T::OnlyCalls],
        () => return None,
    };
    Some(texts.iter().map(|text| text.text(language)).collect::<Vec<_>>().join(" "))
}

/// A prompt that no context had room for says so in a place of its own.
fn says_itself(reply: &Generation) -> bool {
    too_long(reply).is_some_and(|fault| fault.kind != FaultKind::OverLimit)
}

/// What stands beneath it: why it ended as it did, and what helps.
fn note(reply: &Generation, is_last: bool, language: Language) -> Option<String> {
    let Some(fault) = reply.fault.as_ref() else { return cause(reply, is_last, language) };
    if says_itself(reply) {
        return None;
    }
    let explained = faults::explain(fault, language);
    // A reply without words of its own already says what: only the advice is left.
    Some(match reply.status {
        Status::Error if reply.text.trim().is_empty() => explained.advice,
        _ => format!("{} {}", explained.what, explained.advice).trim().to_owned(),
    })
    .filter(|note| !note.is_empty())
}

#[component]
pub fn Reply(node: RwSignal<Arc<Node>>) -> impl IntoView {
    let app = App::here();
    let reading = StoredValue::new_local(Reading::default());
    let seen = Memo::new(move |_| {
        node.with(|node| match node.reply() {
            Some(reply) => reading
                .try_update_value(|reading| reading.read(&reply.id, &reply.text, reply.status != Status::Streaming))
                .unwrap_or_default(),
            None => Seen::default(),
        })
    });
    let position = Memo::new(move |_| node.with(|node| node.turn.position));
    let text = Memo::new(move |_| app.story.shown(seen.with(|seen| seen.shown.clone()), Place::Reply, position.get()));
    let text = Signal::from(text);
    let reasoning = Memo::new(move |_| {
        let aloud = node.with(|node| node.reply().map(|reply| reply.reasoning.clone()).unwrap_or_default());
        let thoughts = seen.with(|seen| match (aloud.is_empty(), seen.thoughts.is_empty()) {
            (_, true) => aloud,
            (true, _) => seen.thoughts.clone(),
            _ => [aloud, seen.thoughts.clone()].join("\n\n"),
        });
        app.story.shown(thoughts, Place::Thoughts, position.get())
    });
    let plan = Memo::new(move |_| {
        node.with(|node| node.reply().and_then(|reply| Some((reply.plan()?.to_owned(), reply.planning()))))
    });
    let state = Memo::new(move |_| seen.with(|seen| seen.state.clone()));
    let has_state = Memo::new(move |_| !state.with(String::is_empty));
    // Another reply is another page: nothing of the one before is kept.
    let id = Memo::new(move |_| node.with(|node| node.reply().map(|reply| reply.id.clone())));
    let status = Memo::new(move |_| node.with(|node| node.reply().map(|reply| reply.status)));
    let has_reasoning = Memo::new(move |_| !reasoning.with(String::is_empty));
    let waiting = move || status.get() == Some(Status::Streaming) && text.with(String::is_empty);
    // What each piece of a reply leaves as it was is not drawn again with it.
    let after = Memo::new(move |_| node.with(|node| stand_in(node.reply()?, app.language.get())));
    // All of it is thought or state: an empty place would look like a fault of the page.
    let is_all_folded = move || {
        status.get() == Some(Status::Done)
            && seen.with(|seen| seen.shown.trim().is_empty())
            && (has_reasoning.get() || has_state.get())
    };
    let is_last = move || app.story.path.with(|path| path.end == position.get() + 1);
    let cut_off = Memo::new(move |_| node.with(|node| node.reply().is_some_and(Generation::is_cut_off)));
    let note = Memo::new(move |_| node.with(|node| note(node.reply()?, is_last(), app.language.get())));
    let says_itself = Memo::new(move |_| node.with(|node| node.reply().is_some_and(says_itself)));
    let status_word = move || match status.get() {
        _ if cut_off.get() => Some(T::StatusCutOff),
        _ if says_itself.get() => None,
        Some(Status::Interrupted) => Some(T::StatusInterrupted),
        Some(Status::Error) => Some(T::StatusError),
        Some(Status::Empty) => Some(T::StatusEmpty),
        _ => None,
    };
    let is_over = |reply: &Generation| reply.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::OverLimit);
    let over_limit = Memo::new(move |_| node.with(|node| node.reply().is_some_and(is_over)));
    let is_too_long = Memo::new(move |_| node.with(|node| node.reply().and_then(too_long).is_some()));
    view! {
        <Show when=move || has_reasoning.get()>
            <details class="reasoning" data-testid="turn-reasoning">
                <summary>{app.t(T::Thinking)}</summary>
                <p>{move || reasoning.get()}</p>
            </details>
        </Show>
        {move || plan.get().map(|(plan, planning)| view! {
            <details class="reasoning" data-testid="turn-plan">
                <summary>{app.t(M::Plan)}</summary>
                <p>{plan}</p>
                {planning.map(|planning| view! {
                    <p class="plan-took number" data-testid="turn-plan-took">{move || took(&planning, app.language.get())}</p>
                })}
            </details>
        })}
        <div
            class="reply"
            class:streaming=move || status.get() == Some(Status::Streaming)
            data-testid="turn-reply"
            aria-busy=move || (status.get() == Some(Status::Streaming)).to_string()
        >
            {move || {
                id.track();
                view! { <Markdown text /> }
            }}
            {move || after.get().map(|text| view! { <p class="stand-in">{text}</p> })}
        </div>
        <Show when=waiting>
            <p class="waiting">{app.t(T::Waiting)}</p>
        </Show>
        <Show when=is_all_folded>
            <p class="stand-in">{app.t(M::NothingShown)}</p>
        </Show>
        <p
            class="turn-status"
            data-testid="turn-status"
            data-status=move || status.get().map_or("none", Status::name)
            hidden=move || status_word().is_none() && note.with(Option::is_none)
        >
            <b>{move || status_word().map(|word| app.t(word)())}</b>
            " "
            {move || note.get()}
            {move || over_limit.get().then(|| view! { <a href=Route::Settings.hash()>{app.t(T::ChangeLimits)}</a> })}
        </p>
        <Show when=move || is_too_long.get()>{app.chunks.aside.show(app, move |aside| (aside.too_long)(node))}</Show>
        <ReadingNotes node of=Said::Reply state />
        <Notes node state />
        <ScribeNote node />
        <ReadingNotes node of=Said::Note />
    }
}
