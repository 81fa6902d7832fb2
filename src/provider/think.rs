//! `<think>…</think>` at the very start of a reply: what local reasoning models (llama.cpp, Ollama, LM Studio)
//! write into the text itself when the server does not take it apart.
//!
//! Only there: the same tag later in a reply is part of the story. White space around the two tags belongs to them. Where
//! the model's template has written the opening tag, the closing one comes alone, and what was said before it was thought.

use super::Delta;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Splits the text of one reply, delta by delta.
pub struct Think {
    at: At,
    /// Text that may yet turn out to be a tag.
    held: String,
}

#[derive(Clone, Copy, PartialEq)]
enum At {
    /// Nothing but white space and perhaps a piece of the opening tag so far.
    Start,
    /// Right after the opening or the closing tag: white space is dropped.
    Opened,
    Inside,
    Closed,
    /// The reply, it seems: the first closing tag would say that all so far was a thought.
    Unopened,
    /// The reply proper: nothing is looked for any more.
    Reply,
}

impl Default for Think {
    fn default() -> Self {
        Self { at: At::Start, held: String::new() }
    }
}

impl Think {
    /// Takes the next text and puts what is certain into `out`.
    pub fn push(&mut self, text: &str, out: &mut Vec<Delta>) {
        if self.at == At::Reply {
            return give(Delta::Text, text, out);
        }
        self.held.push_str(text);
        loop {
            match self.at {
                At::Start => {
                    let start = self.held.trim_start();
                    if let Some(rest) = start.strip_prefix(OPEN) {
                        self.held = rest.to_owned();
                        self.at = At::Opened;
                    } else if OPEN.starts_with(start) {
                        return;
                    } else {
                        self.at = At::Unopened;
                    }
                }
                At::Unopened => {
                    let opened = self.held.find(OPEN);
                    if let Some(end) = self.held.find(CLOSE).filter(|end| opened.is_none_or(|opened| *end < opened)) {
                        give(Delta::Text, &self.held[..end], out);
                        out.push(Delta::WasThought);
                        self.held.drain(..end + CLOSE.len());
                        self.at = At::Closed;
                    } else if opened.is_some() {
                        self.at = At::Reply;
                    } else {
                        let sure = self.held.len() - partial(&self.held, CLOSE).max(partial(&self.held, OPEN));
                        give(Delta::Text, &self.held[..sure], out);
                        self.held.drain(..sure);
                        return;
                    }
                }
                At::Opened | At::Closed => {
                    self.held = self.held.trim_start().to_owned();
                    if self.held.is_empty() {
                        return;
                    }
                    self.at = if self.at == At::Opened { At::Inside } else { At::Reply };
                }
                At::Inside => {
                    if let Some(end) = self.held.find(CLOSE) {
                        give(Delta::Reasoning, self.held[..end].trim_end(), out);
                        self.held.drain(..end + CLOSE.len());
                        self.at = At::Closed;
                    } else {
                        let sure = certain(&self.held);
                        give(Delta::Reasoning, &self.held[..sure], out);
                        self.held.drain(..sure);
                        return;
                    }
                }
                At::Reply => {
                    give(Delta::Text, &std::mem::take(&mut self.held), out);
                    return;
                }
            }
        }
    }

    /// The reply ended: what was held is given. A thought that never closed is still a thought.
    pub fn finish(&mut self, out: &mut Vec<Delta>) {
        let held = std::mem::take(&mut self.held);
        match self.at {
            At::Start | At::Unopened | At::Reply => give(Delta::Text, &held, out),
            At::Inside => give(Delta::Reasoning, &held, out),
            At::Opened | At::Closed => {}
        }
    }
}

fn give(kind: fn(String) -> Delta, text: &str, out: &mut Vec<Delta>) {
    if !text.is_empty() {
        out.push(kind(text.to_owned()));
    }
}

/// How much of a thought can be given: all but a beginning of the closing tag at its end, and the white space before it.
fn certain(text: &str) -> usize {
    text[..text.len() - partial(text, CLOSE)].trim_end().len()
}

/// How much of its end may be the beginning of the tag.
fn partial(text: &str, tag: &str) -> usize {
    (1..tag.len()).rev().find(|&length| text.ends_with(&tag[..length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reasoning and reply, of text that comes in the given pieces.
    fn split<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
        let (mut think, mut out) = (Think::default(), Vec::new());
        for piece in pieces {
            think.push(piece, &mut out);
        }
        think.finish(&mut out);
        let mut result = (String::new(), String::new());
        for delta in out {
            match delta {
                Delta::Reasoning(text) => result.0 += &text,
                Delta::Text(text) => result.1 += &text,
                Delta::WasThought => result.0 += &std::mem::take(&mut result.1),
                other => panic!("{other:?}"),
            }
        }
        result
    }

    #[track_caller]
    fn check(input: &str, reasoning: &str, reply: &str) {
        let want = (reasoning.to_owned(), reply.to_owned());
        let borders: Vec<usize> = (0..=input.len()).filter(|&at| input.is_char_boundary(at)).collect();
        assert_eq!(split([input]), want, "whole");
        assert_eq!(split(borders.windows(2).map(|pair| &input[pair[0]..pair[1]])), want, "by character");
        for &a in &borders {
            for &b in borders.iter().filter(|&&b| b >= a) {
                assert_eq!(split([&input[..a], &input[a..b], &input[b..]]), want, "cut at {a} and {b}");
            }
        }
    }

    #[test]
    fn a_thought_at_the_start_is_taken_out() {
        check("<think>她在等。</think>雪停了。", "她在等。", "雪停了。");
        check("\n<think>\nOne.\n\nTwo. \n</think>\n\n “Yes.” ", "One.\n\nTwo.", "“Yes.” ");
        check("<think>a < b </thin> c</think>d", "a < b </thin> c", "d");
        check("<think></think>d", "", "d");
        check("<think>a</think><think>b</think>", "a", "<think>b</think>");
    }

    #[test]
    fn a_thought_that_never_closes_stays_a_thought() {
        check("<think>and then", "and then", "");
        check("<think>and then </thi", "and then </thi", "");
        check("<think>", "", "");
        check("<think>a</think>", "a", "");
    }

    #[test]
    fn any_other_text_is_left_alone() {
        check("", "", "");
        check("  Snow.\n", "", "  Snow.\n");
        check(" \n", "", " \n");
        check("<thin", "", "<thin");
        check("<thinking>a</thinking>", "", "<thinking>a</thinking>");
        check("A <think>b</think>", "", "A <think>b</think>");
        check("A <think>b</think>c</think>d", "", "A <think>b</think>c</think>d");
        check("A </thin", "", "A </thin");
    }

    #[test]
    fn a_thought_may_be_known_by_its_end_alone() {
        check("She waits.\n</think>\n\nSnow. </think>", "She waits.\n", "Snow. </think>");
        check("</think>\na", "", "a");
        check("a</think>", "a", "");
    }

    #[test]
    fn a_reply_is_not_held_back() {
        let (mut think, mut out) = (Think::default(), Vec::new());
        think.push("Sn", &mut out);
        think.push("<", &mut out);
        assert_eq!(out, [Delta::Text("Sn".into())], "but for what may be a tag");
        think.push("3", &mut out);
        assert_eq!(out[1..], [Delta::Text("<3".into())]);
    }
}
