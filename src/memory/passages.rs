//! Long texts are cut into passages, so that a hit names a place and a long turn does not drown a short one.

/// The most that a passage holds, in bytes of UTF-8: about 70 English words or 130 Chinese characters, which say about
/// as much. A chat's turn is shorter and stays whole.
pub const PASSAGE: usize = 400;

/// Where a text may be cut, the better places first.
const ENDS: &[&[char]] =
    &[&['\n'], &['.', '!', '?', '。', '！', '？', '…'], &[',', ';', ':', '，', '；', '：', '、'], &[' ']];

/// Where a sentence ends.
pub(super) const SENTENCE_ENDS: &[char] = &['\n', '.', '!', '?', '。', '！', '？', '…'];

/// Marks that belong to the sentence before them.
pub(super) const CLOSING: &[char] =
    &['"', '\'', '”', '’', '」', '』', ')', '）', '*', '.', '!', '?', '。', '！', '？', '…', '\n', ' '];

/// Cuts `text` at ends of paragraphs, else of sentences, else of clauses, into passages of at most [`PASSAGE`].
/// Joined, they are `text`. Passages of nothing but space are left out.
pub fn passages(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while PASSAGE < rest.len() {
        let (passage, more) = rest.split_at(cut(rest));
        found.push(passage);
        rest = more;
    }
    found.push(rest);
    found.retain(|passage| !passage.trim().is_empty());
    found
}

/// Length of the first passage of a `text` that is longer than one.
fn cut(text: &str) -> usize {
    let most = (0..=PASSAGE).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(PASSAGE);
    // A cut in the first half would leave scraps.
    let least = most / 2;
    for ends in ENDS {
        if let Some((at, end)) = text[..most].char_indices().rev().find(|(at, c)| least <= *at && ends.contains(c)) {
            let end = at + end.len_utf8();
            let closing = text[end..most].find(|c| !CLOSING.contains(&c)).unwrap_or(most - end);
            return end + closing;
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_cut_falls_at_the_end_of_a_sentence() {
        let text = "她推开门。“谁？”没有人回答，只有雨声。".repeat(12);
        for passage in passages(&text) {
            assert!(passage.ends_with('。') || passage.ends_with('”'), "{passage}");
        }
        let text = format!("{}\n\n{}", "One thing. ".repeat(30).trim(), "Another thing. ".repeat(10));
        assert!(passages(&text)[0].ends_with("One thing.\n\n"));
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "[a-z ,.。！\n雨夜“”]{0,900}") {
            let cut = passages(&text);
            prop_assert!(cut.iter().all(|passage| passage.len() <= PASSAGE));
            let kept: String = cut.concat().split_whitespace().collect();
            prop_assert_eq!(kept, text.split_whitespace().collect::<String>());
        }
    }
}
