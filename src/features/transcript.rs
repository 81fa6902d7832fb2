//! What is asked of a model beside the story, and how its turns are told there.

use super::reading::narrative;
use crate::{
    prompt::tokens::estimate,
    story::{company::Voices, reader::Reader, storyline::Language, tree::Node},
};

/// Said before a transcript of a reader without a name, whom it calls by a word and its replies “you”.
pub fn whose_turns(reader: Reader) -> &'static str {
    match (reader.is_named(), reader.language) {
        (true, _) => "",
        (false, Language::Zh) => {
            "（“读者”是故事里的一个人物，姓名没有给出，正文称其为“你”。请写作“读者”，或其人在故事里说出的名字。）\n\n"
        }
        (false, Language::En) => {
            "(“The reader” is a character in the story whose name is not given and whom it calls “you”. Write “the reader”, or the name that they have given in it.)\n\n"
        }
    }
}

/// A template with its places filled in one pass, so that a text that looks like a place is not filled.
pub fn filled(template: &str, texts: &[&str]) -> String {
    let mut content = String::new();
    for (at, part) in template.trim().split("{}").enumerate() {
        if at > 0 {
            content.push_str(texts.get(at - 1).copied().unwrap_or_default());
        }
        content.push_str(part);
    }
    content
}

/// What the two said in a turn, a line each.
pub fn speech(node: &Node, character: &str, reader: Reader) -> String {
    let said = node.turn.user.as_deref().unwrap_or_default().trim();
    let reply = node.reply().map(|reply| narrative(&reply.text)).unwrap_or_default();
    let line = |name: &str, text: &str| if text.is_empty() { String::new() } else { format!("{name}: {text}\n") };
    // That somebody comes or goes nobody says.
    let said = if node.turn.is_stage { format!("{said}\n") } else { line(reader.told().opening, said) };
    said + &line(character, reply.trim())
}

/// The newest of these turns, in their order, for as many tokens as there is room for. The last is told whatever it costs.
pub fn newest(turns: &[Node], voices: &Voices, reader: Reader, mut room: u32) -> String {
    let mut told = Vec::new();
    for node in turns.iter().rev() {
        let spoken = speech(node, voices.in_turn(node), reader);
        let cost = estimate(&spoken);
        if cost > room && !told.is_empty() {
            break;
        }
        room = room.saturating_sub(cost);
        told.push(spoken);
    }
    told.reverse();
    told.concat()
}
