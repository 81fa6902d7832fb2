//! A reply of notes alone: asked for prose and a block of changes after it, a small model often fills in the block and
//! stops. Its prose is asked for once, in the same turn.

use super::{
    fit,
    play::Show,
    prefill,
    scene::Loaded,
    stream::{self, Ending, Stop},
    wire::{self, Wire},
};
use crate::{
    features::scribe,
    ports::Ports,
    provider::Message,
    reply::{
        parser::{PartKind, parse},
        repeated,
    },
    story::{
        generation::{Generation, Usage, finish},
        warning::{Cause, Notice},
    },
};

/// Takes out of a whole reply what repeats its instructions. Where notes alone are left, the prose is asked for as where a
/// scribe notes what changes, without a form that could be filled in again, and stands in their place: they tell of what
/// was not told. Where none comes they stay. How the reply has ended by then is given.
pub(super) async fn written(
    ports: &Ports,
    (loaded, messages, key): (&mut Loaded, &[Message], Option<String>),
    instructions: &[String],
    ending: Ending,
    generation: &mut Generation,
    mut stop: Stop,
    show: Show<'_>,
) -> Ending {
    generation.text = repeated::without(&generation.text, instructions).into_owned();
    let is_whole = ending == Ending::Done && !generation.finished_by(finish::LENGTH);
    if !is_whole || !is_notes(&generation.text) {
        return ending;
    }
    loaded.storyline.features.switch(scribe::NAME, true);
    let (mut prompt, held) = fit::fitted(loaded);
    prefill::begin(loaded, &mut prompt);
    if held.is_err() || prompt.messages == messages {
        return ending;
    }
    generation.note(Notice { module: Notice::STREAM.to_owned(), cause: Cause::ProseAskedFor });
    let Loaded { connection, purpose, .. } = &*loaded;
    let answer = match Wire::new(connection, key, &prompt.messages, purpose.clone()) {
        Ok(wire) => wire::ask(ports, wire, &mut stop).await,
        Err(fault) => Err(fault),
    };
    match answer {
        Ok(answer) => {
            let notes = std::mem::take(&mut generation.text);
            let counted = generation.usage.take();
            let ending = stream::run(ports, answer, generation, stop, Some(show)).await;
            generation.usage = both(counted, generation.usage);
            let prose = repeated::without(&generation.text, instructions).into_owned();
            generation.text = if prose.trim().is_empty() || is_notes(&prose) { notes } else { prose };
            ending
        }
        Err(fault) => Ending::Fault(fault),
    }
}

/// Whether a reply has notes and nothing to read.
fn is_notes(text: &str) -> bool {
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
