//! What is asked for a text: what it said so far, what was told since, and how long it may be.

use super::{super::transcript::whose_turns, TextSettings};
use crate::{
    prompt::{
        macros::{Values, expand_with},
        tokens::{PER_MESSAGE, estimate},
    },
    provider::Message,
    story::{preset::Role, reader::Reader, storyline::Language, written::Text},
};

/// What is asked where the reader says nothing of that (`002`, 4.4 and 5.4).
pub fn prompt(text: Text, language: Language) -> &'static str {
    match (text, language) {
        (Text::Sheet, Language::Zh) => include_str!("sheet.zh.md"),
        (Text::Sheet, Language::En) => include_str!("sheet.en.md"),
        (Text::Plot, Language::Zh) => include_str!("plot.zh.md"),
        (Text::Plot, Language::En) => include_str!("plot.en.md"),
    }
}

/// Whose texts they are.
#[derive(Clone, Copy)]
pub struct About<'a> {
    pub name: &'a str,
    pub reader: Reader<'a>,
    pub language: Language,
}

/// The messages that ask for a text; `before`: what it said so far.
pub fn request(text: Text, settings: &TextSettings, before: &str, dialogue: &str, about: About) -> Vec<Message> {
    let About { name, reader, language } = about;
    let own = settings.prompt.trim();
    let template = if own.is_empty() { prompt(text, language) } else { own };
    let before = if before.trim().is_empty() { language.pick("（还没有）", "(none yet)") } else { before.trim() };
    let dialogue = format!("{}{}", whose_turns(reader), dialogue.trim());
    let names = Values { char: name, user: reader.told(), original: "" };
    let (mut has_before, mut has_dialogue) = (false, false);
    let mut content = expand_with(template.trim(), &mut |call| match call.name.as_str() {
        "previous_sheet" | "previous" | "summary" => {
            has_before = true;
            Some(before.to_owned())
        }
        "new_dialogue" => {
            has_dialogue = true;
            Some(dialogue.clone())
        }
        "words" => Some(settings.length.to_string()),
        _ => names.get(call),
    });
    // A prompt of the reader's that forgets what it is about.
    if !has_before {
        content += &format!("\n\n{}\n{before}", language.pick("=== 至今 ===", "=== SO FAR ==="));
    }
    if !has_dialogue {
        content += &format!("\n\n{}\n{dialogue}", language.pick("=== 新的对话 ===", "=== NEW DIALOGUE ==="));
    }
    vec![Message::new(Role::User, content)]
}

/// Tokens that a request has beside the dialogue.
pub fn cost(text: Text, settings: &TextSettings, before: &str, about: About) -> u32 {
    let messages = request(text, settings, before, "", about);
    messages.iter().map(|message| estimate(&message.content) + PER_MESSAGE).sum()
}

/// Tokens that an answer may have: as many as the connection allows, and no fewer than twice what its length wants, for a
/// model counts no words. `None`: no limit is said.
pub fn answer(settings: &TextSettings, allowed: Option<u32>) -> Option<u32> {
    match settings.max_tokens {
        0 => allowed.map(|tokens| tokens.max((settings.length * 4).clamp(512, 8_192))),
        tokens => Some(tokens),
    }
}
