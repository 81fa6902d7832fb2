//! An estimate of token counts without a vocabulary (a real one costs 2 MB and more).
//!
//! Weights fit the byte-pair vocabularies in use: a CJK character is a little under one token, Latin words about one
//! token per five letters, digits in groups of three, other scripts about one per two characters.

mod calibration;

pub use calibration::Calibration;

/// Tokens that a message costs beyond its text: role and separators.
pub const PER_MESSAGE: u32 = 4;

/// Estimated tokens of a text. Byte by byte: each prompt asks it of all that may be told, several times.
pub fn estimate(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let (mut quarters, mut letters, mut digits) = (0, 0, 0);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        if byte.is_ascii_alphabetic() || *byte == b'\'' {
            letters += 1;
            continue;
        }
        quarters += word(&mut letters);
        if byte.is_ascii_digit() {
            digits += 1;
            continue;
        }
        quarters += number(&mut digits);
        quarters += match byte {
            b' ' => 0,
            b'\n' => 2,
            ..0x80 => 3,
            // U+3000 to U+9FFF: nearly all that is written in Chinese is told by its first byte.
            0xe3..=0xe9 => {
                at += 2;
                3
            }
            lead => {
                let follow = if *lead < 0xe0 { 1 } else { 2 + usize::from(*lead >= 0xf0) };
                let rest = bytes.get(at..at + follow).unwrap_or_default();
                at += follow;
                let begins = u32::from(*lead) & (0x3f >> follow);
                match rest.iter().fold(begins, |code, byte| code << 6 | u32::from(byte & 0x3f)) {
                    0x2e80..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0xff00..=0xffef => 3,
                    0x1f000..=0x3ffff => 8,
                    _ => 2,
                }
            }
        };
    }
    quarters += word(&mut letters) + number(&mut digits);
    quarters.div_ceil(4) as u32
}

/// Quarters of a token for a run of letters; the count starts again.
fn word(letters: &mut u64) -> u64 {
    let run = std::mem::take(letters);
    if run == 0 { 0 } else { 4 * run.div_ceil(7) }
}

fn number(digits: &mut u64) -> u64 {
    4 * std::mem::take(digits).div_ceil(3)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{estimate, number, word};

    /// As it is said: sign by sign.
    fn by_signs(text: &str) -> u32 {
        let (mut quarters, mut letters, mut digits) = (0, 0, 0);
        for char in text.chars() {
            if char.is_ascii_alphabetic() || char == '\'' {
                letters += 1;
                continue;
            }
            quarters += word(&mut letters);
            if char.is_ascii_digit() {
                digits += 1;
                continue;
            }
            quarters += number(&mut digits);
            quarters += match char {
                ' ' => 0,
                '\n' => 2,
                _ if char.is_ascii() => 3,
                '\u{2e80}'..='\u{9fff}'
                | '\u{ac00}'..='\u{d7af}'
                | '\u{f900}'..='\u{faff}'
                | '\u{ff00}'..='\u{ffef}' => 3,
                '\u{20000}'..='\u{3ffff}' | '\u{1f000}'..='\u{1ffff}' => 8,
                _ => 2,
            };
        }
        quarters += word(&mut letters) + number(&mut digits);
        quarters.div_ceil(4) as u32
    }

    proptest! {
        #[test]
        fn bytes_tell_the_same_as_signs(text in ".*", prose in "[a-z'0-9 \n，。一-龥가-힣é🧵𠀀]*") {
            prop_assert_eq!(estimate(&text), by_signs(&text));
            prop_assert_eq!(estimate(&prose), by_signs(&prose));
        }
    }

    /// Within a quarter of what the o200k vocabulary counts for these texts.
    #[test]
    fn close_to_a_real_vocabulary() {
        let check = |text: &str, real: u32| {
            let got = estimate(text);
            assert!(got.abs_diff(real) * 4 <= real, "{got} for {real}: {text}");
        };
        check("The quick brown fox jumps over the lazy dog.", 10);
        check("你还记得我们之前的约定吗？", 10);
        check("“I remember,” he said, and looked at the door again. “We wait until they split up.”", 22);
        assert_eq!(estimate(""), 0);
    }

    #[test]
    fn longer_text_never_costs_less() {
        let text = "第42轮：Victor 说 “等 he's 1,234 km away…” 🧵\n";
        let mut last = 0;
        for (end, _) in text.char_indices() {
            let now = estimate(&text[..end]);
            assert!(now >= last, "at {end}");
            last = now;
        }
    }
}
