//! The stretch of turns that is on the page.

use leptos::{prelude::*, task::tick};

use super::view_of;
use crate::ui::state::Story;
use crate::{
    story::{order, tree::Node},
    ui::app::App,
};

impl Story {
    /// Shows the turns from `from` up to `to`; those already there keep their place in the page.
    pub async fn load(self, app: App, from: u32, to: u32) {
        let version = self.version.get_value();
        let path = self.path.get_untracked();
        let (have_from, have_to) = self.loaded();
        let desk = app.desk();
        let mut nodes = Vec::new();
        let missing =
            if from < have_to && have_from < to { vec![(from, have_from), (have_to, to)] } else { vec![(from, to)] };
        for (from, to) in missing {
            if from < to {
                match desk.turns(&path, from..to).await {
                    Ok(more) => nodes.extend(more),
                    Err(error) => return app.notify_store(error),
                }
            }
        }
        // Where it was read anew meanwhile, what came may be there already.
        let is_as_it_was = |have: (u32, u32)| {
            self.version.get_value() == version && self.path.get_untracked() == path && self.loaded() == have
        };
        if !is_as_it_was((have_from, have_to)) {
            return;
        }
        let follows = |node: &Node| node.turn.position >= have_from || have_to <= from || to <= have_from;
        let (after, before): (Vec<Node>, Vec<Node>) = nodes.into_iter().partition(follows);
        self.turns.update(|turns| {
            turns.retain(|turn| (from..to).contains(&turn.position));
            turns.extend(after.into_iter().map(view_of));
            order::by_key(turns, |turn| turn.position);
        });
        // One at a time: of several that come before the others at once, the list would move all the others in the
        // document, which lays the whole page out anew.
        for node in before.into_iter().rev() {
            let have = self.loaded();
            tick().await;
            if !is_as_it_was(have) {
                return;
            }
            self.turns.update(|turns| turns.insert(0, view_of(node)));
        }
    }
}
