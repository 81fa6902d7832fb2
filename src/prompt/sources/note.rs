//! A card's note: a text that places itself in the chat (F3).

use serde_json::Value;

use crate::{prompt::draft::Draft, story::preset::Role};

/// Depth where none is given.
pub const DEPTH: u32 = 4;

/// Where a text places itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At a depth of the chat.
    Chat(u32, Role),
    /// After the character.
    Prompt(Role),
    /// Before all else.
    First(Role),
    Nowhere,
}

/// The card's `extensions.depth_prompt`: `{"prompt","depth","role"}`; its text, and where it goes.
pub fn card(draft: &mut Draft) -> Option<(String, Place)> {
    let stored = draft.scene.character.card.extensions.get("depth_prompt")?;
    let text = draft.about_text(stored["prompt"].as_str()?);
    Some((text, place(stored)))
}

/// Depth and role of a note as it is stored: `{"depth","role"}`.
pub fn place(stored: &Value) -> Place {
    let role = match stored["role"].as_str() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        _ => Role::System,
    };
    Place::Chat(stored["depth"].as_u64().map_or(DEPTH, |depth| depth.try_into().unwrap_or(u32::MAX)), role)
}
