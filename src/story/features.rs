//! Settings of features, as they are stored: what they mean, each feature alone knows.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::Extra;
use crate::store::{from_value, salvage};

/// What a feature can be told in a preset or a storyline. Each field has a default, and unknown ones are kept.
pub trait Settings: Serialize + DeserializeOwned + Default {
    /// The feature's name, under which they are stored.
    const NAME: &'static str;
}

/// What a preset turns on, or what the reader set for one storyline: settings by the names of their features. What is
/// not set here follows the preset, or the defaults.
///
/// Those of a feature that this program does not know stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Features(Extra);

impl Features {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The settings of a feature; what of them cannot be read is as by default. `None`: there are none.
    pub fn get<S: Settings>(&self) -> Option<S> {
        self.get_of(S::NAME)
    }

    /// The same of one of several features that are told the same things.
    pub fn get_of<S: DeserializeOwned + Default>(&self, name: &str) -> Option<S> {
        let stored = self.stored(name)?;
        Some(from_value(stored.clone()).unwrap_or_else(|_| salvage(stored)))
    }

    pub fn set<S: Settings>(&mut self, settings: &S) {
        self.set_of(S::NAME, settings);
    }

    /// As [`Self::get_of`].
    pub fn set_of(&mut self, name: &str, settings: &impl Serialize) {
        self.put(name, serde_json::to_value(settings).expect("settings have text keys"));
    }

    /// The same, with these set.
    pub fn with<S: Settings>(mut self, settings: S) -> Self {
        self.set(&settings);
        self
    }

    /// Changes what is set of a feature here, or its defaults.
    pub fn change<S: Settings>(&mut self, change: impl FnOnce(&mut S)) {
        let mut settings = self.get().unwrap_or_default();
        change(&mut settings);
        self.set(&settings);
    }

    /// Lets go of what is set of a feature.
    pub fn forget(&mut self, name: &str) {
        self.0.shift_remove(name);
    }

    /// The same of one field of them.
    pub fn forget_field(&mut self, name: &str, field: &str) {
        if let Some(settings) = self.0.get_mut(name).and_then(Value::as_object_mut) {
            settings.shift_remove(field);
        }
    }

    /// Whether anything is set of a feature.
    pub fn has(&self, name: &str) -> bool {
        self.stored(name).is_some()
    }

    /// Whether a feature that has a switch is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.stored(name).is_some_and(|settings| settings[SWITCH] == true)
    }

    /// The same of one that is on where nothing is said of it: whether it is switched off.
    pub fn is_off(&self, name: &str) -> bool {
        self.stored(name).is_some_and(|settings| settings[SWITCH] == false)
    }

    /// Sets of a feature what is set of it there.
    pub fn copy(&mut self, name: &str, from: &Self) {
        if let Some(settings) = from.stored(name) {
            self.put(name, settings.clone());
        }
    }

    pub fn switch(&mut self, name: &str, on: bool) {
        let mut settings = self.stored(name).cloned().unwrap_or_else(|| Extra::new().into());
        settings[SWITCH] = on.into();
        self.put(name, settings);
    }

    fn stored(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|settings| settings.is_object())
    }

    fn put(&mut self, name: &str, settings: Value) {
        self.0.insert(name.to_owned(), settings);
    }
}

/// The field of a feature's switch.
const SWITCH: &str = "enabled";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::story::{preset::Preset, storyline::Storyline};

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Lamp {
        enabled: bool,
        oil: u32,
        #[serde(flatten)]
        extra: Extra,
    }

    impl Settings for Lamp {
        const NAME: &'static str = "lamp";
    }

    #[test]
    fn what_is_not_known_or_cannot_be_read_costs_nothing_else() {
        let stored = json!({"lamp": {"enabled": true, "oil": "much", "wick": 2}, "later": [1], "broken": 7});
        let mut features: Features = from_value(stored.clone()).unwrap();
        assert_eq!(serde_json::to_value(&features).unwrap(), stored);
        let lamp: Lamp = features.get().unwrap();
        assert_eq!((lamp.enabled, lamp.oil, &lamp.extra["wick"]), (true, 0, &json!(2)));
        features.change(|lamp: &mut Lamp| lamp.oil = 3);
        let written = json!({"lamp": {"enabled": true, "oil": 3, "wick": 2}, "later": [1], "broken": 7});
        assert_eq!(serde_json::to_value(&features).unwrap(), written);
        for not_settings in [json!({"lamp": null}), json!({"lamp": 3}), json!({})] {
            let features: Features = from_value(not_settings).unwrap();
            assert_eq!((features.get::<Lamp>(), features.is_on("lamp")), (None, false));
        }
    }

    #[test]
    fn a_switch_turns_what_is_set_already_and_what_is_not() {
        let mut features = Features::default();
        features.switch("lamp", true);
        assert_eq!(features.get(), Some(Lamp { enabled: true, ..Default::default() }));
        features.change(|lamp: &mut Lamp| lamp.oil = 3);
        features.switch("lamp", false);
        assert_eq!(features, Features::default().with(Lamp { oil: 3, ..Default::default() }));
        features.forget("lamp");
        assert!(features.is_empty());
    }

    #[test]
    fn what_else_the_preset_says_of_it_stays() {
        let preset = Preset {
            features: Features::default().with(Lamp { enabled: true, oil: 5, ..Lamp::default() }),
            ..Preset::default()
        };
        let mut story = Storyline::default();
        story.switch(&preset, "lamp", false);
        let lamp: Lamp = story.settings(&preset);
        assert_eq!((lamp.enabled, lamp.oil, story.is_on(&preset, "lamp")), (false, 5, false));
        story.change_settings(&preset, |lamp: &mut Lamp| lamp.oil = 7);
        story.switch(&preset, "lamp", true);
        assert_eq!(story.settings::<Lamp>(&preset), Lamp { enabled: true, oil: 7, ..Lamp::default() });
    }
}
