//! The streaming tokenizer of SXML (seed `003`): tags that must be closed, no escapes, content is plain text.
//!
//! Only the tags of the dialects that Fabula asks for are tags; `1 < 2`, `<3`, `a<b` and `<b>` are text. A tag may be
//! written as weak models do: any case, spaces in it, `state-update`, full-width brackets (`＜narrative＞`), and, for
//! names in Latin letters and without attributes, `【narrative】`. What the tokens are does not depend on how the stream
//! was cut, except that a text may come in several tokens.

mod candidate;
mod tag;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use tag::Tag;

use self::candidate::{Candidate, Found, Step};

/// A piece of the stream. The ranges of the tokens, in bytes of the whole stream, follow each other without a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub raw: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Open {
        tag: Tag,
        /// In order, names in lower case, values as written.
        attributes: Vec<(String, String)>,
        /// Written `<set …/>`. SXML has no such tags; models write them all the same.
        slash: bool,
    },
    Close {
        tag: Tag,
        /// Not written: what is still open where an outer tag closes or the stream ends. `raw` is empty.
        auto: bool,
    },
    /// `<!-- … -->`, as in the example that models are shown.
    Comment,
    Text,
}

#[derive(Clone, Debug, Default)]
pub struct Tokenizer {
    /// What is not yet given out, from `at` on.
    buffer: String,
    at: usize,
    /// How far `buffer` has been looked at.
    cursor: usize,
    /// What may become a tag, at the start of `buffer`.
    candidate: Option<Candidate>,
    open: Vec<Tag>,
    counts: [usize; Tag::ALL.len()],
}

impl Tokenizer {
    /// Takes the next piece of the stream and puts what is certain into `out`.
    pub fn push(&mut self, text: &str, out: &mut Vec<Token>) {
        self.buffer.push_str(text);
        // Where the text that is not given out begins in `buffer`, and where the candidate does.
        let (mut done, mut start) = (0, 0);
        loop {
            let Some(candidate) = &mut self.candidate else {
                let Some(next) = self.buffer[self.cursor..].find(candidate::OPENING) else {
                    self.text(done..self.buffer.len(), out);
                    done = self.buffer.len();
                    break;
                };
                start = self.cursor + next;
                let bracket = self.buffer[start..].chars().next().expect("found above");
                self.cursor = start + bracket.len_utf8();
                self.candidate = Some(Candidate::new(bracket));
                continue;
            };
            let Some(c) = self.buffer[self.cursor..].chars().next() else {
                self.text(done..start, out);
                done = start;
                break;
            };
            self.cursor += c.len_utf8();
            match candidate.feed(c) {
                Step::More => {}
                Step::No => {
                    self.candidate = None;
                    let bracket = self.buffer[start..].chars().next().expect("a candidate has a bracket");
                    self.cursor = start + bracket.len_utf8();
                }
                Step::Yes(found) => {
                    self.candidate = None;
                    self.text(done..start, out);
                    self.found(found, start..self.cursor, out);
                    done = self.cursor;
                }
            }
        }
        self.buffer.drain(..done);
        self.at += done;
        self.cursor = self.buffer.len();
    }

    /// The bytes at the end that may yet become a tag.
    pub fn pending(&self) -> usize {
        self.buffer.len()
    }

    /// The stream ended: what might have become a tag is text, and what is open is closed.
    pub fn finish(mut self, out: &mut Vec<Token>) {
        // A candidate that failed may hide a tag further in: the end is no closing bracket of the outer one.
        while self.candidate.take().is_some() {
            let bracket = self.buffer.chars().next().expect("a candidate has a bracket").len_utf8();
            self.text(0..bracket, out);
            let rest = self.buffer.split_off(bracket);
            self.buffer.clear();
            self.at += bracket;
            self.cursor = 0;
            self.push(&rest, out);
        }
        while let Some(tag) = self.open.pop() {
            out.push(Token { kind: TokenKind::Close { tag, auto: true }, raw: self.at..self.at });
        }
    }

    fn text(&self, range: Range<usize>, out: &mut Vec<Token>) {
        if !range.is_empty() {
            out.push(Token { kind: TokenKind::Text, raw: self.at + range.start..self.at + range.end });
        }
    }

    fn found(&mut self, found: Found, range: Range<usize>, out: &mut Vec<Token>) {
        let raw = self.at + range.start..self.at + range.end;
        let kind = match found {
            Found::Comment => TokenKind::Comment,
            Found::Open { tag, attributes, slash } => {
                if !slash {
                    self.open.push(tag);
                    self.counts[tag as usize] += 1;
                }
                TokenKind::Open { tag, attributes, slash }
            }
            Found::Close(tag) => {
                if self.counts[tag as usize] > 0 {
                    while let Some(inner) = self.open.pop() {
                        self.counts[inner as usize] -= 1;
                        if inner == tag {
                            break;
                        }
                        let kind = TokenKind::Close { tag: inner, auto: true };
                        out.push(Token { kind, raw: raw.start..raw.start });
                    }
                }
                TokenKind::Close { tag, auto: false }
            }
        };
        out.push(Token { kind, raw });
    }
}
