//! The stored form of an index: segments of entries with their words, and a head that says which version it is.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::entry::Entry;
use crate::{
    store::{Doc, Op, StoreError, Stored, Table},
    story::ids::StorylineId,
};

/// Another form is another number: an index of an older form is built anew.
const FORM: u32 = 5;

/// Entries in the last segment, which is written anew with each turn: so it is small.
pub const OPEN: usize = 8;
/// So many small segments become one, for an index of many is slow to load.
pub const MERGED: usize = 8;

/// The head's record: present once the index is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Rises with each change: a keeper in another tab sees that it is behind.
    pub version: u64,
    pub segments: u32,
}

/// One segment, as postcard writes it.
#[derive(Serialize, Deserialize)]
pub struct Segment {
    /// With the number of units of each.
    pub entries: Vec<(Entry, u32)>,
    /// The units' words, in the order of the entries; see [`crate::memory::Index::encode`].
    pub words: Vec<u8>,
}

pub fn head_id(storyline: &StorylineId) -> String {
    format!("{storyline}/head")
}

pub fn segment_id(storyline: &StorylineId, number: u32) -> String {
    format!("{storyline}/{number:06}")
}

impl Head {
    /// `None` where there is none of this form.
    pub fn read(doc: &Doc) -> Option<Self> {
        let number = |field: &str| doc.value[field].as_u64();
        if number("form") != Some(FORM.into()) {
            return None;
        }
        Some(Self { version: number("version")?, segments: number("segments")?.try_into().ok()? })
    }

    pub fn put(self, storyline: &StorylineId) -> Op {
        let value = json!({
            "id": head_id(storyline), "storyline": storyline, "form": FORM, "version": self.version,
            "segments": self.segments,
        });
        Op::Put(Table::Postings, value.into())
    }
}

impl Segment {
    pub fn put(&self, storyline: &StorylineId, number: u32) -> Op {
        let value = json!({ "id": segment_id(storyline, number), "storyline": storyline });
        let bytes = postcard::to_allocvec(self).expect("entries and bytes are always written");
        Op::Put(Table::Postings, Doc { value, bytes: Some(bytes.into()) })
    }

    /// # Errors
    /// It is damaged; the index has to be built anew.
    pub fn read(doc: &Doc) -> Stored<Self> {
        let bytes = doc.bytes.as_deref().unwrap_or_default();
        postcard::from_bytes(bytes).map_err(|error| StoreError::unreadable(Table::Postings, error))
    }
}
