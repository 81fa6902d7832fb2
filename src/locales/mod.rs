//! Every text of the page, in Chinese and English side by side.

pub mod damage;
pub mod faults;
pub mod prompts;
pub mod reasons;
pub mod refusals;
pub mod replies;
pub mod time;
pub mod warnings;

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

macro_rules! texts {
    ($($name:ident: $zh:literal, $en:literal;)*) => {
        /// A text of the page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum T { $($name),* }

        impl T {
            pub const ALL: &[T] = &[$(T::$name),*];

            pub fn text(self, language: Language) -> &'static str {
                match self { $(T::$name => language.pick($zh, $en)),* }
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
                }
            }
        }
    };
}

// After the macro, which they use.
pub mod keys;
pub mod memory;
pub mod mind;
pub mod sessions;
pub mod status_bar;
mod texts;
pub mod tree;

pub use texts::T;

/// Fills `{}` places in order.
pub fn fill(template: &str, values: &[&str]) -> String {
    let mut parts = template.split("{}");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (at, part) in parts.enumerate() {
        out.push_str(values.get(at).copied().unwrap_or_default());
        out.push_str(part);
    }
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
    }

    #[test]
    fn follows_the_browser() {
        assert_eq!(Language::from_browser(["zh-TW", "en"]), Language::Zh);
        assert_eq!(Language::from_browser(["fr", "en-GB", "zh"]), Language::En);
        assert_eq!(Language::from_browser([]), Language::En);
    }
}
