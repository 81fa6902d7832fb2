//! Conversations of other programs, and what a branch of ours is to them.
//!
//! Read: SillyTavern's JSONL (of one character or of a group, swipes and all), the JSONL of seed `001`, lists of messages as
//! OpenAI's protocol has them, KoboldAI Lite's saves, chats of RisuAI and Agnai, scenarios of NovelAI, and transcripts whose
//! lines begin with a name. Each becomes a [`Chat`]; [`story`] makes a storyline of it, or of several that are branches of one,
//! which comes in as any archive does.
//! Written: SillyTavern's JSONL ([`sillytavern`]).
//!
//! What a message says beside its words rides along, and goes out again.

mod lines;
mod others;
pub mod sillytavern;
pub mod story;
#[cfg(test)]
mod tests;
mod times;

use serde_json::{Map, Value};

use super::{
    json,
    limits::CHAT_BYTES,
    refusal::{Refusal, Warning},
    sniff::{self, Content},
};
use crate::story::Millis;

pub(super) type Object = Map<String, Value>;

/// A conversation as a file has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chat {
    /// What its program calls it; empty: nothing.
    pub title: String,
    /// Empty: it does not say.
    pub reader: String,
    pub character: String,
    pub created: Option<Millis>,
    pub messages: Vec<Message>,
    /// What the file says of the whole, to be written again.
    pub head: Object,
    /// Lines that are none of its messages.
    pub skipped: usize,
    /// Messages that their program did not tell the model.
    pub hidden: usize,
    /// Other conversations in its file.
    pub others: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    pub is_reader: bool,
    /// Who says it; empty: whom the chat is with.
    pub name: String,
    /// Its wordings; one at least.
    pub swipes: Vec<Swipe>,
    /// The one that is seen.
    pub seen: usize,
    pub at: Option<Millis>,
    /// Its program did not tell it the model, and says so otherwise than SillyTavern.
    pub is_out: bool,
    /// What else its file says of it.
    pub rest: Object,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Swipe {
    pub text: String,
    pub reasoning: String,
    pub model: String,
    pub started: Option<Millis>,
    pub finished: Option<Millis>,
    /// What else its file says of it.
    pub rest: Object,
}

impl Chat {
    /// What there is to say of it beside its words.
    pub fn warnings(&self) -> Vec<Warning> {
        let counted = [
            (self.skipped > 0).then_some(Warning::LinesSkipped { count: self.skipped }),
            (self.others > 0).then_some(Warning::ChatsLeftOut { count: self.others }),
            (self.hidden > 0).then_some(Warning::HiddenThere { count: self.hidden }),
        ];
        counted.into_iter().flatten().collect()
    }
}

/// SillyTavern's name for a message that nobody of the story says.
fn kind(message: &Object) -> Option<&str> {
    message.get("extra")?.get("type")?.as_str()
}

fn is_hidden(message: &Object) -> bool {
    message.get("is_system") == Some(&Value::Bool(true)) && kind(message) != Some("narrator")
}

impl Message {
    fn said(is_reader: bool, name: &str, text: &str) -> Self {
        let swipe = Swipe { text: text.to_owned(), ..Swipe::default() };
        Self { is_reader, name: name.to_owned(), swipes: vec![swipe], ..Self::default() }
    }

    /// Whether its program did not tell it the model; what a narrator says is told.
    fn is_hidden(&self) -> bool {
        self.is_out || is_hidden(&self.rest)
    }

    /// Whether a narrator or the reader's own notes say it, under whatever name.
    fn is_nobodys(&self) -> bool {
        matches!(kind(&self.rest), Some("narrator" | "comment"))
    }

    pub fn text(&self) -> &str {
        self.swipes.get(self.seen).map_or("", |swipe| &swipe.text)
    }
}

/// Whether a file that begins like this may be a conversation: what [`read`] is asked then.
pub fn may_be(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let is_utf_16 = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    is_utf_16
        || !head.contains(&0) && std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// For who has no page to answer.
///
/// # Errors
/// None.
pub async fn at_a_stretch() -> Result<(), Refusal> {
    Ok(())
}

/// Reads a conversation of whatever program; `breathe` is called amid it, and may end it.
///
/// # Errors
/// There is none in the file (`Unrecognised`), or it is too large or deep; those of `breathe`.
pub async fn read<E: From<Refusal>>(text: &str, breathe: impl AsyncFn() -> Result<(), E>) -> Result<Chat, E> {
    json::too_large(text.len() as u64, CHAT_BYTES)?;
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let none = |found| Refusal::Unrecognised { wanted: Content::Chat, found };
    let first = text.lines().next().unwrap_or_default();
    let chat = if let Some(chat) = sillytavern::read(text, &breathe).await? {
        chat
    } else if let Some(chat) = others::seed(text) {
        chat
    } else if text.starts_with(['{', '[']) {
        let value: Value = json::decode(text)?;
        if json::depth(&value) > super::limits::JSON_DEPTH {
            return Err(Refusal::TooDeep.into());
        }
        others::of_value(&value).ok_or_else(|| none(sniff::content(&value)))?
    } else {
        others::transcript(text).ok_or_else(|| none(Content::Unknown))?
    };
    if chat.messages.is_empty() {
        let found = serde_json::from_str(first).map_or(Content::Unknown, |value| sniff::content(&value));
        return Err(none(found).into());
    }
    Ok(chat)
}
