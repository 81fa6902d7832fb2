//! Parts of a stored state that cannot be read: each stands empty on its own, and the rest of the story goes on.
//!
//! What was there stays in the state, beside the reason, until the reader changes that part by hand; the states before
//! keep it for good.

use std::collections::BTreeMap;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    Extra, Millis,
    ids::{CharacterId, StateId, StorylineId},
    state::{Persona, State},
};
use crate::store::{from_value, salvage};

/// A part of a state that a module looks after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Persona,
    Plot,
    World,
    Events,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Persona => "persona",
            Self::Plot => "plot",
            Self::World => "world",
            Self::Events => "events",
        }
    }
}

/// Under this name the state keeps what could not be read: `{"plot": {"why": …, "was": …}}`.
const DAMAGED: &str = "damaged";

impl State {
    /// Why a part could not be read.
    pub fn damage(&self, part: Part) -> Option<&str> {
        self.extra.get(DAMAGED)?.get(part.name())?.get("why")?.as_str()
    }

    /// The part holds again what it should.
    pub fn mend(&mut self, part: Part) {
        let Some(Value::Object(damaged)) = self.extra.get_mut(DAMAGED) else { return };
        damaged.shift_remove(part.name());
        if damaged.is_empty() {
            self.extra.shift_remove(DAMAGED);
        }
    }
}

/// A state as it lies in the store, its parts unread.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct StoredState {
    id: StateId,
    storyline: StorylineId,
    created: Millis,
    personas: Value,
    plot: Value,
    world: Value,
    events: Value,
    sheet: String,
    sheets: Extra,
    summary: String,
    recap: Value,
    #[serde(flatten)]
    extra: Extra,
}

impl From<StoredState> for State {
    fn from(stored: StoredState) -> Self {
        let StoredState { id, storyline, created, personas, plot, world, events, .. } = stored;
        let StoredState { sheet, sheets, summary, recap, mut extra, .. } = stored;
        let personas = read_personas(personas, &mut extra);
        let plot = read(Part::Plot.name(), plot, &mut extra);
        let world = read(Part::World.name(), world, &mut extra);
        let events = read(Part::Events.name(), events, &mut extra);
        // One that cannot be read is written again when it is due.
        let recap = from_value(recap).unwrap_or_default();
        Self { id, storyline, created, personas, plot, world, events, sheet, sheets, summary, recap, extra }
    }
}

/// Each on its own; where there is no list of them, what is there is taken for that of the storyline's own character.
fn read_personas(stored: Value, extra: &mut Extra) -> BTreeMap<CharacterId, Persona> {
    let mut stored = match stored {
        Value::Object(stored) => stored,
        Value::Null => Extra::new(),
        other => Extra::from_iter([(String::new(), other)]),
    };
    stored.entry(String::new()).or_insert(Value::Null);
    let read_one = |(id, stored): (String, Value)| {
        let name = if id.is_empty() { Part::Persona.name().to_owned() } else { format!("persona:{id}") };
        let persona = read(&name, stored, extra);
        (CharacterId(id), persona)
    };
    // One by one: to collect them would sort them first (see `order`).
    let mut personas = BTreeMap::new();
    personas.extend(stored.into_iter().map(read_one));
    personas
}

/// Reads a part; of one that is damaged, the fields that can be read.
fn read<T: DeserializeOwned + Default>(part: &str, stored: Value, extra: &mut Extra) -> T {
    if stored.is_null() {
        return T::default();
    }
    let error = match from_value(stored.clone()) {
        Ok(read) => return read,
        Err(error) => error,
    };
    let read = salvage(&stored);
    let damaged = extra.entry(DAMAGED).or_insert_with(|| json!({}));
    if let Value::Object(damaged) = damaged {
        damaged.insert(part.to_owned(), json!({ "why": error.to_string(), "was": stored }));
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_read_is_read() {
        let stored = json!({
            "id": "s", "plot": [3], "later": true,
            "personas": {
                "": {"base_persona": "她", "evolved_persona": 7, "growth_state": {"beliefs": ["守信"]}},
                "eve": {"base_persona": "他", "growth_state": 7},
            }
        });
        let state: State = from_value(stored).unwrap();
        assert_eq!(
            (state.persona(None).base_persona.as_str(), state.persona(None).growth_state.beliefs.len()),
            ("她", 1)
        );
        assert_eq!(state.persona(Some(&"eve".into())).base_persona, "他", "each on its own");
        assert_eq!(state.extra[DAMAGED]["persona:eve"]["was"]["growth_state"], 7);
        assert_eq!((state.plot.current_plot_index, &state.extra["later"]), (1, &json!(true)));
        assert_eq!(state.extra[DAMAGED]["plot"]["was"], json!([3]), "nothing is lost");
        assert!(state.damage(Part::Persona).unwrap().contains("invalid type"));
        let mut again: State = from_value(serde_json::to_value(&state).unwrap()).unwrap();
        assert_eq!(again, state);
        again.mend(Part::Plot);
        assert_eq!((again.damage(Part::Plot), again.damage(Part::Persona).is_some()), (None, true));
        again.mend(Part::Persona);
        assert_eq!(again.extra[DAMAGED].as_object().unwrap().len(), 1, "another persona is no matter of this one");
    }
}
