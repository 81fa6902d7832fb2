//! The scribe of the open story: when it is called, and what else holds a story for this tab while it reads.

use leptos::prelude::*;

use crate::{
    features::{recap, scribe, sheet},
    story::{character::Character, fault::FaultKind, ids::StorylineId, storyline::Storyline},
    ui::{app::App, state::Story},
};

impl Story {
    /// Whether this tab is at work in a storyline: a turn is played, the scribe reads, something is taken back, or what
    /// other devices told is taken in.
    pub fn keeps(&self, id: &StorylineId) -> bool {
        self.is_busy(id)
            || self.scribing.with_untracked(|all| all.iter().any(|(reading, _)| reading == id))
            || self.returning.with_value(|all| all.contains(id))
    }

    /// Lets go of a storyline that is not open, unless there is work in it.
    pub fn rest(&self, app: App, id: &StorylineId) {
        if !self.is_open(id.as_str()) && !self.is_opening(id.as_str()) && !self.keeps(id) {
            app.browser().tabs.release(id.as_str());
        }
    }

    /// Lets the scribe read what is due in the open story, if it has one, and the texts be written that are.
    pub(super) async fn let_scribe_read(self, app: App, id: &StorylineId) {
        let has_recap = |story: &Storyline| {
            let is_on = |character: &Character| character.id == *story.character() && recap::is_on(story, character);
            app.characters.with(|all| all.iter().any(is_on))
        };
        let on = untrack(|| {
            self.played(|story, preset| (scribe::is_on(story, preset), sheet::is_on(story, preset) || has_recap(story)))
        });
        let (notes, writes) = on.unwrap_or_default();
        if (notes || writes)
            && self.is_open(id.as_str())
            && self.writer.get_untracked()
            && let Some(desk) = app.chunks.desk.get().await
        {
            if notes {
                (desk.scribe)(app, id.clone(), false).await;
            }
            if writes {
                (desk.write_texts)(app, id.clone()).await;
                // What was played meanwhile found somebody at work, and was not read.
                if notes {
                    (desk.scribe)(app, id.clone(), false).await;
                }
            }
        }
    }

    /// Stops the scribe of a story, if it reads.
    pub fn stop_scribe_of(self, id: &StorylineId, reason: FaultKind) {
        self.scribe_stops.update_value(|stops| {
            if let Some((_, stopper)) = stops.iter_mut().find(|(reading, _)| reading == id) {
                stopper.stop(reason);
            }
        });
    }
}
