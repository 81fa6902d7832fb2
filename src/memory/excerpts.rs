//! Sentences: a text that was found is told by those of its sentences that matter.

use std::collections::HashMap;

use super::{
    index::Index,
    passages::{CLOSING, PASSAGE, SENTENCE_ENDS, passages},
    query::{Asked, Query},
    search::{idf, ranked},
    view::View,
    words,
};

/// What a word counts that stands 0, 1, 2 sentences away: what a sentence is about is often said beside it.
const NEAR: [f32; 3] = [1.0, 0.5, 0.25];

/// Bytes of a sentence that is neither long nor short.
const LENGTH: f32 = 120.0;
/// How much longer sentences pay for their length: a planner of words holds many.
const B: f32 = 0.25;

/// What leads from one text to another is held by so many units at most; so many words are followed; and they count
/// less than what was asked.
const RARE: u32 = 6;
const FOLLOWED: usize = 8;
const LINK: f32 = 0.5;

/// Cuts a text at the ends of its sentences. Joined, they are `text`, but for what is only space.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(SENTENCE_ENDS) {
        // A mark after a space opens what comes next, and so does one of those that open and close, where none is open.
        let begins = text.len() - rest.len();
        let opens = |(length, c): &(usize, char)| {
            c.is_whitespace() || !CLOSING.contains(c) || is_opening(&text[..begins + at + length], *c)
        };
        let closed = rest[at..].char_indices().find(opens).map(|(length, _)| length);
        let spaced = |closed: usize| rest[closed..].find(|c: char| !c.is_whitespace()).map(|length| closed + length);
        let end = closed.and_then(|length| spaced(at + length)).unwrap_or(rest.len());
        let (sentence, more) = rest.split_at(end);
        rest = more;
        // A text without ends is cut where its passages are.
        if PASSAGE < sentence.len() { found.extend(passages(sentence)) } else { found.push(sentence) }
    }
    if PASSAGE < rest.len() {
        found.extend(passages(rest))
    } else {
        found.push(rest)
    }
    found.retain(|sentence| !sentence.trim().is_empty());
    found
}

/// Whether a straight quotation mark, or stars, open something after these words of a paragraph. An apostrophe does not tell.
fn is_opening(before: &str, mark: char) -> bool {
    if !matches!(mark, '"' | '*') {
        return false;
    }
    // Several in a row are one.
    let paragraph = before.rsplit('\n').next().unwrap_or_default().trim_end_matches(mark);
    let begins = |(at, _): &(usize, &str)| !paragraph[..*at].ends_with(mark);
    paragraph.match_indices(mark).filter(begins).count() % 2 == 0
}

/// The words of a query, and what each is worth in a view.
#[derive(Debug, Default)]
pub struct Terms {
    /// By the index's form.
    words: HashMap<String, Vec<usize>>,
    worth: Vec<f32>,
}

impl Terms {
    pub fn of(index: &Index, view: &View, query: &Query<'_>) -> Self {
        let mut terms = Self::default();
        for (number, sought) in Asked::read(index, view, query).sought.into_iter().enumerate() {
            terms.worth.push(sought.weight * sought.rarity(view));
            for form in sought.forms {
                terms.words.entry(index.words[form as usize].to_string()).or_default().push(number);
            }
        }
        terms
    }

    /// What each of the sentences of one text says of what is asked.
    pub fn weigh(&self, sentences: &[&str]) -> Vec<f32> {
        let held: Vec<Vec<usize>> = sentences.iter().map(|sentence| self.held(sentence)).collect();
        let mut nearest: Vec<f32> = vec![0.0; self.worth.len()];
        let weigh = |at: usize| {
            nearest.fill(0.0);
            let first = at.saturating_sub(NEAR.len() - 1);
            for (other, held) in held.iter().enumerate().take(at + NEAR.len()).skip(first) {
                for term in held {
                    nearest[*term] = NEAR[at.abs_diff(other)].max(nearest[*term]);
                }
            }
            let sum: f32 = nearest.iter().zip(&self.worth).map(|(near, worth)| near * worth).sum();
            sum / (1.0 - B + B * (sentences[at].len() as f32 / LENGTH).max(0.5))
        };
        (0..sentences.len()).map(weigh).collect()
    }

    /// Follows what a few sentences name that was not asked for and is named hardly anywhere else: from then on that is
    /// looked for too. Gives the units that name it. “The Thrush bought the debt” leads to who the Thrush is.
    pub fn follow(&mut self, index: &Index, view: &View, sentences: &[&str]) -> Vec<u32> {
        let mut named: Vec<u64> = Vec::new();
        for sentence in sentences {
            words::read(sentence, |word| {
                let Some(form) = index.words.get_index_of(word.text) else { return };
                let holders = view.holders.get(form).copied().unwrap_or(0);
                // One character is no name.
                let is_word = word.latin || word.text.chars().nth(1).is_some();
                if is_word && (2..=RARE).contains(&holders) && !self.words.contains_key(word.text) {
                    named.push(ranked(holders, form as u32));
                }
            });
        }
        named.sort_unstable();
        named.dedup();
        named.truncate(FOLLOWED);
        let mut docs = Vec::new();
        for named in named {
            let (holders, form) = (named >> 32, named as u32 as usize);
            self.words.insert(index.words[form].to_string(), vec![self.worth.len()]);
            self.worth.push(LINK * idf(view.len(), holders as usize));
            let seen = index.postings[form].iter().map(|posting| posting.doc()).filter(|doc| view.rank(*doc).is_some());
            docs.extend(seen);
        }
        docs.sort_unstable();
        docs.dedup();
        docs
    }

    fn held(&self, sentence: &str) -> Vec<usize> {
        let mut held = Vec::new();
        words::read(sentence, |word| held.extend(self.words.get(word.text).into_iter().flatten()));
        held
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Said, Unit, Weights};

    #[test]
    fn a_sentence_keeps_its_marks() {
        let text = "He nods. \"Odile,\" he says. \"Who else?\" Rain.\n\n“谁？”没有人回答。“没有。”";
        let cut: Vec<&str> = sentences(text).into_iter().map(str::trim).collect();
        let expected =
            ["He nods.", "\"Odile,\" he says.", "\"Who else?\"", "Rain.", "“谁？”", "没有人回答。", "“没有。”"];
        assert_eq!(cut, expected);
        // Marks that open and close alike, without a space before them.
        for (text, expected) in [
            ("他点头。\"钥匙在井里。\"老板说。", &["他点头。", "\"钥匙在井里。\"", "老板说。"][..]),
            ("\"甲。乙。\"丙。", &["\"甲。", "乙。\"", "丙。"]),
            ("他笑了。*转身。*再见。**停！**走。", &["他笑了。", "*转身。*", "再见。", "**停！**", "走。"]),
            ("It's late.\n\"Go.\" He went.", &["It's late.", "\"Go.\"", "He went."]),
        ] {
            let cut: Vec<&str> = sentences(text).into_iter().map(str::trim).collect();
            assert_eq!(cut, expected, "{text}");
        }
    }

    #[test]
    fn what_is_named_hardly_anywhere_is_followed() {
        let mut index = Index::default();
        let said = Some(Said { speaker: "Mira", session: 1 });
        let texts = ["The debt was bought by the Thrush.", "Rain all day.", "The Thrush is no other than the deacon."];
        let docs = texts.map(|text| index.append(&Unit { text, date: None, said }));
        let view = View::of(&index, Weights::RECALL, docs);
        let mut terms = Terms::of(&index, &view, &Query { text: "Who bought the debt?", ..Query::default() });
        assert_eq!(terms.weigh(&[texts[2]]), [0.0]);
        assert_eq!(terms.follow(&index, &view, &[texts[0]]), [docs[0], docs[2]]);
        assert!(0.0 < terms.weigh(&[texts[2]])[0] && terms.weigh(&[texts[1]]) == [0.0]);
        // Of another branch nothing is seen.
        let view = View::of(&index, Weights::RECALL, docs[..2].iter().copied());
        let mut terms = Terms::of(&index, &view, &Query { text: "Who bought the debt?", ..Query::default() });
        assert_eq!(terms.follow(&index, &view, &[texts[0]]), [0; 0]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "[a-z ,.。！?\\n雨夜“”\"]{0,900}") {
            let kept: String = sentences(&text).concat().split_whitespace().collect();
            prop_assert_eq!(kept, text.split_whitespace().collect::<String>());
        }
    }
}
