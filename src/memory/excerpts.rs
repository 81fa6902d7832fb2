//! Sentences: a text that was found is told by those of its sentences that matter.

use std::{
    collections::HashMap,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
};

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
    /// By the mark of the index's form.
    words: HashMap<u64, Vec<usize>>,
    worth: Vec<f32>,
}

/// A sentence as it is weighed. It is read once, and weighed again where more is looked for.
#[derive(Clone, Debug)]
pub struct Read {
    /// Bytes.
    length: usize,
    /// The marks of its words.
    words: Vec<u64>,
}

impl Read {
    pub fn of(sentence: &str) -> Self {
        let mut words = Vec::new();
        words::read(sentence, |word| words.push(mark(word.text)));
        Self { length: sentence.len(), words }
    }
}

/// Stands for a word: of so few words no two have the same.
fn mark(word: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(word)
}

impl Terms {
    pub fn of(index: &Index, view: &View, query: &Query<'_>) -> Self {
        let mut terms = Self::default();
        for (number, sought) in Asked::read(index, view, query).sought.into_iter().enumerate() {
            terms.worth.push(sought.weight * sought.rarity(view));
            for form in sought.forms {
                terms.words.entry(mark(&index.words[form as usize])).or_default().push(number);
            }
        }
        terms
    }

    /// What each of the sentences of one text says of what is asked.
    pub fn weigh(&self, sentences: &[Read]) -> Vec<f32> {
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
            sum / (1.0 - B + B * (sentences[at].length as f32 / LENGTH).max(0.5))
        };
        (0..sentences.len()).map(weigh).collect()
    }

    /// Follows what a few sentences name that was not asked for and is named hardly anywhere else: from then on that is
    /// looked for too. Gives the units that name it. “The Thrush bought the debt” leads to who the Thrush is.
    pub fn follow(&mut self, index: &Index, view: &View, sentences: &[&str]) -> Vec<u32> {
        let mut named: Vec<u64> = Vec::new();
        // What the sentence itself says is held by one more than it leads to.
        let mut name = |word: &str, least: u32| {
            let Some(form) = index.words.get_index_of(word) else { return };
            let holders = view.holders.get(form).copied().unwrap_or(0);
            if (least..=RARE).contains(&holders) && !self.words.contains_key(&mark(word)) {
                named.push(ranked(holders, form as u32));
            }
        };
        for sentence in sentences {
            words::read(sentence, |word| {
                // One character is no name.
                if word.latin || word.text.chars().nth(1).is_some() {
                    name(word.text, 2);
                }
            });
            for word in surnamed(sentence) {
                name(&word, if word.chars().nth(1).is_some() { 1 } else { 2 });
            }
        }
        named.sort_unstable();
        named.dedup();
        named.truncate(FOLLOWED);
        let mut docs = Vec::new();
        for named in named {
            let (holders, form) = (named >> 32, named as u32 as usize);
            self.words.insert(mark(&index.words[form]), vec![self.worth.len()]);
            self.worth.push(LINK * idf(view.len(), holders as usize));
            let seen = index.postings[form].iter().map(|posting| posting.doc()).filter(|doc| view.rank(*doc).is_some());
            docs.extend(seen);
        }
        docs.sort_unstable();
        docs.dedup();
        docs
    }

    fn held(&self, sentence: &Read) -> Vec<usize> {
        sentence.words.iter().filter_map(|word| self.words.get(word)).flatten().copied().collect()
    }
}

/// A carter “whose name is Ji” (姓季的车夫) is Carter Ji (季车夫), or Ji, from then on: a name of one character, and the pair
/// that begins the other.
fn surnamed(sentence: &str) -> impl Iterator<Item = String> {
    sentence.match_indices('姓').flat_map(|(at, _)| {
        let is_people = sentence[..at].ends_with('百');
        let mut after = sentence[at..].chars().skip(1).take_while(|sign| words::is_cjk(*sign));
        let name = after.next().filter(|sign| !is_people && !"的名氏什甚".contains(*sign));
        let calling = after.next().filter(|sign| *sign == '的').and_then(|_| after.next());
        let pair = name.zip(calling).map(|(name, calling)| format!("{name}{calling}"));
        name.map(String::from).into_iter().chain(pair)
    })
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
    fn who_is_told_of_by_their_surname_is_known_by_it() {
        let mut index = Index::default();
        let said = Some(Said { speaker: "Mira", session: 1 });
        let texts = ["夜哨归一个姓穆的什长管。", "雨下了一天。", "穆什长只要一坛酒。", "百姓的米不够。"];
        let docs = texts.map(|text| index.append(&Unit { text, date: None, said }));
        let view = View::of(&index, Weights::RECALL, docs);
        let mut terms = Terms::of(&index, &view, &Query { text: "谁管夜哨？", ..Query::default() });
        assert!(terms.follow(&index, &view, &[texts[0], texts[3]]).contains(&docs[2]));
        assert!(0.0 < terms.weigh(&[Read::of(texts[2])])[0]);
        assert_eq!(
            surnamed("百姓们的米，姓名的事，姓什么，姓李，姓王的掌柜。").collect::<Vec<_>>(),
            ["李", "王", "王掌"]
        );
    }

    #[test]
    fn what_is_named_hardly_anywhere_is_followed() {
        let mut index = Index::default();
        let said = Some(Said { speaker: "Mira", session: 1 });
        let texts = ["The debt was bought by the Thrush.", "Rain all day.", "The Thrush is no other than the deacon."];
        let docs = texts.map(|text| index.append(&Unit { text, date: None, said }));
        let view = View::of(&index, Weights::RECALL, docs);
        let mut terms = Terms::of(&index, &view, &Query { text: "Who bought the debt?", ..Query::default() });
        assert_eq!(terms.weigh(&[Read::of(texts[2])]), [0.0]);
        assert_eq!(terms.follow(&index, &view, &[texts[0]]), [docs[0], docs[2]]);
        assert!(0.0 < terms.weigh(&[Read::of(texts[2])])[0] && terms.weigh(&[Read::of(texts[1])]) == [0.0]);
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
