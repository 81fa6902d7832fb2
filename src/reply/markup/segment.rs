//! Where a text may be cut so that its parts read alone as they read together.
//!
//! A segment begins at a line without indent that follows a blank line, outside fenced code, and does not go on with
//! a list. Only earlier lines decide this, so what is before it can never change. Too few cuts cost time, never
//! meaning. (Link definitions and HTML blocks reach further in CommonMark; `guard` takes them out of the language.)

/// Reads a text line by line.
#[derive(Clone, Debug, Default)]
pub struct Segmenter {
    /// The mark and the length of an open fence outside lists and quotes.
    fence: Option<(char, usize)>,
    /// The column at which the open item of a list has its content.
    list: Option<usize>,
    /// The item has no content yet; after a blank line it takes none.
    bare: bool,
    after_blank: bool,
    in_paragraph: bool,
}

impl Segmenter {
    /// Takes the next line; true where a segment begins with it.
    pub fn begins_at(&mut self, line: &str) -> bool {
        let line = line.trim_end_matches(['\n', '\r', ' ', '\t']);
        let (indent, rest) = indent(line);
        if rest.is_empty() {
            self.after_blank = true;
            self.in_paragraph = false;
            if std::mem::take(&mut self.bare) {
                self.list = Some(usize::MAX);
            }
            return false;
        }
        self.bare = false;
        let after_blank = std::mem::take(&mut self.after_blank);
        if let Some((mark, length)) = self.fence {
            if indent <= 3 && rest.len() >= length && rest.chars().all(|c| c == mark) {
                self.fence = None;
            }
            return false;
        }
        if self.list.is_some_and(|column| indent >= column) {
            return false;
        }
        let paragraph = self.in_paragraph && self.list.is_none();
        if paragraph && is_underline(indent, rest) {
            self.in_paragraph = false;
            return false;
        }
        let item = item(indent, rest, paragraph);
        let begins = after_blank && indent == 0 && !(self.list.is_some() && item.is_some());
        if begins {
            self.list = None;
        }
        self.in_paragraph = false;
        if item.is_some() {
            self.list = item;
            self.bare = list_mark(rest) == Some(rest.len());
        } else if let Some(fence) = fence(indent, rest) {
            self.fence = Some(fence);
            self.list = None;
        } else if indent <= 3 && (rest.starts_with('>') || is_heading(rest) || is_rule(rest)) {
            self.list = None;
        } else {
            if after_blank {
                self.list = None;
            }
            self.in_paragraph = paragraph || indent <= 3;
        }
        begins
    }
}

impl Segmenter {
    /// Whether a segment begins with this line, of which more may come; and whether that is sure whatever comes.
    pub fn begins_at_unfinished(&self, line: &str) -> (bool, bool) {
        let begins = self.clone().begins_at(line);
        let maybe_item = self.list.is_some() && line.chars().all(|c| "0123456789.)-*+ \t\r".contains(c));
        (begins, begins && !maybe_item)
    }
}

/// The columns of white space before a line, and the line after it.
fn indent(line: &str) -> (usize, &str) {
    let mut column = 0;
    for (at, c) in line.char_indices() {
        match c {
            ' ' => column += 1,
            '\t' => column += 4 - column % 4,
            _ => return (column, &line[at..]),
        }
    }
    (column, "")
}

/// The length of the list mark that a line begins with.
pub fn list_mark(rest: &str) -> Option<usize> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let length = match rest[digits..].bytes().next()? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    rest[length..].chars().next().is_none_or(|c| matches!(c, ' ' | '\t' | '\n' | '\r')).then_some(length)
}

/// The column of the content of the list item that begins here.
fn item(indent_before: usize, rest: &str, paragraph: bool) -> Option<usize> {
    if indent_before > 3 || is_rule(rest) {
        return None;
    }
    let mark = list_mark(rest)?;
    let (width, content) = indent(&rest[mark..]);
    if paragraph && (content.is_empty() || (mark > 1 && rest[..mark - 1].parse() != Ok(1))) {
        return None;
    }
    let gap = if content.is_empty() || width > 4 { 1 } else { width };
    Some(indent_before + mark + gap)
}

fn fence(indent: usize, rest: &str) -> Option<(char, usize)> {
    let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = rest.chars().take_while(|c| *c == mark).count();
    let fenced = indent <= 3 && length >= 3 && !(mark == '`' && rest[length..].contains('`'));
    fenced.then_some((mark, length))
}

fn is_heading(rest: &str) -> bool {
    let level = rest.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&level) && rest[level..].chars().next().is_none_or(|c| matches!(c, ' ' | '\t'))
}

/// Makes a heading of the paragraph above it, which ends with it.
fn is_underline(indent: usize, rest: &str) -> bool {
    indent <= 3 && ['-', '='].into_iter().any(|mark| rest.chars().all(|c| c == mark))
}

fn is_rule(rest: &str) -> bool {
    ['-', '*', '_'].into_iter().any(|mark| {
        rest.chars().all(|c| c == mark || c == ' ' || c == '\t') && rest.chars().filter(|c| *c == mark).count() >= 3
    })
}
