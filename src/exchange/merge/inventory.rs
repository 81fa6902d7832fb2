//! What a file or a library has, as far as a plan needs to know.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::store::{Belongs, Part};

/// Fingerprints, not records: 32 bytes per turn.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Characters, backgrounds and presets: id → what it is but for id and times.
    pub(super) library: BTreeMap<(Part, String), u128>,
    pub(super) storylines: BTreeMap<String, Tree>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// (branch, position) → the turn there; (branch) → where it leaves its parent.
    pub places: HashMap<u128, u128>,
}

impl Inventory {
    pub fn add(&mut self, part: Part, record: &Value) {
        let id = record["id"].as_str().unwrap_or_default().to_owned();
        let of = record["storyline"].as_str().unwrap_or_default();
        match part {
            _ if part.belongs() == Belongs::Library => drop(self.library.insert((part, id), likeness(record))),
            Part::Storylines => drop(self.storylines.entry(id).or_default()),
            Part::Branches => self.place(of, &["branch", &id], &record["parent"].to_string()),
            Part::Turns => {
                let branch = record["branch"].as_str().unwrap_or_default();
                self.place(of, &["turn", branch, &record["position"].to_string()], &id);
            }
            // Whether two trees are one, branches and turns tell.
            _ => {}
        }
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

/// The same for two records that differ only in id, times and the order of their fields.
fn likeness(record: &Value) -> u128 {
    let mut record = record.clone();
    if let Value::Object(fields) = &mut record {
        fields.retain(|key, _| !["id", "created", "updated", "deleted"].contains(&key.as_str()));
    }
    hash(&[&sorted(record).to_string()])
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
