//! Foreign JSON, within limits.

use serde::de::DeserializeOwned;
use serde_json::{Value, error::Category};

use super::{
    limits::{JSON_BYTES, JSON_DEPTH},
    refusal::Refusal,
    sniff::{FileKind, sniff},
};

/// The bytes of a picked file as text.
///
/// # Errors
/// `TooLarge`; `NotFabula` for a ZIP, picture or gzip file; `NotText` where it is not UTF-8.
pub fn text_of(bytes: Vec<u8>) -> Result<String, Refusal> {
    too_large(bytes.len() as u64, JSON_BYTES)?;
    match sniff(&bytes) {
        kind @ (FileKind::Gzip | FileKind::Zip | FileKind::Png | FileKind::Picture) => Err(Refusal::NotFabula(kind)),
        FileKind::Json | FileKind::Unknown => decoded(bytes),
    }
}

/// Bytes as text: UTF-8, or UTF-16 with the mark that Windows puts before it.
///
/// # Errors
/// `NotText`.
pub fn decoded(bytes: Vec<u8>) -> Result<String, Refusal> {
    let unit: Option<fn([u8; 2]) -> u16> = match bytes.get(..2) {
        Some([0xff, 0xfe]) => Some(u16::from_le_bytes),
        Some([0xfe, 0xff]) => Some(u16::from_be_bytes),
        _ => None,
    };
    match unit {
        Some(unit) => {
            let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
            String::from_utf16(&units).map_err(|_| Refusal::NotText)
        }
        None => String::from_utf8(bytes).map_err(|_| Refusal::NotText),
    }
}

/// Parses a character or background file; a byte order mark is let pass.
///
/// # Errors
/// `TooLarge`, `TooDeep`, `Truncated` (also an empty file), `NotJson`.
pub fn parse(text: &str) -> Result<Value, Refusal> {
    too_large(text.len() as u64, JSON_BYTES)?;
    let value: Value = decode(text.strip_prefix('\u{feff}').unwrap_or(text))?;
    if depth(&value) > JSON_DEPTH { Err(Refusal::TooDeep) } else { Ok(value) }
}

/// Parses without a look at size; the parser itself stops at 128 levels. Half a letter, as a text leaves it that was cut
/// between two, becomes the sign for one that cannot be read.
pub(super) fn decode<T: DeserializeOwned>(text: &str) -> Result<T, Refusal> {
    let whole = serde_json::from_str(text).or_else(|error| match error.to_string().contains("hex escape") {
        true => serde_json::from_str(&with_whole_letters(text)),
        false => Err(error),
    });
    whole.map_err(|error| {
        let message = error.to_string();
        // The only sign that serde_json gives of its recursion limit.
        if message.starts_with("recursion limit exceeded") {
            return Refusal::TooDeep;
        }
        match error.classify() {
            Category::Eof => Refusal::Truncated,
            _ => {
                let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
                Refusal::NotJson { line: error.line(), column: error.column(), message: message.to_owned() }
            }
        }
    })
}

/// The same with `\ufffd` for each escape that is half of a pair and stands alone.
fn with_whole_letters(text: &str) -> String {
    let unit = |at: &str| u16::from_str_radix(at.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let length = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                rest = &escape[6..];
                continue;
            }
            _ => 1 + escape[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&escape[..length]);
        rest = &escape[length..];
    }
    out + rest
}

pub(super) fn too_large(bytes: u64, limit: u64) -> Result<(), Refusal> {
    if bytes > limit { Err(Refusal::TooLarge { bytes, limit }) } else { Ok(()) }
}

/// Levels of nesting; 0 for a text or a number.
pub fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Bytes of the compact form, without making it.
pub fn size(value: &impl serde::Serialize) -> u64 {
    struct Count(u64);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    serde_json::to_writer(&mut count, value).expect("records have text keys, and counting does not fail");
    count.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        format!("{}{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn refusals() {
        assert_eq!(parse(""), Err(Refusal::Truncated));
        assert_eq!(parse("{\"a\":"), Err(Refusal::Truncated));
        assert_eq!(
            parse("{\n<b>"),
            Err(Refusal::NotJson { line: 2, column: 1, message: "key must be a string".into() })
        );
        assert!(parse(&nested(JSON_DEPTH)).is_ok());
        assert_eq!(parse(&nested(JSON_DEPTH + 1)), Err(Refusal::TooDeep));
        assert_eq!(parse(&"[".repeat(10_000)), Err(Refusal::TooDeep));
        assert_eq!(parse(&"{\"a\":".repeat(10_000)), Err(Refusal::TooDeep));
        let large = " ".repeat(JSON_BYTES as usize + 1);
        assert_eq!(parse(&large), Err(Refusal::TooLarge { bytes: JSON_BYTES + 1, limit: JSON_BYTES }));
        assert_eq!(text_of(b"PK\x03\x04".to_vec()), Err(Refusal::NotFabula(FileKind::Zip)));
        assert_eq!(text_of(b"{\"a\":\"\xff\"}".to_vec()), Err(Refusal::NotText));
    }

    /// As Notepad and PowerShell write it.
    #[test]
    fn utf_16_is_text_where_it_says_so() {
        let text = "{\"a\": \"雨😀\"}";
        for (mark, bytes) in [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)]
        {
            let units: Vec<u8> = text.encode_utf16().flat_map(bytes).collect();
            assert_eq!(text_of([&mark[..], &units].concat()).as_deref(), Ok(text));
            assert_eq!(text_of([&mark[..], &[0xd8, 0xd8]].concat()), Err(Refusal::NotText), "half a letter");
        }
    }

    /// A program that cuts texts by UTF-16 leaves halves of letters; what merely looks like one stays.
    #[test]
    fn half_a_letter() {
        for (text, read) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\ud83d\n\uDE00b""#, "\u{fffd}\n\u{fffd}b"),
            (r#""\ud83d\ud83d\ude00\\ud83d""#, "\u{fffd}😀\\ud83d"),
        ] {
            assert_eq!(parse(text), Ok(read.into()), "{text}");
        }
        assert!(parse(r#""\ud83""#).is_err() && parse("\"\\ud83d\\").is_err());
    }

    #[test]
    fn a_byte_order_mark_passes() {
        assert_eq!(parse("\u{feff}[1]"), Ok(serde_json::json!([1])));
    }
}
