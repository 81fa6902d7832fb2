//! What texts call the reader: by their name, or by a word for who has given none.
//!
//! The story speaks to an unnamed reader: “you”. To a model “you” is the model, so what it is told speaks of a third:
//! “the reader”.

use super::storyline::Language;

/// The reader of a storyline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader<'a> {
    /// Empty where they have given none.
    name: &'a str,
    pub language: Language,
}

/// The forms of what the reader is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words<'a> {
    /// Within a sentence.
    pub plain: &'a str,
    /// At the beginning of one, or of a line.
    pub opening: &'a str,
    /// The same two with an English `'s`, where that makes another word.
    pub owning: Option<[&'a str; 2]>,
}

/// Who says “I am you” has given no name.
const PRONOUNS: [&str; 3] = ["你", "您", "you"];

/// What models call the reader: as transcripts, the story or what they were told have it.
const WORDS: [&str; 8] = ["user", "the user", "{{user}}", "<user>", "用户", "reader", "the reader", "读者"];

impl<'a> Reader<'a> {
    pub fn new(name: &'a str, language: Language) -> Self {
        let name = name.trim();
        Self { name: if among(&PRONOUNS, name) { "" } else { name }, language }
    }

    pub fn is_named(self) -> bool {
        !self.name.is_empty()
    }

    /// In texts that the reader reads: `{{user}}` in a greeting.
    pub fn in_story(self) -> Words<'a> {
        self.called(match self.language {
            Language::Zh => Words { plain: "你", opening: "你", owning: Some(["你的", "你的"]) },
            Language::En => Words { plain: "you", opening: "You", owning: Some(["your", "Your"]) },
        })
    }

    /// In texts that a model reads: `{{user}}` in a prompt.
    pub fn told(self) -> Words<'a> {
        self.called(match self.language {
            Language::Zh => Words { plain: "读者", opening: "读者", owning: Some(["读者的", "读者的"]) },
            Language::En => Words { plain: "the reader", opening: "The reader", owning: None },
        })
    }

    fn called(self, unnamed: Words<'a>) -> Words<'a> {
        match self.name {
            "" => unnamed,
            name => Words { plain: name, opening: name, owning: None },
        }
    }

    /// Whether a model that writes of `entity` means the reader.
    pub fn is(self, entity: &str) -> bool {
        is_meant(entity, self.name)
    }
}

impl Words<'_> {
    /// The form for its place. `owned` is the `'s` that follows there, or empty; it is part of what comes back.
    pub fn form(&self, opens: bool, owned: &str) -> String {
        match self.owning.filter(|_| !owned.is_empty()) {
            Some([plain, opening]) => (if opens { opening } else { plain }).to_owned(),
            None => format!("{}{owned}", if opens { self.opening } else { self.plain }),
        }
    }
}

/// Whether `entity` is the reader of this name, which may be empty.
pub fn is_meant(entity: &str, name: &str) -> bool {
    let (entity, name) = (entity.trim(), name.trim());
    !name.is_empty() && entity == name || among(&PRONOUNS, entity) || among(&WORDS, entity)
}

/// `entity` in the page's own words, where what a model calls the reader is “you”.
pub fn to_the_reader(entity: &str, language: Language) -> &str {
    if is_meant(entity, "") { Reader::new("", language).in_story().plain } else { entity }
}

fn among(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pronoun_is_no_name() {
        for name in ["", "  ", "你", "You", "you "] {
            assert!(!Reader::new(name, Language::Zh).is_named(), "{name}");
        }
        assert_eq!(Reader::new(" 小雨 ", Language::Zh).told().plain, "小雨");
    }

    #[test]
    fn the_page_says_you() {
        for entity in ["user", " User ", "{{user}}", "读者", "你", "the reader"] {
            assert_eq!(to_the_reader(entity, Language::Zh), "你", "{entity}");
            assert_eq!(to_the_reader(entity, Language::En), "you", "{entity}");
        }
        assert_eq!(to_the_reader("小雨", Language::Zh), "小雨");
    }

    #[test]
    fn what_models_call_the_reader() {
        let (named, unnamed) = (Reader::new("Lin", Language::En), Reader::new("", Language::En));
        for entity in ["user", "User", "你", "The reader", "{{User}}", "读者"] {
            assert!(named.is(entity) && unnamed.is(entity), "{entity}");
        }
        assert!(named.is(" Lin") && !unnamed.is("Lin"));
        assert!(!unnamed.is("") && !named.is("Mira"));
    }
}
