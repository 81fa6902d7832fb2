//! What a file or a library has, as far as a plan needs to know.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::store::{Belongs, Id, Of, Part, field};

/// Fingerprints, not records: 64 bytes per turn.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// What belongs to the library, by its id.
    library: BTreeMap<(Part, String), Thing>,
    pub(super) storylines: BTreeMap<String, Tree>,
}

/// A character, a background, a lorebook or a preset.
#[derive(Clone, Debug)]
struct Thing {
    /// What it says, but for id, times and what of the library it names.
    says: u128,
    /// What of the library it names: a record may come before those that it names.
    names: Vec<(Part, String)>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// (branch, position) → the turn there; turn → where it stands; (branch) → where it leaves its parent.
    pub places: HashMap<u128, u128>,
}

impl Inventory {
    pub fn add(&mut self, part: Part, record: &Value) {
        let id = record["id"].as_str().unwrap_or_default().to_owned();
        let of = record["storyline"].as_str().unwrap_or_default();
        match part {
            _ if part.belongs() == Belongs::Library => drop(self.library.insert((part, id), Thing::of(part, record))),
            Part::Storylines => drop(self.storylines.entry(id).or_default()),
            Part::Branches => self.place(of, &["branch", &id], &record["parent"].to_string()),
            Part::Turns => {
                let branch = record["branch"].as_str().unwrap_or_default();
                let position = record["position"].to_string();
                self.place(of, &["turn", branch, &position], &id);
                // A story that came from another device has branches of its own (`sync`).
                self.place(of, &["stands", &id], &format!("{branch}/{position}"));
            }
            // Whether two trees are one, branches and turns tell.
            _ => {}
        }
    }

    /// What belongs to the library, each with what it is: the same for two that differ only in ids, times and the order of
    /// their fields, and so do the things of the library that they name.
    pub(super) fn likenesses(&self) -> impl Iterator<Item = (&(Part, String), u128)> {
        self.library.iter().map(|(key, thing)| (key, self.likeness(thing)))
    }

    /// Nothing in a library names, by whatever way, itself.
    fn likeness(&self, thing: &Thing) -> u128 {
        let named = thing.names.iter().map(|key| match self.library.get(key) {
            Some(named) => self.likeness(named).to_string(),
            None => key.1.clone(),
        });
        let all: Vec<String> = std::iter::once(thing.says.to_string()).chain(named).collect();
        hash(&all.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn place(&mut self, storyline: &str, place: &[&str], what: &str) {
        self.storylines.entry(storyline.to_owned()).or_default().places.insert(hash(place), hash(&[what]));
    }
}

impl Tree {
    /// Whether both have something else at one place.
    pub fn diverges_from(&self, other: &Self) -> bool {
        self.places.iter().any(|(place, what)| other.places.get(place).is_some_and(|theirs| theirs != what))
    }
}

fn hash(texts: &[&str]) -> u128 {
    let mut sha = Sha256::new();
    for text in texts {
        sha.update((text.len() as u64).to_be_bytes());
        sha.update(text);
    }
    let hash: [u8; 32] = sha.finalize().into();
    u128::from_be_bytes(*hash.first_chunk().expect("16 of 32"))
}

impl Thing {
    fn of(part: Part, record: &Value) -> Self {
        let (mut record, mut names) = (record.clone(), Vec::new());
        if let Value::Object(fields) = &mut record {
            fields.retain(|key, _| !["id", "created", "updated", "deleted"].contains(&key.as_str()));
        }
        for Id(path, of) in part.table().describe().ids {
            if let Of::Part(named) = *of
                && named.belongs() == Belongs::Library
            {
                field::texts_mut(&mut record, path, &mut |id| names.push((named, std::mem::take(id))));
            }
        }
        Self { says: hash(&[&sorted(record).to_string()]), names }
    }
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> = fields.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            fields.into_iter().collect::<Map<_, _>>().into()
        }
        other => other,
    }
}
