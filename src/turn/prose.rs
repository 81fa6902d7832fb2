//! A reply of notes alone: asked for prose and a block of changes after it, a small model often fills in the block and
//! stops. Its prose is asked for once, in the same turn.

use super::{
    budget::Leave,
    fit,
    play::Show,
    prefill,
    scene::Loaded,
    stream::{self, Ending, Stop},
    wire::{self, Wire},
};
use crate::{
    features::{changes, scribe},
    ports::Ports,
    provider::Message,
    reply::{
        parser::{PartKind, is_plain, parse},
        repeated,
    },
    story::{
        generation::{Generation, Usage},
        spending::Kind,
        warning::{Cause, Notice},
    },
};

/// Takes out of a whole reply what repeats its instructions. Where notes alone are left, the prose is asked for as where a
/// scribe notes what changes, without a form that could be filled in again, and stands in their place: they tell of what
/// was not told. Where none comes they stay, and it is said why. How the reply has ended by then is given.
pub(super) async fn written(
    ports: &Ports,
    (loaded, key): (&mut Loaded, Option<String>),
    instructions: &[String],
    ending: Ending,
    generation: &mut Generation,
    stop: Stop,
    show: Show<'_>,
) -> Ending {
    generation.text = repeated::without(&generation.text, instructions).into_owned();
    if ending != Ending::Done || !is_notes(&generation.text) {
        return ending;
    }
    if !fit::fitted(loaded).0.account.blocks.iter().any(|block| block.source == changes::NAME) {
        return ending;
    }
    loaded.storyline.features.switch(scribe::NAME, true);
    // What there is of it goes on from nothing.
    loaded.history.last_mut().into_iter().for_each(|node| node.seen = None);
    let (mut prompt, _) = fit::fitted(loaded);
    prefill::begin(loaded, &mut prompt);
    let notes = std::mem::take(&mut generation.text);
    let (counted, finish) = (generation.usage.take(), generation.finish.take());
    if !generation.reasoning.is_empty() {
        generation.reasoning.push_str("\n\n");
    }
    let asked = ask(ports, loaded, &prompt.messages, key, generation, stop, show).await;
    generation.reasoning.truncate(generation.reasoning.trim_end().len());
    generation.usage = both(counted, generation.usage);
    let prose = repeated::without(&generation.text, instructions).into_owned();
    let has_prose = !prose.trim().is_empty() && !is_notes(&prose);
    match has_prose {
        true => generation.text = prose,
        false => (generation.text, generation.finish) = (notes, finish),
    }
    let (ending, fault) = match asked {
        Ending::Fault(fault) if !has_prose && !fault.kind.is_told_to_stop() => (ending, Some(fault)),
        asked => (asked, None),
    };
    generation.note(Notice { module: Notice::STREAM.to_owned(), cause: Cause::ProseAskedFor { fault } });
    ending
}

async fn ask(
    ports: &Ports,
    loaded: &Loaded,
    messages: &[Message],
    key: Option<String>,
    generation: &mut Generation,
    mut stop: Stop,
    show: Show<'_>,
) -> Ending {
    let Loaded { connection, purpose, storyline, .. } = loaded;
    let answer = async {
        Leave::ask(ports, storyline, Kind::Chat).await?;
        wire::ask(ports, Wire::new(connection, key, messages, purpose.clone())?, &mut stop).await
    };
    match answer.await {
        Ok(answer) => stream::run(ports, answer, generation, stop, Some(show)).await,
        Err(fault) => Ending::Fault(fault),
    }
}

/// Whether a reply has notes and nothing to read.
fn is_notes(text: &str) -> bool {
    if is_plain(text) {
        return false;
    }
    let parts = parse(text).parts;
    let is_shown = |kind, text: &str| kind == PartKind::Shown && !text.trim().is_empty();
    parts.iter().any(|part| part.kind == PartKind::State)
        && !parts.iter().any(|part| is_shown(part.kind, &text[part.text.clone()]))
}

/// The prompt as it was counted the first time, for that is the one in the account; and all that was written.
fn both(first: Option<Usage>, second: Option<Usage>) -> Option<Usage> {
    let written = second.map_or(0, |usage| usage.completion_tokens);
    first.map(|usage| Usage { completion_tokens: usage.completion_tokens + written, ..usage })
}
