//! What the picture of the tree shows of a reply, noted on its branch in the commit of the reply: so that the picture is
//! drawn from the branches alone, however many turns there are.

use super::scene;
use crate::{
    features::director,
    ports::Store,
    store::{Batch, Query, Stored, Table},
    story::{
        generation::Generation,
        order,
        storyline::Storyline,
        tree::{Branch, FinishedPoint},
    },
};

/// The points of the outline that a settled reply has finished, and whether it is one of several to its turn.
///
/// # Errors
/// The store failed.
pub(super) async fn note(store: &dyn Store, storyline: &Storyline, reply: &Generation) -> Stored<Batch> {
    let Some(branch) = store.load::<Branch>(reply.branch.as_str()).await? else { return Ok(Batch::new()) };
    let noted = noted(store, storyline, reply, &branch).await?;
    Ok(if noted == branch { Batch::new() } else { Batch::new().put(&noted) })
}

/// The reply's branch with them.
///
/// # Errors
/// The store failed.
pub(super) async fn noted(
    store: &dyn Store,
    storyline: &Storyline,
    reply: &Generation,
    branch: &Branch,
) -> Stored<Branch> {
    let place = (reply.branch.as_str(), reply.position);
    let replies = store.keys(Query::equal(Table::Generations, "place", place)).await?;
    let is_swipe = replies.iter().any(|other| other != reply.id.as_str());
    let points = director::finished(&reply.changes(), &reply.by_hand());
    let outline = if points.is_empty() { Vec::new() } else { scene::outline(store, storyline).await? };
    let content = |point: u32| {
        let at = (point as usize).checked_sub(1).and_then(|at| outline.get(at));
        at.map(|point| point.content.clone()).unwrap_or_default()
    };
    let bead = |point| FinishedPoint {
        position: reply.position,
        generation: reply.id.clone(),
        point,
        content: content(point),
    };
    let mut noted = branch.clone();
    noted.beads.retain(|bead| bead.generation != reply.id);
    noted.beads.extend(points.into_iter().map(bead));
    order::by_key(&mut noted.beads, |bead| bead.position);
    if is_swipe && !noted.swipes.contains(&reply.position) {
        noted.swipes.push(reply.position);
        order::by_key(&mut noted.swipes, |position| *position);
    }
    Ok(noted)
}
