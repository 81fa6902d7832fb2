//! The event of a reply, in the commit of the reply (B7).

use crate::{
    features::events::remembered::{self, Reach},
    ports::Store,
    store::{Batch, Table, decode},
    story::{character::Character, generation::Generation, memory::Memory, storyline::Storyline, turn::Turn},
};

/// What becomes of the events of a settled reply: new ones, others in the place of what an earlier reading had made, or
/// none any more. What the reader set on them stays. What cannot be read costs the events alone.
pub(super) async fn note(store: &dyn Store, storyline: &Storyline, reply: &Generation) -> Batch {
    let ids = Reach::ALL.map(|reach| reach.id(&reply.id).0);
    let known = store.get_many(Table::Memories, &ids).await.unwrap_or_default();
    let known: Vec<Memory> = known.into_iter().filter_map(|doc| decode(doc.value).ok()).collect();
    if reply.changes().is_empty() && known.is_empty() {
        return Batch::new();
    }
    let turn = store.load::<Turn>(reply.turn.as_str()).await.ok().flatten().unwrap_or_default();
    let character = store.load::<Character>(storyline.speaker(reply.speaker.as_ref()).as_str()).await.ok().flatten();
    let name = character.map(|character| character.name).unwrap_or_default();
    Reach::ALL.into_iter().fold(Batch::new(), |batch, reach| {
        let known = known.iter().find(|known| known.id == reach.id(&reply.id));
        match (remembered::event(storyline, &name, &turn, reply, reach), known) {
            (Some(event), Some(known)) => {
                batch.put(&Memory { pinned: known.pinned, hidden: known.hidden, created: known.created, ..event })
            }
            (Some(event), None) => batch.put(&event),
            (None, Some(known)) => batch.remove(known),
            (None, None) => batch,
        }
    })
}
