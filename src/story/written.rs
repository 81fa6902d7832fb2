//! The two texts that are written anew as a story goes on (`002`): who the character is by now, and what has happened. What
//! was written lies with the reply that it was written after, so that another branch has another one; what holds, says the
//! [`State`].

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    Extra, Millis,
    generation::{Generation, Usage},
    state::{HandEdit, State},
};
use crate::store::from_value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Text {
    /// Sₙ: the character's own view of themselves.
    Sheet,
    /// Pₙ: what happened, told by nobody.
    Plot,
}

/// Of a reply that carries a text (D7).
const VERSION: &str = "rpContextVersion";
const UPDATED: &str = "lastUpdate";
/// What is known of how it was written, by the field of the text.
const WRITING: &str = "rpContextWriting";

impl Text {
    pub const ALL: [Self; 2] = [Self::Sheet, Self::Plot];

    /// The name of its feature.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sheet => "sheet",
            Self::Plot => "plot_summary",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|text| text.name() == name)
    }

    /// Under which it lies with a reply (D7).
    pub fn field(self) -> &'static str {
        match self {
            Self::Sheet => "characterSheet",
            Self::Plot => "memory",
        }
    }

    /// As it holds.
    pub fn held(self, state: &State) -> &str {
        match self {
            Self::Sheet => &state.sheet,
            Self::Plot => &state.summary,
        }
    }

    pub fn held_mut(self, state: &mut State) -> &mut String {
        match self {
            Self::Sheet => &mut state.sheet,
            Self::Plot => &mut state.summary,
        }
    }
}

/// A text as a model wrote it, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Written {
    #[serde(skip)]
    pub text: String,
    pub at: Millis,
    pub model: String,
    /// As the provider counted them, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    pub millis: Millis,
    /// The first turn that it was written from.
    pub from: u32,
}

impl Generation {
    /// What was written after this reply. A file by others may carry the text alone.
    pub fn written(&self, text: Text) -> Option<Written> {
        let said = self.extra.get(text.field())?.as_str()?.trim();
        let how = self.extra.get(WRITING).and_then(|all| from_value::<Written>(all.get(text.field())?.clone()).ok());
        (!said.is_empty()).then(|| Written { text: said.to_owned(), ..how.unwrap_or_default() })
    }

    pub fn set_written(&mut self, text: Text, written: &Written) {
        self.extra.insert(text.field().into(), written.text.as_str().into());
        self.extra.insert(VERSION.into(), 1.into());
        self.extra.insert(UPDATED.into(), written.at.into());
        let all = self.extra.entry(WRITING).or_insert_with(|| json!({}));
        if !all.is_object() {
            *all = json!({});
        }
        all[text.field()] = serde_json::to_value(written).unwrap_or(Value::Null);
    }

    /// Both texts as `002` has them beside a message (`extra`, D7); `None`: there is neither.
    pub fn rp_context(&self) -> Option<Extra> {
        let has_text = Text::ALL.iter().any(|text| self.extra.contains_key(text.field()));
        let fields = Text::ALL.map(Text::field).into_iter().chain([VERSION, UPDATED]);
        let told = fields.filter_map(|field| Some((field.to_owned(), self.extra.get(field)?.clone())));
        has_text.then(|| told.collect())
    }

    /// Puts other words in each wording of a text at this reply; false where none has them.
    pub fn replace_in(&mut self, text: Text, words: &str, by: &str) -> bool {
        let before = self.extra.clone();
        if let Some(Value::String(said)) = self.extra.get_mut(text.field()) {
            *said = said.replace(words, by);
        }
        self.reword_by_hand(text, |said| said.replace(words, by));
        self.extra != before
    }

    /// The last wording that the reader gave it at this reply.
    pub fn worded(&self, text: Text) -> Option<String> {
        self.by_hand().into_iter().rev().find_map(|by_hand| match by_hand.edit {
            HandEdit::Text { of, text: said } if of == text => Some(said),
            _ => None,
        })
    }
}
