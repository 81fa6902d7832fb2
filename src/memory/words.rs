//! The words of a text, as the index counts them.
//!
//! Latin words: lower case, no stop words, irregular forms brought together, stems by Snowball's English. Chinese,
//! Japanese and Korean: single characters and pairs of neighbours, which find as much as a dictionary's words do.

use waken_snowball::{SnowballEnv, algorithms::english_stemmer};

use super::forms;

/// One word as the index counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    pub text: &'a str,
    /// Written with a capital in the middle of a sentence.
    pub name: bool,
    /// Written by the Latin rules, not by the CJK ones.
    pub latin: bool,
}

/// What a text shows besides its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// How often the speaker speaks of themselves.
    pub first_person: u32,
    /// There is a question mark somewhere.
    pub asks: bool,
    /// The last thing said is a question.
    pub ends_asking: bool,
}

/// Hands each word of `text` to `each`, in order, and says how the text speaks.
pub fn read(text: &str, mut each: impl FnMut(Word<'_>)) -> Manner {
    let mut manner = Manner {
        first_person: 0,
        asks: text.contains(is_question_mark),
        ends_asking: text
            .trim_end_matches(|c: char| c.is_whitespace() || CLOSING.contains(c))
            .ends_with(is_question_mark),
    };
    let mut lower = String::new();
    scan(text, |run| match run {
        Run::Latin { word, after } => {
            lower.clear();
            lower.extend(lowered(word));
            manner.first_person += u32::from(forms::is_first_person(&lower));
            if let Some(text) = stem(&lower) {
                each(Word { text: &text, name: after && is_capitalised(word), latin: true });
            }
        }
        Run::Cjk(run) => {
            manner.first_person += run.chars().filter(|c| *c == '我').count() as u32;
            pairs(run, |text| each(Word { text, name: false, latin: false }));
        }
    });
    manner
}

/// In lower case, with one kind of apostrophe.
fn lowered(word: &str) -> impl Iterator<Item = char> {
    word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c })
}

/// Marks that may stand behind the end of what was said.
const CLOSING: &str = "\"'”’」』）)*】]…";

fn is_question_mark(c: char) -> bool {
    matches!(c, '?' | '？')
}

/// Two letters at least: "I" and initials are no names.
pub(super) fn is_capitalised(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase)
}

/// The index's form of a word in lower case; `None` for a stop word.
pub fn stem(lower: &str) -> Option<String> {
    let word = lower.strip_suffix("'s").unwrap_or(lower);
    if forms::is_stop_word(lower) || forms::is_stop_word(word) {
        return None;
    }
    let mut stemmer = SnowballEnv::create(forms::regular(word));
    english_stemmer::stem(&mut stemmer);
    Some(stemmer.get_current().into_owned())
}

/// Words of the index as they are written in a text: for each the forms that stand there, or itself where none does.
pub fn written(text: &str, words: &[String]) -> Vec<String> {
    let mut forms: Vec<(String, String)> = Vec::new();
    scan(text, |run| {
        let Run::Latin { word, .. } = run else { return };
        let lower: String = lowered(word).collect();
        if let Some(stem) = stem(&lower).filter(|stem| words.contains(stem))
            && !forms.iter().any(|(_, known)| known == word)
        {
            forms.push((stem, word.to_owned()));
        }
    });
    let of = |word: &String| -> Vec<String> {
        let written = forms.iter().filter(|(stem, _)| stem == word).map(|(_, written)| written.clone());
        let written: Vec<_> = written.collect();
        if written.is_empty() { vec![word.clone()] } else { written }
    };
    words.iter().flat_map(of).collect()
}

/// A character whose writing puts no space between words.
pub fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' | '々')
}

/// A stretch of text of one kind.
pub(super) enum Run<'a> {
    Latin {
        word: &'a str,
        /// A lower-case letter or a comma, and a space, stand before it.
        after: bool,
    },
    Cjk(&'a str),
}

pub(super) fn scan<'a>(text: &'a str, mut each: impl FnMut(Run<'a>)) {
    scan_while(text, |run| {
        each(run);
        true
    });
}

/// Goes on for as long as `each` says so.
fn scan_while<'a>(text: &'a str, mut each: impl FnMut(Run<'a>) -> bool) {
    let mut rest = text;
    let mut before = ['.', '.'];
    while let Some(first) = rest.chars().next() {
        let length = if is_cjk(first) {
            rest.find(|c| !is_cjk(c)).unwrap_or(rest.len())
        } else if first.is_alphanumeric() {
            latin_length(rest)
        } else {
            before = [before[1], first];
            rest = &rest[first.len_utf8()..];
            continue;
        };
        let (run, after) = rest.split_at(length);
        let goes_on = if is_cjk(first) {
            each(Run::Cjk(run))
        } else {
            let after = before[1] == ' ' && (before[0] == ',' || before[0].is_lowercase());
            each(Run::Latin { word: run, after })
        };
        if !goes_on {
            return;
        }
        before[1] = run.chars().next_back().unwrap_or('.');
        rest = after;
    }
}

/// Length of the word at the start of `text`, with one apostrophe and letters behind it: "don't", "Mel's".
fn latin_length(text: &str) -> usize {
    let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() || is_cjk(c)).unwrap_or(text.len());
    let length = word(text);
    let Some(mark) = text[length..].chars().next().filter(|c| matches!(c, '\'' | '’')) else { return length };
    let from = length + mark.len_utf8();
    match word(&text[from..]) {
        0 => length,
        more => from + more,
    }
}

/// Characters and pairs of neighbours, in what stop words and particles leave of a run.
fn pairs(run: &str, mut each: impl FnMut(&str)) {
    let mut last: Option<(usize, char)> = None;
    let mut skipped = 0;
    for (at, c) in run.char_indices() {
        if at < skipped {
            continue;
        }
        let stop_word = forms::stop_word_length(&run[at..]);
        if 0 < stop_word || forms::is_particle(c) {
            skipped = at + stop_word;
            last = None;
            continue;
        }
        let (end, common) = (at + c.len_utf8(), forms::is_common(c));
        if let Some((from, before)) = last
            && !(common && forms::is_common(before))
        {
            each(&run[from..end]);
        }
        if !common {
            each(&run[at..end]);
        }
        last = Some((at, c));
    }
}

/// Whether `text` says more than one word: two CJK characters are a word, and what is said again is not more. So "ok",
/// "嗯", "好的", "哈哈哈" say nothing that is worth a place in a prompt, and "她死了" does.
pub fn says_more_than_a_word(text: &str) -> bool {
    let mut said: Vec<String> = Vec::new();
    let mut halves = 0;
    let mut is_little = |word: String, weight: u32| {
        if !said.contains(&word) {
            halves += weight;
            said.push(word);
        }
        halves <= 2
    };
    scan_while(text, |run| match run {
        Run::Latin { word, .. } => is_little(word.to_lowercase(), 2),
        Run::Cjk(run) => run.chars().all(|c| is_little(c.into(), 1)),
    });
    2 < halves
}

/// How much a word counts: a single CJK character stands in many words, and counts half.
pub fn weight(word: &str) -> f32 {
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some(only), None) if is_cjk(only) => 0.5,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        let mut words = Vec::new();
        read(text, |word| words.push(format!("{}{}", word.text, if word.name { "!" } else { "" })));
        words.join(" ")
    }

    #[test]
    fn what_was_looked_for_is_marked_as_it_is_written() {
        let check = |text: &str, words: &[&str], expected: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(written(text, &words), expected, "{text}");
        };
        check("She told a Story of two cities.", &["stori", "citi"], &["Story", "cities"]);
        check("They went, and good it was to go.", &["go"], &["went", "go"]);
        check("The children’s kite", &["child"], &["children’s"]);
        check("雨停了", &["雨", "sto"], &["雨", "sto"]);
    }

    #[test]
    fn latin_words_are_stemmed_and_irregular_forms_meet() {
        assert_eq!(of("The children's kites"), "child kite");
        assert_eq!(of("She went, goes, and has gone."), "go goe go");
        assert_eq!(of("don’t they’ve Mel's café"), "mel! café");
        assert_eq!(of("we met in Prague, France, but The End"), "meet pragu! franc! end!");
    }

    #[test]
    fn chinese_is_characters_and_pairs() {
        assert_eq!(of("我的猫爱鱼"), "猫 猫爱 爱 爱鱼 鱼");
        assert_eq!(of("我的 iPhone很好"), "iphon 好");
        assert_eq!(of("你们为什么去上海？"), "上海 海");
        assert_eq!(weight("猫"), 0.5);
        assert_eq!(weight("猫爱"), 1.0);
        assert_eq!(weight("a"), 1.0);
    }

    #[test]
    fn a_word_alone_says_nothing() {
        for text in ["", "……", "ok", "Ok! OK.", "Yes.", "嗯。", "好的。", "哈哈哈哈", "是的，是的。", "42"]
        {
            assert!(!says_more_than_a_word(text), "{text}");
        }
        for text in ["She is dead.", "I lied.", "她死了。", "在钟楼", "ok, 上海", "1984年"] {
            assert!(says_more_than_a_word(text), "{text}");
        }
    }

    #[test]
    fn manner_sees_questions_and_the_self() {
        let manner = |text| read(text, |_| {});
        assert_eq!(manner("Where? I'm lost."), Manner { first_person: 1, asks: true, ends_asking: false });
        assert_eq!(manner("“我们去哪里？” "), Manner { first_person: 1, asks: true, ends_asking: true });
    }
}
