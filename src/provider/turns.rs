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
    /// Whether the prompt of the next turn has this system text, too.
    pub keeps_system: bool,
    /// The last of the turns that it has.
    pub kept: Option<usize>,
}

/// Arranges messages: later system messages become the user's, neighbours of one role become one, blank ones go.
pub fn arrange(messages: &[Message]) -> Turns {
    let keeps_system = messages.iter().any(|message| message.keep);
    let mut messages = messages.iter().filter(|message| !message.content.trim().is_empty()).peekable();
    let mut system = Vec::new();
    while let Some(message) = messages.next_if(|message| message.role == Role::System) {
        system.push(message.content.as_str());
    }
    let mut turns: Vec<(Role, String)> = Vec::new();
    if messages.peek().is_none_or(|message| message.role == Role::Assistant) {
        turns.push((Role::User, OPENING.to_owned()));
    }
    let mut kept = None;
    for message in messages {
        let role = if message.role == Role::Assistant { Role::Assistant } else { Role::User };
        match turns.last_mut() {
            Some((last, text)) if *last == role => {
                text.push_str(GAP);
                text.push_str(&message.content);
                kept = kept.filter(|kept| kept + 1 < turns.len());
            }
            _ => turns.push((role, message.content.clone())),
        }
        if message.keep {
            kept = Some(turns.len() - 1);
        }
    }
    Turns { system: system.join(GAP), turns, keeps_system, kept }
}

/// The same as messages: the system first and once, then the two by turns.
pub fn in_turns(messages: &[Message]) -> Vec<Message> {
    let Turns { system, turns, .. } = arrange(messages);
    let system = (!system.is_empty()).then(|| Message::new(Role::System, system));
    system.into_iter().chain(turns.into_iter().map(|(role, text)| Message::new(role, text))).collect()
}

/// The same without the system: what it says begins the user's first turn.
pub fn without_system(messages: &[Message]) -> Vec<Message> {
    let Turns { system, mut turns, .. } = arrange(messages);
    if let (false, Some((_, first))) = (system.is_empty(), turns.first_mut()) {
        *first = format!("{system}{GAP}{first}");
    }
    turns.into_iter().map(|(role, text)| Message::new(role, text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Roles by their first letter: `s` system, `u` user, `a` assistant.
    #[track_caller]
    fn check(messages: &[&str], system: &str, turns: &[&str]) {
        let messages: Vec<_> = messages.iter().map(|text| message(text)).collect();
        let want = turns.iter().map(|text| message(text)).map(|message| (message.role, message.content)).collect();
        let want = Turns { system: system.to_owned(), turns: want, keeps_system: false, kept: None };
        assert_eq!(arrange(&messages), want);
    }

    fn message(text: &str) -> Message {
        let (role, content) = text.split_at(1);
        let role = match role {
            "s" => Role::System,
            "u" => Role::User,
            _ => Role::Assistant,
        };
        Message::new(role, content)
    }

    #[test]
    fn what_is_kept() {
        let kept = |texts: &[&str], keep: usize| {
            let mut messages: Vec<_> = texts.iter().map(|text| message(text)).collect();
            messages[keep].keep = true;
            let turns = arrange(&messages);
            (turns.keeps_system, turns.kept)
        };
        assert_eq!(kept(&["s1", "uA", "aB", "s2", "uC"], 0), (true, None));
        assert_eq!(kept(&["s1", "uA", "aB", "s2", "uC"], 2), (true, Some(1)));
        assert_eq!(kept(&["s1", "uA", "aB", "aC", "uD"], 2), (true, None), "what follows is one turn with it");
        assert_eq!(kept(&["s1", "aB", "uC"], 1), (true, Some(1)), "after the words that let the user begin");
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
