//! What a screen reader is told of a turn without being asked: that the replies are on their way, and each of them once it
//! is there whole. The turn itself is no live region: it would be read anew with each piece that comes.

use leptos::prelude::*;

use super::app::App;
use crate::{
    desk::aloud::of_reply,
    locales::{T, aloud::T as A, faults},
    story::{
        generation::{Generation, Status},
        ids::GenerationId,
        script::Place,
    },
};

#[component]
pub fn Said() -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let words = RwSignal::new(String::new());
    // Of the story, from which of its turns on, and what stood there before: of the last turn there may be a further
    // reply, and the page may say that one is on its way before its turn is there.
    let since = StoredValue::new(None);
    Effect::new(move |_| {
        let (id, is_playing) =
            (story.storyline.with(|open| open.as_ref().map(|open| open.id.clone())), story.is_playing());
        match since.get_value() {
            None if is_playing => {
                words.set(app.say(A::Comes).to_owned());
                let from = story.path.with_untracked(|path| path.end.saturating_sub(1));
                since.set_value(Some((id, from, seen(app, from))));
            }
            Some((of, from, before)) if !is_playing || of != id => {
                since.set_value(None);
                words.set(if of == id { replies(app, from, before) } else { String::new() });
            }
            _ => {}
        }
    });
    view! { <p class="visually-hidden" role="status" data-testid="reply-said">{words}</p> }
}

/// Which reply is seen at a turn, how long it is, and whether it has ended.
type Seen = Option<(GenerationId, usize, Status)>;

fn seen(app: App, position: u32) -> Seen {
    let turns = app.story.turns.get_untracked();
    let turn = turns.iter().find(|turn| turn.position == position)?;
    turn.node.with_untracked(|node| node.reply().map(|reply| (reply.id.clone(), reply.text.len(), reply.status)))
}

/// The prose of the replies from a turn on that are not as they were `before`, and what became of those that are not whole.
fn replies(app: App, from: u32, before: Seen) -> String {
    let turns = app.story.turns.get_untracked();
    let is_new = |position| position > from || seen(app, from) != before;
    let said = turns.iter().filter(|turn| turn.position >= from && is_new(turn.position)).filter_map(|turn| {
        let node = turn.node.get_untracked();
        let reply = node.reply()?;
        let shown = |text| untrack(|| app.story.shown(text, Place::Reply, turn.position));
        Some(of_reply(reply, shown).into_iter().chain(rest(app, reply)).collect::<Vec<_>>().join(" "))
    });
    said.collect::<Vec<_>>().join(" ")
}

fn rest(app: App, reply: &Generation) -> Option<String> {
    match (&reply.fault, reply.status) {
        (Some(fault), _) => Some(faults::explain(fault, app.language.get_untracked()).what),
        (None, Status::Interrupted) => Some(app.say(T::StatusInterrupted).to_owned()),
        (None, Status::Empty) => Some(app.say(T::StatusEmpty).to_owned()),
        _ => None,
    }
}
