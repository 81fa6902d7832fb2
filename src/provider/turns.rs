//! Messages as Anthropic and Gemini want them: the system text apart, then user and model by turns.

use super::Message;
use crate::story::preset::Role;

/// Stands first where a conversation would begin with the model: both providers want the user to begin,
/// and neither takes an empty text. It says nothing that a story could trip over.
pub const OPENING: &str = "…";
/// Between messages that are merged into one.
const GAP: &str = "\n\n";

#[derive(Clone, Debug, PartialEq)]
pub struct Turns {
    /// The system messages at the front, joined; empty = none.
    pub system: String,
    /// Begins with the user and alternates; never empty. No text in it is blank.
    pub turns: Vec<(Role, String)>,
}

/// Arranges messages: later system messages become the user's, neighbours of one role become one, blank ones go.
pub fn arrange(messages: &[Message]) -> Turns {
    let mut messages = messages.iter().filter(|message| !message.content.trim().is_empty()).peekable();
    let mut system = Vec::new();
    while let Some(message) = messages.next_if(|message| message.role == Role::System) {
        system.push(message.content.as_str());
    }
    let mut turns: Vec<(Role, String)> = Vec::new();
    if messages.peek().is_none_or(|message| message.role == Role::Assistant) {
        turns.push((Role::User, OPENING.to_owned()));
    }
    for message in messages {
        let role = if message.role == Role::Assistant { Role::Assistant } else { Role::User };
        match turns.last_mut() {
            Some((last, text)) if *last == role => {
                text.push_str(GAP);
                text.push_str(&message.content);
            }
            _ => turns.push((role, message.content.clone())),
        }
    }
    Turns { system: system.join(GAP), turns }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Roles by their first letter: `s` system, `u` user, `a` assistant.
    #[track_caller]
    fn check(messages: &[&str], system: &str, turns: &[&str]) {
        let messages: Vec<_> = messages.iter().map(|text| message(text)).collect();
        let want = turns.iter().map(|text| message(text)).map(|message| (message.role, message.content)).collect();
        assert_eq!(arrange(&messages), Turns { system: system.to_owned(), turns: want });
    }

    fn message(text: &str) -> Message {
        let (role, content) = text.split_at(1);
        let role = match role {
            "s" => Role::System,
            "u" => Role::User,
            _ => Role::Assistant,
        };
        Message { role, content: content.to_owned() }
    }

    #[test]
    fn messages_are_arranged() {
        check(&["s1", "s2", "uA", "aB", "uC"], "1\n\n2", &["uA", "aB", "uC"]);
        check(&["uA", "s1", "uB", "aC", "s2"], "", &["uA\n\n1\n\nB", "aC", "u2"]);
        check(&["s1", "aA", "aB", "uC"], "1", &["u…", "aA\n\nB", "uC"]);
        check(&["s1", "u ", "s2", "a\n", "uA"], "1\n\n2", &["uA"]);
        check(&["s1"], "1", &["u…"]);
        check(&[], "", &["u…"]);
    }
}
