//! What the reader has typed and not sent: kept for each story, so that no reload and no other page costs a word.
//!
//! It is no part of the story yet. No export holds it, for it lies among the settings; the commit that makes a turn of it
//! takes it away (A1), and it goes for good with its story.
//!
//! A page that goes takes along what it is just writing to the database. So the same record stands beside it, where the
//! browser keeps it at once, until it is written; whoever finds it there has the newer words.

use serde::{Deserialize, Serialize};

use super::summarise::readable;
use crate::{
    ports::Store,
    store::{Batch, Stored, Table, UNSENT, record},
    story::ids::{CharacterId, StorylineId},
};

/// Characters that are kept: more than a prompt takes, and little enough to write while one types.
pub const MOST: usize = 200_000;

/// One record a storyline, while there is something.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Unsent {
    pub id: String,
    pub text: String,
    /// A status bar put it there and the reader left it so: what the bar suggests next may take its place.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suggested: bool,
    /// Whom alone it is said to; nobody: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub whisper: Vec<CharacterId>,
}
record!(Unsent, Settings);

pub fn id(storyline: &StorylineId) -> String {
    format!("{UNSENT}{storyline}")
}

/// What stands unsent in a story: nothing, where nothing readable is kept.
pub async fn load(store: &dyn Store, storyline: &StorylineId) -> Stored<Unsent> {
    Ok(readable(store.load(&id(storyline)).await)?.unwrap_or_default())
}

impl Unsent {
    /// The first [`MOST`] characters of what stands there.
    pub fn new(storyline: &StorylineId, mut text: String, suggested: bool, whisper: Vec<CharacterId>) -> Self {
        if let Some((end, _)) = text.char_indices().nth(MOST) {
            text.truncate(end);
        }
        Self { id: id(storyline), text, suggested, whisper }
    }
}

/// Puts it in the place of what stood there before.
pub fn keep(unsent: &Unsent) -> Batch {
    match unsent.text.trim() {
        "" => Batch::relaxed().delete(Table::Settings, &unsent.id),
        _ => Batch::relaxed().put(unsent),
    }
}
