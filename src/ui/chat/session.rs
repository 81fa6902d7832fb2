//! Where a session ends and the next one opens: a quiet rule, with the summary folded under it.

use leptos::prelude::*;

use crate::{
    locales::{fill, mind::T as M},
    ui::{app::App, state::TurnView},
};

/// Beneath the turn after which a session opens.
#[component]
pub fn SessionRule(turn: TurnView) -> impl IntoView {
    let app = App::here();
    let TurnView { position, node, .. } = turn;
    let place =
        Memo::new(move |_| node.with(|node| (node.turn.branch.clone(), node.reply().map(|reply| reply.id.clone()))));
    let opened = Memo::new(move |_| {
        let (branch, reply) = place.get();
        app.story.storyline.with(|storyline| {
            let storyline = storyline.as_ref()?;
            // Of two at one place the later holds.
            storyline.sessions.iter().rev().find_map(|session| {
                let opened = session.opened.as_ref()?;
                let is_here = opened.at.branch == branch && opened.at.end == position + 1 && opened.generation == reply;
                is_here.then(|| (storyline.session_number(session), opened.summary.clone()))
            })
        })
    });
    move || {
        opened.get().map(|(number, summary)| {
            let label = move || fill(app.t(M::SessionNumber)(), &[&number.to_string()]);
            view! {
                <details class="session-rule" data-testid="session-rule">
                    <summary>{label}</summary>
                    <p data-testid="session-summary">{summary}</p>
                </details>
            }
        })
    }
}
