//! What a reply carries beside its text: warnings about its prompt, notices of features, and what it changed.
//!
//! They are stored with the generation (in its `extra`), and so hang on the tree like everything else. An entry that
//! this version cannot read is not shown, and is kept.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    Millis,
    fault::Fault,
    generation::{Generation, Usage},
    ids::CharacterId,
    sampling::Parameter,
    state::{ByHand, Change, HandEdit},
    world::Refusal,
    written::Text,
};
use crate::store::{from_value, tagged};

/// Something about the prompt that the reader should know; nothing was cut for it (seed `000`). One per kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    pub category: Category,
    pub current_value: u32,
    pub threshold: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// The middle of the prompt is above `limits.middle_section_warning_tokens` (A7).
    MiddleSectionOverflow,
    /// The prompt is near `limits.max_total_tokens`.
    TotalNearLimit,
}

/// A part of a reply that could not be used, and why. The rest of the turn stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The module that it concerns.
    pub module: String,
    #[serde(flatten)]
    pub cause: Cause,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum Cause {
    /// The module failed: its part of the state is as before the turn.
    Failed { detail: String },
    /// The module's part of the stored state cannot be read; see [`super::damage`].
    DamagedState { detail: String },
    /// The background is there and cannot be read.
    DamagedBackground { detail: String },
    /// The reply's state update cannot be read.
    UnreadableUpdate { detail: String },
    /// The reply's progress marker names a point that the outline does not have.
    OutOfOutline { index: u32, points: u32 },
    /// The past was not asked, or not in every way: the prompt has fewer memories than it could have.
    NotRecalled { fault: Fault },
    /// There is no plan for this reply; without a fault the planner had nothing to say.
    NotPlanned {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
    },
    /// The model was to choose who speaks and did not: it went by turns. Without a fault its answer named nobody who is there.
    NotChosen {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
    },
    /// The scribe noted nothing at this reply, or a text was not written after it; without a fault the answer cannot be
    /// used.
    NotNoted {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
        /// Whose sheet, by name, where it is not the own character's.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        whose: String,
    },
    /// A change of the world that the reply asks for was not made; the key is cut short.
    WorldRefused { key: String, why: Refusal },
    /// So many events of the provider's stream could not be read and were passed over; the first words of the first.
    UnreadEvents { events: u32, excerpt: String },
    /// Parameters of the sampling that the model refused, and that the request went without; none twice.
    LeftOut { all: Vec<LeftOut> },
    /// The model wrote notes and no prose, which was then asked for with a call of its own; with a fault that failed.
    ProseAskedFor {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
    },
    /// A change by hand does not fit the state any more, for the reply was read anew.
    ByHandLost,
}
tagged!(Cause, "cause");

/// What the model does not take, in its provider's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub parameter: Parameter,
    pub words: String,
}

impl Notice {
    /// In the place of a module's name: the provider's stream.
    pub const STREAM: &str = "stream";

    /// The module did nothing for this reply; it may be tried again once the cause is mended.
    pub fn is_failure(&self) -> bool {
        matches!(self.cause, Cause::Failed { .. } | Cause::DamagedState { .. } | Cause::DamagedBackground { .. })
    }
}

const WARNINGS: &str = "warnings";
const NOTICES: &str = "notices";
const CHANGES: &str = "changes";
const BY_HAND: &str = "by_hand";
const PLAN: &str = "plan";
const PLANNING: &str = "planning";

/// What a plan took: its call is not among the tokens of the reply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Planning {
    pub model: String,
    /// As the provider counted them, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    pub millis: Millis,
}

impl Generation {
    /// What a reply carries under a name; entries that this version cannot read are passed over.
    pub(crate) fn list<T: DeserializeOwned>(&self, name: &str) -> Vec<T> {
        let list = self.extra.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        list.iter().filter_map(|entry| from_value(entry.clone()).ok()).collect()
    }

    pub(crate) fn set_list<T: Serialize>(&mut self, name: &str, list: &[T]) {
        if list.is_empty() {
            self.extra.shift_remove(name);
        } else {
            self.extra.insert(name.into(), serde_json::to_value(list).expect("entries have text keys"));
        }
    }

    pub fn warnings(&self) -> Vec<Warning> {
        self.list(WARNINGS)
    }

    pub fn set_warnings(&mut self, warnings: &[Warning]) {
        self.set_list(WARNINGS, warnings);
    }

    pub fn notices(&self) -> Vec<Notice> {
        self.list(NOTICES)
    }

    pub fn set_notices(&mut self, notices: &[Notice]) {
        self.set_list(NOTICES, notices);
    }

    /// Notes that so many events of its stream could not be read.
    pub fn note_unread(&mut self, more: u32, first: String) {
        let mut notices = self.notices();
        let noted = notices.iter_mut().find_map(|notice| match &mut notice.cause {
            Cause::UnreadEvents { events, .. } => Some(events),
            _ => None,
        });
        match noted {
            Some(events) => *events = events.saturating_add(more),
            None => {
                let cause = Cause::UnreadEvents { events: more, excerpt: first };
                notices.push(Notice { module: Notice::STREAM.to_owned(), cause });
            }
        }
        self.set_notices(&notices);
    }

    /// Notes what its request went without.
    pub fn note_left_out(&mut self, left_out: Vec<LeftOut>) {
        if left_out.is_empty() {
            return;
        }
        self.note(Notice { module: Notice::STREAM.to_owned(), cause: Cause::LeftOut { all: left_out } });
    }

    pub fn note(&mut self, notice: Notice) {
        let mut notices = self.notices();
        notices.push(notice);
        self.set_notices(&notices);
    }

    /// What this reply changed in the state: the notes in its margin.
    pub fn changes(&self) -> Vec<Change> {
        self.list(CHANGES)
    }

    pub fn set_changes(&mut self, changes: &[Change]) {
        self.set_list(CHANGES, changes);
    }

    /// What was planned before the reply.
    pub fn plan(&self) -> Option<&str> {
        self.extra.get(PLAN)?.as_str()
    }

    pub fn set_plan(&mut self, plan: &str, planning: &Planning) {
        self.extra.insert(PLAN.into(), plan.into());
        self.extra.insert(PLANNING.into(), serde_json::to_value(planning).expect("it has text keys"));
    }

    /// What the plan took.
    pub fn planning(&self) -> Option<Planning> {
        from_value(self.extra.get(PLANNING)?.clone()).ok()
    }

    /// What the reader changed in the state at this reply, in order.
    pub fn by_hand(&self) -> Vec<ByHand> {
        self.list(BY_HAND)
    }

    pub fn add_by_hand(&mut self, edit: &ByHand) {
        let edit = serde_json::to_value(edit).expect("edits have text keys");
        match self.extra.get_mut(BY_HAND) {
            Some(Value::Array(list)) => list.push(edit),
            _ => {
                self.extra.insert(BY_HAND.into(), Value::Array(vec![edit]));
            }
        }
    }

    /// Changes each wording that the reader gave a text at this reply.
    pub fn reword_by_hand(&mut self, text: Text, whose: Option<&CharacterId>, change: impl Fn(&str) -> String) {
        let Some(Value::Array(list)) = self.extra.get_mut(BY_HAND) else { return };
        for edit in list {
            if let Ok(ByHand { edit: HandEdit::Text { of, text: said, whose: of_whom }, .. }) = from_value(edit.clone())
                && (of, of_whom.as_ref()) == (text, whose)
            {
                edit["text"] = change(&said).into();
            }
        }
    }

    /// Takes out the last change of the world that the reader made at this reply; false where there is none.
    pub fn take_back_world(&mut self) -> bool {
        let Some(Value::Array(list)) = self.extra.get_mut(BY_HAND) else { return false };
        let is_world =
            |edit: &Value| matches!(from_value(edit.clone()), Ok(ByHand { edit: HandEdit::World { .. }, .. }));
        let Some(at) = list.iter().rposition(is_world) else { return false };
        list.remove(at);
        if list.is_empty() {
            self.extra.shift_remove(BY_HAND);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn they_ride_with_the_reply() {
        let mut generation = Generation::default();
        let bare = serde_json::to_value(&generation).unwrap();
        let warning = Warning { category: Category::MiddleSectionOverflow, current_value: 25_000, threshold: 20_000 };
        let notice = Notice { module: "director".into(), cause: Cause::OutOfOutline { index: 9, points: 5 } };
        generation.set_warnings(std::slice::from_ref(&warning));
        generation.set_notices(std::slice::from_ref(&notice));
        let stored = serde_json::to_value(&generation).unwrap();
        assert_eq!(
            stored["warnings"],
            json!([{"category": "middle_section_overflow", "current_value": 25000, "threshold": 20000}])
        );
        assert_eq!(
            stored["notices"],
            json!([{"module": "director", "cause": "out_of_outline", "index": 9, "points": 5}])
        );
        let read: Generation = serde_json::from_value(stored).unwrap();
        assert_eq!((read.warnings(), read.notices()), (vec![warning], vec![notice]));
        generation.set_warnings(&[]);
        generation.set_notices(&[]);
        assert_eq!(serde_json::to_value(&generation).unwrap(), bare);
    }

    #[test]
    fn what_a_newer_version_wrote_is_passed_over() {
        let mut generation = Generation::default();
        generation.extra.insert("notices".into(), json!([{"module": "x", "cause": "new"}, 3]));
        assert!(generation.notices().is_empty());
        generation.extra.insert("notices".into(), json!("?"));
        assert!(generation.notices().is_empty());
    }
}
