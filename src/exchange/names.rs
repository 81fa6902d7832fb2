//! Names as they may stand in a list: one line, no tricks, not too long.

use super::{limits::NAME_CHARS, refusal::Warning};

/// Turns the writing direction, or takes no room at all: a name with these may pass for another.
/// The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji are written with them.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Trims, joins lines, takes out control and direction characters, cuts to [`NAME_CHARS`] characters.
/// `None` where only blanks at the ends fell away. Tidying twice changes nothing more.
pub fn tidy_name(name: &str) -> (String, Option<Warning>) {
    let mut removed = 0;
    let mut joined_lines = false;
    let mut tidy = String::new();
    for c in name.trim().chars() {
        if is_line_break(c) {
            joined_lines = true;
            if !tidy.ends_with(' ') {
                tidy.push(' ');
            }
        } else if c.is_control() || is_hidden(c) {
            removed += 1;
        } else {
            tidy.push(c);
        }
    }
    // What stood at the ends behind a hidden character.
    let mut tidy = tidy.trim().to_owned();
    let length = tidy.chars().count();
    let cut_from = (length > NAME_CHARS).then_some(length);
    if let Some((at, _)) = tidy.char_indices().nth(NAME_CHARS) {
        tidy.truncate(at);
        // A joiner at the cut has nothing to join.
        tidy.truncate(tidy.trim_end_matches(|c: char| c.is_whitespace() || c == '\u{200d}').len());
    }
    let changed = removed > 0 || joined_lines || cut_from.is_some();
    let warning = changed.then_some(Warning::NameCleaned { removed, joined_lines, cut_from });
    (tidy, warning)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tidied() {
        let cleaned = |removed, joined_lines, cut_from| Some(Warning::NameCleaned { removed, joined_lines, cut_from });
        for (name, tidy, warning) in [
            ("Alserqi", "Alserqi", None),
            ("  阿尔瑟琪 ", "阿尔瑟琪", None),
            ("evil\u{202e}gnp.exe", "evilgnp.exe", cleaned(1, false, None)),
            ("\u{feff} A\u{200b}da\u{0}\u{7} ", "Ada", cleaned(4, false, None)),
            ("Ada\r\nLovelace", "Ada Lovelace", cleaned(0, true, None)),
            ("👩\u{200d}🚀 می\u{200c}خواهم", "👩\u{200d}🚀 می\u{200c}خواهم", None),
            ("\u{200f}\n", "", cleaned(1, false, None)),
        ] {
            assert_eq!(tidy_name(name), (tidy.to_owned(), warning), "{name:?}");
        }
        assert_eq!(tidy_name(&"好".repeat(10_000)), ("好".repeat(100), cleaned(0, false, Some(10_000))));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn twice_is_once(name in prop::collection::vec(prop_oneof![any::<char>(), Just('\u{200d}'), Just('\n'), Just('\u{202e}'), Just(' ')], 0..130)) {
            let name: String = name.into_iter().collect();
            let (once, _) = tidy_name(&name);
            prop_assert!(once.chars().count() <= NAME_CHARS);
            prop_assert!(!once.chars().any(|c| c.is_control() || is_hidden(c) || is_line_break(c)));
            prop_assert_eq!(tidy_name(&once), (once.clone(), None));
        }
    }
}
