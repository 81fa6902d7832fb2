//! A preset: ordered prompt blocks with markers (seed `004`).

use serde::{Deserialize, Serialize};

use super::{Extra, Millis, features::Features, ids::PresetId, sampling::Sampling};
use crate::store::record;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preset {
    pub id: PresetId,
    pub name: String,
    /// What it is for, in one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub blocks: Vec<Block>,
    /// The features that it turns on, with their settings; what the reader sets in a story goes before.
    #[serde(rename = "modules", skip_serializing_if = "Features::is_empty")]
    pub features: Features,
    /// Goes before what the connection says.
    #[serde(skip_serializing_if = "Sampling::is_default")]
    pub sampling: Sampling,
    pub created: Millis,
    pub updated: Millis,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Preset, Presets);

impl Preset {
    /// Whether an enabled block is the place of this source.
    pub fn places(&self, source: &str) -> bool {
        self.blocks.iter().any(|block| block.enabled && block.marker.as_deref() == Some(source))
    }
}

/// One block of a preset: its own text, or the place of a source.
///
/// What came after the first version is skipped where it is at its default, so that older records keep their form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Block {
    pub identifier: String,
    pub name: String,
    pub role: Role,
    pub enabled: bool,
    /// Text with macros. With a marker: the frame around what the source gives, which stands at `{{content}}`.
    pub content: Option<String>,
    /// The source that fills this place.
    pub marker: Option<String>,
    /// What stands in the frame where the source has nothing to say; without it the block falls away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty: Option<String>,
    /// The part of the prompt that it counts to; `None` leaves it to the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<Section>,
    /// Told only where this feature is on; `None` = always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// In the chat, this many messages before its end; `None` = where it stands in the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Among blocks of one depth: the higher, the nearer to the end.
    #[serde(skip_serializing_if = "is_default_order")]
    pub order: i32,
    /// A card may not replace this text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forbid_overrides: bool,
    /// Of a history marker: how many turns before the one to answer; `None` = all that fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// Of a history marker: how turns are written.
    #[serde(skip_serializing_if = "Form::is_default")]
    pub form: Form,
    /// Of a history marker: the session of the turn to answer, and no other.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub current_session: bool,
    /// Of a history marker: replies as they are read, without the thoughts, the marks and the state updates that this
    /// preset asks for. Else they are told as they came, but for a form of ours: of that what is shown, and the marks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shown_only: bool,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            identifier: String::new(),
            name: String::new(),
            role: Role::System,
            enabled: true,
            content: None,
            marker: None,
            empty: None,
            section: None,
            feature: None,
            depth: None,
            order: DEFAULT_ORDER,
            forbid_overrides: false,
            turns: None,
            form: Form::Messages,
            current_session: false,
            shown_only: false,
            extra: Extra::new(),
        }
    }
}

/// The field's own default (`injection_order`).
pub const DEFAULT_ORDER: i32 = 100;

fn is_default_order(order: &i32) -> bool {
    *order == DEFAULT_ORDER
}

/// The parts of a prompt (seed `000`, step 4): who and where; what was recalled and said; what comes after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    #[default]
    Head,
    Middle,
    Tail,
}

impl Section {
    pub fn is_head(&self) -> bool {
        *self == Self::Head
    }
}

/// How a history marker writes turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Each as the messages of its speakers.
    #[default]
    Messages,
    /// As one text (seed `000`). The words to answer are a message of the reader's, so they end it only where it is that
    /// message.
    Transcript,
    /// As one text without the turn to answer, which the preset puts elsewhere (seed `001`).
    Past,
}

impl Form {
    fn is_default(&self) -> bool {
        *self == Self::Messages
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    #[default]
    System,
    User,
    Assistant,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}
