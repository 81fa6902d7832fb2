//! `<think>…</think>` at the very start of a reply: what local reasoning models (llama.cpp, Ollama, LM Studio)
//! write into the text itself when the server does not take it apart.
//!
//! Only there: the same tag later in a reply is part of the story. White space around the two tags belongs to them.

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
                        self.at = At::Reply;
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
            At::Start | At::Reply => give(Delta::Text, &held, out),
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
    let partial = (1..CLOSE.len()).rev().find(|&length| text.ends_with(&CLOSE[..length])).unwrap_or(0);
    text[..text.len() - partial].trim_end().len()
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
        check("</think>a", "", "</think>a");
    }

    #[test]
    fn a_reply_is_not_held_back() {
        let (mut think, mut out) = (Think::default(), Vec::new());
        think.push("Sn", &mut out);
        think.push("<", &mut out);
        assert_eq!(out, [Delta::Text("Sn".into()), Delta::Text("<".into())]);
    }
}
