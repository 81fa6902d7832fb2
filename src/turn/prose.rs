//! A reply of notes alone: asked for prose and a block of changes after it, a small model often writes the block and
//! stops. Its prose is asked for once, in the same turn.

use super::{
    play::Show,
    scene::Loaded,
    stream::{self, Ending, Stop},
    wire::{self, Wire},
};
use crate::{
    ports::Ports,
    prompt::builtin,
    provider::Message,
    reply::{
        parser::{PartKind, parse},
        repeated,
    },
    story::{
        generation::{Generation, Usage, finish},
        preset::Role,
        warning::{Cause, Notice},
    },
};

/// A prompt that was answered.
pub(super) struct Asked<'a> {
    pub loaded: &'a Loaded,
    pub key: Option<String>,
    pub messages: &'a [Message],
    /// Its own instructions (`features::changes`).
    pub instructions: &'a [String],
}

/// Takes out of a whole reply what repeats its instructions. Where notes alone are left, the prose is asked for with the
/// same prompt, the notes and a nudge, and stands before them; of the notes that come with it none is taken, for they
/// would count twice. How the reply has ended by then is given.
pub(super) async fn written(
    ports: &Ports,
    asked: Asked<'_>,
    ending: Ending,
    generation: &mut Generation,
    mut stop: Stop,
    show: Show<'_>,
) -> Ending {
    generation.text = repeated::without(&generation.text, asked.instructions).into_owned();
    let is_whole = ending == Ending::Done && !generation.finished_by(finish::LENGTH);
    if !is_whole || !is_notes(&generation.text) {
        return ending;
    }
    let Loaded { connection, purpose, storyline, .. } = asked.loaded;
    let notes = generation.text.trim_end().to_owned();
    let answered = asked.messages.iter().filter(|message| !message.begun).cloned();
    let nudge = builtin::prose_nudge(storyline.language);
    let more = [Message::new(Role::Assistant, notes.clone()), Message::new(Role::User, nudge)];
    let messages: Vec<_> = answered.chain(more).collect();
    let answer = match Wire::new(connection, asked.key, &messages, purpose.clone()) {
        Ok(wire) => wire::ask(ports, wire, &mut stop).await,
        Err(fault) => Err(fault),
    };
    let ending = match answer {
        Ok(answer) => {
            let counted = generation.usage.take();
            generation.text = format!("{notes}\n\n");
            let ending = stream::run(ports, answer, generation, stop, Some(show)).await;
            generation.usage = both(counted, generation.usage);
            let came = &generation.text[notes.len()..];
            let prose = without_notes(repeated::without(came, asked.instructions).trim());
            generation.text = match ending {
                _ if prose.is_empty() => notes,
                Ending::Done => format!("{prose}\n\n{notes}"),
                // It may go on, from its last word.
                Ending::Fault(_) => format!("{notes}\n\n{prose}"),
            };
            ending
        }
        Err(fault) => Ending::Fault(fault),
    };
    generation.note(Notice { module: Notice::STREAM.to_owned(), cause: Cause::ProseAskedFor });
    ending
}

/// Whether a reply has notes and nothing to read.
fn is_notes(text: &str) -> bool {
    let parts = parse(text).parts;
    let is_shown = |kind, text: &str| kind == PartKind::Shown && !text.trim().is_empty();
    parts.iter().any(|part| part.kind == PartKind::State)
        && !parts.iter().any(|part| is_shown(part.kind, &text[part.text.clone()]))
}

fn without_notes(text: &str) -> String {
    let parts = parse(text).parts;
    let kept = parts.iter().filter(|part| part.kind != PartKind::State);
    kept.map(|part| &text[part.raw.clone()]).collect::<String>().trim().to_owned()
}

/// The prompt as it was counted the first time, for that is the one in the account; and all that was written.
fn both(first: Option<Usage>, second: Option<Usage>) -> Option<Usage> {
    let written = second.map_or(0, |usage| usage.completion_tokens);
    first.map(|usage| Usage { completion_tokens: usage.completion_tokens + written, ..usage })
}
