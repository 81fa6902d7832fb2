//! What one device tells the others: a fact says what a record, or some fields of it, was at a time.
//!
//! Facts of one record join in any order, any number of times, to the same: of each value the newest stays. (State-based
//! replication: Shapiro et al., *Conflict-free replicated data types*, 2011; a map of last-writer-wins registers.)

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::story::Millis;

/// When something was said, and by which device: no two changes have the same. Never earlier than what the device knew
/// of the record when it changed it, whatever its clock says (a hybrid logical clock by record; Kulkarni et al., 2014).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Stamp {
    pub at: Millis,
    pub by: String,
}

/// Of one record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    /// All of it.
    Whole(Stamp, Value),
    /// Some of its fields; an item of a list that holds what both sides have is a field by itself ([`super::fields`]). One
    /// that is `null` is not there.
    Fields(BTreeMap<String, (Stamp, Value)>),
    /// It was deleted for ever. Of what is told by its fields [`GONE`] says so.
    Gone(Stamp),
}

/// The field that says since when a record is gone. Other fields may have been told since.
pub const GONE: &str = "!";

/// One line of a pack.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// `turns/0190…`: the table and the id.
    pub of: String,
    /// The storyline that it belongs to; empty: none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub story: String,
    pub says: Says,
}

impl Default for Says {
    fn default() -> Self {
        Self::Fields(BTreeMap::new())
    }
}

impl Fact {
    /// The table and the id.
    pub fn place(&self) -> (&str, &str) {
        self.of.split_once('/').unwrap_or((&self.of, ""))
    }

    /// What both say of one record. That it is gone is said without its story.
    pub fn join(self, other: Self) -> Self {
        let story = if self.story.is_empty() { other.story } else { self.story };
        Self { of: self.of, story, says: self.says.join(other.says) }
    }

    /// Joins it to what is known of its record.
    pub fn join_to(self, known: &mut BTreeMap<String, Self>) {
        let joined = match known.remove(&self.of) {
            Some(before) => before.join(self),
            None => self,
        };
        known.insert(joined.of.clone(), joined);
    }
}

impl Says {
    /// The newest that it says.
    pub fn newest(&self) -> Stamp {
        match self {
            Self::Whole(stamp, _) | Self::Gone(stamp) => stamp.clone(),
            Self::Fields(fields) => fields.values().map(|(stamp, _)| stamp).max().cloned().unwrap_or_default(),
        }
    }

    /// What both say.
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fields(mut all), Self::Fields(other)) => {
                for (name, (stamp, value)) in other {
                    if all.get(&name).is_none_or(|(known, _)| *known < stamp) {
                        all.insert(name, (stamp, value));
                    }
                }
                Self::Fields(all)
            }
            (one, other) if one.newest() < other.newest() => other,
            (one, _) => one,
        }
    }
}

/// What goes out at once: facts of one device, in the order in which they can be taken in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pack<'a> {
    pub facts: Cow<'a, [Fact]>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn stamp() -> impl Strategy<Value = Stamp> {
        (0..4_u64, "[ab]").prop_map(|(at, by)| Stamp { at, by })
    }

    /// A value is told by its stamp: one device says one thing at a time.
    fn says() -> impl Strategy<Value = Says> {
        let value = |stamp: &Stamp| json!(format!("{}{}", stamp.at, stamp.by));
        prop_oneof![
            stamp().prop_map(move |stamp| Says::Whole(stamp.clone(), value(&stamp))),
            prop::collection::btree_map("[xyz]", stamp().prop_map(move |stamp| (stamp.clone(), value(&stamp))), 1..3)
                .prop_map(Says::Fields),
        ]
    }

    /// Else nobody would know where to take it in.
    #[test]
    fn a_fact_keeps_its_story() {
        let stamp = |at| Stamp { at, by: "a".into() };
        let fact = |story: &str, says| Fact { of: "memories/m".into(), story: story.into(), says };
        let (told, gone) = (fact("s", Says::Whole(stamp(2), json!({}))), fact("", Says::Gone(stamp(1))));
        for order in [[told.clone(), gone.clone()], [gone, told.clone()]] {
            let mut known = BTreeMap::new();
            order.into_iter().for_each(|fact| fact.join_to(&mut known));
            assert_eq!(known.values().collect::<Vec<_>>(), [&told]);
        }
    }

    proptest! {
        #[test]
        fn facts_join_in_any_order(facts in prop::collection::vec(says(), 1..6), order in any::<prop::sample::Index>()) {
            let of_a_kind: Vec<Says> = {
                let fields = matches!(facts[0], Says::Fields(_));
                facts.into_iter().filter(|says| matches!(says, Says::Fields(_)) == fields).collect()
            };
            let joined = of_a_kind.iter().cloned().reduce(Says::join).unwrap();
            let mut other = of_a_kind.clone();
            other.rotate_left(order.index(of_a_kind.len()));
            other.extend(of_a_kind);
            other.reverse();
            prop_assert_eq!(other.into_iter().reduce(Says::join).unwrap(), joined);
        }
    }
}
