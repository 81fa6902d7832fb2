//! Characters that were cut in two. JSON may write those beyond U+FFFF as two escapes (`\ud83d\ude00`), and servers and
//! proxies whose texts are UTF-16 send the one in one event and the other in the next. Each alone is no character, and
//! no JSON that can be read; joined they are what the model wrote.

/// While an event is read, the half `0xD83D` stands as the character `0x10D83D`: a private one that no text has.
const MARK: u32 = 0x10_0000;

/// The JSON with a mark in the place of each half that stands alone; `None` where none does.
pub(super) fn marked(json: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = json;
    let mut found = false;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let length = match (half(escape), escape.get(6..).and_then(half)) {
            (Some(high), Some(low)) if is_high(high) && !is_high(low) => 12,
            (Some(alone), _) => {
                found = true;
                out.extend(char::from_u32(MARK + u32::from(alone)));
                rest = &escape[6..];
                continue;
            }
            // What is escaped may be a backslash itself.
            (None, _) => 1 + escape[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&escape[..length]);
        rest = &escape[length..];
    }
    out.push_str(rest);
    found.then_some(out)
}

/// The half that an escape at the start of `text` stands for.
fn half(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let unit = digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())??;
    (0xD800..0xE000).contains(&unit).then_some(unit)
}

fn is_high(half: u16) -> bool {
    half < 0xDC00
}

/// Joins the halves of one text that comes in pieces.
#[derive(Default)]
pub(super) struct Halves {
    high: Option<u16>,
}

impl Halves {
    /// The next piece with its characters whole; the first half of one at its end is kept back. `is_marked`: the piece
    /// is of a [`marked`] event.
    pub fn join(&mut self, piece: String, is_marked: bool) -> String {
        if !is_marked && self.high.is_none() {
            return piece;
        }
        let mut out = String::with_capacity(piece.len());
        for char in piece.chars() {
            let half = u32::from(char).checked_sub(MARK).filter(|_| is_marked);
            let half = half.and_then(|half| u16::try_from(half).ok()).filter(|half| (0xD800..0xE000).contains(half));
            match (self.high.take(), half) {
                (Some(high), Some(low)) if !is_high(low) => out.extend(char::decode_utf16([high, low]).flatten()),
                (before, half) => {
                    out.extend(before.map(|_| char::REPLACEMENT_CHARACTER));
                    match half {
                        Some(high) if is_high(high) => self.high = half,
                        Some(_) => out.push(char::REPLACEMENT_CHARACTER),
                        None => out.push(char),
                    }
                }
            }
        }
        out
    }

    /// What stands for a half whose other one never came.
    pub fn finish(&mut self) -> Option<String> {
        self.high.take().map(|_| char::REPLACEMENT_CHARACTER.to_string())
    }
}

/// A text as JSON from its UTF-16 units, each an escape: how a proxy writes a piece that it cut anywhere.
#[cfg(test)]
pub(super) fn escaped(units: &[u16]) -> String {
    units.iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_that_stand_alone_are_marked() {
        #[track_caller]
        fn check(json: &str, want: Option<&str>) {
            assert_eq!(marked(json).as_deref(), want, "{json}");
        }
        check(r#""a\ud83d""#, Some("\"a\u{10D83D}\""));
        check(r#""\uDE00b\n""#, Some("\"\u{10DE00}b\\n\""));
        check(r#""\ud83d\ud83d\ude00""#, Some("\"\u{10D83D}\\ud83d\\ude00\""));
        check(r#""\ud83d\ude00 \u96ea \\ud83d \\\\ud83d""#, None);
        check(r#""\\\ud83d雪""#, Some("\"\\\\\u{10D83D}雪\""));
        check(r#""\ud83"#, None);
        check(r#""\"#, None);
        check(r#""\雪\u+123""#, None);
        check("雪", None);
    }

    #[test]
    fn halves_are_joined_across_pieces() {
        #[track_caller]
        fn check(pieces: &[(&str, bool)], want: &str) {
            let mut halves = Halves::default();
            let mut all: String =
                pieces.iter().map(|(piece, marked)| halves.join((*piece).to_owned(), *marked)).collect();
            all.extend(halves.finish());
            assert_eq!(all, want);
        }
        check(&[("a\u{10D83D}", true), ("\u{10DE00}b", true)], "a😀b");
        check(&[("a\u{10D83D}", true), ("b", false)], "a\u{FFFD}b");
        check(&[("\u{10DE00}\u{10D83D}", true)], "\u{FFFD}\u{FFFD}");
        check(&[("\u{10D83D}\u{10D83D}", true), ("\u{10DE00}", true)], "\u{FFFD}😀");
        // A private character of the text itself.
        check(&[("\u{10D83D}", false)], "\u{10D83D}");
    }
}
