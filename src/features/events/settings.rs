//! What the events of a story can be told.

use serde::{Deserialize, Serialize};

use crate::story::{Extra, event::StoryEvent, features::Settings};

/// In what the events of a story differ from those of its background.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EventsSettings {
    /// Ids of events, of the background or its own, that do not happen in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub off: Vec<String>,
    /// Events of this story alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<StoryEvent>,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Settings for EventsSettings {
    const NAME: &'static str = "events";
}

impl EventsSettings {
    /// Lets an event happen, or not.
    pub fn switch(&mut self, id: &str, on: bool) {
        self.off.retain(|known| known != id);
        if !on {
            self.off.push(id.to_owned());
        }
    }
}
