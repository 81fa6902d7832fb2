//! The items of a persona and where each came from (seed `001`): text and time, no numbers for feelings.
//!
//! Items are stored as open JSON objects in `state`, since cards and other programs bring their own; this is the typed
//! view of them. What a turn or a hand added names its time, turn and reply, so that the page can link to it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Millis, ids::GenerationId};
use crate::store::tagged;

/// One thing that a persona holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum Item {
    Belief {
        content: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        formed_from: String,
    },
    Pattern {
        pattern: String,
    },
    Relationship {
        entity: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        status: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        history: String,
    },
    Emotion {
        content: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        context: String,
    },
    Goal {
        goal: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    Physical {
        condition: String,
    },
}
tagged!(Item, "kind");

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    Belief,
    Pattern,
    Relationship,
    Emotion,
    Goal,
    Physical,
}

/// How fast an item may change. The core is no layer of items: it never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    Growth,
    Current,
}

impl ItemKind {
    pub const ALL: [Self; 6] =
        [Self::Belief, Self::Pattern, Self::Relationship, Self::Emotion, Self::Goal, Self::Physical];

    pub fn name(self) -> &'static str {
        match self {
            Self::Belief => "belief",
            Self::Pattern => "pattern",
            Self::Relationship => "relationship",
            Self::Emotion => "emotion",
            Self::Goal => "goal",
            Self::Physical => "physical",
        }
    }

    pub fn layer(self) -> Layer {
        match self {
            Self::Belief | Self::Pattern | Self::Relationship => Layer::Growth,
            Self::Emotion | Self::Goal | Self::Physical => Layer::Current,
        }
    }

    /// The stored names of its texts; the first says what the item is.
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Belief => &["content", "formed_from"],
            Self::Pattern => &["pattern"],
            Self::Relationship => &["entity", "status", "history"],
            Self::Emotion => &["content", "context"],
            Self::Goal => &["goal", "reason"],
            Self::Physical => &["condition"],
        }
    }
}

impl Item {
    pub fn kind(&self) -> ItemKind {
        match self {
            Self::Belief { .. } => ItemKind::Belief,
            Self::Pattern { .. } => ItemKind::Pattern,
            Self::Relationship { .. } => ItemKind::Relationship,
            Self::Emotion { .. } => ItemKind::Emotion,
            Self::Goal { .. } => ItemKind::Goal,
            Self::Physical { .. } => ItemKind::Physical,
        }
    }

    /// Its texts, in the order of `ItemKind::fields`.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::Belief { content, formed_from } => vec![content, formed_from],
            Self::Pattern { pattern } => vec![pattern],
            Self::Relationship { entity, status, history } => vec![entity, status, history],
            Self::Emotion { content, context } => vec![content, context],
            Self::Goal { goal, reason } => vec![goal, reason],
            Self::Physical { condition } => vec![condition],
        }
    }

    /// Where it comes from, in the reply's own words; empty where it says nothing of that.
    pub fn aside(&self) -> &str {
        match self {
            Self::Belief { formed_from: aside, .. }
            | Self::Relationship { history: aside, .. }
            | Self::Emotion { context: aside, .. }
            | Self::Goal { reason: aside, .. } => aside,
            Self::Pattern { .. } | Self::Physical { .. } => "",
        }
    }

    pub fn aside_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Belief { formed_from: aside, .. }
            | Self::Relationship { history: aside, .. }
            | Self::Emotion { context: aside, .. }
            | Self::Goal { reason: aside, .. } => Some(aside),
            Self::Pattern { .. } | Self::Physical { .. } => None,
        }
    }

    /// An item of this kind with these texts, trimmed; those that lack are empty.
    pub fn new(kind: ItemKind, texts: [&str; 3]) -> Self {
        let [first, second, third] = texts.map(|text| text.trim().to_owned());
        match kind {
            ItemKind::Belief => Self::Belief { content: first, formed_from: second },
            ItemKind::Pattern => Self::Pattern { pattern: first },
            ItemKind::Relationship => Self::Relationship { entity: first, status: second, history: third },
            ItemKind::Emotion => Self::Emotion { content: first, context: second },
            ItemKind::Goal => Self::Goal { goal: first, reason: second },
            ItemKind::Physical => Self::Physical { condition: first },
        }
    }

    /// Reads an item as a model, a card or a record has it: a plain text, or an object with the texts of its kind.
    /// `None` where it does not say what it is.
    pub fn read(kind: ItemKind, value: &Value) -> Option<Self> {
        let mut texts = [""; 3];
        match value {
            Value::String(text) => texts[0] = text,
            Value::Object(object) => {
                for (text, field) in texts.iter_mut().zip(kind.fields()) {
                    *text = object.get(*field).and_then(Value::as_str).unwrap_or_default();
                }
            }
            _ => return None,
        }
        (!texts[0].trim().is_empty()).then(|| Self::new(kind, texts))
    }

    /// The stored form, with where it came from. What `old` holds beyond the texts of its kind stays.
    pub fn write(&self, old: Option<&Value>, origin: &Origin) -> Value {
        let mut object = match old {
            Some(Value::Object(object)) => object.clone(),
            _ => Map::new(),
        };
        for (field, text) in self.kind().fields().iter().zip(self.texts()) {
            if text.is_empty() {
                object.shift_remove(*field);
            } else {
                object.insert((*field).to_owned(), text.into());
            }
        }
        origin.stamp(&mut object);
        Value::Object(object)
    }
}

/// When, where and by whom an item was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub at: Millis,
    /// Position of the turn.
    pub turn: u32,
    /// The reply that made it, or at which the reader did.
    pub generation: Option<GenerationId>,
    pub by_hand: bool,
}

impl Origin {
    fn stamp(&self, object: &mut Map<String, Value>) {
        object.insert("timestamp".into(), iso(self.at).into());
        object.insert("turn".into(), self.turn.into());
        match &self.generation {
            Some(generation) => object.insert("generation".into(), generation.as_str().into()),
            None => object.shift_remove("generation"),
        };
        match self.by_hand {
            true => object.insert("by_hand".into(), true.into()),
            false => object.shift_remove("by_hand"),
        };
    }
}

/// Growth that waits for the reader's word (B5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PendingGrowth {
    pub items: Vec<Item>,
    pub created: Millis,
    pub turn: u32,
    pub generation: Option<GenerationId>,
}

/// An evolved persona that holds or once held (C6).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EvolvedVersion {
    pub text: String,
    pub created: Millis,
    pub turn: u32,
}

/// What the reader changes in a persona. An item is named by its stored value: an edit of one that has changed
/// meanwhile finds nothing, and does no harm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum PersonaEdit {
    Add {
        item: Item,
    },
    Replace {
        old: Value,
        item: Item,
    },
    Remove {
        kind: ItemKind,
        old: Value,
    },
    /// Growth that waited becomes part of the persona.
    Accept {
        pending: PendingGrowth,
    },
    Refuse {
        pending: PendingGrowth,
    },
    /// A new evolved persona; the one before stays as a version.
    Evolve {
        text: String,
    },
    /// A version holds again.
    Restore {
        text: String,
    },
}
tagged!(PersonaEdit, "do");

/// `2025-10-16T10:30:00Z`, as the seeds write time. Such texts sort by time.
pub fn iso(at: Millis) -> String {
    let seconds = at / 1_000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days since 0000-03-01: a leap day is then the last of its year, and 400 years are 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + carry;
    format!("{year:04}-{month:02}-{date:02}T{:02}:{:02}:{:02}Z", second / 3_600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_as_the_seeds_write_them() {
        let check = |at, text: &str| assert_eq!(iso(at), text);
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_400_000, "2000-02-29T00:00:00Z");
        check(1_709_251_199_999, "2024-02-29T23:59:59Z");
        check(1_760_610_600_000, "2025-10-16T10:30:00Z");
        check(4_107_542_400_000, "2100-03-01T00:00:00Z");
    }

    #[test]
    fn items_read_as_they_are_written() {
        let origin = Origin { at: 0, turn: 3, generation: Some("g".into()), by_hand: false };
        for kind in ItemKind::ALL {
            let item = Item::new(kind, ["a", "b", "c"]);
            let stored = item.write(None, &origin);
            assert_eq!(stored["turn"], 3);
            assert_eq!(Item::read(kind, &stored), Some(item), "{}", kind.name());
        }
        assert_eq!(
            Item::read(ItemKind::Emotion, &json!("Neutral")),
            Some(Item::new(ItemKind::Emotion, ["Neutral", "", ""]))
        );
        for nothing in [json!(""), json!({"status": "Ally"}), json!(3), json!(null)] {
            assert_eq!(Item::read(ItemKind::Relationship, &nothing), None);
        }
    }

    #[test]
    fn numbers_for_feelings_do_not_get_in_and_foreign_fields_stay() {
        let update = json!({"content": "Weary", "context": "路", "intensity": 7});
        let item = Item::read(ItemKind::Emotion, &update).unwrap();
        let origin = Origin { at: 0, turn: 1, generation: None, by_hand: true };
        let stored = item.write(Some(&json!({"content": "old", "note": "mine", "generation": "g"})), &origin);
        assert_eq!(
            stored,
            json!({"content": "Weary", "note": "mine", "context": "路", "timestamp": "1970-01-01T00:00:00Z", "turn": 1, "by_hand": true})
        );
    }
}
