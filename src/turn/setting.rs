//! What a reply that has ended is settled in: its preset, its background and the state before it.

use futures_util::join;

use super::scene::{background, stored_preset};
use crate::{
    features,
    ports::{Ports, Store},
    story::{
        background::Background,
        fault::{Fault, FaultKind},
        generation::Generation,
        preset::Preset,
        state::State,
        storyline::Storyline,
    },
};

/// What a reply is settled in.
pub struct Setting {
    pub preset: Preset,
    /// Or why it cannot be read.
    pub background: Result<Background, String>,
    /// The state before it.
    pub before: State,
}

impl Setting {
    /// Of a reply that names the state before it.
    ///
    /// # Errors
    /// The store fails, or that state is not there. A background that cannot be read is no error.
    pub async fn of(store: &dyn Store, storyline: &Storyline, reply: &Generation) -> Result<Self, Fault> {
        let state = reply.state.as_ref().unwrap_or(&storyline.initial_state);
        let (background, before, preset) =
            join!(background(store, storyline), store.load::<State>(state.as_str()), stored_preset(store, storyline));
        let mut before = before?.ok_or_else(|| Fault::new(FaultKind::NoState, ""))?;
        storyline.introduce(&mut before);
        Ok(Self { preset: preset?, background: background.map_err(|error| error.to_string()), before })
    }

    /// The modules that are on.
    pub fn modules(&self, storyline: &Storyline) -> Vec<Box<dyn features::Module>> {
        let events = self.background.as_ref().map_or(&[][..], |background| &background.events);
        features::enabled(storyline, &self.preset, events)
    }

    /// Settles a reply that has ended; see [`features::settle`].
    pub fn settle(&self, ports: &Ports, storyline: &Storyline, reply: &mut Generation) -> Option<State> {
        let background = self.background.as_ref().map_err(String::as_str);
        let outline = background.map(|background| &*background.story_outline);
        // An opening is nobody's answer: no module has a turn of it but for what was noted or written at it.
        let is_opening = reply.position == 0 && reply.noted().is_none() && reply.all_written().next().is_none();
        let modules = if is_opening { Vec::new() } else { self.modules(storyline) };
        features::settle(&modules, outline, &self.before, reply, ports.id())
    }
}

/// Settles a reply that has ended and names the state before it.
pub async fn settle(ports: &Ports, storyline: &Storyline, reply: &mut Generation) -> Result<Option<State>, Fault> {
    Ok(Setting::of(&*ports.store, storyline, reply).await?.settle(ports, storyline, reply))
}
