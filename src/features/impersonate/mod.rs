//! The reader's next words, as a suggestion: what is asked of the model, and what of its answer may stand in the composer.

use crate::{
    features::transcript::filled,
    prompt::macros::{Values, expand},
    provider::Message,
    reply::parser,
    story::{clip, preset::Role, reader::Reader, storyline::Language},
};

/// Tokens that an answer may have, where the connection allows more; some think before it.
pub const ANSWER: u32 = 1_000;
/// Characters of the reader's own description, and of a character's.
const WHO: usize = 2_000;

/// What the model is told.
pub struct Told<'a> {
    pub reader: Reader<'a>,
    /// Who the reader is, and the story's own character, as their cards say; with macros.
    pub persona: &'a str,
    pub character: &'a str,
    pub description: &'a str,
    /// The newest turns, a line for each speaker.
    pub story: &'a str,
    /// What the reader would like to happen; may be empty.
    pub hint: &'a str,
}

pub fn request(told: &Told) -> Vec<Message> {
    let (reader, language) = (told.reader, told.reader.language);
    let words = reader.told();
    let values = Values { char: told.character, user: words, original: "" };
    let (template, who, hint) = match language {
        Language::Zh => (include_str!("impersonate.zh.md"), "{}是这样的：\n{}\n", "大意是：{}。"),
        Language::En => (include_str!("impersonate.en.md"), "Who {} is:\n{}\n", "They have this in mind: {}. "),
    };
    let described = |name: &str, text: &str| match clip(expand(text, &values).trim(), WHO) {
        text if text.is_empty() => String::new(),
        text => "\n".to_owned() + &filled(who, &[name, &text]) + "\n",
    };
    let known = described(words.plain, told.persona) + &described(told.character, told.description);
    let hint = match told.hint.trim().trim_end_matches(['.', '。']) {
        "" => String::new(),
        wanted => filled(hint, &[wanted]) + language.pick("", " "),
    };
    let unnamed = match (reader.is_named(), language) {
        (true, _) => "",
        (false, Language::Zh) => "（没有给出姓名，正文称其为“你”。）\n",
        (false, Language::En) => "(Their name is not given; the story calls them “you”.)\n",
    };
    vec![Message::new(
        Role::User,
        filled(
            template,
            &[words.plain, &(unnamed.to_owned() + &known), told.story.trim(), words.plain, &hint, words.plain],
        ),
    )]
}

/// What of an answer are the reader's words; blank: nothing. A model that goes on with somebody else's turn is not heard.
pub fn read(text: &str, reader: Reader, others: &[&str]) -> String {
    let shown = parser::shown(text);
    let speaks = |line: &str, name: &str| {
        let rest = line.trim_start_matches(['*', ' ']).strip_prefix(name)?;
        rest.trim_start_matches('*')
            .strip_prefix([':', '：'])
            .map(|said| said.trim_start_matches('*').trim().to_owned())
    };
    let own = [reader.told().opening, reader.told().plain];
    let mut kept: Vec<String> = Vec::new();
    for line in shown.trim().lines() {
        if others.iter().any(|other| !other.is_empty() && speaks(line, other).is_some()) {
            break;
        }
        kept.push(own.iter().find_map(|name| speaks(line, name)).unwrap_or_else(|| line.to_owned()));
    }
    kept.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests;
