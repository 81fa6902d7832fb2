//! What the reader has typed and not sent: kept for each story, so that no reload and no other page costs a word.
//!
//! It is no part of the story yet. No export holds it, for it lies among the settings; the commit that makes a turn of it
//! takes it away (A1), and it goes for good with its story.

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

/// Keeps the first [`MOST`] characters of `text` in the place of what stood there before.
pub fn keep(storyline: &StorylineId, text: &str, suggested: bool, whisper: &[CharacterId]) -> Batch {
    let id = id(storyline);
    let kept = match text.char_indices().nth(MOST) {
        Some((end, _)) => &text[..end],
        None => text,
    };
    match kept.trim() {
        "" => Batch::relaxed().delete(Table::Settings, &id),
        _ => Batch::relaxed().put(&Unsent { id, text: kept.to_owned(), suggested, whisper: whisper.to_vec() }),
    }
}
