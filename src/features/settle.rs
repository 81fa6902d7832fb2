//! What a reply that has ended does to the state.

use super::{
    ALL, BACKGROUND, by_hand, lore,
    module::{Module, Outline, TurnContext, absorb},
    reading::{self, Said},
};
use crate::story::{
    generation::{Generation, Status},
    ids::StateId,
    state::State,
    warning::{Cause, Notice},
};

/// Settles what a reply that has ended does to the state: the modules take it in, then what the reader changed at this
/// reply by hand is done again. What a scribe noted at it, and the texts that were written after it, are taken in with it.
/// Notices and changes are noted on the reply, which then names the state after it. Gives that state where it is a new one, under the id `fresh`.
///
/// The same reply upon the same state always settles to the same: this is what time travel rests on.
pub fn settle(
    modules: &[Box<dyn Module>],
    outline: Outline,
    before: &State,
    generation: &mut Generation,
    fresh: StateId,
) -> Option<State> {
    let mut after = before.clone();
    let now = generation.finished.unwrap_or(generation.started);
    let mut input = match generation.status {
        Status::Interrupted => reading::read_cut(&generation.text),
        _ if generation.is_cut_off() => reading::read_cut(&generation.text),
        status => reading::read_reply(&generation.text, status == Status::Error),
    };
    input.started = lore::timers::started(generation);
    if !input.failed {
        input.texts = generation.all_written().collect();
        input.recap = generation.recap();
    }
    let note = generation.noted().filter(|_| !input.failed).map(|noted| reading::read_note(&noted.text));
    let note = note.unwrap_or_default();
    Said::Reply.set_notices(generation, &input.notices);
    Said::Note.set_notices(generation, &note.notices);
    input.take_in(note);
    let context = TurnContext {
        now,
        position: generation.position,
        generation: &generation.id,
        speaker: generation.speaker.as_ref(),
        outline,
    };
    let mut outcome = absorb(modules, &input, &context, &mut after);
    for by_hand in generation.by_hand() {
        let done = by_hand::done(&mut after, &by_hand, generation.position, Some(&generation.id));
        if let Some((feature, Err(_))) = done {
            outcome.notices.push(Notice { module: feature.to_owned(), cause: Cause::ByHandLost });
        }
    }
    // A turn that was told without its world says so, though no module needs it.
    let is_said = |notice: &Notice| matches!(notice.cause, Cause::DamagedBackground { .. });
    if let Err(detail) = outline
        && !outcome.notices.iter().any(is_said)
    {
        let cause = Cause::DamagedBackground { detail: detail.to_owned() };
        outcome.notices.push(Notice { module: BACKGROUND.to_owned(), cause });
    }
    generation.set_changes(&outcome.changes);
    // What went wrong ahead of the reply was noted before it began; what of its stream could not be read, while it came;
    // what went wrong after it, when it was there.
    let apart = ALL.iter().filter(|feature| feature.works_apart()).map(|feature| feature.name());
    let others: Vec<_> = apart.chain([Notice::STREAM]).collect();
    let is_of_others = |notice: &Notice| others.contains(&notice.module.as_str());
    let mut notices: Vec<_> = generation.notices().into_iter().filter(is_of_others).collect();
    notices.append(&mut outcome.notices);
    generation.set_notices(&notices);
    if after.says_the_same(before) {
        generation.state = Some(before.id.clone());
        return None;
    }
    (after.id, after.created) = (fresh, now);
    generation.state = Some(after.id.clone());
    Some(after)
}
