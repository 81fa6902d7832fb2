//! What the reader has typed and not sent: kept for each story, so that no reload and no other page costs a word.
//!
//! It is no part of the story yet. No export holds it, for it lies among the settings; the commit that makes a turn of it
//! takes it away (A1), and it goes for good with its story.
//!
//! A page that goes takes along what it is just writing to the database. So the same record is left beside it, where the
//! browser keeps it at once, until it is written. Which of the two holds the newer words, the times say.

use serde::{Deserialize, Serialize};

use super::{scene, summarise::readable};
use crate::{
    ports::Store,
    store::{Batch, Stored, Table, UNSENT, record},
    story::{
        Millis,
        ids::{CharacterId, StorylineId},
        storyline::Storyline,
    },
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
    /// When it was typed.
    #[serde(skip_serializing_if = "is_none")]
    pub at: Millis,
    /// It was typed before what is stored was read, and comes after that. Only of what a page has left.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub added: bool,
}
record!(Unsent, Settings);

fn is_none(at: &Millis) -> bool {
    *at == 0
}

pub fn id(storyline: &StorylineId) -> String {
    format!("{UNSENT}{storyline}")
}

/// What stands unsent in a story: nothing, where nothing readable is kept.
pub async fn load(store: &dyn Store, storyline: &StorylineId) -> Stored<Unsent> {
    Ok(readable(store.load(&id(storyline)).await)?.unwrap_or_default())
}

impl Unsent {
    /// The first [`MOST`] characters of what stands there.
    pub fn new(storyline: &StorylineId, mut text: String, at: Millis) -> Self {
        if let Some((end, _)) = text.char_indices().nth(MOST) {
            text.truncate(end);
        }
        Self { id: id(storyline), text, at, ..Self::default() }
    }
}

/// What stands unsent in a story, given what a page has left of it: that is older where something newer was stored, or said.
pub async fn newest(store: &dyn Store, storyline: &StorylineId, left: Option<Unsent>) -> Stored<Unsent> {
    let stored = load(store, storyline).await?;
    let Some(left) = left else { return Ok(stored) };
    if left.at <= stored.at || left.at <= said(store, storyline).await? {
        return Ok(stored);
    }
    Ok(if left.added { Unsent { text: stored.text + &left.text, ..left } } else { left })
}

/// When the newest turn of a story was begun.
async fn said(store: &dyn Store, storyline: &StorylineId) -> Stored<Millis> {
    let Some(storyline) = store.load::<Storyline>(storyline.as_str()).await? else { return Ok(0) };
    let (path, _) = scene::sight(store, &storyline).await?;
    let newest = scene::window(store, &path, path.end.saturating_sub(1), path.end).await?;
    Ok(newest.last().map_or(0, |node| node.turn.created))
}

/// Puts it in the place of what stood there before.
pub fn keep(unsent: &Unsent) -> Batch {
    match unsent.text.trim() {
        "" => Batch::relaxed().delete(Table::Settings, &unsent.id),
        _ => Batch::relaxed().put(unsent),
    }
}
