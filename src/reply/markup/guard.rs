//! Takes out of Markdown what does not suit prose, by an invisible mark at the right places.
//!
//! - `[a]: b` would be a definition and vanish: marked before the colon, it is text.
//! - A line that begins with `<tag` would be a block of HTML, without Markdown in it: marked before, it is prose.
//! - `*“你好。”*她说` would show its asterisks, for CommonMark counts on spaces between words: where punctuation and a
//!   CJK letter stand around asterisks, the mark hides the punctuation.

use std::borrow::Cow;

use super::segment::list_mark;

/// A text with marks in it.
pub struct Guarded {
    pub text: String,
    mark: char,
}

impl Guarded {
    pub fn new(text: &str) -> Self {
        // Characters that stand for nothing, by definition: one of them is not in the text.
        let mark = ('\u{fdd0}'..='\u{fdef}').find(|mark| !text.contains(*mark)).unwrap_or('\u{fdd0}');
        let mut guarded = Self { text: String::with_capacity(text.len() + 16), mark };
        for line in text.split_inclusive('\n') {
            guarded.push_line(line);
        }
        guarded
    }

    fn push_line(&mut self, line: &str) {
        let start = skip_containers(line);
        self.text.push_str(&line[..start]);
        let line = &line[start..];
        if line.starts_with('<') {
            self.text.push(self.mark);
        }
        let mut before = None;
        let mut chars = line.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if c == ':' && before == Some(']') {
                self.text.push(self.mark);
            }
            if c != '*' {
                self.text.push(c);
                before = Some(c);
                continue;
            }
            while chars.next_if(|(_, c)| *c == '*').is_some() {}
            let end = chars.peek().map_or(line.len(), |(at, _)| *at);
            let after = chars.peek().map(|(_, c)| *c);
            if before.is_some_and(is_punctuation) && after.is_some_and(is_cjk) {
                self.text.push(self.mark);
            }
            self.text.push_str(&line[at..end]);
            if before.is_some_and(is_cjk) && after.is_some_and(is_punctuation) {
                self.text.push(self.mark);
            }
            before = Some('*');
        }
    }

    /// A piece of the text as it was.
    pub fn strip<'a>(&self, piece: &'a str) -> Cow<'a, str> {
        if piece.contains(self.mark) { piece.replace(self.mark, "").into() } else { piece.into() }
    }
}

/// Where a line begins after quote marks and list marks.
fn skip_containers(line: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = line[at..].trim_start_matches([' ', '\t']);
        at = line.len() - rest.len();
        if rest.starts_with('>') {
            at += 1;
        } else if let Some(length) = list_mark(rest) {
            at += length;
        } else {
            return at;
        }
    }
}

pub fn is_cjk(c: char) -> bool {
    c >= '\u{2e80}' && c.is_alphanumeric()
}

fn is_punctuation(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace() && !matches!(c, '*' | '_' | '~' | '`' | '\\')
}
