//! The author's note: a text that stands at a depth of the chat in every prompt of a story (F3).

use serde_json::{Value, json};

use crate::{
    prompt::{
        draft::Draft,
        sources::{Give, Source, note::place},
    },
    story::storyline::Storyline,
};

pub use crate::prompt::sources::note::DEPTH;

/// The marker of the note, and the storyline's field that holds it: `{"text","depth","role","enabled"}`.
pub const NAME: &str = "author_note";

pub struct Feature;

impl super::Feature for Feature {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sources(&self) -> &'static [Source] {
        &[Source {
            name: NAME,
            title: ["作者注", "Author's note"],
            give: Give::Note(text, |draft| place(stored(draft.scene.storyline))),
        }]
    }
}

fn stored(storyline: &Storyline) -> &Value {
    storyline.extra.get(NAME).unwrap_or(&Value::Null)
}

fn text(draft: &mut Draft) -> String {
    let stored = stored(draft.scene.storyline);
    if stored["enabled"] == Value::Bool(false) {
        return String::new();
    }
    draft.about_text(stored["text"].as_str().unwrap_or_default())
}

/// A field of the note, where the story has one.
pub fn field<'a>(storyline: &'a Storyline, name: &str) -> Option<&'a Value> {
    stored(storyline).get(name)
}

/// Writes one field, so that changes that wait for the end of a turn do not undo each other.
pub fn write(storyline: &mut Storyline, name: &str, value: Value) {
    let note = storyline.extra.entry(NAME).or_insert_with(|| json!({}));
    if !note.is_object() {
        *note = json!({});
    }
    let defaults = [("text", json!("")), ("depth", json!(DEPTH)), ("role", json!("system")), ("enabled", json!(true))];
    for (name, default) in defaults {
        if note[name].is_null() {
            note[name] = default;
        }
    }
    note[name] = value;
}
