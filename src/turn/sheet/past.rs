//! What was told, from the newest turn on, and what of it a text does not tell of yet.

use super::Desk;
use crate::{
    features::{sheet::due::Since, transcript::speech},
    ports::Store,
    prompt::tokens::estimate,
    story::{count_words, fault::Fault, ids::GenerationId, tree::Node},
    turn::scene,
};

/// Turns that are looked through at a time.
pub(super) const WINDOW: u32 = 32;

/// The turns of a path from the newest on, each read once for whoever heard it.
pub(super) struct Past {
    pub(super) read: Vec<(Node, Told)>,
    /// Where what is read begins.
    pub(super) from: u32,
}

impl Past {
    /// The newest but so many.
    pub(super) async fn back(
        &mut self,
        store: &dyn Store,
        desk: &Desk,
        nth: usize,
    ) -> Result<Option<&(Node, Told)>, Fault> {
        while self.read.len() <= nth && self.from > 0 {
            let to = self.from;
            self.from = to.saturating_sub(WINDOW);
            let nodes = scene::window(store, &desk.path, self.from, to).await?;
            self.read.extend(nodes.into_iter().rev().map(|node| {
                let text = speech(&node, desk.voices.in_turn(&node), desk.storyline.reader());
                let told = Told {
                    position: node.turn.position,
                    reply: node.reply().map(|reply| reply.id.clone()).unwrap_or_default(),
                    words: count_words(&text) as u32,
                    cost: estimate(&text),
                    text,
                };
                (node, told)
            }));
        }
        Ok(self.read.get(nth))
    }
}

/// The turns that a text does not tell of yet, in order.
#[derive(Default)]
pub(super) struct Unread {
    pub(super) turns: Vec<Told>,
    pub(super) since: Since,
    /// Whose text it is has said something in them.
    pub(super) has_spoken: bool,
}

#[derive(Clone)]
pub(super) struct Told {
    pub(super) position: u32,
    pub(super) reply: GenerationId,
    /// As it is told.
    pub(super) text: String,
    pub(super) words: u32,
    pub(super) cost: u32,
}

impl Told {
    /// Puts before it what was said before it.
    pub(super) fn lead_by(&mut self, said: &Self) {
        self.text.insert_str(0, &said.text);
        self.cost += said.cost;
    }
}

impl Unread {
    /// Takes out what fits into so many tokens: the oldest of it, or of all the newest and no other.
    pub(super) fn take(&mut self, room: u32, newest: bool) -> Vec<Told> {
        let mut left = room;
        let fits = |told: &&Told| {
            let is_fitting = told.cost <= left;
            left = left.saturating_sub(told.cost);
            is_fitting
        };
        if newest {
            let count = self.turns.iter().rev().take_while(fits).count().max(1);
            let from = self.turns.len().saturating_sub(count);
            std::mem::take(&mut self.turns).split_off(from)
        } else {
            let count = self.turns.iter().take_while(fits).count().max(1);
            self.turns.drain(..count.min(self.turns.len())).collect()
        }
    }
}
