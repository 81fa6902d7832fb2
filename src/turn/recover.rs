//! At start-up: closes streams that no tab writes any more (A5).

use super::stream::{self, Ending};
use crate::{
    ports::{Batch, Ports, Query, Stored, Table},
    story::{
        fault::{Fault, FaultKind},
        generation::Generation,
        ids::StorylineId,
    },
};

/// The unfinished replies, whoever may still be writing them.
pub async fn unfinished(ports: &Ports) -> Stored<Vec<Generation>> {
    ports.store.list::<Generation>(Query::equal(Table::Generations, "open", 1)).await
}

/// Closes the unfinished replies of one storyline as interrupted. To be called by the tab that owns it, while it plays
/// no turn.
pub async fn close_unfinished(ports: &Ports, storyline: &StorylineId) -> Stored<u32> {
    let mut batch = Batch::new();
    for mut generation in unfinished(ports).await? {
        if generation.storyline == *storyline {
            stream::close(&mut generation, Ending::Fault(Fault::new(FaultKind::TabClosed, "")), ports.clock.now());
            batch.push(&generation);
        }
    }
    let closed = batch.ops.len() as u32;
    if closed > 0 {
        ports.store.commit(batch).await?;
        ports.tabs.announce(storyline.as_str());
    }
    Ok(closed)
}
