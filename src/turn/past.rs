//! The history before a turn: how much of it is read, and from where.

use super::scene::window;
use crate::{
    ports::{
        Store,
        recent::{Recent, Stretch},
    },
    prompt::{
        sources::history::told,
        tokens::{PER_MESSAGE, estimate},
    },
    store::Stored,
    story::{
        company::{self, is_in},
        storyline::Storyline,
        tree::{Node, Path},
    },
};

/// Turns read at a time while walking back through the history.
const WINDOW: u32 = 128;

/// The newest turns of the path that are told, until they cost more than `budget` tokens.
pub async fn newest(store: &dyn Store, path: &Path, budget: u32) -> Stored<Vec<Node>> {
    newest_heard(store, path, &[], budget).await
}

/// The same without the turns that somebody did not hear.
pub(super) async fn newest_heard(
    store: &dyn Store,
    path: &Path,
    unheard: &[company::Stretch],
    budget: u32,
) -> Stored<Vec<Node>> {
    let missed = company::missed(unheard, path);
    let mut nodes: Vec<Node> = Vec::new();
    let (mut to, mut tokens, mut step) = (path.end, 0, WINDOW);
    while to > 0 && tokens <= budget {
        let from = to.saturating_sub(step);
        let mut earlier = window(store, path, from, to).await?;
        step = stride(if earlier.is_empty() { step } else { 0 });
        earlier.retain(|node| !is_in(&missed, node.turn.position));
        tokens += cost(&earlier);
        earlier.append(&mut nodes);
        nodes = earlier;
        to = from;
    }
    Ok(nodes)
}

/// Of what a reader sees of them: a prompt that tells more takes fewer.
fn cost(nodes: &[Node]) -> u32 {
    nodes.iter().flat_map(|node| told(node, true)).map(|(_, text)| estimate(&text) + PER_MESSAGE).sum()
}

/// Of a stretch what somebody heard; where that is less than `budget` tokens, with what they heard before it.
pub(super) async fn heard(
    store: &dyn Store,
    past: &Stretch,
    unheard: &[company::Stretch],
    budget: u32,
) -> Stored<Vec<Node>> {
    let missed = company::missed(unheard, &past.path);
    let is_heard = |node: &&Node| !is_in(&missed, node.turn.position);
    let mut nodes: Vec<Node> = past.nodes.iter().filter(is_heard).cloned().collect();
    if nodes.len() == past.nodes.len() {
        return Ok(nodes);
    }
    let first = past.nodes.first().map_or(past.path.end, |node| node.turn.position);
    let left = budget.saturating_sub(cost(&nodes));
    if left > 0 && first > 0 {
        let mut earlier = newest_heard(store, &past.path.until(first), unheard, left).await?;
        earlier.append(&mut nodes);
        nodes = earlier;
    }
    Ok(nodes)
}

/// How many positions of a path to read at a time: ever more where the last ones, so many, had no turn. A branch that is
/// said to be longer than it is would else be walked through for hours.
pub fn stride(without_turn: u32) -> u32 {
    without_turn.saturating_mul(2).max(WINDOW)
}

/// The history before a new turn: what is at hand where that is enough. A little more is read than `budget` asks for: what
/// the tokens of a connection are worth is learnt with each reply, most of it with the first, so the next turn's budget is
/// another one.
pub(super) async fn at_hand(
    store: &dyn Store,
    storyline: &Storyline,
    path: Path,
    (budget, slack): (u32, u32),
    recent: &Recent,
) -> Stored<Stretch> {
    let stretch = match recent.take(&storyline.id, &path, budget) {
        Some(stretch) => stretch,
        None => {
            let budget = budget + slack;
            let nodes = newest(store, &path, budget).await?;
            Stretch { storyline: storyline.id.clone(), path, budget, read: nodes.len(), nodes }
        }
    };
    recent.hold(&stretch.nodes);
    Ok(stretch)
}
