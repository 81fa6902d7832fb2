//! A turn whose prompt was too long: how long, and the two ways on. The reader's words wait in it.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::{faults, lengths::T as L},
    story::{
        fault::{Fault, FaultKind},
        generation::Generation,
        tree::Node,
    },
    turn::Ask,
    ui::{app::App, chunks::Aside, features::summary::SummariseProps, route::Route},
};

/// Why a reply waits for the reader to say what shall be left out of its prompt.
pub fn too_long(reply: &Generation) -> Option<&Fault> {
    reply.fault.as_ref().filter(|fault| fault.kind.is_too_long())
}

#[component]
pub fn TooLong(node: RwSignal<Arc<Node>>) -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let fault = Memo::new(move |_| node.with(|node| node.reply().and_then(too_long).cloned()));
    let is_last = move || story.path.with(|path| node.with(|node| path.end == node.turn.position + 1));
    let is_bare = |fault: &Fault| fault.length.is_some_and(|length| length.bare);
    let may_choose = move || is_last() && fault.with(|fault| fault.as_ref().is_some_and(|fault| !is_bare(fault)));
    let held = move || !story.writer.get() || story.is_playing();
    let again = move |newest: bool| {
        let ask = node.with_untracked(|node| node.reply().map_or_else(|| Ask::Again(node.turn.id.clone()), Ask::whole));
        let ask = if newest { Ask::Newest(Box::new(ask)) } else { ask };
        spawn_local(async move {
            if let Err(fault) = story.play(app, ask).await {
                app.notify_fault(&fault);
            }
        });
    };
    let say = move |text: L| move || text.text(app.language.get());
    // A turn that was over the reader's own limit has said so in the place of its reply.
    let words = move || {
        let told = fault.with(|fault| {
            let fault = fault.as_ref().filter(|fault| fault.kind != FaultKind::OverLimit)?;
            Some(faults::explain(fault, app.language.get()))
        });
        told.map(|told| {
            view! {
                <p data-testid="turn-too-long-words">{told.what}</p>
                {(!told.advice.is_empty()).then(|| view! { <p class="too-long-advice">{told.advice}</p> })}
            }
        })
    };
    let settings = move || match fault.with(|fault| fault.as_ref().map(|fault| fault.kind)) {
        Some(FaultKind::OverLimit) => None,
        _ => Some(view! { <a href=Route::Settings.hash()>{say(L::ChangeConnection)}</a> }),
    };
    let summarise = move |aside: Aside| {
        let label = Some(Signal::derive(say(L::SummariseAndSend)));
        let then = Some(Callback::new(move |()| again(false)));
        (aside.summarise)(SummariseProps { testid: "turn-summarize", hint: false, label, then })
    };
    view! {
        <Show when=move || fault.with(Option::is_some)>
            <section class="too-long" data-testid="turn-too-long" aria-label=say(L::Title)>
                {words}
                <Show when=may_choose fallback=settings>
                    <p class="too-long-advice">{say(L::Choices)} " " {settings}</p>
                    <div class="too-long-ways">
                        {app.chunks.aside.show(app, summarise)}
                        <button type="button" class="button" data-testid="turn-newest" disabled=held on:click=move |_| again(true)>
                            {say(L::SendNewest)}
                        </button>
                    </div>
                </Show>
            </section>
        </Show>
    }
}
