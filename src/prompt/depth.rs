//! Insertion at a depth of the chat: 0 is after the newest message, deeper than the chat is before the oldest.

use super::framework::Placed;
use crate::story::{order, preset::Role};

/// A message that goes to a depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Insertion {
    pub depth: u32,
    /// The higher, the nearer to the end.
    pub order: i32,
    pub role: Role,
    pub text: String,
}

/// Puts the insertions in. Where the chat is one text, the reader's last messages are the chat.
pub fn insert(messages: Vec<Placed>, mut insertions: Vec<Insertion>) -> Vec<Placed> {
    if insertions.is_empty() {
        return messages;
    }
    // At one depth and order: model, reader, then the system nearest to the end.
    let rank = |role: Role| match role {
        Role::Assistant => 0,
        Role::User => 1,
        Role::System => 2,
    };
    order::by_key(&mut insertions, |one| (std::cmp::Reverse(one.depth), one.order, rank(one.role)));
    let chat = chat(&messages);
    let mut insertions = insertions.into_iter().peekable();
    let mut out: Vec<Placed> = Vec::with_capacity(messages.len());
    let end = chat.last().map_or(messages.len(), |last| last + 1);
    let place = |depth: u32| match (chat.len().checked_sub(depth as usize), depth) {
        (_, 0) => end,
        (Some(at), _) => chat.get(at).copied().unwrap_or(end),
        (None, _) => chat.first().copied().unwrap_or(end),
    };
    for (at, message) in messages.into_iter().map(Some).chain([None]).enumerate() {
        let mut joined: Option<(u32, i32, Role)> = None;
        while let Some(one) = insertions.next_if(|one| place(one.depth) == at) {
            let key = (one.depth, one.order, one.role);
            match out.last_mut() {
                Some(last) if joined == Some(key) => {
                    last.content.push('\n');
                    last.content.push_str(&one.text);
                }
                _ => out.push(Placed { role: one.role, content: one.text, chat: false, steady: false }),
            }
            joined = Some(key);
        }
        out.extend(message);
    }
    out
}

/// Where the messages of the chat are.
fn chat(messages: &[Placed]) -> Vec<usize> {
    let chat: Vec<usize> = (0..messages.len()).filter(|at| messages[*at].chat).collect();
    if !chat.is_empty() {
        return chat;
    }
    let last = messages.iter().rposition(|message| message.role == Role::User);
    last.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat_of(text: &str) -> Vec<Placed> {
        let role = |char| match char {
            'u' => Role::User,
            'a' => Role::Assistant,
            _ => Role::System,
        };
        text.split(' ')
            .map(|word| Placed {
                role: role(word.chars().next().unwrap()),
                content: word.to_owned(),
                chat: !word.starts_with('s') && !word.ends_with('!'),
                steady: false,
            })
            .collect()
    }

    #[test]
    fn the_table_of_depths() {
        let check = |chat: &str, insertions: &[(u32, i32, Role, &str)], expected: &str| {
            let insertions = insertions
                .iter()
                .map(|(depth, order, role, text)| Insertion {
                    depth: *depth,
                    order: *order,
                    role: *role,
                    text: (*text).to_owned(),
                })
                .collect();
            let got: Vec<_> = insert(chat_of(chat), insertions).into_iter().map(|one| one.content).collect();
            assert_eq!(got.join(" "), expected);
        };
        let system = Role::System;
        let chat = "s1 a1 u2 a2 u3 s4";
        for (depth, expected) in [
            (0, "s1 a1 u2 a2 u3 N s4"),
            (1, "s1 a1 u2 a2 N u3 s4"),
            (2, "s1 a1 u2 N a2 u3 s4"),
            (4, "s1 N a1 u2 a2 u3 s4"),
            (5, "s1 N a1 u2 a2 u3 s4"),
            (u32::MAX, "s1 N a1 u2 a2 u3 s4"),
        ] {
            check(chat, &[(depth, 100, system, "N")], expected);
        }
        // Order first, then role; one role joins.
        let several =
            [(1, 100, system, "S"), (1, 100, Role::User, "U"), (1, 100, Role::Assistant, "A"), (1, 99, system, "E")];
        check("a1 u2", &several, "a1 E A U S u2");
        check("a1 u2", &[(1, 100, system, "S"), (1, 100, system, "T")], "a1 S\nT u2");
        check("a1 u2", &[(9, 100, system, "old"), (7, 100, system, "new")], "old new a1 u2");
        // No chat of messages: around the reader's last words.
        check("s1 u2! s3", &[(0, 100, system, "N"), (3, 100, system, "M")], "s1 M u2! N s3");
        check("s1", &[(0, 100, system, "N")], "s1 N");
    }
}
