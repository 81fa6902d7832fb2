//! The first line.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::counts::Counts;
use crate::store::{Part, from_value};
use crate::{
    exchange::{
        json,
        refusal::Refusal,
        sniff::{FileKind, sniff},
    },
    story::{Extra, LAST_MILLIS, Millis},
};

/// The newest version of the format that this program reads, and the one that it writes.
///
/// - 1: replies with the accounts of their prompts in them.
/// - 2: accounts of their own, lorebooks, and storylines with a cast in the place of one character.
pub const VERSION: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One storyline and all that it needs.
    Storyline,
    /// Everything but settings and keys.
    Library,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub fabula: u32,
    pub kind: Kind,
    #[serde(default)]
    pub created: Millis,
    #[serde(default)]
    pub title: String,
    /// By table name; about, and for progress only.
    #[serde(default)]
    pub counts: Map<String, Value>,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Header {
    pub fn new(kind: Kind, created: Millis, title: impl Into<String>, counts: &Counts) -> Self {
        let some = Part::ALL.into_iter().filter(|part| counts.of(*part) > 0);
        let counts = some.map(|part| (part.name().to_owned(), counts.of(part).into())).collect();
        Self { fabula: VERSION, kind, created, title: title.into(), counts, extra: Extra::new() }
    }

    /// How many records the file says it has.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for part in Part::ALL {
            counts.add(part, self.counts.get(part.name()).and_then(Value::as_u64).unwrap_or(0));
        }
        counts
    }

    /// # Errors
    /// `NotFabula` where it is no header, `Newer`, `Damaged`.
    pub(super) fn read(line: &[u8]) -> Result<Self, Refusal> {
        let foreign = || Refusal::NotFabula(sniff(line));
        let text = std::str::from_utf8(line).map_err(|_| foreign())?;
        let value: Value = json::decode(text).map_err(|_| foreign())?;
        // The version first: a newer header may hold anything.
        let version = value.get("fabula").and_then(Value::as_u64).ok_or(Refusal::NotFabula(FileKind::Json))?;
        if version > VERSION.into() {
            return Err(Refusal::Newer { file: version.try_into().unwrap_or(u32::MAX), known: VERSION });
        }
        let header: Self = from_value(value).map_err(|error| Refusal::Damaged(format!("header: {error}")))?;
        // A time that no calendar has is none; it is only told.
        Ok(Self { created: if header.created > LAST_MILLIS { 0 } else { header.created }, ..header })
    }
}
