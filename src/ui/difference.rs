//! What differs between two texts, word by word.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Both,
    Old,
    New,
}

/// Above this many pairs of words the texts are told apart as wholes.
const PAIRS: usize = 4_000_000;

/// The longest common run of words stays; the rest is old or new.
pub fn difference(old: &str, new: &str) -> Vec<(Side, String)> {
    let (a, b) = (words(old), words(new));
    if a.len() * b.len() > PAIRS {
        return vec![(Side::Old, old.to_owned()), (Side::New, new.to_owned())];
    }
    let width = b.len() + 1;
    let mut common = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i * width + j] = match a[i] == b[j] {
                true => common[(i + 1) * width + j + 1] + 1,
                false => common[(i + 1) * width + j].max(common[i * width + j + 1]),
            };
        }
    }
    let mut out: Vec<(Side, String)> = Vec::new();
    let mut push = |side: Side, word: &str| match out.last_mut() {
        Some((last, text)) if *last == side => text.push_str(word),
        _ => out.push((side, word.to_owned())),
    };
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            push(Side::Both, a[i]);
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && common[(i + 1) * width + j] >= common[i * width + j + 1]) {
            push(Side::Old, a[i]);
            i += 1;
        } else {
            push(Side::New, b[j]);
            j += 1;
        }
    }
    out
}

/// Runs of ASCII letters and digits are words; every other sign stands alone.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut inside = false;
    for (at, char) in text.char_indices() {
        let joins = char.is_ascii_alphanumeric();
        if at > start && !(inside && joins) {
            words.push(&text[start..at]);
            start = at;
        }
        inside = joins;
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}
