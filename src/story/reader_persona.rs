//! Who the reader plays: a persona with a name, a description and a face, by SillyTavern's fields (6.5). The reader has
//! several; a storyline is played as one of them, or as none.

use serde::{Deserialize, Serialize};

use super::{
    Extra, Millis,
    ids::{BlobId, ReaderPersonaId},
    preset::Role,
};
use crate::store::record;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReaderPersona {
    pub id: ReaderPersonaId,
    /// What `{{user}}` is.
    pub name: String,
    pub description: String,
    /// Where the description stands: 0 in the prompt, 4 at a depth of the chat, 9 nowhere. Others are kept, and are 0.
    pub position: u32,
    /// Messages from the end, and whose message it is there: 0 the system's, 1 the reader's, 2 the model's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<u32>,
    pub avatar: Option<BlobId>,
    /// The same at the size of the page, where it is itself larger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail: Option<BlobId>,
    pub created: Millis,
    pub updated: Millis,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Millis>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(ReaderPersona, Personas);

/// Where a description stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// After the character, or where the preset has its place.
    Prompt,
    /// At a depth of the chat.
    Chat(u32, Role),
    Nowhere,
}

/// Where it says no depth (the field's own default).
const DEPTH: u32 = 2;

impl ReaderPersona {
    pub fn stands(&self) -> Stands {
        let role = match self.role {
            Some(1) => Role::User,
            Some(2) => Role::Assistant,
            _ => Role::System,
        };
        match self.position {
            4 => Stands::Chat(self.depth.unwrap_or(DEPTH), role),
            9 => Stands::Nowhere,
            _ => Stands::Prompt,
        }
    }
}
