//! Takes a key out of what a provider says, in whatever writing it comes back: as it is, with other hyphens, in capitals,
//! spaced, percent-encoded, in escapes of JSON or HTML, in Base64 or hex, and backwards.
//!
//! Letters and digits alone are compared, without their case, once escapes have been read; what lies between the first
//! and the last of them goes with them.

use std::ops::Range;

use base64::{
    Engine,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};

/// What stands in place of a key.
pub const HIDDEN: &str = "•••";
/// A shorter likeness may be any word.
const SHORTEST: usize = 6;
/// As much of a likeness is taken for its beginning where the text ends amid it, as one that was cut does.
const BEGUN: usize = 10;

/// `text` with every writing of `key` replaced.
pub fn hide(text: &str, key: &str) -> String {
    let mut text = text.replace(key, HIDDEN);
    let letters = letters(key);
    let backwards: Vec<char> = letters.iter().rev().copied().collect();
    let hex: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
    for likeness in [letters, backwards, hex.chars().collect()] {
        text = replace(&text, &likeness, |_, range| range);
    }
    for likeness in base64_of(key) {
        // Its first and last letters are mixed with what stands around the key.
        text = replace(&text, &likeness, run_of_base64);
    }
    text
}

fn letters(text: &str) -> Vec<char> {
    written(text).filter_map(|(char, _)| plain(char)).collect()
}

/// The letters of Base64 that do not depend on what stands before and behind the key, for its three places in a group.
fn base64_of(key: &str) -> Vec<Vec<char>> {
    let likeness = |encode: &dyn Fn(&[u8]) -> String, before: usize| {
        let bytes = [vec![0; before], key.as_bytes().to_vec()].concat();
        let text = encode(&bytes);
        let mixed = [0, 2, 3][before];
        let end = text.len() - usize::from(bytes.len() % 3 != 0);
        letters(text.get(mixed..end).unwrap_or_default())
    };
    let standard: &dyn Fn(&[u8]) -> String = &|bytes| STANDARD_NO_PAD.encode(bytes);
    let url_safe: &dyn Fn(&[u8]) -> String = &|bytes| URL_SAFE_NO_PAD.encode(bytes);
    (0..3).flat_map(|before| [standard, url_safe].map(|encode| likeness(encode, before))).collect()
}

/// Replaces every place that reads as `likeness`, widened by `widen`.
fn replace(text: &str, likeness: &[char], widen: fn(&str, Range<usize>) -> Range<usize>) -> String {
    if likeness.len() < SHORTEST {
        return text.to_owned();
    }
    let read: Vec<(char, Range<usize>)> =
        written(text).filter_map(|(char, at)| plain(char).map(|char| (char, at))).collect();
    let mut out = String::new();
    let (mut done, mut nth) = (0, 0);
    while let Some(stretch) = read.get(nth..nth + likeness.len()) {
        if !stretch.iter().map(|(char, _)| char).eq(likeness) {
            nth += 1;
            continue;
        }
        let range = widen(text, stretch[0].1.start..stretch[likeness.len() - 1].1.end);
        out += &text[done..range.start.max(done)];
        out += HIDDEN;
        done = range.end;
        nth = read.partition_point(|(_, at)| at.start < done);
    }
    let whole = unfinished(text);
    let left = read.partition_point(|(_, at)| at.start < done);
    let rest = &read[left..read.partition_point(|(_, at)| at.end <= whole).max(left)];
    let mut begun = (BEGUN..likeness.len()).rev().filter_map(|length| rest.get(rest.len().checked_sub(length)?..));
    let amid = begun.find(|end| end.iter().map(|(char, _)| char).eq(&likeness[..end.len()]));
    if let Some(end) = amid {
        let range = widen(text, end[0].1.start..text.len());
        return out + &text[done..range.start.max(done)] + HIDDEN;
    }
    out + &text[done..]
}

fn run_of_base64(text: &str, range: Range<usize>) -> Range<usize> {
    let is_of_it = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_');
    let before = text[..range.start].trim_end_matches(is_of_it).len();
    let after = text.len() - text[range.end..].trim_start_matches(is_of_it).len();
    before..after
}

/// A letter or digit without its case.
fn plain(char: char) -> Option<char> {
    char.is_alphanumeric().then(|| char.to_lowercase().next().unwrap_or(char))
}

/// The characters of a text, each escape read as what it stands for, and where each is written.
fn written(text: &str) -> impl Iterator<Item = (char, Range<usize>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let (char, length) = escape(rest).or_else(|| rest.chars().next().map(|char| (char, char.len_utf8())))?;
        at += length;
        Some((char, at - length..at))
    })
}

/// The escape that `text` begins with: `%2D`, `\u002d`, `\x2d`, `&#45;`, `&#x2d;`, and how long it is.
fn escape(text: &str) -> Option<(char, usize)> {
    let of_hex = |start: usize, digits: usize| {
        let code = text.get(start..start + digits).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        Some((char::from_u32(u32::from_str_radix(code, 16).ok()?)?, start + digits))
    };
    if text.starts_with('%') {
        return of_hex(1, 2);
    }
    if text.starts_with("\\u") {
        return of_hex(2, 4);
    }
    if text.starts_with("\\x") {
        return of_hex(2, 2);
    }
    let entity = text.strip_prefix("&#")?;
    let end = entity.bytes().take(9).position(|byte| byte == b';')?;
    let code = match entity[..end].strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => entity[..end].parse(),
    };
    Some((char::from_u32(code.ok()?)?, end + 3))
}

/// Where the escape begins that `text` may end amid.
fn unfinished(text: &str) -> usize {
    let sign = text.rfind(['%', '\\', '&']).filter(|&at| text.len() - at < 9 && escape(&text[at..]).is_none());
    sign.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: &str = "sk-proj_A1b2C3d4+E5f6/g7H8";

    /// How a key may come back.
    const WRITINGS: &[fn(&str) -> String] = &[
        str::to_owned,
        |key| key.to_uppercase(),
        |key| key.replace(['-', '_'], "\u{2011}"),
        |key| key.replace('-', " – "),
        |key| key.chars().map(String::from).collect::<Vec<_>>().join("\u{200b}"),
        |key| key.bytes().map(|byte| format!("%{byte:02X}")).collect(),
        |key| key.replace('-', "%2d").replace('/', "%2F"),
        |key| key.chars().map(|c| format!("\\u{:04x}", c as u32)).collect(),
        |key| key.chars().rev().map(|c| format!("\\u{:04X}", c as u32)).collect(),
        |key| key.chars().map(|c| format!("&#{};", c as u32)).collect(),
        |key| key.chars().map(|c| format!("&#x{:x};", c as u32)).collect(),
        |key| key.chars().rev().collect(),
        |key| key.bytes().map(|byte| format!("{byte:02x}")).collect(),
        |key| STANDARD_NO_PAD.encode(key),
        |key| URL_SAFE_NO_PAD.encode(format!("{key}\n")),
        |key| base64::engine::general_purpose::STANDARD.encode(format!("Bearer {key}")),
        |key| base64::engine::general_purpose::STANDARD.encode(format!("u:{key}:more of it")),
        |key| base64::engine::general_purpose::STANDARD.encode(format!("x{key}")),
    ];

    #[test]
    fn every_writing_is_hidden() {
        for (nth, write) in WRITINGS.iter().enumerate() {
            let said = format!("Incorrect key: \"{}\", see the help.", write(KEY));
            assert_eq!(hide(&said, KEY), "Incorrect key: \"•••\", see the help.", "writing {nth}: {said}");
        }
    }

    #[test]
    fn a_text_that_was_cut_amid_the_key_keeps_no_piece_of_it() {
        for (nth, write) in WRITINGS.iter().enumerate() {
            let said = format!("Incorrect key: {}", write(KEY));
            let whole = said.chars().count();
            for cut in "Incorrect key: ".len()..=whole {
                let hidden = hide(&said.chars().take(cut).collect::<String>(), KEY);
                assert!(hidden.starts_with("Incorrect key: "), "writing {nth} cut at {cut}: {hidden}");
                let rest = letters(hidden.trim_start_matches("Incorrect key: "));
                // Of Base64 the first letter may be another's, and of the last few no word is made.
                assert!(rest.len() < BEGUN + 12, "writing {nth} cut at {cut}: {hidden}");
            }
        }
    }

    #[test]
    fn what_is_no_key_stays() {
        for said in ["Incorrect API key provided.", "sk-proj is no key", "100% of &#; \\u12 &#x;", "百分之%E9", ""] {
            assert_eq!(hide(said, KEY), said);
        }
        assert_eq!(hide("a-b a-b", "a-b"), "••• •••");
    }

    proptest! {
        #[test]
        fn no_writing_is_left_anywhere(
            key in "[A-Za-z0-9_+/-]{20,60}",
            nth in 0..WRITINGS.len(),
            before in "[^A-Za-z0-9+/=_%&\\\\-]{0,8}",
            after in "[^A-Za-z0-9+/=_;-]{0,8}",
        ) {
            let likeness = letters(&key);
            prop_assume!(likeness.len() >= 12);
            let said = format!("{before}{}{after}", WRITINGS[nth](&key));
            let hidden = hide(&said, &key);
            prop_assert!(hidden.contains(HIDDEN), "{hidden}");
            // No more of the key than a few letters that any word may have.
            let left = letters(&hidden);
            for part in likeness.windows(8) {
                prop_assert!(!left.windows(8).any(|found| found == part), "{hidden}");
            }
        }

        #[test]
        fn any_text_is_read(text in any::<String>(), key in "[a-z]{6,12}") {
            hide(&text, &key);
        }
    }
}
