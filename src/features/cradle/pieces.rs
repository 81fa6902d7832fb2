//! A text in the pieces that it is read in.

use crate::prompt::tokens::estimate;

/// Tokens of a piece, at most: a small model with a small context reads it beside the character.
const MOST: u32 = 2_000;
/// Characters of a line that are looked at together, where a line alone is too long.
const STRETCH: usize = 400;

/// The pieces of a text, whole lines where that goes: the same text gives the same pieces. Blanks alone are none.
pub fn pieces(text: &str) -> Vec<&str> {
    let (mut pieces, mut from, mut tokens) = (Vec::new(), 0, 0);
    for (at, cost) in parts(text) {
        if tokens > 0 && tokens + cost > MOST {
            pieces.push(&text[from..at]);
            (from, tokens) = (at, 0);
        }
        tokens += cost;
    }
    pieces.push(&text[from..]);
    pieces.into_iter().map(str::trim).filter(|piece| !piece.is_empty()).collect()
}

/// Lines, and stretches of lines that are too long, with where they begin and their tokens.
fn parts(text: &str) -> impl Iterator<Item = (usize, u32)> {
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        at += line.len();
        (at - line.len(), line)
    });
    lines.flat_map(|(at, line)| match estimate(line) {
        cost if cost <= MOST => vec![(at, cost)],
        _ => stretches(line).map(|(within, part)| (at + within, estimate(part))).collect(),
    })
}

/// Ends where a sentence does, where there is one.
fn stretches(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = &line[from..];
        if rest.is_empty() {
            return None;
        }
        let most = rest.char_indices().nth(STRETCH).map_or(rest.len(), |(at, _)| at);
        let to = match most == rest.len() {
            true => most,
            false => {
                let mut ends = rest[..most].char_indices().filter(|(_, char)| ".!?。！？…；;".contains(*char));
                ends.next_back().map_or(most, |(at, char)| at + char.len_utf8())
            }
        };
        let part = (from, &rest[..to]);
        from += to;
        Some(part)
    })
}
