//! What the scribe has not read yet.

use super::{Desk, Stretch, is_answered};
use crate::{
    features::summary,
    story::{company, fault::Fault, tree::Node},
    turn::{group, play::Conductor, scene},
};

/// Turns that are looked through at a time.
const WINDOW: u32 = 128;

/// Of several, a round has so many turns at most: as many as may answer, and the reader's own.
const ROUND: u32 = 16;

impl Conductor {
    /// The turns of the path from `from` on that have their reply and were not read, in runs, each of one speaker.
    pub(super) async fn unread(&self, desk: &Desk, from: u32) -> Result<Vec<Stretch>, Fault> {
        let mut runs: Vec<Stretch> = Vec::new();
        let (mut to, mut read_from, mut is_newest, mut goes_on) = (desk.path.end, u32::MAX, true, false);
        // What nobody answered in its own turn, and was said before the first of the last run.
        let mut lead: Vec<(u32, String)> = Vec::new();
        while to > from {
            let first = to.saturating_sub(WINDOW).max(from);
            for node in scene::window(&*self.ports.store, &desk.path, first, to).await?.into_iter().rev() {
                let Some(reply) = node.reply().filter(|reply| is_answered(reply)) else {
                    if goes_on && node.turn.position < read_from {
                        lead.push((node.turn.position, told(desk, &node)));
                    }
                    continue;
                };
                if let Some(noted) = reply.noted().filter(|noted| noted.is_of(reply)) {
                    read_from = read_from.min(noted.turns.0);
                }
                let lead = std::mem::take(&mut lead);
                let follows = goes_on && runs.last().is_some_and(|run| run.reply.speaker == reply.speaker);
                // Where a speaker of several begins, what they heard is looked for below.
                if let Some(run) = runs.last_mut().filter(|_| follows || !desk.storyline.is_group()) {
                    self.lead(desk, run, lead).await?;
                }
                if node.turn.position >= read_from {
                    (is_newest, goes_on) = (false, false);
                    continue;
                }
                let turn = (node.turn.position, told(desk, &node));
                match runs.last_mut().filter(|_| follows) {
                    Some(run) => run.turns.insert(0, turn),
                    None => runs.push(Stretch { turns: vec![turn], reply: reply.clone(), is_newest }),
                }
                goes_on = true;
            }
            to = first;
        }
        if let Some(run) = runs.last_mut().filter(|_| !desk.storyline.is_group()) {
            self.lead(desk, run, lead).await?;
        }
        runs.reverse();
        if desk.storyline.is_group() {
            for run in &mut runs {
                let before = self.led_up_to(desk, run).await?;
                run.turns[0].1.insert_str(0, &before);
            }
        }
        Ok(runs)
    }

    /// Puts before the first turn of a run what was said before it, the newest first, as far as its speaker heard it.
    async fn lead(&self, desk: &Desk, run: &mut Stretch, said: Vec<(u32, String)>) -> Result<(), Fault> {
        if said.is_empty() {
            return Ok(());
        }
        let missed = self.missed(desk, run).await?;
        for (_, said) in said.into_iter().filter(|(position, _)| !company::is_in(&missed, *position)) {
            run.turns[0].1.insert_str(0, &said);
        }
        Ok(())
    }

    async fn missed(&self, desk: &Desk, run: &Stretch) -> Result<Vec<company::Stretch>, Fault> {
        if !desk.storyline.is_group() {
            return Ok(Vec::new());
        }
        let speaker = desk.storyline.speaker(run.reply.speaker.as_ref());
        Ok(group::missed(&*self.ports.store, &desk.storyline, &desk.path, speaker).await?)
    }

    /// What a speaker of several heard since the reader spoke, where their run begins amid a round: alone their words say
    /// little. And what nobody had answered before that.
    async fn led_up_to(&self, desk: &Desk, run: &Stretch) -> Result<String, Fault> {
        let first = run.turns[0].0;
        let mut nodes = scene::window(&*self.ports.store, &desk.path, first.saturating_sub(ROUND), first + 1).await?;
        let begins = nodes.pop().is_none_or(|node| node.turn.user.is_some());
        let said_by_reader = |node: &Node| node.turn.user.is_some() && !node.turn.is_stage;
        let mut from = match begins {
            true => nodes.len(),
            false => nodes.iter().rposition(said_by_reader).unwrap_or(0),
        };
        while from > 0 && !nodes[from - 1].reply().is_some_and(is_answered) {
            from -= 1;
        }
        let missed = self.missed(desk, run).await?;
        let heard = nodes[from..].iter().filter(|node| !company::is_in(&missed, node.turn.position));
        Ok(heard.map(|node| told(desk, node)).collect())
    }
}

/// A turn as it is told: of a reply that failed only what it was to answer. Nothing where no model is told it.
fn told(desk: &Desk, node: &Node) -> String {
    if !desk.path.is_told(node.turn.position) {
        return String::new();
    }
    let reader = desk.storyline.reader();
    match node.reply().is_some_and(is_answered) {
        true => summary::told(node, desk.voices.in_turn(node), reader),
        false => {
            let said = Node { generations: Vec::new(), seen: None, ..node.clone() };
            summary::told(&said, desk.voices.in_turn(&said), reader)
        }
    }
}
