//! Gives fresh ids to what a plan copies, record by record. Where ids stand says the description of a table.

use std::collections::HashMap;

use serde_json::Value;

use super::plan::{Fate, Plan};
use crate::{
    features::events::remembered::Reach,
    store::{Belongs, Hangs, Id, Of, Part, field},
    story::ids::GenerationId,
};

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
        let storyline = match part.belongs() {
            Belongs::Content => return true,
            Belongs::Machine | Belongs::Ledger => return false,
            Belongs::Library => {
                let Some(id) = value["id"].as_str() else { return false };
                if self.plan.reused.contains_key(&(part, id.to_owned())) {
                    return false;
                }
                self.rename_at(Of::Part(part), value, "id");
                self.rename_named(part, value);
                return true;
            }
            Belongs::Root => value["id"].as_str(),
            Belongs::Story(_) => value["storyline"].as_str(),
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
        let event = if part == Part::Memories { self.event(value) } else { None };
        match event {
            Some(id) => value["id"] = id.into(),
            None => {
                let named = if part.belongs() == Belongs::Story(Hangs::Reply) { Part::Generations } else { part };
                self.rename_at(Of::Part(named), value, "id");
            }
        }
        if part.belongs() != Belongs::Root {
            self.rename_at(Of::Part(Part::Storylines), value, "storyline");
        }
        self.rename_named(part, value);
    }

    /// What a record names.
    fn rename_named(&mut self, part: Part, value: &mut Value) {
        for Id(path, of) in part.table().describe().ids {
            self.rename_at(*of, value, path);
        }
    }

    fn rename_at(&mut self, of: Of, value: &mut Value, path: &str) {
        field::texts_mut(value, path, &mut |id| self.rename(of, id));
    }

    /// The event of a reply is found by the id of the reply, and goes on being.
    fn event(&mut self, value: &Value) -> Option<String> {
        let reply = value["generation"].as_str()?;
        let event = |reach: Reach, reply: &str| reach.id(&GenerationId(reply.to_owned())).0;
        let reach = Reach::ALL.into_iter().find(|reach| value["id"] == event(*reach, reply))?;
        Some(event(reach, &self.fresh(Of::Part(Part::Generations), reply)))
    }

    /// An empty id points to nothing, and goes on doing so. Of the ids of a library only those that the
    /// plan names change: a built-in preset keeps its name. What is named by its content is the same everywhere.
    fn rename(&mut self, of: Of, id: &mut String) {
        match of {
            _ if id.is_empty() => {}
            Of::Part(part) if part.belongs() == Belongs::Content => {}
            Of::Part(part) if part.belongs() == Belongs::Library => {
                let key = (part, std::mem::take(id));
                *id = match self.plan.reused.get(&key) {
                    Some(equal) => equal.clone(),
                    None if self.plan.copied.contains(&key) => self.fresh(of, &key.1),
                    None => key.1,
                };
            }
            _ => *id = self.fresh(of, id),
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
