//! The author's note and a card's note at depth: texts that place themselves in the chat (F3).

use serde_json::Value;

use crate::{prompt::draft::Draft, story::preset::Role};

/// Depth where none is given.
const DEPTH: u32 = 4;

/// A note that says where it goes.
pub struct Note {
    pub text: String,
    pub depth: u32,
    pub role: Role,
}

/// The storyline's `author_note`: `{"text","depth","role","enabled"}`. The store's text goes before it.
pub fn author(draft: &mut Draft) -> Option<Note> {
    let stored = draft.scene.storyline.extra.get("author_note").unwrap_or(&Value::Null);
    let text = super::text(draft, "author_note")?;
    note(stored, text)
}

/// The text alone: for a marker.
pub fn text(draft: &mut Draft) -> String {
    let stored = draft.scene.storyline.extra.get("author_note").unwrap_or(&Value::Null);
    if stored["enabled"] == Value::Bool(false) {
        return String::new();
    }
    draft.source_text(stored["text"].as_str().unwrap_or_default())
}

/// The card's `extensions.depth_prompt`: `{"prompt","depth","role"}`.
pub fn card(draft: &mut Draft) -> Option<Note> {
    let stored = draft.scene.character.card.extensions.get("depth_prompt")?;
    let text = draft.source_text(stored["prompt"].as_str()?);
    note(stored, text)
}

fn note(stored: &Value, text: String) -> Option<Note> {
    let role = match stored["role"].as_str() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        _ => Role::System,
    };
    let depth = stored["depth"].as_u64().map_or(DEPTH, |depth| depth.try_into().unwrap_or(u32::MAX));
    (!text.trim().is_empty()).then(|| Note { text: text.trim().to_owned(), depth, role })
}
