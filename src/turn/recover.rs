//! At start-up: closes streams that no tab writes any more (A5).

use super::{
    event, landmarks, meter, scene,
    stream::{self, Ending},
};
use crate::{
    ports::Ports,
    store::{Batch, Query, Stored, Table},
    story::{
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::StorylineId,
        storyline::Storyline,
    },
};

/// What asks for the unfinished replies.
pub fn open() -> Query {
    Query::equal(Table::Generations, "open", 1)
}

/// The unfinished replies, whoever may still be writing them.
pub async fn unfinished(ports: &Ports) -> Stored<Vec<Generation>> {
    ports.store.list::<Generation>(open()).await
}

/// Closes the unfinished replies of one storyline as interrupted, and lets the modules see what came. To be called by
/// the tab that owns it, while it plays no turn.
pub async fn close_unfinished(ports: &Ports, storyline: &StorylineId) -> Stored<u32> {
    let mut open = unfinished(ports).await?;
    open.retain(|generation| generation.storyline == *storyline);
    if open.is_empty() {
        return Ok(0);
    }
    let story = ports.store.load::<Storyline>(storyline.as_str()).await?;
    let mut batch = Batch::new();
    for generation in &mut open {
        stream::close(generation, Ending::Fault(Fault::new(FaultKind::TabClosed, "")), ports.clock.now());
        if let Some(story) = &story {
            meter::left_open(ports, story, generation).await;
            // What was noted of earlier turns while it came is part of what it is settled upon.
            if let Ok(path) = scene::path_to(&*ports.store, generation).await
                && let Ok(before) = scene::state_before(&*ports.store, story, &path, generation.position).await
            {
                generation.state = Some(before);
            }
            // A story whose parts cannot be read is closed all the same: its words come first.
            if let Ok(Some(state)) = scene::settle(ports, story, generation).await {
                batch.push(&state);
            }
            batch.ops.extend(event::note(&*ports.store, story, generation).await.ops);
        }
        batch.push(&*generation);
    }
    ports.store.commit(batch).await?;
    meter::book(ports).await;
    // One after another: two of them may be on one branch.
    for generation in &open {
        if let Some(story) = &story {
            ports.store.commit(landmarks::note(&*ports.store, story, generation).await.unwrap_or_default()).await?;
        }
    }
    ports.tabs.announce(storyline.as_str());
    Ok(open.len() as u32)
}
