//! A question, taken apart: words to look for, whom it names, which dates it names.

use super::{
    classes,
    dates::{self, DateWord, Named},
    index::{Index, NONE},
    search::{idf, ranked},
    view::View,
    words::{self, Word},
};

/// What is asked.
#[derive(Clone, Copy, Default)]
pub struct Query<'a> {
    /// The question, or the last thing said.
    pub text: &'a str,
    /// What was said just before it, where nothing is asked: two utterances are enough.
    pub earlier: &'a [&'a str],
    /// Words that an answer may hold and the question does not, as a model may think of them.
    pub expansions: &'a [&'a str],
    /// Other names of speakers: (name, speaker).
    pub aliases: &'a [(&'a str, &'a str)],
    /// Likeness of vectors by rank of the view ([`super::dense::Windows`]); NaN where a unit has no vector yet.
    pub dense: Option<&'a [f32]>,
    /// Which units may be found; the others count as neighbours all the same. `None` = all.
    pub only: Option<&'a dyn Fn(u32) -> bool>,
    /// It is being typed into a search box: its last Latin word is the beginning of one, and the words alone count.
    pub typing: bool,
}

/// A word to look for, in all the forms that count as it.
#[derive(Debug)]
pub(super) struct Sought {
    /// As the index writes it.
    pub word: String,
    /// Numbers of its forms; none where nobody ever said it.
    pub forms: Vec<u32>,
    pub weight: f32,
    /// It may be part of a date.
    pub date: Option<DateWord>,
}

impl Sought {
    /// How much it tells in a view; nothing where nobody said it.
    pub fn rarity(&self, view: &View) -> f32 {
        let holders = |form: &u32| view.holders.get(*form as usize).copied().unwrap_or(0) as usize;
        let holding = self.forms.iter().map(holders).sum::<usize>().min(view.len());
        if holding == 0 { 0.0 } else { idf(view.len(), holding) }
    }
}

/// A query read against an index and a view.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub sought: Vec<Sought>,
    /// The one speaker that it names, or [`NONE`].
    pub speaker: u32,
    pub dates: Vec<Named>,
}

/// So many words at most complete the one that is being typed, the most frequent first.
const COMPLETIONS: usize = 32;

impl Asked {
    pub fn read(index: &Index, view: &View, query: &Query<'_>) -> Self {
        let mut asked = Self { speaker: NONE, ..Self::default() };
        if query.typing {
            let typed = asked.take(index, query.text, &[], 1.0);
            if let Some(typed) = typed {
                asked.complete(index, view, typed);
            }
            return asked;
        }
        let names = Names::of(index, view, query);
        asked.speaker = names.only;
        asked.dates = dates::named(query.text);
        // A speaker's name stands in half of all units and finds nothing; but it may be all that is asked.
        for names in [&names.words[..], &[]] {
            asked.take(index, query.text, names, 1.0);
            if !asked.sought.is_empty() {
                break;
            }
        }
        asked.widen(index, view, query.expansions);
        let new = asked.sought.len();
        for earlier in query.earlier {
            asked.take(index, earlier, &names.words, view.weights.earlier);
        }
        asked.hold_back(view, query.text, new);
        asked
    }

    /// What was said before helps where the new words say too little, and never outweighs them: its words, those from
    /// `new` on, together count as much as is lacking, or as their share.
    fn hold_back(&mut self, view: &View, text: &str, new: usize) {
        let weights = &view.weights;
        let worth =
            |sought: &[Sought]| -> f32 { sought.iter().map(|sought| sought.weight * sought.rarity(view)).sum() };
        let (said, before) = (worth(&self.sought[..new]), worth(&self.sought[new..]));
        let share = if text.contains(['?', '？']) { weights.earlier_asked } else { weights.earlier_most };
        let most = (share * said).max(weights.enough - said);
        if most < before {
            self.sought[new..].iter_mut().for_each(|sought| sought.weight *= most / before);
        }
    }

    /// Adds the words of `text` that are not among `names`; gives the place of the last one if it ends the text.
    fn take(&mut self, index: &Index, text: &str, names: &[String], weight: f32) -> Option<usize> {
        let mut last = None;
        if weight == 0.0 {
            return last;
        }
        words::read(text, |Word { text: word, latin, .. }| {
            if names.iter().any(|name| name == word) {
                return;
            }
            let at = self.sought.iter().position(|sought| sought.word == word).unwrap_or_else(|| {
                self.sought.push(Sought {
                    word: word.to_owned(),
                    forms: index.words.get_index_of(word).into_iter().map(|form| form as u32).collect(),
                    weight: weight * words::weight(word),
                    date: DateWord::of(word),
                });
                self.sought.len() - 1
            });
            last = latin.then_some(at);
        });
        last.filter(|_| text.ends_with(char::is_alphanumeric))
    }

    /// Adds what may be meant by other words: those of each kind that is named, as one weak word, and those that
    /// somebody thought of for this question.
    fn widen(&mut self, index: &Index, view: &View, expansions: &[&str]) {
        let weights = &view.weights;
        for at in 0..self.sought.len() {
            let word = &self.sought[at].word;
            let known = classes::members(word).iter().filter_map(|member| index.words.get_index_of(member.as_str()));
            let forms: Vec<u32> = known.map(|form| form as u32).collect();
            if 0.0 < weights.classes && !forms.is_empty() {
                self.sought.push(Sought { word: word.clone(), forms, weight: weights.classes, date: None });
            }
        }
        for expansion in expansions {
            self.take(index, expansion, &[], weights.expansions);
        }
    }

    /// Lets the word at `at` stand for all that begin with it.
    fn complete(&mut self, index: &Index, view: &View, at: usize) {
        let sought = &mut self.sought[at];
        let begun = sought.word.as_str();
        let those = |fits: &dyn Fn(&str) -> bool| {
            let words = (0u32..).zip(&view.holders).zip(&index.words);
            let seen = words.filter(|((_, holders), word)| 0 < **holders && fits(word));
            // What most units hold first.
            seen.map(|((form, holders), _)| ranked(u32::MAX - holders, form)).collect::<Vec<_>>()
        };
        let mut forms = those(&|word| word.starts_with(begun));
        if forms.is_empty() {
            // While an ending is typed, the stem is already behind: "kayaki" is on its way to "kayak".
            forms = those(&|word| 3 < word.len() && begun.starts_with(word));
        }
        forms.sort_unstable();
        sought.forms = forms.into_iter().take(COMPLETIONS).map(|form| form as u32).collect();
    }
}

/// The names of those who speak in a view, and whom a query means.
struct Names {
    /// Words of all their names.
    words: Vec<String>,
    /// The one who is named, or [`NONE`] where it is nobody or several.
    only: u32,
}

impl Names {
    fn of(index: &Index, view: &View, query: &Query<'_>) -> Self {
        let mut asked = Vec::new();
        words::read(query.text, |word| asked.push(word.text.to_owned()));
        let mut names = Self { words: Vec::new(), only: NONE };
        let mut named = Vec::new();
        for speaker in &view.speakers {
            let own = index.speakers[*speaker as usize].as_ref();
            let others = query.aliases.iter().filter(|(_, of)| *of == own).map(|(alias, _)| *alias);
            for name in others.chain([own]) {
                let mut whole = true;
                let mut any = false;
                words::read(name, |word| {
                    let said = asked.iter().any(|asked| asked == word.text);
                    // One word of a Latin name will do; a Chinese one is its characters together.
                    any |= said && word.latin;
                    whole &= said;
                    names.words.push(word.text.to_owned());
                });
                let together = whole && name.contains(words::is_cjk) && query.text.contains(name);
                if (any || together) && !named.contains(speaker) {
                    named.push(*speaker);
                }
            }
        }
        if let [only] = named[..] {
            names.only = only;
        }
        names
    }
}
