//! The two texts that are written anew as a story goes on (`002`): who a character is by now, and what has happened. What
//! was written lies with the reply that it was written after, so that another branch has another one; what holds, says the
//! [`State`]. Of several characters each has a sheet; `whose` is `None` for that of the storyline's own, and for the plot
//! summary.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    Extra, Millis,
    generation::{Generation, Usage},
    ids::CharacterId,
    state::{HandEdit, State},
};
use crate::store::from_value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Text {
    /// Sₙ: a character's own view of themselves.
    Sheet,
    /// Pₙ: what happened, told by nobody.
    Plot,
}

/// Of a reply that carries a text (D7).
const VERSION: &str = "rpContextVersion";
const UPDATED: &str = "lastUpdate";
/// What is known of how it was written, by the field of the text.
const WRITING: &str = "rpContextWriting";
/// The sheets of others, by whose they are.
const SHEETS: &str = "sheets";

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
    pub fn held<'a>(self, state: &'a State, whose: Option<&CharacterId>) -> &'a str {
        match (self, whose) {
            (Self::Sheet, None) => &state.sheet,
            (Self::Sheet, Some(whose)) => state.sheets.get(whose.as_str()).and_then(Value::as_str).unwrap_or_default(),
            (Self::Plot, _) => &state.summary,
        }
    }

    pub fn hold(self, state: &mut State, whose: Option<&CharacterId>, text: &str) {
        match (self, whose) {
            (Self::Sheet, None) => text.clone_into(&mut state.sheet),
            (Self::Sheet, Some(whose)) => drop(state.sheets.insert(whose.0.clone(), text.into())),
            (Self::Plot, _) => text.clone_into(&mut state.summary),
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
    /// What they were called then, of a sheet of others.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub whose: String,
}

impl Generation {
    /// What was written after this reply. A file by others may carry the text alone.
    pub fn written(&self, text: Text, whose: Option<&CharacterId>) -> Option<Written> {
        let (said, how) = match whose {
            None => (self.extra.get(text.field())?, self.extra.get(WRITING).and_then(|all| all.get(text.field()))),
            Some(whose) => {
                let sheet = self.extra.get(SHEETS).filter(|_| text == Text::Sheet)?.get(whose.as_str())?;
                (sheet.get("text")?, Some(sheet))
            }
        };
        let said = said.as_str()?.trim();
        let how = how.and_then(|how| from_value::<Written>(how.clone()).ok());
        (!said.is_empty()).then(|| Written { text: said.to_owned(), ..how.unwrap_or_default() })
    }

    /// All that was written after this reply.
    pub fn all_written(&self) -> impl Iterator<Item = (Text, Option<CharacterId>, Written)> {
        let own = Text::ALL.into_iter().map(|text| (text, None));
        let sheets = self.extra.get(SHEETS).and_then(Value::as_object).into_iter().flatten();
        let all = own.chain(sheets.map(|(id, _)| (Text::Sheet, Some(CharacterId::from(id.as_str())))));
        all.filter_map(|(text, whose)| Some((text, whose.clone(), self.written(text, whose.as_ref())?)))
    }

    pub fn set_written(&mut self, text: Text, whose: Option<&CharacterId>, written: &Written) {
        let mut how = serde_json::to_value(written).unwrap_or_else(|_| json!({}));
        if let Some(whose) = whose {
            how["text"] = written.text.as_str().into();
            object(&mut self.extra, SHEETS)[whose.as_str()] = how;
            return;
        }
        self.extra.insert(text.field().into(), written.text.as_str().into());
        self.extra.insert(VERSION.into(), 1.into());
        self.extra.insert(UPDATED.into(), written.at.into());
        object(&mut self.extra, WRITING)[text.field()] = how;
    }

    /// Both texts as `002` has them beside a message (`extra`, D7); `None`: there is neither.
    pub fn rp_context(&self) -> Option<Extra> {
        let has_text = Text::ALL.iter().any(|text| self.extra.contains_key(text.field()));
        let fields = Text::ALL.map(Text::field).into_iter().chain([VERSION, UPDATED]);
        let told = fields.filter_map(|field| Some((field.to_owned(), self.extra.get(field)?.clone())));
        has_text.then(|| told.collect())
    }

    /// Puts other words in each wording of a text at this reply; false where none has them.
    pub fn replace_in(&mut self, text: Text, whose: Option<&CharacterId>, words: &str, by: &str) -> bool {
        let before = self.extra.clone();
        let said = match whose {
            None => self.extra.get_mut(text.field()),
            Some(whose) => self.extra.get_mut(SHEETS).and_then(|all| all.get_mut(whose.as_str())?.get_mut("text")),
        };
        if let Some(Value::String(said)) = said {
            *said = said.replace(words, by);
        }
        self.reword_by_hand(text, whose, |said| said.replace(words, by));
        self.extra != before
    }

    /// The last wording that the reader gave it at this reply.
    pub fn worded(&self, text: Text, whose: Option<&CharacterId>) -> Option<String> {
        self.by_hand().into_iter().rev().find_map(|by_hand| match by_hand.edit {
            HandEdit::Text { of, text: said, whose: of_whom } if of == text && of_whom.as_ref() == whose => Some(said),
            _ => None,
        })
    }
}

/// What lies under a name, made an object where it is none.
fn object<'a>(extra: &'a mut Extra, name: &str) -> &'a mut Value {
    let all = extra.entry(name).or_insert_with(|| json!({}));
    if !all.is_object() {
        *all = json!({});
    }
    all
}
