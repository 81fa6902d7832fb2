//! Reads JSON as models write it.
//!
//! Valid JSON passes untouched. The rest is read by a tolerant reader which reports what it had to overlook; it never
//! panics, and gives up rather than guess at prose. Strings keep their content: within them nothing is repaired but
//! what is no JSON at all (raw newlines, quotation marks without a backslash, unknown escapes).

mod reader;
mod string;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::reader::Reader;
use crate::story::order;

/// What was overlooked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repair {
    /// Text or a code fence before or after the object.
    Surroundings,
    /// `//`, `/* */`, `#`, or `...` for what the model left out.
    Comment,
    TrailingComma,
    MissingComma,
    MissingColon,
    /// Any but `"…"`.
    Quotes,
    UnquotedKey,
    UnquotedValue,
    /// Full-width punctuation outside of strings.
    FullWidth,
    /// `True`, `None`, `NaN`.
    Literal,
    RawNewline,
    InnerQuotes,
    Escape,
    /// A key with nothing after it: null.
    MissingValue,
    /// One too few, or the wrong one.
    MissingBracket,
    /// One too many.
    ExtraBracket,
    /// The text ended amid the object: what was open is closed, a half-written key dropped.
    CutOff,
    /// The same, and what was half-written went with it: see [`repair_whole`].
    HalfItem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadJson {
    #[error("there is no object in the text")]
    NoObject,
    #[error("nested too deeply")]
    TooDeep,
    #[error("not JSON, however it is read")]
    Unreadable,
}

/// Reads the first object of a text, or the array that the text begins with.
pub fn repair(text: &str) -> Result<(Value, Vec<Repair>), BadJson> {
    read(text, false)
}

/// The same of what is true only as a whole: where the text ends amid it, half a string is dropped, and the entry of a
/// list that it ends in.
pub fn repair_whole(text: &str) -> Result<(Value, Vec<Repair>), BadJson> {
    read(text, true)
}

fn read(text: &str, whole: bool) -> Result<(Value, Vec<Repair>), BadJson> {
    match serde_json::from_str(text) {
        Ok(value) => Ok((value, Vec::new())),
        Err(_) => tolerant(text, whole),
    }
}

fn tolerant(text: &str, whole: bool) -> Result<(Value, Vec<Repair>), BadJson> {
    let (start, braces) = start(text).ok_or(BadJson::NoObject)?;
    let mut reader = Reader::new(&text[start..], whole);
    if !text[..start].trim().is_empty() {
        reader.note(Repair::Surroundings);
    }
    let value = if braces { reader.value()? } else { reader.bare_object()? };
    reader.end();
    let mut repairs = reader.repairs;
    if repairs.contains(&Repair::HalfItem) {
        repairs.retain(|repair| !matches!(repair, Repair::CutOff | Repair::TrailingComma));
    }
    order::by_key(&mut repairs, |repair| *repair);
    Ok((value, repairs))
}

/// Where the JSON begins, and whether it has braces. Without, it begins with a key.
fn start(text: &str) -> Option<(usize, bool)> {
    let array = text.find(|c: char| !c.is_whitespace() && c != '\u{feff}' && c != '`');
    let body = text.trim_start_matches(|c: char| c.is_whitespace() || c == '`');
    let body = body.strip_prefix("json").unwrap_or(body).trim_start();
    if body.starts_with(['[', '［']) {
        return Some((text.len() - body.len(), true));
    }
    let brace = text.find(['{', '｛']);
    if body.starts_with('"') {
        let head = &text[text.len() - body.len()..brace.unwrap_or(text.len())];
        let mut quotes = head.splitn(3, '"').skip(2);
        if quotes.next().is_some_and(|rest| rest.trim_start().starts_with([':', '：'])) {
            return Some((text.len() - body.len(), false));
        }
    }
    brace.or(array.filter(|at| text[*at..].starts_with('['))).map(|at| (at, true))
}

/// How long the object is that `text` begins with, if it is closed. Only `"` is taken for a quotation mark.
pub(super) fn extent(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '｛' => depth += 1,
            '}' | '｝' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + c.len_utf8());
                }
            }
            _ => {}
        }
    }
    None
}
