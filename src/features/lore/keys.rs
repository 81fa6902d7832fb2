//! Keys, and the texts that they are looked for in.

use regex_lite::Regex;

use crate::reply::pattern::{as_pattern, compile};

/// A key of an entry, ready to be looked for.
#[derive(Clone, Debug)]
pub enum Key {
    Text {
        /// As it is written.
        text: String,
        /// In small letters.
        folded: String,
        /// It may be asked for as a whole word only.
        is_word: bool,
    },
    /// `/…/flags`; `None`: it is none that can be read.
    Pattern { text: String, pattern: Option<Box<Regex>> },
}

impl Key {
    /// A key as it is written; `None`: it is blank.
    pub fn of(written: &str) -> Option<Self> {
        let text = written.trim();
        if text.is_empty() {
            return None;
        }
        if let Some((pattern, flags)) = as_pattern(text) {
            return Some(Self::Pattern { text: text.to_owned(), pattern: compile(pattern, flags).ok().map(Box::new) });
        }
        let is_word = !text.contains(char::is_whitespace);
        Some(Self::Text { text: text.to_owned(), folded: text.to_lowercase(), is_word })
    }

    /// All that a text has in which it stands, in small letters; `None`: it is a pattern.
    pub fn grams(&self) -> Option<impl Iterator<Item = Gram>> {
        match self {
            Self::Text { folded, .. } => Some(grams(folded)),
            Self::Pattern { .. } => None,
        }
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        match self {
            Self::Text { text, .. } | Self::Pattern { text, .. } => text,
        }
    }
}

/// The mark of where a message begins, in a pattern.
const BEGINS: &str = "\\x01";

/// How keys without a pattern are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct How {
    pub case_sensitive: bool,
    pub whole_words: bool,
}

/// Three bytes that follow each other.
pub type Gram = [u8; 3];

fn grams(text: &str) -> impl Iterator<Item = Gram> {
    text.as_bytes().windows(3).map(|gram| [gram[0], gram[1], gram[2]])
}

/// A text to look into.
pub struct Said {
    plain: String,
    folded: String,
}

impl Said {
    pub fn new(plain: String) -> Self {
        Self { folded: plain.to_lowercase(), plain }
    }

    /// All that follow each other in it, in small letters.
    pub fn grams(&self) -> impl Iterator<Item = Gram> {
        grams(&self.folded)
    }

    pub fn holds(&self, key: &Key, how: How) -> bool {
        let (text, word, is_word) = match key {
            Key::Pattern { text, pattern } => {
                let Some(pattern) = pattern else { return false };
                // SillyTavern marks where each message begins, and some patterns ask for that.
                return match text.contains(BEGINS) {
                    true => pattern.is_match(&format!("\u{1}{}", self.plain)),
                    false => pattern.is_match(&self.plain),
                };
            }
            Key::Text { text, is_word, .. } if how.case_sensitive => (&self.plain, text, is_word),
            Key::Text { folded, is_word, .. } => (&self.folded, folded, is_word),
        };
        if how.whole_words && *is_word { holds_word(text, word) } else { text.contains(&**word) }
    }
}

/// Whether `word` stands in `text` with no letter of ASCII beside one of its own: other scripts do not set words apart, or
/// inflect them.
fn holds_word(text: &str, word: &str) -> bool {
    let joins = |a: Option<char>, b: Option<char>| a.is_some_and(is_of_word) && b.is_some_and(is_of_word);
    let (first, last) = (word.chars().next(), word.chars().next_back());
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
        !joins(before, first) && !joins(last, after)
    })
}

/// As SillyTavern has it (`\W`): books in Russian or Greek count on it that a key is found in the inflected word.
fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WORDS: How = How { case_sensitive: false, whole_words: true };
    const PARTS: How = How { case_sensitive: false, whole_words: false };
    const EXACT: How = How { case_sensitive: true, whole_words: false };

    #[test]
    fn the_table_of_keys() {
        let check = |text: &str, key: &str, how: How, expected: bool| {
            let said = Said::new(text.to_owned());
            assert_eq!(said.holds(&Key::of(key).unwrap(), how), expected, "{key:?} in {text:?}, {how:?}");
        };
        check("The Moon rose.", "moon", WORDS, true);
        check("The Moon rose.", "moon", EXACT, false);
        check("The Moon rose.", " Moon ", EXACT, true);
        check("The honeymoon.", "moon", WORDS, false);
        check("The honeymoon.", "moon", PARTS, true);
        check("The honeymoon suite", "moon suite", WORDS, true);
        check("moon_gate", "moon", WORDS, false);
        check("moon-gate", "moon", WORDS, true);
        check("月亮升起来了", "月亮", WORDS, true);
        check("艾达说", "艾达", WORDS, true);
        check("他叫Ada来", "ada", WORDS, true);
        check("ÉCLAIR", "éclair", WORDS, true);
        check("вошли эльфы", "эльф", WORDS, true);
        check("แมวดำ", "แมว", WORDS, true);
        check("Lin: oh, hello", "/\\x01Lin:[^\\x01]*?hello/", WORDS, true);
        check("Ada: Lin: hello", "/\\x01Lin:[^\\x01]*?hello/", WORDS, false);
        check("a b", "b", WORDS, true);
        check("ab", "b", WORDS, false);
        check("Seven lamps", "/\\b(seven|eight)\\b/i", WORDS, true);
        check("Seven lamps", "/seven/", WORDS, false);
        check("one/two", "/one\\/two/", WORDS, true);
        check("one\ntwo", "/one.two/s", WORDS, true);
        check("one\ntwo", "/one.two/", WORDS, false);
        // What looks like a pattern and is none.
        check("either/or/", "/or/xyz", PARTS, false);
        check("and/or", "and/or", PARTS, true);
        check("foobar", "/foo(?=bar)/", PARTS, false);
        check("(", "/(/", PARTS, false);
    }

    #[test]
    fn a_blank_key_is_none_and_a_broken_one_says_why() {
        assert!(Key::of(" \n").is_none());
        for broken in ["(", "foo(?=bar)", "(a)\\1", "a{99999999}"] {
            assert!(!compile(broken, "").unwrap_err().is_empty(), "{broken}");
        }
    }

    /// Time grows with the text alone, whatever the pattern.
    #[test]
    fn a_pattern_that_would_go_astray_elsewhere_ends() {
        let said = Said::new("a".repeat(20_000));
        assert!(!said.holds(&Key::of("/(a+)+$b/").unwrap(), PARTS));
    }

    proptest! {
        #[test]
        fn what_a_text_holds_is_found(before in ".{0,20}", key in "[^/\\s]\\PC{0,8}[^\\s]", after in ".{0,20}") {
            let said = Said::new(format!("{before}{key}{after}"));
            prop_assert!(said.holds(&Key::of(&key).unwrap(), EXACT));
        }
    }
}
