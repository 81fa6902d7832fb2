//! As much of YAML as a character of text-generation-webui is written in: a mapping of texts, each plain, quoted, or a block.

/// Texts by their keys; `None`: it is something else, or more than that.
pub fn texts(text: &str) -> Option<Vec<(String, String)>> {
    let mut lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    lines.reverse();
    let mut texts = Vec::new();
    while let Some(line) = lines.pop() {
        if line.trim().is_empty() || line.starts_with('#') || matches!(line.trim_end(), "---" | "...") {
            continue;
        }
        let (key, rest) = line.split_once(':').filter(|(_, rest)| rest.is_empty() || rest.starts_with([' ', '\t']))?;
        let is_key = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | ' ');
        if key.is_empty() || key.starts_with([' ', '-']) || !key.chars().all(is_key) {
            return None;
        }
        let rest = rest.trim();
        let text = match rest.chars().next() {
            Some('|' | '>') => block(rest, &mut lines)?,
            Some(quote @ ('"' | '\'')) => quoted(quote, rest, &mut lines)?,
            // Lists, mappings, names for values: a character has none.
            Some('[' | '{' | '&' | '*' | '!' | '%' | '@' | '`') => return None,
            _ => plain(rest, &mut lines)?,
        };
        texts.push((key.trim_end().to_owned(), text));
    }
    (!texts.is_empty()).then_some(texts)
}

/// The lines that belong to a value: indented ones, and blank ones.
fn inner<'a>(lines: &mut Vec<&'a str>) -> Vec<&'a str> {
    let is_inner = |line: &&str| line.starts_with([' ', '\t']) || line.trim().is_empty();
    let mut inner = Vec::new();
    while lines.last().is_some_and(is_inner) {
        inner.extend(lines.pop());
    }
    inner
}

/// As it stands (`|`), or with lines joined (`>`), and what stands at its end.
fn block(head: &str, lines: &mut Vec<&str>) -> Option<String> {
    let inner = inner(lines);
    let indent = |line: &&str| line.len() - line.trim_start_matches(' ').len();
    let deep = match head.chars().find_map(|char| char.to_digit(10)) {
        Some(deep) => deep as usize,
        None => inner.iter().find(|line| !line.trim().is_empty()).map_or(0, indent),
    };
    let cut: Vec<&str> = inner.iter().map(|line| line.get(deep.min(indent(line))..).unwrap_or_default()).collect();
    let blanks = cut.iter().rev().take_while(|line| line.trim().is_empty()).count();
    let body = &cut[..cut.len() - blanks];
    let text = if head.starts_with('|') { body.join("\n") } else { folded(body.iter().copied()) };
    let end = match () {
        () if head.contains('-') || text.is_empty() => 0,
        () if head.contains('+') => 1 + blanks,
        () => 1,
    };
    Some(text + &"\n".repeat(end))
}

/// Lines joined by blanks; blank lines are breaks.
fn folded<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    let mut breaks = 0;
    for line in lines {
        if line.trim().is_empty() {
            breaks += 1;
            continue;
        }
        match (text.is_empty(), breaks) {
            (true, _) => {}
            (false, 0) => text.push(' '),
            (false, breaks) => text.push_str(&"\n".repeat(breaks)),
        }
        breaks = 0;
        text.push_str(line.trim());
    }
    text
}

fn plain(rest: &str, lines: &mut Vec<&str>) -> Option<String> {
    let rest = rest.split_once(" #").map_or(rest, |(rest, _)| rest.trim_end());
    let inner = inner(lines);
    // A list, or a mapping in it.
    let is_more = |line: &&str| line.trim_start().starts_with("- ") || rest.is_empty() && line.contains(": ");
    if inner.iter().any(is_more) {
        return None;
    }
    let text = folded(std::iter::once(rest).chain(inner));
    Some(if matches!(text.as_str(), "~" | "null" | "Null" | "NULL") { String::new() } else { text })
}

/// In quotes, over as many lines as it takes.
fn quoted(quote: char, rest: &str, lines: &mut Vec<&str>) -> Option<String> {
    let mut whole = String::new();
    let mut line = &rest[1..];
    loop {
        if let Some(end) = closing(quote, line) {
            whole.push_str(&line[..end]);
            break;
        }
        whole.push_str(line);
        whole.push('\n');
        line = lines.pop()?;
    }
    // A line that ends in a backslash goes on where the next begins.
    let joined = if quote == '"' { joined(&whole) } else { whole };
    let text = if joined.contains('\n') { unbroken(&joined) } else { joined };
    if quote == '\'' { Some(text.replace("''", "'")) } else { unescaped(&text) }
}

/// Where the quote closes in a line.
fn closing(quote: char, text: &str) -> Option<usize> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        if quote == '"' && char == '\\' {
            chars.next();
        } else if char == quote {
            if quote == '\'' && chars.peek().is_some_and(|(_, next)| *next == quote) {
                chars.next();
                continue;
            }
            return Some(at);
        }
    }
    None
}

fn joined(text: &str) -> String {
    let mut lines = text.split('\n');
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let goes_on = out.len() - out.trim_end_matches('\\').len();
        if goes_on % 2 == 1 {
            out.pop();
            out.push_str(line.trim_start());
        } else {
            out.push('\n');
            out.push_str(line);
        }
    }
    out
}

/// Breaks between lines are blanks, as in [`folded`]; what stands before the first and behind the last stays.
fn unbroken(text: &str) -> String {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let mut out = first.trim_end().to_owned();
    let mut breaks = 0;
    let count = rest.split('\n').count();
    for (index, line) in rest.split('\n').enumerate() {
        let line = if index + 1 == count { line.trim_start() } else { line.trim() };
        if line.is_empty() && index + 1 < count {
            breaks += 1;
            continue;
        }
        out.push_str(&if breaks == 0 { " ".to_owned() } else { "\n".repeat(breaks) });
        breaks = 0;
        out.push_str(line);
    }
    out
}

fn unescaped(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        let escape = chars.next()?;
        let mut code = |digits: usize| {
            let (digits, rest) = chars.as_str().split_at_checked(digits)?;
            chars = rest.chars();
            Some(char::from_u32(u32::from_str_radix(digits, 16).ok()?).unwrap_or(char::REPLACEMENT_CHARACTER))
        };
        out.push(match escape {
            'x' => code(2)?,
            'u' => code(4)?,
            'U' => code(8)?,
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' => '\u{1b}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            other => other,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_of_texts() {
        let text = concat!(
            "# a character\n---\n",
            "name: Ada Low # not her whole name\n",
            "greeting: |-\n  *waves*\n\n    Hello: there\n",
            "context: |\n  Line one.\n  Line two.\n\n",
            "kept: |+\n  x\n\n",
            "joined: >-\n  one\n  two\n\n  three\n",
            "double: \"a \\\"b\\\"\\n\\u4f60 \\x41\\\n  \\ c\n  d\"\n",
            "single: 'it''s\n\n  so'\n",
            "long: goes on\n  here\n",
            "none: ~\nempty:\n",
        );
        let expected = [
            ("name", "Ada Low"),
            ("greeting", "*waves*\n\n  Hello: there"),
            ("context", "Line one.\nLine two.\n"),
            ("kept", "x\n\n"),
            ("joined", "one two\nthree"),
            ("double", "a \"b\"\n你 A c d"),
            ("single", "it's\nso"),
            ("long", "goes on here"),
            ("none", ""),
            ("empty", ""),
        ];
        let read = texts(text).unwrap();
        let read: Vec<_> = read.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
        assert_eq!(read, expected);
        assert_eq!(texts(&text.replace('\n', "\r\n")).unwrap().len(), 10);
    }

    #[test]
    fn what_is_more_or_none() {
        for text in [
            "",
            "- a\n- b",
            "a: [1]",
            "a:\n  - b",
            "a:\n  b: c",
            "a: \"open",
            "a: \"\\x4\"",
            "no colon",
            "Ada: *x*\n: y",
            "a: |\n x\n<b>",
        ] {
            assert_eq!(texts(text), None, "{text}");
        }
    }
}
