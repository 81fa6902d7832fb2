//! Regex scripts (G10): what they replace, where, and in whose reading; as SillyTavern writes them, so that a card, a
//! preset and a file say the same.
//!
//! A script never changes what is stored: what was said stays as it was said, and is read through the scripts, by the
//! reader and by the model. One that is switched off gives the words back.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{Extra, Millis, ids::ScriptSetId};
use crate::store::record;

/// Scripts of the library that go together, in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScriptSet {
    pub id: ScriptSetId,
    pub name: String,
    /// They run in all stories.
    pub enabled: bool,
    pub scripts: Vec<Script>,
    pub created: Millis,
    pub updated: Millis,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(ScriptSet, Scripts);

/// One script, by SillyTavern's names. What cannot be read of a field is its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Script {
    #[serde(deserialize_with = "lenient")]
    pub id: String,
    #[serde(deserialize_with = "lenient")]
    pub script_name: String,
    /// `/…/flags`, or a pattern alone, of which the first that is found is replaced.
    #[serde(deserialize_with = "lenient")]
    pub find_regex: String,
    /// `$1`, `$<name>` and `{{match}}` stand for what was found.
    #[serde(deserialize_with = "lenient")]
    pub replace_string: String,
    /// Taken out of what was found before it is put in.
    #[serde(deserialize_with = "lenient")]
    pub trim_strings: Vec<String>,
    /// Numbers of [`Place`]; others are kept.
    #[serde(deserialize_with = "lenient")]
    pub placement: Vec<u32>,
    #[serde(deserialize_with = "lenient")]
    pub disabled: bool,
    /// In what the reader sees. With neither this nor the next, in both.
    #[serde(deserialize_with = "lenient")]
    pub markdown_only: bool,
    /// In what the model is told.
    #[serde(deserialize_with = "lenient")]
    pub prompt_only: bool,
    /// Means nothing here, where nothing stored is changed; kept.
    #[serde(deserialize_with = "lenient")]
    pub run_on_edit: bool,
    /// Whether macros in the pattern stand for their values: 0 no, 1 yes, 2 yes, as plain text. Older files have a switch.
    pub substitute_regex: Value,
    /// Messages from the end, 0 the newest, that it reads at least and at most. Only where it is for the eye or for the
    /// model alone.
    #[serde(deserialize_with = "lenient")]
    pub min_depth: Option<i64>,
    #[serde(deserialize_with = "lenient")]
    pub max_depth: Option<i64>,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            id: String::new(),
            script_name: String::new(),
            find_regex: String::new(),
            replace_string: String::new(),
            trim_strings: Vec::new(),
            placement: Vec::new(),
            disabled: false,
            markdown_only: false,
            prompt_only: false,
            run_on_edit: false,
            substitute_regex: 0.into(),
            min_depth: None,
            max_depth: None,
            extra: Extra::new(),
        }
    }
}

/// What can be read, else the default.
fn lenient<'de, D: Deserializer<'de>, T: serde::de::DeserializeOwned + Default>(from: D) -> Result<T, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).unwrap_or_default())
}

impl Script {
    /// Whether macros in the pattern stand for their values, and whether those are plain text.
    pub fn substitutes(&self) -> (bool, bool) {
        let how = self.substitute_regex.as_u64().unwrap_or(self.substitute_regex.as_bool().map_or(0, u64::from));
        (how > 0, how == 2)
    }

    /// A lorebook's text is no message that a story keeps, but a piece of a prompt: SillyTavern reads it through those alone
    /// that say for whom they are.
    pub fn reads(&self, place: Place) -> bool {
        self.placement.contains(&place.number()) && (place != Place::Lore || self.markdown_only || self.prompt_only)
    }

    /// In what the reader sees, and in what the model is told.
    pub fn is_for(&self, reader: For) -> bool {
        let alone = self.markdown_only != self.prompt_only;
        !alone || self.markdown_only == (reader == For::Eye)
    }

    /// Whether it minds how far from the end a message stands: one that is for both does not.
    pub fn minds_depth(&self) -> bool {
        (self.markdown_only || self.prompt_only) && (self.min_depth.is_some() || self.max_depth.is_some())
    }
}

/// Scripts that a file brings at most, and that run in one story.
pub const MOST: usize = 500;

/// Scripts that lie in a list of another record: a card's extensions, a preset's. What is none is left out, and what
/// comes after [`MOST`].
pub fn scripts_of(extensions: Option<&Value>) -> Vec<Script> {
    let list = extensions.and_then(|extensions| extensions.get(KEY)).and_then(Value::as_array);
    let read = |value: &Value| serde_json::from_value(value.clone()).ok().filter(|_| value.is_object());
    list.into_iter().flatten().filter_map(read).take(MOST).collect()
}

/// Under which they lie there.
pub const KEY: &str = "regex_scripts";

/// What a script may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// The reader's words.
    Reader,
    Reply,
    /// Entries of lorebooks, as the model is told them.
    Lore,
    /// What the model thought aloud.
    Thoughts,
}

impl Place {
    pub const ALL: [Self; 4] = [Self::Reader, Self::Reply, Self::Lore, Self::Thoughts];

    pub fn number(self) -> u32 {
        match self {
            Self::Reader => 1,
            Self::Reply => 2,
            Self::Lore => 5,
            Self::Thoughts => 6,
        }
    }
}

/// Who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    Eye,
    Model,
}

/// A text among those that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub place: Place,
    pub reader: For,
    /// Messages from the end; `None`: it stands among none.
    pub depth: Option<u32>,
}

/// How deep a text of the turn at `position` stands where the reader sees it, at the end of a branch of so many turns.
pub fn depth_shown(turns: u32, position: u32, place: Place) -> u32 {
    let after = turns.saturating_sub(position.saturating_add(1));
    after.saturating_mul(2).saturating_add(u32::from(place == Place::Reader))
}

/// Scripts, ready to be read through.
pub trait Rewrites {
    fn rewrite<'t>(&self, text: &'t str, at: At) -> Cow<'t, str>;

    /// Whether any of them minds how far from the end a message stands.
    fn minds_depth(&self) -> bool;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_field_cannot_be_is_its_default_and_what_is_unknown_stays() {
        let file = json!({
            "id": "a", "scriptName": "x", "findRegex": "/a/g", "replaceString": "b", "trimStrings": null,
            "placement": [1, 2, 6], "disabled": null, "markdownOnly": true, "promptOnly": 0, "runOnEdit": true,
            "substituteRegex": false, "minDepth": "", "maxDepth": 4, "later": { "x": 1 }
        });
        let script: Script = serde_json::from_value(file).unwrap();
        assert_eq!((script.min_depth, script.max_depth, script.disabled), (None, Some(4), false));
        assert!(script.reads(Place::Reader) && script.reads(Place::Thoughts) && !script.reads(Place::Lore));
        assert!(script.is_for(For::Eye) && !script.is_for(For::Model) && script.minds_depth());
        assert_eq!(script.extra["later"], json!({ "x": 1 }));
        assert_eq!(script.substitutes(), (false, false));
    }

    #[test]
    fn how_deep_a_message_is_shown() {
        let shown = [(5, 4, Place::Reply), (5, 4, Place::Reader), (5, 2, Place::Reply), (0, 7, Place::Reply)];
        assert_eq!(shown.map(|(turns, position, place)| depth_shown(turns, position, place)), [0, 1, 4, 0]);
        assert_eq!(depth_shown(u32::MAX, 0, Place::Reader), u32::MAX);
        assert_eq!(depth_shown(u32::MAX, u32::MAX, Place::Reader), 1);
    }

    #[test]
    fn whose_reading_it_is_for() {
        for (markdown_only, prompt_only, eye, model) in [
            (false, false, true, true),
            (true, false, true, false),
            (false, true, false, true),
            (true, true, true, true),
        ] {
            let script = Script { markdown_only, prompt_only, ..Script::default() };
            assert_eq!((script.is_for(For::Eye), script.is_for(For::Model)), (eye, model));
        }
    }
}
