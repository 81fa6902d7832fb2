//! Gives fresh ids to what a plan copies, record by record.

use std::collections::HashMap;

use serde_json::Value;

use super::plan::{Fate, Plan};
use crate::{exchange::archive::Part, modules::events, story::ids::GenerationId};

/// What an id names. A branch and a turn may have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Of {
    Part(Part),
    Session,
}

/// Maps ids as they are met: a record may name one that comes later (a turn its chosen reply).
pub struct Renamer<'a> {
    plan: &'a Plan,
    make: &'a mut dyn FnMut() -> String,
    fresh: HashMap<(Of, String), String>,
}

impl<'a> Renamer<'a> {
    /// `make` gives a fresh id (UUIDv7).
    pub fn new(plan: &'a Plan, make: &'a mut dyn FnMut() -> String) -> Self {
        Self { plan, make, fresh: HashMap::new() }
    }

    /// The fresh id of a storyline that was copied, to open it afterwards.
    pub fn storyline(&self, id: &str) -> Option<&str> {
        self.fresh.get(&(Of::Part(Part::Storylines), id.to_owned())).map(String::as_str)
    }

    /// Rewrites the ids of a record, in the fields that hold ids and nowhere else. False: the plan does not want this
    /// record at all (the library has an equal one, or its storyline is left out).
    pub fn rewrite(&mut self, part: Part, value: &mut Value) -> bool {
        let storyline = match part {
            Part::Blobs => return true,
            Part::Characters | Part::Backgrounds | Part::Presets => {
                let Some(id) = value["id"].as_str() else { return false };
                if self.plan.reused.contains_key(&(part, id.to_owned())) {
                    return false;
                }
                self.library(part, value.get_mut("id"));
                return true;
            }
            Part::Storylines => value["id"].as_str(),
            _ => value["storyline"].as_str(),
        };
        match storyline.and_then(|id| self.plan.storylines.get(id)) {
            None | Some(Fate::LeaveOut) => false,
            Some(Fate::Add | Fate::Merge) => true,
            Some(Fate::Copy) => {
                self.copy(part, value);
                true
            }
        }
    }

    fn copy(&mut self, part: Part, value: &mut Value) {
        use Part::{Backgrounds, Branches, Characters, Generations, Memories, Presets, States, Storylines, Turns};
        let event = if part == Memories { self.event(value) } else { None };
        match event {
            Some(id) => value["id"] = id.into(),
            None => self.rename(Of::Part(part), value.get_mut("id")),
        }
        if part == Storylines {
            self.rename(Of::Part(Branches), value.pointer_mut("/head/branch"));
            self.rename(Of::Part(States), value.get_mut("initial_state"));
            self.rename(Of::Session, value.get_mut("current_session"));
            for session in value.get_mut("sessions").and_then(Value::as_array_mut).into_iter().flatten() {
                self.rename(Of::Session, session.get_mut("id"));
                self.rename(Of::Session, session.pointer_mut("/opened/before"));
                self.rename(Of::Part(Branches), session.pointer_mut("/opened/at/branch"));
                self.rename(Of::Part(Generations), session.pointer_mut("/opened/generation"));
            }
            for place in value.get_mut("savepoints").and_then(Value::as_array_mut).into_iter().flatten() {
                self.rename(Of::Part(Branches), place.get_mut("branch"));
                self.rename(Of::Part(Turns), place.get_mut("turn"));
                self.rename(Of::Part(Generations), place.get_mut("generation"));
                self.library(Presets, place.get_mut("preset"));
            }
            for (part, field) in [(Characters, "character"), (Backgrounds, "background"), (Presets, "preset")] {
                self.library(part, value.get_mut(field));
            }
            return;
        }
        self.rename(Of::Part(Storylines), value.get_mut("storyline"));
        match part {
            Branches => {
                self.rename(Of::Part(Branches), value.pointer_mut("/parent/branch"));
                self.rename(Of::Part(Generations), value.pointer_mut("/parent/generation"));
                for turn in value.get_mut("named").and_then(Value::as_array_mut).into_iter().flatten() {
                    self.rename(Of::Part(Turns), Some(turn));
                }
                for bead in value.get_mut("beads").and_then(Value::as_array_mut).into_iter().flatten() {
                    self.rename(Of::Part(Generations), bead.get_mut("generation"));
                }
            }
            Turns => {
                self.rename(Of::Part(Branches), value.get_mut("branch"));
                self.rename(Of::Session, value.get_mut("session"));
                self.rename(Of::Part(Generations), value.get_mut("chosen"));
            }
            Generations => {
                self.rename(Of::Part(Turns), value.get_mut("turn"));
                self.rename(Of::Part(Branches), value.get_mut("branch"));
                self.rename(Of::Part(States), value.get_mut("state"));
                for block in value.pointer_mut("/account/blocks").and_then(Value::as_array_mut).into_iter().flatten() {
                    self.rename(Of::Part(Generations), block.get_mut("text_in"));
                }
                for field in ["by_hand", "changes"] {
                    self.origins(value.get_mut(field));
                }
            }
            States => self.origins(value.get_mut("persona")),
            Memories => {
                self.rename(Of::Part(Branches), value.get_mut("branch"));
                self.rename(Of::Session, value.get_mut("session"));
                self.rename(Of::Part(Generations), value.get_mut("generation"));
            }
            _ => {}
        }
    }

    /// The event of a reply is found by the id of the reply, and goes on being.
    fn event(&mut self, value: &Value) -> Option<String> {
        let event = |reply: &str| events::id(&GenerationId(reply.to_owned())).0;
        let reply = value["generation"].as_str().filter(|reply| value["id"] == event(reply))?;
        Some(event(&self.fresh(Of::Part(Part::Generations), reply)))
    }

    /// The items of a persona name the reply that made them, however deep they stand.
    fn origins(&mut self, value: Option<&mut Value>) {
        match value {
            Some(Value::Array(items)) => items.iter_mut().for_each(|item| self.origins(Some(item))),
            Some(Value::Object(fields)) => {
                self.rename(Of::Part(Part::Generations), fields.get_mut("generation"));
                fields.values_mut().for_each(|field| self.origins(Some(field)));
            }
            _ => {}
        }
    }

    /// An id of a library: only those that the plan names change. A built-in preset keeps its name.
    fn library(&mut self, part: Part, field: Option<&mut Value>) {
        let Some(Value::String(id)) = field else { return };
        let key = (part, std::mem::take(id));
        *id = match self.plan.reused.get(&key) {
            Some(equal) => equal.clone(),
            None if self.plan.copied.contains(&key) => self.fresh(Of::Part(part), &key.1),
            None => key.1,
        };
    }

    /// An absent, null or empty id points to nothing, and goes on doing so.
    fn rename(&mut self, of: Of, field: Option<&mut Value>) {
        if let Some(Value::String(id)) = field
            && !id.is_empty()
        {
            *id = self.fresh(of, id);
        }
    }

    fn fresh(&mut self, of: Of, old: &str) -> String {
        let Self { fresh, make, .. } = self;
        fresh.entry((of, old.to_owned())).or_insert_with(|| in_order(old, make())).clone()
    }
}

/// Ids tell the order in which the replies of a turn were made, so a fresh one keeps the time of the old one (the
/// first 48 bits of a UUIDv7) and takes its chance from the new one. Ids of another form have no time to keep.
fn in_order(old: &str, new: String) -> String {
    /// `tttttttt-tttt-`
    const TIME: usize = 14;
    let is_v7 = |id: &str| uuid::Uuid::try_parse(id).is_ok_and(|uuid| uuid.get_version_num() == 7) && id.len() == 36;
    if is_v7(old) && is_v7(&new) { format!("{}{}", old[..TIME].to_lowercase(), &new[TIME..]) } else { new }
}
