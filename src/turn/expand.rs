//! Other words for a search, by one short call of the chat's own model: an option with its cost (C4).

use super::{
    scene::Loaded,
    stream::{self, Stop},
    wire,
};
use crate::{
    ports::Ports,
    provider::{self, Message},
    story::{fault::Fault, preset::Role, spending::Kind, storyline::Language},
};

/// Tokens that the answer may have.
const ANSWER: u32 = 80;

/// Words that are added at most.
const MOST: usize = 24;

/// Words and names that a text about the same may hold instead of those of `question`.
///
/// # Errors
/// The model did not answer; the search goes on without.
pub(super) async fn expansions(ports: &Ports, loaded: &Loaded, question: &str) -> Result<Vec<String>, Fault> {
    let ask = match loaded.storyline.language {
        Language::Zh => format!(
            "从一个长篇故事里查找与下面这句话有关的段落。列出这些段落里可能出现、而这句话里没有的词：同义词、上下位词、相关的人、物、地点。只写词，用逗号分隔，不超过20个。\n\n{question}"
        ),
        Language::En => format!(
            "Passages of a long story that have to do with the line below are to be found. List words that such passages may hold and the line does not: synonyms, kinds and instances, people, things, places. Words only, separated by commas, 20 at most.\n\n{question}"
        ),
    };
    let mut connection = loaded.connection.clone();
    provider::briefly(&mut connection, ANSWER);
    let messages = [Message::new(Role::User, ask)];
    let wire = wire::Wire::unlocked(ports, &connection, &messages, loaded.purpose.also(Kind::Search)).await?;
    let text = stream::text(ports, wire, Stop::never()).await?;
    let words =
        text.split(|c: char| ",，、;；\n".contains(c)).map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    Ok(words.filter(|word| !word.is_empty()).take(MOST).map(str::to_owned).collect())
}
