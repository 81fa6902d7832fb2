//! What a model says once more in nearly the same words is no news: small ones note what is noted, again and again, with
//! another quotation mark, the reason in brackets behind it, or under a longer name.

use crate::story::{Extra, world};

/// Letters that a value must have for its likeness to say anything: `lit` is the value of many lamps.
const VALUE: [usize; 2] = [4, 8];

/// A text without what may be otherwise though it says the same: how it is quoted, what stands in brackets at its end, and
/// its last stop.
pub fn plain(text: &str) -> String {
    let text: String = text.trim().to_lowercase().replace(['’', '‘'], "'").replace(['“', '”'], "\"");
    let text = text.trim_end_matches(['.', '。', '!', '！']);
    let bare = match text.strip_suffix([')', '）']).and_then(|text| text.rfind(['(', '（'])) {
        Some(0) | None => text,
        Some(at) => &text[..at],
    };
    bare.trim().to_owned()
}

/// The letters of several texts: a reason in brackets is the same as one in its place.
pub fn letters(texts: &[&str]) -> String {
    texts.iter().flat_map(|text| text.chars()).filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether the world says it already, under a name that is a part of this one, or of which this one is a part.
pub fn is_known(world: &Extra, key: &str, value: &str) -> bool {
    // What it has under this very name is what is to change.
    if world.contains_key(key.trim()) {
        return false;
    }
    let (key, value) = (plain(key), plain(value));
    let is_long = |text: &str| VALUE[usize::from(text.is_ascii())] <= text.chars().count();
    is_long(&value)
        && world.iter().any(|(known, stored)| {
            let stored = plain(&world::written(stored));
            is_long(&stored) && within(&stored, &value) && names_alike(&plain(known), &key)
        })
}

fn within(one: &str, other: &str) -> bool {
    one.contains(other) || other.contains(one)
}

/// Whether all words of one name are in the other; in Chinese, the name itself.
fn names_alike(one: &str, other: &str) -> bool {
    if !one.is_ascii() || !other.is_ascii() {
        return within(one, other);
    }
    let (one, other) = (words_of(one), words_of(other));
    let all_in = |one: &[&str], other: &[&str]| !one.is_empty() && one.iter().all(|word| other.contains(word));
    all_in(&one, &other) || all_in(&other, &one)
}

fn words_of(name: &str) -> Vec<&str> {
    let words = name.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !matches!(*word, "" | "the" | "a" | "s")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_says_the_same() {
        for (one, other) in [
            ("find her father’s body", "Find her father's body (Lin asked for it)"),
            ("信任要靠行动（他回来了）", "信任要靠行动。"),
        ] {
            assert_eq!(plain(one), plain(other));
        }
        for text in ["(sighs)", "wait for him", "等他（明天）再说"] {
            assert_eq!(plain(text), text);
        }
    }

    #[test]
    fn a_reason_in_brackets_is_the_reason() {
        let goal = letters(&["find her father’s body", "Lin asked for it"]);
        assert_eq!(goal, letters(&["Find her father's body (Lin asked for it)", ""]));
        assert_ne!(goal, letters(&["find her father’s body", "the sea gave up the boat"]));
    }

    /// As Qwen2.5-Coder-1.5B noted one fog.
    #[test]
    fn what_the_world_says_already() {
        let world = |key: &str, value: &str| Extra::from_iter([(key.to_owned(), json!(value))]);
        let fog = world("the fog has worsened", "it is thick and dark now");
        for (key, value) in [
            ("fog", "the fog has worsened: it is thick and dark now"),
            ("fog's status", "thick and dark now"),
            ("The fog", "It is thick and dark now."),
        ] {
            let is = is_known(&fog, key, value);
            assert_eq!(is, key != "fog's status", "{key}");
        }
        for (key, value) in [
            ("the fog has worsened", "it is thick and dark now"),
            ("fog", "it is gone"),
            ("north gate", "it is thick and dark now"),
        ] {
            assert!(!is_known(&fog, key, value), "{key}");
        }
        assert!(!is_known(&world("Lamp", "it is lit and bright"), "Lamp", "it is lit"), "its own name");
        assert!(is_known(&world("灯塔", "灯已经灭了"), "灯塔的灯", "灯已经灭了"));
        assert!(!is_known(&world("灯", "灭"), "灯塔", "灭"), "too short to say so");
    }
}
