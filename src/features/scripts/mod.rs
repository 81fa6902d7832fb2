//! Regex scripts (G10): those of the library, of the card and of the preset, in this order. The reader has put the first
//! there; what a card or a preset brings runs once the reader has said yes to exactly these scripts.

pub mod rules;

use crate::story::{
    blob,
    character::Character,
    preset::Preset,
    script::{KEY, Script, ScriptSet, scripts_of},
    settings::{Consent, Preferences},
};

/// Who brings scripts that are not the reader's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Preset,
    Card,
}

/// Scripts that wait for the reader's word, or have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Brought {
    pub by: By,
    /// Name of the preset or character.
    pub name: String,
    pub scripts: Vec<Script>,
}

impl Brought {
    /// What a story's card and preset bring, in the order in which they run.
    pub fn to(preset: &Preset, character: &Character) -> Vec<Self> {
        let of_card = character.card.extensions.get(KEY).map(|list| serde_json::json!({ KEY: list }));
        let brought = [
            Self { by: By::Card, name: character.name.clone(), scripts: scripts_of(of_card.as_ref()) },
            Self { by: By::Preset, name: preset.name.clone(), scripts: scripts_of(preset.extra.get("extensions")) },
        ];
        brought.into_iter().filter(|brought| brought.scripts.iter().any(|script| !script.disabled)).collect()
    }

    /// What a consent is remembered by: the hash of the scripts. Others are another question.
    pub fn hash(&self) -> String {
        hash(&self.scripts)
    }

    /// What the reader has said to it.
    pub fn consent(&self, preferences: &Preferences) -> Option<bool> {
        let hash = self.hash();
        preferences.scripts.iter().find(|consent| consent.hash == hash).map(|consent| consent.allowed)
    }
}

pub fn hash(scripts: &[Script]) -> String {
    blob::address(serde_json::to_string(scripts).unwrap_or_default().as_bytes()).0
}

/// Consents that are remembered; beyond that the oldest are forgotten.
const CONSENTS: usize = 500;

/// Remembers what the reader said.
pub fn consent(preferences: &mut Preferences, hash: String, allowed: bool) {
    preferences.scripts.retain(|known| known.hash != hash);
    preferences.scripts.push(Consent { hash, allowed });
    let surplus = preferences.scripts.len().saturating_sub(CONSENTS);
    preferences.scripts.drain(..surplus);
}

/// The scripts that run in a story, in their order.
pub fn running(sets: &[ScriptSet], brought: Vec<Brought>, preferences: &Preferences) -> Vec<Script> {
    let own = sets.iter().filter(|set| set.enabled).flat_map(|set| set.scripts.iter().cloned());
    let allowed = brought.into_iter().filter(|brought| brought.consent(preferences) == Some(true));
    own.chain(allowed.flat_map(|brought| brought.scripts)).filter(|script| !script.disabled).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::story::script::MOST;

    fn script(name: &str) -> Script {
        Script { script_name: name.into(), find_regex: "/a/".into(), ..Script::default() }
    }

    fn names(scripts: &[Script]) -> Vec<&str> {
        scripts.iter().map(|script| script.script_name.as_str()).collect()
    }

    #[test]
    fn the_reader_s_run_and_others_ask_first() {
        let sets = [
            ScriptSet { enabled: true, scripts: vec![script("own")], ..ScriptSet::default() },
            ScriptSet { enabled: false, scripts: vec![script("off")], ..ScriptSet::default() },
        ];
        let extensions = json!({ "regex_scripts": [{ "scriptName": "preset" }, 7, { "disabled": true }] });
        let preset =
            Preset { extra: json!({ "extensions": extensions }).as_object().cloned().unwrap(), ..Preset::default() };
        let mut character = Character::default();
        character.card.extensions.insert(KEY.into(), json!([script("card")]));
        let mut preferences = Preferences::default();
        let brought = Brought::to(&preset, &character);
        assert_eq!(brought.len(), 2);
        assert_eq!(names(&running(&sets, brought.clone(), &preferences)), ["own"]);

        consent(&mut preferences, brought[1].hash(), true);
        assert_eq!(names(&running(&sets, brought.clone(), &preferences)), ["own", "preset"]);
        consent(&mut preferences, brought[0].hash(), true);
        assert_eq!(names(&running(&sets, brought.clone(), &preferences)), ["own", "card", "preset"]);

        // Others than those that were shown are asked for anew.
        let mut changed = brought;
        changed[1].scripts[0].replace_string = "b".into();
        assert_eq!(changed[1].consent(&preferences), None);
        consent(&mut preferences, changed[0].hash(), false);
        assert_eq!(names(&running(&sets, changed, &preferences)), ["own"]);
    }

    #[test]
    fn of_a_list_without_end_so_many_are_taken() {
        let mut character = Character::default();
        character.card.extensions.insert(KEY.into(), json!(vec![script("card"); MOST + 1]));
        assert_eq!(Brought::to(&Preset::default(), &character)[0].scripts.len(), MOST);
    }
}
