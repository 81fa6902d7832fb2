//! Patterns as the field writes them, `/…/flags` of JavaScript, for an engine whose time grows with the text alone.
//!
//! What the two write differently is translated; what that engine does not do (looking around, looking back at what was
//! found) is an error in its words.

use std::iter::Peekable;

use regex_lite::{Regex, RegexBuilder};

/// Bytes that a compiled pattern may have.
const PATTERN_BYTES: usize = 1 << 18;

/// The pattern and the flags of a text that is one.
pub fn as_pattern(text: &str) -> Option<(&str, &str)> {
    let (pattern, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    (!pattern.is_empty() && flags.chars().all(|flag| "dgimsuvy".contains(flag))).then_some((pattern, flags))
}

/// # Errors
/// It is none, it is too large, or it looks around or back, which the engine does not: the engine's own words.
pub fn compile(pattern: &str, flags: &str) -> Result<Regex, String> {
    let has = |flag: char| flags.contains(flag);
    RegexBuilder::new(&translated(pattern))
        .case_insensitive(has('i'))
        .multi_line(has('m'))
        .dot_matches_new_line(has('s'))
        .size_limit(PATTERN_BYTES)
        .build()
        .map_err(|error| error.to_string())
}

/// Blanks that JavaScript's `\s` knows beyond ASCII.
const BLANKS: &str = r"\u{a0}\u{2028}\u{2029}\u{202f}\u{3000}\u{feff}";

fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' => escape(&mut rest, in_class, &mut out),
            // `[^]` is any letter, `[]` none.
            '[' if !in_class => match (rest.next_if_eq(&'^').is_some(), rest.next_if_eq(&']').is_some()) {
                (true, true) => out.push_str(r"[\s\S]"),
                (false, true) => out.push_str(r"[^\s\S]"),
                (not, false) => {
                    out.push_str(if not { "[^" } else { "[" });
                    in_class = true;
                }
            },
            '[' | '&' | '~' if in_class => out.extend(['\\', c]),
            ']' if in_class => {
                out.push(c);
                in_class = false;
            }
            '{' if !in_class && !is_count(rest.clone()) => out.push_str(r"\{"),
            _ => out.push(c),
        }
    }
    out
}

/// What follows a backslash.
fn escape(rest: &mut Peekable<impl Iterator<Item = char>>, in_class: bool, out: &mut String) {
    let Some(c) = rest.next() else {
        out.push('\\');
        return;
    };
    match c {
        's' if in_class => out.extend([r"\s", BLANKS]),
        's' => out.extend([r"[\s", BLANKS, "]"]),
        'S' if !in_class => out.extend([r"[^\s", BLANKS, "]"]),
        'b' if in_class => out.push_str(r"\x08"),
        '0' => out.push_str(r"\x00"),
        // A letter by its number, whose brace is no text.
        'u' | 'x' if rest.next_if_eq(&'{').is_some() => {
            out.extend(['\\', c, '{']);
            while let Some(digit) = rest.next_if(char::is_ascii_hexdigit) {
                out.push(digit);
            }
        }
        'd'
        | 'D'
        | 'w'
        | 'W'
        | 'S'
        | 'b'
        | 'B'
        | 'n'
        | 'r'
        | 't'
        | 'f'
        | 'v'
        | 'x'
        | 'u'
        | 'k'
        | 'p'
        | 'P'
        | '1'..='9' => out.extend(['\\', c]),
        // Letters that mean nothing here stand for themselves, and `<` and `>` are no edges of words.
        '<' | '>' | '/' => out.push(c),
        c if c.is_ascii_punctuation() => out.extend(['\\', c]),
        c => out.push(c),
    }
}

/// Whether a brace begins a count: `{2}`, `{2,}`, `{2,5}`. Else it stands for itself, as in `{{user}}`.
fn is_count(mut rest: impl Iterator<Item = char>) -> bool {
    let mut digits = false;
    let mut commas = 0;
    rest.find_map(|c| match c {
        '0'..='9' => {
            digits = true;
            None
        }
        ',' if digits && commas == 0 => {
            commas = 1;
            None
        }
        '}' => Some(digits),
        _ => Some(false),
    })
    .unwrap_or(false)
}

/// Whether a search may look far beyond what it finds: where something may be there any number of times.
pub fn looks_far(pattern: &str) -> bool {
    let mut rest = pattern.chars();
    let mut in_class = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' => drop(rest.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '*' | '+' if !in_class => return true,
            '{' if !in_class && is_count(rest.clone()) => return true,
            _ => {}
        }
    }
    false
}

/// A text that stands in whatever the pattern finds: where it is not there, nobody need look. Empty: nobody knows one.
pub fn needs(pattern: &str, flags: &str) -> String {
    let mut literal = String::new();
    if flags.contains('i') || pattern.contains('|') {
        return literal;
    }
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        let c = match c {
            '\\' => match rest.next() {
                Some(c) if !c.is_ascii_alphanumeric() => c,
                _ => break,
            },
            '^' | '$' | '.' | '[' | ']' | '(' | ')' | '*' | '+' | '?' | '{' | '}' => break,
            c => c,
        };
        // What may be there no time is not needed.
        if matches!(rest.peek(), Some('*' | '?' | '{')) {
            break;
        }
        literal.push(c);
        if rest.peek() == Some(&'+') {
            break;
        }
    }
    literal
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_javascript_writes_is_found() {
        let check = |pattern: &str, text: &str, expected: Option<&str>| {
            let (pattern, flags) = as_pattern(pattern).unwrap();
            let found = compile(pattern, flags).unwrap_or_else(|error| panic!("{pattern}: {error}"));
            assert_eq!(found.find(text).map(|found| found.as_str()), expected, "{pattern} in {text:?}");
        };
        check(r"/\<think\>[\s\S]*?\<\/think\>/g", "a<think>x\ny</think>b", Some("<think>x\ny</think>"));
        check(r"/<(\w+)>[^]*$/", "ab <i>\n</i>", Some("<i>\n</i>"));
        check(r"/{{user}}/i", "an {{USER}}", Some("{{USER}}"));
        check(r"/a{2,3}b{1}/", "aaab", Some("aaab"));
        check(r"/a{,3}/", "a{,3}", Some("a{,3}"));
        check(r"/^\s+/m", "\u{3000}\u{3000}雨", Some("\u{3000}\u{3000}"));
        check(r"/\S+/", "\u{3000}雨夜 ", Some("雨夜"));
        check(r"/[\u4e00-\u9fa5]+/", "a雨夜b", Some("雨夜"));
        check(r#"/\"([^\"]+)\"/"#, r#"he said "no""#, Some(r#""no""#));
        check(r"/\“[^”]*\”/", "“好”", Some("“好”"));
        check(r"/[[\]&&x]+/", "a[]&x", Some("[]&x"));
        check(r"/\*(.+?)\*/s", "*a\nb*", Some("*a\nb*"));
        check(r"/(?<name>b)\./", "ab.", Some("b."));
        check(r"/\%\@\#\!\=\:\_\-\,/", "%@#!=:_-,", Some("%@#!=:_-,"));
        check(r"/\A/", "BA", Some("A"));
        check(r"/[\w\-\.]+@/", "a-b.c@", Some("a-b.c@"));
        check(r"/```[\s\S]*?```/", "a```\nx```", Some("```\nx```"));
        check(r"/\d+(?:\.\d+)?%/", "87.5%", Some("87.5%"));
        check(r"/[\b]/", "a\u{8}", Some("\u{8}"));
        check("/[]/", "a", None);
        check(r"/\u{1F600}+!/u", "a😀😀!", Some("😀😀!"));
        check(r"/[\u{1F600}-\u{1F64F}]/u", "a😀", Some("😀"));
        check(r"/\x{1F600}/", "a😀", Some("😀"));
    }

    #[test]
    fn what_the_engine_does_not_do_is_said() {
        for broken in [r"(?<=a)b", r"a(?!b)", r"(a)\1", r"(?<x>a)\k<x>", r"\p{L}", "(", "[a", "a**b(", r"\"] {
            assert!(!compile(broken, "").unwrap_err().is_empty(), "{broken}");
        }
    }

    proptest! {
        /// What a pattern is said to need is in all that it finds.
        #[test]
        fn needs_are_needed(
            pattern in "(<[a-z]{1,3}>|[a-z]{1,4}[+*?]?|[a-z]\\{0,2\\}|\\\\[<*{]|\\[a-c\\]|\\.|\\(a\\)\\?){1,4}",
            text in "[a-z<>*{]{0,24}",
        ) {
            let Ok(found) = compile(&pattern, "") else { return Ok(()) };
            if let Some(found) = found.find(&text) {
                prop_assert!(found.as_str().contains(&needs(&pattern, "")), "{pattern} needs {}", needs(&pattern, ""));
            }
        }

        #[test]
        fn no_pattern_panics(pattern in "\\PC{0,24}", flags in "[gimsuy]{0,3}") {
            let _ = compile(&pattern, &flags);
        }
    }
}
