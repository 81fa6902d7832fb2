//! What a text may be looked up by: names and words that stand out, as they are written in it. No dictionary knows the
//! names of a story; capitals do in English, and in Chinese what is said again, or stands alone between particles.

use std::collections::HashMap;

use super::{
    forms,
    words::{Run, is_capitalised, scan},
};

/// Characters of a Chinese name or word.
const CJK: std::ops::RangeInclusive<usize> = 2..=5;
/// Letters of an English word that is no name.
const LATIN: usize = 4;

/// Chinese characters that words may hold, but in a running text mostly stand between them.
const BETWEEN: &str = "从于与跟而并或但又再才仍最每其此之时里";

/// What stands out, the most telling first; the same at each call. Where nothing is a name or said again, words at all.
pub fn salient(text: &str) -> Vec<String> {
    let mut found = Found::default();
    scan(text, |run| match run {
        Run::Latin { word, .. } => found.latin(text, word),
        Run::Cjk(run) => cut(run, |piece| found.cjk(text, piece)),
    });
    found.ranked()
}

#[derive(Default)]
struct Found<'a> {
    all: Vec<Candidate<'a>>,
    /// Where in it a text is.
    places: HashMap<&'a str, usize>,
    /// Where the name ends that was read last.
    name_until: Option<usize>,
}

struct Candidate<'a> {
    text: &'a str,
    at: usize,
    count: usize,
    /// A capital amid a sentence.
    is_name: bool,
    is_cjk: bool,
    /// It stands so in the text; else it is a part of that.
    is_whole: bool,
}

impl<'a> Found<'a> {
    fn add(&mut self, whole: &'a str, text: &'a str, [is_name, is_cjk, is_whole]: [bool; 3]) {
        match self.places.get(text) {
            Some(place) => {
                let one = &mut self.all[*place];
                one.count += 1;
                one.is_name |= is_name;
                one.is_whole |= is_whole;
            }
            None => {
                let at = text.as_ptr() as usize - whole.as_ptr() as usize;
                self.places.insert(text, self.all.len());
                self.all.push(Candidate { text, at, count: 1, is_name, is_cjk, is_whole });
            }
        }
    }

    fn latin(&mut self, whole: &'a str, word: &'a str) {
        let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
        let at = word.as_ptr() as usize - whole.as_ptr() as usize;
        let is_capital = is_capitalised(word);
        let before = whole[..at].trim_end_matches(' ').chars().next_back();
        let is_amid = before.is_some_and(|char| char.is_alphanumeric() || ",，、".contains(char));
        let stands_out = !forms::is_stop_word(&word.to_lowercase());
        // Names of several words are one name.
        let joins = self.name_until.take().filter(|until| &whole[*until..at] == " ");
        if is_capital && stands_out && is_amid {
            let first =
                joins.and_then(|until| self.all.pop_if(|one| one.count == 1 && one.at + one.text.len() == until));
            let from = first.map_or(at, |one| {
                self.places.remove(one.text);
                one.at
            });
            self.add(whole, &whole[from..at + word.len()], [true, false, true]);
            self.name_until = Some(at + word.len());
        } else if stands_out && (is_capital || word.chars().count() >= LATIN) {
            self.add(whole, word, [false, false, true]);
        }
    }

    fn cjk(&mut self, whole: &'a str, piece: &'a str) {
        let ends: Vec<usize> = piece.char_indices().map(|(at, _)| at).chain([piece.len()]).collect();
        let chars = ends.len() - 1;
        for from in 0..chars {
            for length in CJK.filter(|length| from + length <= chars) {
                let part = &piece[ends[from]..ends[from + length]];
                self.add(whole, part, [false, true, length == chars]);
            }
        }
    }

    fn ranked(mut self) -> Vec<String> {
        let is_said_again = |one: &Candidate| one.count > 1 && (one.is_cjk || is_capitalised(one.text));
        let is_strong = |one: &Candidate| one.is_name || is_said_again(one);
        match self.all.iter().any(is_strong) {
            true => self.all.retain(is_strong),
            false => self.all.retain(|one| one.is_whole),
        }
        self.all.sort_by_key(|one| (std::cmp::Reverse((one.count, one.text.len())), one.at));
        // What is said only as a part of something longer, or across it, is not said.
        let mut told: Vec<Candidate> = Vec::new();
        for one in self.all {
            let is_across =
                |other: &Candidate| one.at < other.at + other.text.len() && other.at < one.at + one.text.len();
            let is_same = |other: &Candidate| is_across(other) || other.text.contains(one.text);
            if !told.iter().any(is_same) {
                told.push(one);
            }
        }
        told.into_iter().map(|one| one.text.to_owned()).collect()
    }
}

/// What stop words, particles and the like leave of a run.
fn cut<'a>(run: &'a str, mut each: impl FnMut(&'a str)) {
    let (mut from, mut skipped) = (0, 0);
    for (at, char) in run.char_indices() {
        if at < skipped {
            continue;
        }
        let stop_word = forms::stop_word_length(&run[at..]);
        if stop_word > 0 || forms::is_particle(char) || BETWEEN.contains(char) {
            each(trimmed(&run[from..at]));
            skipped = at + stop_word.max(char.len_utf8());
            from = skipped;
        }
    }
    each(trimmed(&run[from..]));
}

/// Without the verbs and places that begin and end many a word, as long as a word is left.
fn trimmed(mut piece: &str) -> &str {
    loop {
        let chars = piece.chars().count();
        let bare = piece.strip_prefix(forms::is_common).or_else(|| piece.strip_suffix(forms::is_common));
        match bare.filter(|_| chars > *CJK.start()) {
            Some(bare) => piece = bare,
            None => return piece,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_before_words() {
        for (text, found) in [
            ("Mira waits at the Old Harbour, and the Harbour Bell rings for Mira.", "Mira|Harbour Bell|Old Harbour"),
            ("Mira opens the gate. Mira waits.", "Mira"),
            ("The ferry leaves at dawn.", "leaves|ferry|dawn"),
            ("We met Ada's brother in Prague, I think.", "Prague|Ada"),
            ("", ""),
            ("I am what I am.", ""),
        ] {
            assert_eq!(salient(text).join("|"), found, "{text}");
        }
    }

    #[test]
    fn in_chinese_what_is_said_again_or_stands_alone() {
        for (text, found) in [
            ("渡船从雨城出发。雨城的渡船很旧。", "渡船|雨城"),
            ("灯塔守望者老了。灯塔守望者不说话。", "灯塔守望者"),
            ("她来到雨城，在旧书店里等我。", "旧书店|雨城"),
            ("你们为什么去上海？", "上海"),
            ("好的。嗯。", ""),
            ("阿达在 Old Bar 里找到了 Ada。", "Old Bar|Ada"),
        ] {
            assert_eq!(salient(text).join("|"), found, "{text}");
        }
    }
}
