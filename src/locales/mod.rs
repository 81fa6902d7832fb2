//! Every text of the page, in Chinese and English side by side.

pub mod damage;
pub mod faults;
pub mod prompts;
pub mod reasons;
pub mod refusals;
pub mod replies;
pub mod time;
pub mod warnings;

use std::sync::Arc;

use crate::story::storyline::Language;

impl Language {
    /// The language that a browser's preferences ask for.
    pub fn from_browser<'a>(tags: impl IntoIterator<Item = &'a str>) -> Self {
        for tag in tags {
            match tag.get(..2).unwrap_or(tag).to_ascii_lowercase().as_str() {
                "zh" => return Self::Zh,
                "en" => return Self::En,
                _ => {}
            }
        }
        Self::En
    }

    /// The tag of the document's `lang` attribute.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Zh => "zh-CN",
            Self::En => "en",
        }
    }

    /// One of two texts.
    pub fn pick<T>(self, zh: T, en: T) -> T {
        match self {
            Self::Zh => zh,
            Self::En => en,
        }
    }
}

/// Something that can be said in either language. Whatever outlives a change of the language keeps this, and not words.
pub trait Say: Send + Sync + 'static {
    fn say(&self, language: Language) -> String;

    /// To be kept, and said as often as one likes.
    fn kept(self) -> Saying
    where
        Self: Sized,
    {
        Saying(Arc::new(self))
    }
}

impl<F: Fn(Language) -> String + Send + Sync + 'static> Say for F {
    fn say(&self, language: Language) -> String {
        self(language)
    }
}

/// What is to be said, whatever it is made of.
#[derive(Clone)]
pub struct Saying(Arc<dyn Say>);

impl Saying {
    /// Several, one after the other.
    pub fn joined(parts: Vec<Saying>, between: &'static str) -> Self {
        let say = move |language| parts.iter().map(|part| part.say(language)).collect::<Vec<_>>().join(between);
        say.kept()
    }
}

impl Say for Saying {
    fn say(&self, language: Language) -> String {
        self.0.say(language)
    }

    fn kept(self) -> Saying {
        self
    }
}

/// A text of a table.
pub trait Text: Copy + Send + Sync + 'static {
    fn text(self, language: Language) -> &'static str;
}

/// A text of whatever table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnyText(&'static [&'static str; 2]);

impl Text for AnyText {
    fn text(self, language: Language) -> &'static str {
        let [zh, en] = *self.0;
        language.pick(zh, en)
    }
}

macro_rules! texts {
    ($($name:ident: $zh:literal, $en:literal;)*) => {
        /// A text of the page, in Chinese and in English. By its words and not by a number, so that each part of the page
        /// brings the texts that it says, and no other.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct T(&'static [&'static str; 2]);

        #[allow(non_upper_case_globals)]
        impl T {
            $(pub const $name: T = T(&[$zh, $en]);)*

            #[cfg(test)]
            pub const ALL: &[T] = &[$(T::$name),*];

            pub fn text(self, language: Language) -> &'static str {
                let [zh, en] = *self.0;
                language.pick(zh, en)
            }

            /// The text with its places filled.
            pub fn with(self, values: &[&str]) -> impl Fn(Language) -> String + Clone + Send + Sync + use<> {
                let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
                move |language| {
                    let values: Vec<&str> = values.iter().map(String::as_str).collect();
                    crate::locales::fill(self.text(language), &values)
                }
            }
        }

        impl crate::locales::Text for T {
            fn text(self, language: Language) -> &'static str {
                self.text(language)
            }
        }

        impl From<T> for crate::locales::AnyText {
            fn from(text: T) -> Self {
                Self(text.0)
            }
        }

        impl crate::locales::Say for T {
            fn say(&self, language: Language) -> String {
                self.text(language).to_owned()
            }
        }

        #[cfg(test)]
        mod table {
            use super::{Language, T};

            #[test]
            fn both_languages_say_the_same() {
                for text in T::ALL {
                    let [zh, en] = [Language::Zh, Language::En].map(|language| text.text(language));
                    assert!(!zh.trim().is_empty() && !en.trim().is_empty(), "{text:?}");
                    assert_eq!(zh.matches("{}").count(), en.matches("{}").count(), "{text:?}");
                    crate::locales::tests::is_counted(en);
                }
            }
        }
    };
}

// After the macro, which they use.
pub mod aloud;
pub mod changes;
pub mod circle;
pub mod commands;
pub mod connections;
pub mod costs;
pub mod cradle;
pub mod devices;
pub mod folder;
pub mod gallery;
pub mod group;
pub mod keys;
pub mod lengths;
pub mod lore;
pub mod lorebooks;
pub mod memory;
pub mod mind;
pub mod offline;
pub mod personas;
pub mod presets;
pub mod providers;
pub mod recap;
pub mod sampling;
pub mod scribe;
pub mod sessions;
pub mod sheet;
pub mod shelves;
pub mod shortcuts;
pub mod status_bar;
mod texts;
pub mod tools;
pub mod tree;
pub mod typography;
pub mod untold;

pub use texts::T;

/// Fills `{}` places in order. `{turn|turns}` is the first of the two where the value before it is 1.
pub fn fill(template: &str, values: &[&str]) -> String {
    filled(template, values, "")
}

/// The unit that stands after a count: `{turn|turns}` as one of the two.
pub fn unit(template: &str, count: &str) -> String {
    filled(template, &[], count)
}

fn filled<'a>(template: &str, values: &[&'a str], mut count: &'a str) -> String {
    let mut values = values.iter();
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let place = after.split_once('}').filter(|(place, _)| place.is_empty() || place.contains('|'));
        let Some((place, then)) = place else {
            out.push('{');
            rest = after;
            continue;
        };
        rest = then;
        if let Some((one, many)) = place.split_once('|') {
            out.push_str(if count == "1" { one } else { many });
        } else {
            count = values.next().copied().unwrap_or_default();
            out.push_str(count);
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_places() {
        assert_eq!(fill("{} of {}", &["1", "2"]), "1 of 2");
        assert_eq!(fill("plain", &["x"]), "plain");
        assert_eq!(fill("{} {}", &["{}"]), "{} ");
        assert_eq!(fill("{{char}} and {a} {", &["1"]), "{{char}} and {a} {");
        assert_eq!(fill("{} {a|b}, {} {a|b}", &["2", "1"]), "2 b, 1 a");
        assert_eq!(fill("{}", &["{a|b}"]), "{a|b}");
    }

    /// Of what is counted in this text there may be one.
    #[track_caller]
    pub fn is_counted(english: &str) {
        for after in english.split("{} ").skip(1) {
            let word = after.split(|char: char| !char.is_alphabetic()).next().unwrap_or_default();
            let is_plural = word.ends_with('s') && word.len() > 1 && !["is", "was", "has", "uses"].contains(&word);
            assert!(!is_plural, "one {word}: {english:?}");
        }
    }

    #[test]
    fn counts_of_none_one_and_two() {
        /// A text, and what it says of none, one and two in Chinese and in English.
        type Counted<'a> = (&'a dyn Fn(Language) -> &'static str, [&'a str; 3], [&'a str; 3]);
        let texts: [Counted; 20] = [
            (&|l| T::Words.text(l), ["0 字", "1 字", "2 字"], ["0 words", "1 word", "2 words"]),
            (&|l| T::Tokens.text(l), ["0 tokens", "1 token", "2 tokens"], ["0 tokens", "1 token", "2 tokens"]),
            (
                &|l| T::LastTurnTokens.text(l),
                ["上轮约 0 tokens", "上轮约 1 token", "上轮约 2 tokens"],
                ["Last turn: about 0 tokens", "Last turn: about 1 token", "Last turn: about 2 tokens"],
            ),
            (&|l| T::TurnsCount.text(l), ["0 轮", "1 轮", "2 轮"], ["0 turns", "1 turn", "2 turns"]),
            (
                &|l| T::TurnsPlayed.text(l),
                ["已进行 0 轮", "已进行 1 轮", "已进行 2 轮"],
                ["0 turns played", "1 turn played", "2 turns played"],
            ),
            (
                &|l| T::SessionsCount.text(l),
                ["会话 0 次", "会话 1 次", "会话 2 次"],
                ["0 sessions", "1 session", "2 sessions"],
            ),
            (
                &|l| T::UsedBy.text(l),
                ["0 个故事在用", "1 个故事在用", "2 个故事在用"],
                ["0 stories use it", "1 story uses it", "2 stories use it"],
            ),
            (
                &|l| T::ModelsFound.text(l),
                ["找到 0 个模型", "找到 1 个模型", "找到 2 个模型"],
                ["0 models found", "1 model found", "2 models found"],
            ),
            (
                &|l| T::PicturesCount.text(l),
                ["0 张图片", "1 张图片", "2 张图片"],
                ["0 pictures", "1 picture", "2 pictures"],
            ),
            (
                &|l| T::ImportDone.text(l),
                ["已导入 0 条记录。", "已导入 1 条记录。", "已导入 2 条记录。"],
                ["0 records imported.", "1 record imported.", "2 records imported."],
            ),
            (
                &|l| T::RecordsLeftOut.text(l),
                ["有 0 条记录已损坏，没有导出。", "有 1 条记录已损坏，没有导出。", "有 2 条记录已损坏，没有导出。"],
                [
                    "0 records are damaged and were left out.",
                    "1 record is damaged and was left out.",
                    "2 records are damaged and were left out.",
                ],
            ),
            (&|l| T::BlocksCount.text(l), ["0 个文段", "1 个文段", "2 个文段"], ["0 blocks", "1 block", "2 blocks"]),
            (
                &|l| T::PreviewLeftOut.text(l),
                ["中间省去 0 条消息", "中间省去 1 条消息", "中间省去 2 条消息"],
                [
                    "0 messages between are not shown",
                    "1 message between is not shown",
                    "2 messages between are not shown",
                ],
            ),
            (
                &|l| T::PromptTrimmed.text(l),
                ["省去最早的 0 轮", "省去最早的 1 轮", "省去最早的 2 轮"],
                ["0 oldest turns left out", "1 oldest turn left out", "2 oldest turns left out"],
            ),
            (
                &|l| mind::T::Changes.text(l),
                ["0 处变化", "1 处变化", "2 处变化"],
                ["0 changes", "1 change", "2 changes"],
            ),
            (
                &|l| mind::T::NoSuchPoint.text(l),
                ["大纲只有 0 个剧情点。", "大纲只有 1 个剧情点。", "大纲只有 2 个剧情点。"],
                ["The outline has only 0 points.", "The outline has only 1 point.", "The outline has only 2 points."],
            ),
            (
                &|l| memory::T::TestedEmbedding.text(l),
                ["可以用：向量有 0 维。", "可以用：向量有 1 维。", "可以用：向量有 2 维。"],
                [
                    "It works: its vectors have 0 dimensions.",
                    "It works: its vectors have 1 dimension.",
                    "It works: its vectors have 2 dimensions.",
                ],
            ),
            (&|l| sessions::T::SessionTurns.text(l), ["0 轮", "1 轮", "2 轮"], ["0 turns", "1 turn", "2 turns"]),
            (
                &|l| tree::T::Counts.text(l),
                ["0 个分支", "1 个分支", "2 个分支"],
                ["0 branches", "1 branch", "2 branches"],
            ),
            (
                &|l| status_bar::T::ItsCode.text(l),
                ["它的代码（0 字节）", "它的代码（1 字节）", "它的代码（2 字节）"],
                ["Its code (0 bytes)", "Its code (1 byte)", "Its code (2 bytes)"],
            ),
        ];
        for (text, zh, en) in texts {
            for (language, expected) in [(Language::Zh, zh), (Language::En, en)] {
                let said = ["0", "1", "2"].map(|count| fill(text(language), &[count]));
                assert_eq!(said, expected);
            }
        }
        assert_eq!(
            ["0", "1", "2", "1,000", ""].map(|count| unit("{turn|turns}", count)),
            ["turns", "turn", "turns", "turns", "turns"]
        );
    }

    #[test]
    fn what_is_kept_is_said_in_either_language() {
        let kept = Saying::joined(vec![T::Copied.kept(), T::CopyOf.with(&["{}"]).kept()], "; ");
        assert_eq!(kept.say(Language::En), "Copied; {} (copy)");
        assert_eq!(kept.say(Language::Zh), "已复制; {}（副本）");
    }

    #[test]
    fn follows_the_browser() {
        assert_eq!(Language::from_browser(["zh-TW", "en"]), Language::Zh);
        assert_eq!(Language::from_browser(["fr", "en-GB", "zh"]), Language::En);
        assert_eq!(Language::from_browser([]), Language::En);
    }
}
