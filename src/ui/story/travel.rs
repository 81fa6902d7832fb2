//! Going about in the tree of the open story.

use std::sync::Arc;

use leptos::prelude::*;

use crate::ui::state::{Place, Story};
use crate::{
    locales::{commands::T as C, memory::T as M},
    ports::Clock,
    story::{
        fault::{Fault, FaultKind},
        ids::{GenerationId, StorylineId, TurnId},
        tree::Head,
    },
    turn::Conductor,
    ui::{app::App, state::NoticeKind},
    web::clock::BrowserClock,
};

impl Story {
    /// Shows what the reader came for: moves the head to the branch that holds it, where it is on another one.
    pub async fn arrive(self, app: App) {
        let mut wanted = None;
        self.wanted.update_value(|place| wanted = place.take());
        let Some(Place { storyline, turn, reply, position }) =
            wanted.filter(|place| self.is_open(place.storyline.as_str()))
        else {
            return;
        };
        let conductor = app.conductor();
        let there = match &reply {
            Some(reply) => conductor.go_to_reply(&storyline, &turn, reply).await,
            None => conductor.go_to(&storyline, &turn).await,
        };
        match there {
            Ok(_) => self.reload(app).await,
            Err(fault) if fault.kind == FaultKind::TakenOver => {
                app.notify(NoticeKind::Warning, M::OtherWriter);
            }
            Err(fault) => app.notify_fault(&fault),
        }
        // The story opens at its end, and only then goes to the turn.
        BrowserClock.sleep(100).await;
        self.jump_to(app, position).await;
    }

    /// Goes elsewhere in the tree, or changes it, and shows what is there then. `None` (and a notice) where it failed.
    pub async fn travel<R>(
        self,
        app: App,
        work: impl AsyncFnOnce(Conductor, StorylineId) -> Result<R, Fault>,
    ) -> Option<R> {
        let id = self.id()?;
        if self.is_taken(&id) {
            app.notify(NoticeKind::Warning, C::Busy);
            return None;
        }
        match work(app.conductor(), id).await {
            Ok(done) => {
                self.reload(app).await;
                app.refresh().await;
                Some(done)
            }
            Err(fault) => {
                app.notify_fault(&fault);
                None
            }
        }
    }

    /// Takes back what was done in a story, which may not be open any more: once no turn is played in it, for the offer goes
    /// with the click. `None` (and a notice) where it failed.
    pub async fn take_back<R>(
        self,
        app: App,
        id: StorylineId,
        work: impl AsyncFnOnce(Conductor, StorylineId) -> Result<R, Fault>,
    ) -> Option<R> {
        while self.is_busy(&id) {
            BrowserClock.sleep(50).await;
        }
        if self.is_open(id.as_str()) {
            return self.travel(app, work).await;
        }
        // Of two at once, the first to end does not let the story go.
        self.returning.update_value(|all| all.push(id.clone()));
        let done = match app.browser().tabs.acquire(id.as_str()).await {
            true => Some(work(app.conductor(), id.clone()).await),
            false => None,
        };
        self.returning.update_value(|all| {
            let ended = all.iter().position(|returning| *returning == id);
            ended.map(|at| all.swap_remove(at));
        });
        self.rest(app, &id);
        let Some(done) = done else {
            app.notify(NoticeKind::Warning, M::OtherWriter);
            return None;
        };
        // It may have been opened meanwhile.
        self.follow(app, &id).await;
        app.refresh().await;
        done.map_err(|fault| app.notify_fault(&fault)).ok()
    }

    /// Makes a place the end of the path, and leads the reader there.
    pub async fn move_to(self, app: App, to: Head) {
        if self.travel(app, async |conductor, id| conductor.move_to(&id, &to).await).await.is_some() {
            self.jump_to(app, to.end - 1).await;
        }
    }

    /// Shows another reply of a turn.
    pub async fn choose(self, app: App, turn: TurnId, generation: GenerationId) {
        let Some(id) = self.id() else { return };
        self.choices.update_value(|choices| *choices = choices.wrapping_add(1));
        let this = self.choices.get_value();
        // At once: who goes on to the next one goes on from this.
        if let Some(node) = self.node_of(&turn) {
            node.update(|node| {
                let at = node.generations.iter().position(|reply| reply.id == generation);
                Arc::make_mut(node).seen = at.or(node.seen);
            });
        }
        if let Err(fault) = app.conductor().choose(&id, &turn, &generation).await {
            app.notify_fault(&fault);
        }
        // The last of several shows what became of them.
        if self.choices.get_value() == this {
            self.reload(app).await;
        }
    }
}
