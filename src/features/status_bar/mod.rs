//! A status bar of a character's or background's own (seed `003`, its "Webview"): a text of HTML, CSS and script that
//! runs in a closed frame, once the reader has said yes to exactly this text.
//!
//! What the frame is told is made here and nowhere else: the values of the world, the number of the newest turn and the
//! name of the character. What it says is read by [`message`], and [`guard`] decides how long it may run.

pub mod guard;
pub mod message;
pub mod plain;

use serde::Serialize;
use serde_json::json;

use crate::story::{Extra, background::Background, blob, character::Character};

/// Bytes of a status bar's text; a longer one is kept, but does not run.
pub const BYTES: usize = 64 << 10;

/// A status bar, and who brings it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatusBar {
    /// Name of the character or background.
    pub of: String,
    pub code: String,
}

impl StatusBar {
    /// The bar of a story: the character's own, else that of the background.
    pub fn choose(character: Option<&Character>, background: Option<&Background>) -> Option<Self> {
        let bar = |name: &str, code: &str| Self { of: name.to_owned(), code: code.to_owned() };
        let character = character.map(|character| bar(&character.name, &character.status_bar));
        let background = background.map(|background| bar(&background.name, &background.status_bar));
        [character, background].into_iter().flatten().find(|bar| !bar.code.trim().is_empty())
    }

    /// What a consent is remembered by: the hash of the text. Another text is another bar.
    pub fn hash(&self) -> String {
        blob::address(self.code.as_bytes()).0
    }

    pub fn is_too_long(&self) -> bool {
        self.code.len() > BYTES
    }
}

/// What a frame is told of the story.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Feed {
    pub world: Extra,
    /// Number of the newest turn.
    pub turn: u32,
    /// Name of the character.
    pub character: String,
}

/// The first message to a frame: the text that it runs. `look` is how the page looks, so that a bar can match it: values
/// of CSS variables by their names without `--fabula-`, and `scheme`, which is `light` or `dark`.
pub fn begin(code: &str, look: &Extra, feed: &Feed) -> String {
    json!({ "fabula": "begin", "code": code, "look": look, "state": feed }).to_string()
}

/// The `n`-th message about the state and the look.
pub fn state(n: u64, look: &Extra, feed: &Feed) -> String {
    json!({ "fabula": "state", "n": n, "look": look, "state": feed }).to_string()
}

/// What the composer holds once a bar has suggested words; `None` where it holds words of the reader's own, which stay.
/// `last` is what a bar suggested before.
pub fn suggest(composer: &str, last: &str, words: &str) -> Option<String> {
    (composer.trim().is_empty() || composer == last).then(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_character_s_bar_comes_first() {
        let character = |code: &str| Character { name: "林夕".into(), status_bar: code.into(), ..Default::default() };
        let background =
            |code: &str| Background { name: "边境".into(), status_bar: code.into(), ..Default::default() };
        let check = |a: &str, b: &str, expected: Option<&str>| {
            let bar = StatusBar::choose(Some(&character(a)), Some(&background(b)));
            assert_eq!(bar.map(|bar| bar.of).as_deref(), expected, "{a:?} {b:?}");
        };
        check("<b>", "<i>", Some("林夕"));
        check(" \n", "<i>", Some("边境"));
        check("", "", None);
        assert_eq!(StatusBar::choose(None, None), None);
    }

    #[test]
    fn another_text_is_another_consent() {
        let bar = |code: &str| StatusBar { of: "林夕".into(), code: code.into() };
        assert_eq!(bar("<b>").hash(), StatusBar { of: "别人".into(), code: "<b>".into() }.hash());
        assert_ne!(bar("<b>").hash(), bar("<b> ").hash());
        assert!(!bar(&"x".repeat(BYTES)).is_too_long());
        assert!(bar(&"x".repeat(BYTES + 1)).is_too_long());
    }

    /// Whoever adds to what a frame is told has to come by here.
    #[test]
    fn a_frame_is_told_this_and_no_more() {
        let world = json!({ "林夕.体力": 90, "__proto__x": "</script>" }).as_object().unwrap().clone();
        let feed = Feed { world, turn: 3, character: "林夕".into() };
        let look = json!({ "scheme": "dark", "ink": "#d9d5cc" });
        let shown = look.as_object().unwrap();
        let state_told =
            json!({ "world": { "林夕.体力": 90, "__proto__x": "</script>" }, "turn": 3, "character": "林夕" });
        for (told, expected) in [
            (
                begin("<b>", shown, &feed),
                json!({ "fabula": "begin", "code": "<b>", "look": look, "state": state_told }),
            ),
            (state(2, shown, &feed), json!({ "fabula": "state", "n": 2, "look": look, "state": state_told })),
        ] {
            assert_eq!(serde_json::from_str::<Value>(&told).unwrap(), expected);
        }
    }

    #[test]
    fn words_of_the_reader_stay() {
        assert_eq!(suggest("", "", "拔剑"), Some("拔剑".into()));
        assert_eq!(suggest(" \n", "", "拔剑"), Some("拔剑".into()));
        assert_eq!(suggest("拔剑", "拔剑", "逃"), Some("逃".into()), "its own words it may change");
        assert_eq!(suggest("拔剑吗", "拔剑", "逃"), None);
    }
}
