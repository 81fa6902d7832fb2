//! What is asked for a summary.

use super::super::transcript::{filled, whose_turns};
use crate::{
    prompt::tokens::{PER_MESSAGE, estimate},
    provider::Message,
    story::{preset::Role, reader::Reader, recap::RecapSettings, storyline::Language},
};

/// Characters of an English word, and what divides it from the next.
const WORD: u32 = 6;

/// The message that asks for it; `before`: the summary so far.
pub fn request(settings: &RecapSettings, before: &str, dialogue: &str, reader: Reader) -> Vec<Message> {
    let (template, length) = match reader.language {
        Language::Zh => (include_str!("recap.zh.md"), settings.length),
        Language::En => (include_str!("recap.en.md"), (settings.length / WORD).next_multiple_of(10)),
    };
    let before = match before.trim() {
        "" => reader.language.pick("（还没有）", "(none yet)"),
        before => before,
    };
    let dialogue = format!("{}{}", whose_turns(reader), dialogue.trim());
    let content = filled(template, &[before, &dialogue, &length.to_string()]);
    vec![Message::new(Role::User, content)]
}

/// Tokens that a request has beside the dialogue.
pub fn cost(settings: &RecapSettings, before: &str, reader: Reader) -> u32 {
    request(settings, before, "", reader).iter().map(|message| estimate(&message.content) + PER_MESSAGE).sum()
}

/// Tokens that the answer may have: as many as the connection allows, and no fewer than twice what its length wants.
/// `None`: no limit is said.
pub fn answer(settings: &RecapSettings, allowed: Option<u32>) -> Option<u32> {
    allowed.map(|tokens| tokens.max((settings.length * 2).clamp(1_024, 4_096)))
}
