//! Generation triggers: which kind of reply a block of a preset or an entry of a lorebook is for, by SillyTavern's names.

use serde_json::Value;

/// What a reply is asked for as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trigger {
    #[default]
    Normal,
    /// More of one.
    Continue,
    /// Another one.
    Again,
}

impl Trigger {
    /// Whether it is among those in a list. One that names none is for all; other calls than a story's replies
    /// (`impersonate`, `quiet`) have prompts of their own.
    pub fn is_among(self, list: Option<&Value>) -> bool {
        let named = list.and_then(Value::as_array).filter(|named| !named.is_empty());
        let is_this = |name: &str| match self {
            Self::Normal => name == "normal",
            Self::Continue => name == "continue",
            Self::Again => ["swipe", "regenerate"].contains(&name),
        };
        named.is_none_or(|named| named.iter().filter_map(Value::as_str).any(is_this))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Trigger::{self, Again, Continue, Normal};

    #[test]
    fn none_named_are_all() {
        let among = |list: Option<&Value>| [Normal, Continue, Again].map(|one: Trigger| one.is_among(list));
        assert_eq!(among(None), [true; 3]);
        for (list, expected) in [
            (json!([]), [true; 3]),
            (json!("normal"), [true; 3]),
            (json!(["normal"]), [true, false, false]),
            (json!(["continue", "swipe"]), [false, true, true]),
            (json!(["regenerate"]), [false, false, true]),
            (json!(["impersonate", "quiet"]), [false; 3]),
        ] {
            assert_eq!(among(Some(&list)), expected, "{list}");
        }
    }
}
