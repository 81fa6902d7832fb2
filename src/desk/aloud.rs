//! What of a turn is read aloud: its prose in sentences, without the marks of its form.

use crate::{
    memory::sentences,
    reply::{
        markup::{self, Block, Inline},
        parser,
    },
    story::{generation::Generation, tree::Node},
};

/// The sentences of a turn: what the reader said, then the reply that is seen. `shown` reads both as the page shows them.
pub fn of_turn(node: &Node, shown: impl Fn(String, bool) -> String) -> Vec<String> {
    let user = node.turn.user.clone().map(|words| shown(words, false));
    let reply = node.reply().map(|reply| of_reply(reply, |text| shown(text, true)));
    user.iter().flat_map(|text| spoken(text)).chain(reply.into_iter().flatten()).collect()
}

/// Those of a reply alone.
pub fn of_reply(reply: &Generation, shown: impl Fn(String) -> String) -> Vec<String> {
    spoken(&shown(parser::shown(&reply.text).into_owned()))
}

/// A text in sentences. What has no letter in it is not said; of a table and of code nothing is.
pub fn spoken(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    blocks(&markup::parse(text), &mut lines);
    let cut = lines.iter().flat_map(|line| sentences(line));
    cut.map(|one| one.trim().to_owned()).filter(|one| one.contains(char::is_alphanumeric)).collect()
}

/// A field that words are spoken into, and typed meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dictated {
    /// What stands before what is spoken.
    own: String,
    /// What was put there last.
    put: String,
    /// Characters heard so far, and how many of them are the reader's own by now.
    heard: usize,
    taken: usize,
}

impl Dictated {
    pub fn after(own: String) -> Self {
        Self { put: own.clone(), own, ..Self::default() }
    }

    /// What the field holds once `all` was heard since the beginning, of which the end may still change. `now` is what it
    /// holds: whoever has typed keeps that, and only what is heard from there on follows it.
    pub fn hear(&mut self, now: &str, all: &str) -> String {
        if now != self.put {
            (self.own, self.taken) = (now.to_owned(), self.heard);
        }
        self.heard = all.chars().count();
        let new: String = all.chars().skip(self.taken).collect();
        self.put = joined(&self.own, &new);
        self.put.clone()
    }
}

/// Between Latin words there is a space.
fn joined(before: &str, words: &str) -> String {
    let is_latin = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || ".,;:!?".contains(c));
    let words = words.trim_start();
    let gap = if is_latin(before.chars().next_back()) && is_latin(words.chars().next()) { " " } else { "" };
    format!("{before}{gap}{words}")
}

fn blocks(all: &[Block], lines: &mut Vec<String>) {
    for block in all {
        match block {
            Block::Paragraph(inlines) | Block::Heading(_, inlines) => {
                let mut line = String::new();
                inline(inlines, &mut line);
                lines.extend(line.lines().map(str::to_owned));
            }
            Block::Quote(inner) => blocks(inner, lines),
            Block::List { items, .. } => items.iter().for_each(|item| blocks(item, lines)),
            Block::Code { .. } | Block::Table { .. } | Block::Source { .. } | Block::Rule => {}
        }
    }
}

fn inline(all: &[Inline], line: &mut String) {
    for one in all {
        match one {
            Inline::Text(text) | Inline::Code(text) => line.push_str(text),
            Inline::Speech(inner) | Inline::Emphasis(inner) | Inline::Strong(inner) | Inline::Strike(inner) => {
                inline(inner, line);
            }
            Inline::Link { children, .. } => inline(children, line),
            Inline::Image { alt, .. } => line.push_str(alt),
            Inline::Marker(_) => {}
            Inline::Break => line.push('\n'),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::story::turn::Turn;

    #[test]
    fn prose_is_said_without_its_marks() {
        for (text, want) in [
            ("*She* said: “Come **in**. It rains.” Then…", &["She said: “Come in.", "It rains.”", "Then…"][..]),
            ("雨停了。她说：“进来吧。”\n他没有动。", &["雨停了。", "她说：“进来吧。”", "他没有动。"]),
            ("# 第一章\n\n- 灯\n- 书\n\n> 旧话。\n\n---\n\n***", &["第一章", "灯", "书", "旧话。"]),
            (
                "```\ncode()\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[书店](https://example.com) [PROGRESS:1:completed]",
                &["书店"],
            ),
            ("……\n\n！", &[]),
        ] {
            assert_eq!(spoken(text), want, "{text}");
        }
    }

    #[test]
    fn a_turn_is_said_as_it_is_shown() {
        let reply = Generation { id: "g".into(), text: "<think>hm.</think>灯亮了。".into(), ..Default::default() };
        let turn = Turn { user: Some("点灯。".into()), ..Default::default() };
        let node = Node { turn, generations: vec![reply], seen: Some(0) };
        let all = of_turn(&node, |text, is_reply| if is_reply { text.replace('灯', "烛") } else { text });
        assert_eq!(all, ["点灯。", "烛亮了。"]);
        let node = Arc::new(Node { seen: None, ..node });
        assert_eq!(of_turn(&node, |text, _| text), ["点灯。"]);
    }

    #[test]
    fn what_is_dictated_goes_on_from_what_stands_there() {
        for (before, words, expected) in [
            ("", " hello there", "hello there"),
            ("I knock.", "Is anyone there", "I knock. Is anyone there"),
            ("I knock. ", "Hello", "I knock. Hello"),
            ("我推开门，", "有人吗", "我推开门，有人吗"),
            ("“", "hello", "“hello"),
            ("kept", "", "kept"),
        ] {
            assert_eq!(Dictated::after(before.into()).hear(before, words), expected);
        }
    }

    #[test]
    fn what_is_typed_while_one_speaks_stays() {
        let mut field = Dictated::after("I knock.".into());
        let first = field.hear("I knock.", "is any");
        assert_eq!(field.hear(&first, "Is anyone"), "I knock. Is anyone", "a guess is put right");
        assert_eq!(field.hear("I knock! Is anyone in?", "Is anyone there"), "I knock! Is anyone in? there");
        assert_eq!(
            field.hear("I knock! Is anyone in? there", "Is anyone there now"),
            "I knock! Is anyone in? there now"
        );
    }
}
