//! How a story is set on the page.

use serde::{Deserialize, Serialize};

/// A choice of a few, each under the name by which it is stored and by which the stylesheets know it; the first is
/// the usual one.
macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $usual:ident = $usual_name:literal, $($one:ident = $one_name:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            #[default]
            #[serde(rename = $usual_name)]
            $usual,
            $(#[serde(rename = $one_name)] $one),+
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
                Self::ALL.iter().copied().find(|one| one.name() == name).unwrap_or_default()
            }
        }
    };
}

choice! {
    /// The look of the whole page.
    Theme { System = "system", Light = "light", Dark = "dark", Sepia = "sepia", Contrast = "contrast" }
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
    Measure { Usual = "usual-measure", Narrow = "narrow", Wide = "wide" }
}

choice! {
    /// How paragraphs are told apart.
    Paragraphs { Spaced = "spaced", Indented = "indented" }
}

choice! {
    /// What is said within the prose.
    Speech { Coloured = "coloured", Plain = "plain" }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Typography {
    pub typeface: Typeface,
    pub leading: Leading,
    pub measure: Measure,
    pub paragraphs: Paragraphs,
    pub speech: Speech,
    /// Face and name of who speaks above each reply, and not only where several do.
    pub portraits: bool,
}

impl Typography {
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// What is not usual of it, as the stylesheets look for it on the root element.
    pub fn tokens(self) -> String {
        let usual = Self::default();
        let all = [
            (self.typeface != usual.typeface, self.typeface.name()),
            (self.leading != usual.leading, self.leading.name()),
            (self.measure != usual.measure, self.measure.name()),
            (self.paragraphs != usual.paragraphs, self.paragraphs.name()),
            (self.speech != usual.speech, self.speech.name()),
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
