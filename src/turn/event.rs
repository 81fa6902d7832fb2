//! The event of a reply, in the commit of the reply (B7).

use crate::{
    features::events::remembered,
    ports::Store,
    store::Batch,
    story::{character::Character, generation::Generation, memory::Memory, storyline::Storyline, turn::Turn},
};

/// What becomes of the event of a settled reply: a new one, another one in the place of what an earlier reading had
/// made, or none any more. What the reader set on it stays. What cannot be read costs the event alone.
pub(super) async fn note(store: &dyn Store, storyline: &Storyline, reply: &Generation) -> Batch {
    let known = store.load::<Memory>(remembered::id(&reply.id).as_str()).await.ok().flatten();
    if reply.changes().is_empty() && known.is_none() {
        return Batch::new();
    }
    let turn = store.load::<Turn>(reply.turn.as_str()).await.ok().flatten().unwrap_or_default();
    let character = store.load::<Character>(storyline.speaker(reply.speaker.as_ref()).as_str()).await.ok().flatten();
    let name = character.map(|character| character.name).unwrap_or_default();
    match (remembered::event(storyline, &name, &turn, reply), known) {
        (Some(event), Some(known)) => {
            Batch::new().put(&Memory { pinned: known.pinned, hidden: known.hidden, created: known.created, ..event })
        }
        (Some(event), None) => Batch::new().put(&event),
        (None, Some(known)) => Batch::new().remove(&known),
        (None, None) => Batch::new(),
    }
}
