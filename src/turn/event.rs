//! The event of a reply, in the commit of the reply (B7).

use std::borrow::Cow;

use crate::{
    features::events::remembered::{self, Reach},
    ports::Store,
    store::{Batch, Stored, Table, decode},
    story::{character::Character, generation::Generation, memory::Memory, storyline::Storyline, turn::Turn},
};

/// What becomes of the events of a settled reply: new ones, others in the place of what an earlier reading had made, or
/// none any more. What the reader set on them stays. What cannot be read costs the events alone.
pub(super) async fn note(store: &dyn Store, storyline: &Storyline, reply: &Generation) -> Batch {
    note_of(store, storyline, None, reply).await.unwrap_or_else(|_| Batch::new())
}

/// The same, of a `turn` that is not stored as it is here: its words are others, and what the reader has deleted of it does
/// not come back for that.
///
/// # Errors
/// The store failed.
pub(super) async fn note_of(
    store: &dyn Store,
    storyline: &Storyline,
    turn: Option<&Turn>,
    reply: &Generation,
) -> Stored<Batch> {
    let ids = Reach::ALL.map(|reach| reach.id(&reply.id).0);
    let known = store.get_many(Table::Memories, &ids).await?;
    let known: Vec<Memory> = known.into_iter().filter_map(|doc| decode(doc.value).ok()).collect();
    if reply.changes().is_empty() && known.is_empty() {
        return Ok(Batch::new());
    }
    let is_reworded = turn.is_some();
    let turn = match turn {
        Some(turn) => Cow::Borrowed(turn),
        None => Cow::Owned(store.load::<Turn>(reply.turn.as_str()).await?.unwrap_or_default()),
    };
    let character = store.load::<Character>(storyline.speaker(reply.speaker.as_ref()).as_str()).await?;
    let name = character.map(|character| character.name).unwrap_or_default();
    let mut events = remembered::events(storyline, &name, &turn, reply, &known);
    events.retain(|event| !is_reworded || known.iter().any(|known| known.id == event.id));
    let gone = known.iter().filter(|known| events.iter().all(|event| event.id != known.id));
    let batch = gone.fold(Batch::new(), |batch, gone| batch.remove(gone));
    Ok(events.iter().fold(batch, |batch, event| batch.put(event)))
}
