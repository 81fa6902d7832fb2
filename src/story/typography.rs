//! How a story is set on the page.

use serde::{Deserialize, Serialize};

/// A choice of a few, each under the name by which it is stored and by which the stylesheets know it; the first is
/// the usual one.
macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $usual:ident = $usual_name:literal, $($one:ident = $one_name:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name {
            #[default]
            $usual,
            $($one),+
        }

        impl $name {
            pub const ALL: &[Self] = &[Self::$usual, $(Self::$one),+];

            pub fn name(self) -> &'static str {
                match self {
                    Self::$usual => $usual_name,
                    $(Self::$one => $one_name),+
                }
            }

            /// The usual one where it is none of them.
            pub fn named(name: &str) -> Self {
                Self::one_of(&[name])
            }

            fn one_of(names: &[&str]) -> Self {
                Self::ALL.iter().copied().find(|one| names.contains(&one.name())).unwrap_or_default()
            }
        }
    };
}

choice! {
    /// The look of the whole page.
    #[derive(Serialize, Deserialize)]
    #[serde(from = "String", into = "String")]
    Theme { System = "system", Light = "light", Dark = "dark", Sepia = "sepia", Contrast = "contrast" }
}

impl From<String> for Theme {
    fn from(name: String) -> Self {
        Self::named(&name)
    }
}

impl From<Theme> for String {
    fn from(theme: Theme) -> Self {
        theme.name().to_owned()
    }
}

choice! {
    /// The letters of the story.
    Typeface { Serif = "serif", Sans = "sans", Kai = "kai" }
}

choice! {
    /// The distance of its lines.
    Leading { Usual = "usual", Close = "close", Open = "open" }
}

choice! {
    /// Their length.
    Measure { Usual = "usual", Narrow = "narrow", Wide = "wide" }
}

choice! {
    /// How paragraphs are told apart.
    Paragraphs { Spaced = "spaced", Indented = "indented" }
}

choice! {
    /// What is said within the prose.
    Speech { Coloured = "coloured", Plain = "plain" }
}

/// Kept as its [`tokens`](Typography::tokens) in the preferences, which are read before the first page is drawn: to read
/// what is in them is left to the page that sets it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Typography {
    pub typeface: Typeface,
    pub leading: Leading,
    pub measure: Measure,
    pub paragraphs: Paragraphs,
    pub speech: Speech,
    /// Face and name of who speaks above each reply, and not only where several do.
    pub portraits: bool,
}

/// The token of [`Typography::portraits`].
pub const PORTRAITS: &str = "portraits";

impl From<&str> for Typography {
    fn from(tokens: &str) -> Self {
        let tokens: Vec<&str> = tokens.split(' ').collect();
        Self {
            typeface: Typeface::one_of(&tokens),
            leading: Leading::one_of(&tokens),
            measure: Measure::one_of(&tokens),
            paragraphs: Paragraphs::one_of(&tokens),
            speech: Speech::one_of(&tokens),
            portraits: tokens.contains(&PORTRAITS),
        }
    }
}

impl Typography {
    /// What is not usual of it, as the stylesheets look for it on the root element.
    pub fn tokens(self) -> String {
        let usual = Self::default();
        let all = [
            (self.typeface != usual.typeface, self.typeface.name()),
            (self.leading != usual.leading, self.leading.name()),
            (self.measure != usual.measure, self.measure.name()),
            (self.paragraphs != usual.paragraphs, self.paragraphs.name()),
            (self.speech != usual.speech, self.speech.name()),
            (self.portraits, PORTRAITS),
        ];
        all.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stylesheets_are_told_what_is_not_usual() {
        assert_eq!(Typography::default().tokens(), "");
        let set = Typography {
            typeface: Typeface::Kai,
            measure: Measure::Narrow,
            paragraphs: Paragraphs::Indented,
            speech: Speech::Plain,
            ..Typography::default()
        };
        assert_eq!(set.tokens(), "kai narrow indented plain");
        assert_eq!(Typography::from(set.tokens().as_str()), set);
        let all = Typography { portraits: true, ..set };
        assert_eq!(Typography::from(all.tokens().as_str()), all);
        assert_eq!(Typography::from("mauve open").tokens(), "open");
    }

    /// Each that is not usual has a rule: a choice that changes nothing would be none.
    #[test]
    fn each_choice_has_its_rule() {
        let rules = [include_str!("../../style/tokens.css"), include_str!("../../style/typography.css")].concat();
        let names = |all: &[&'static str]| all[1..].to_vec();
        let tokens = [
            names(&Typeface::ALL.iter().map(|one| one.name()).collect::<Vec<_>>()),
            names(&Leading::ALL.iter().map(|one| one.name()).collect::<Vec<_>>()),
            names(&Measure::ALL.iter().map(|one| one.name()).collect::<Vec<_>>()),
            names(&Paragraphs::ALL.iter().map(|one| one.name()).collect::<Vec<_>>()),
            names(&Speech::ALL.iter().map(|one| one.name()).collect::<Vec<_>>()),
        ];
        for token in tokens.concat() {
            assert!(rules.contains(&format!("[data-typography~=\"{token}\"]")), "{token}");
        }
        // Paper is what there is without.
        for theme in Theme::ALL.iter().filter(|theme| !matches!(theme, Theme::System | Theme::Light)) {
            assert!(rules.contains(&format!("[data-theme=\"{}\"]", theme.name())), "{theme:?}");
        }
    }

    #[test]
    fn names_are_read_as_they_are_stored() {
        for theme in Theme::ALL {
            assert_eq!(
                (Theme::named(theme.name()), serde_json::to_value(theme).unwrap()),
                (*theme, theme.name().into())
            );
        }
        assert_eq!(Theme::named("mauve"), Theme::System);
    }
}
