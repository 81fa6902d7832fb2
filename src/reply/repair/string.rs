//! One string: where it ends, and what it says.
//!
//! Models write quotation marks into strings without a backslash (`"content": "他说"走吧"就走了"`). A mark ends a string
//! only where what follows could follow a string; in valid JSON that is always so, hence valid strings read as they are.

use super::{
    Repair,
    reader::{Container, skipped},
};

/// How far to look for what follows a mark, in bytes.
const AHEAD: usize = 200;

pub struct Read {
    pub value: String,
    pub length: usize,
    pub closed: bool,
    pub repairs: Vec<Repair>,
}

pub fn opens(c: char) -> bool {
    matches!(c, '"' | '\'' | '＂' | '“' | '”' | '‘' | '’' | '「' | '`')
}

fn closes(open: char, c: char) -> bool {
    match open {
        '“' | '”' | '＂' => matches!(c, '“' | '”' | '＂' | '"'),
        '‘' | '’' => matches!(c, '‘' | '’' | '\''),
        '「' => c == '」',
        open => c == open,
    }
}

/// Reads the string that `text` begins with.
pub fn read(text: &str, within: Option<Container>, key: bool) -> Read {
    let mut chars = text.char_indices();
    let open = chars.next().map_or('"', |(_, c)| c);
    let mut read = Read { value: String::new(), length: text.len(), closed: false, repairs: Vec::new() };
    if open != '"' {
        read.note(Repair::Quotes);
    }
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                let length = read.escape(&text[at..]);
                let end = at + length;
                while chars.clone().next().is_some_and(|(next, _)| next < end) {
                    chars.next();
                }
            }
            _ if closes(open, c) => {
                let end = at + c.len_utf8();
                if ends(&text[end..], within, key) {
                    read.length = end;
                    read.closed = true;
                    return read;
                }
                read.note(Repair::InnerQuotes);
                read.value.push(c);
            }
            _ => {
                if c.is_ascii_control() {
                    read.note(Repair::RawNewline);
                }
                read.value.push(c);
            }
        }
    }
    read.note(Repair::CutOff);
    read
}

/// Whether a string can end before `rest`.
fn ends(rest: &str, within: Option<Container>, key: bool) -> bool {
    let ahead = &rest[..rest.floor_char_boundary(AHEAD)];
    let gap = skipped(ahead);
    let (space, next) = ahead.split_at(gap);
    let Some(c) = next.chars().next() else { return true };
    match c {
        ':' | '：' | '=' => key,
        '}' | '｝' => within == Some(Container::Object) || before_end(&next[c.len_utf8()..]),
        ']' | '］' => within == Some(Container::Array) || before_end(&next[c.len_utf8()..]),
        ',' | '，' | ';' | '、' if key => false,
        ',' | '，' | ';' | '、' => follows_comma(&next[c.len_utf8()..], within),
        '{' | '[' if key => true,
        '`' => next.starts_with("```"),
        c if opens(c) => space.contains('\n') && !key,
        _ => false,
    }
}

/// After a bracket that does not fit: it closes all the same if the structure goes on behind it.
fn before_end(rest: &str) -> bool {
    rest[skipped(rest)..].chars().next().is_none_or(|c| matches!(c, ',' | '，' | '}' | '｝' | ']' | '］' | '`'))
}

fn follows_comma(rest: &str, within: Option<Container>) -> bool {
    let next = &rest[skipped(rest)..];
    let Some(c) = next.chars().next() else { return true };
    if opens(c) || matches!(c, '}' | '｝' | ']' | '］' | ',' | '，') {
        return true;
    }
    let word = next.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).unwrap_or(next.len());
    let after = next[word..].trim_start();
    match within {
        // An unquoted key.
        Some(Container::Object) => word > 0 && after.starts_with([':', '：', '=']),
        _ => {
            matches!(c, '{' | '｛' | '[' | '［')
                || (word > 0 || c == '-')
                    && (after.is_empty() || after.starts_with([',', '，', ']', '］', '}', '+']))
                    && (c.is_ascii_digit() || c == '-' || LITERALS.contains(&&next[..word]))
        }
    }
}

const LITERALS: [&str; 6] = ["true", "false", "null", "True", "False", "None"];

impl Read {
    fn note(&mut self, repair: Repair) {
        if !self.repairs.contains(&repair) {
            self.repairs.push(repair);
        }
    }

    /// Takes the escape that `text` begins with; its length.
    fn escape(&mut self, text: &str) -> usize {
        let Some(c) = text[1..].chars().next() else { return 1 };
        let plain = match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            '"' | '\\' | '/' => c,
            'u' => return self.unicode(text),
            // Escaped as in Markdown, or as another language would.
            '_' | '*' | '[' | ']' | '#' | '-' | '.' | '!' | '~' | '>' | '<' | '(' | ')' | '`' | '\'' | '“' | '”' => {
                self.note(Repair::Escape);
                c
            }
            _ => {
                self.note(Repair::Escape);
                self.value.push('\\');
                c
            }
        };
        self.value.push(plain);
        1 + c.len_utf8()
    }

    fn unicode(&mut self, text: &str) -> usize {
        let unit = |at: usize| text.get(at..at + 4).and_then(|hex| u16::from_str_radix(hex, 16).ok());
        let Some(first) = unit(2) else {
            self.note(Repair::Escape);
            self.value.push_str("\\u");
            return 2;
        };
        let second = text.get(6..8).filter(|next| *next == "\\u").and_then(|_| unit(8));
        let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
        if let Some(c) = pair.filter(|c| u32::from(*c) > 0xffff) {
            self.value.push(c);
            return 12;
        }
        let c = char::from_u32(u32::from(first));
        if c.is_none() {
            self.note(Repair::Escape);
        }
        self.value.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
        6
    }
}
