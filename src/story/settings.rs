//! Settings: the reader's preferences, and the config of seed `000`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Extra, Millis,
    backup::PutOff,
    budget::Budget,
    connection::Connection,
    figures::ungrouped,
    ids::{ConnectionId, LorebookId, ReaderPersonaId, StorylineId},
    storyline::Language,
    typography::Theme,
};
use crate::store::record;

/// How the page looks and what it last did. One record, named `preferences`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    pub id: String,
    /// `None` follows the browser.
    pub language: Option<Language>,
    pub theme: Theme,
    /// Size of the story's type, percent of the design's own.
    pub type_size: u32,
    /// As [`super::typography::Typography`] writes it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub typography: String,
    pub user_name: String,
    pub last_storyline: Option<StorylineId>,
    pub default_connection: Option<ConnectionId>,
    /// The connection whose model makes embeddings; `None` = memories are found by their words alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding_connection: Option<ConnectionId>,
    /// Where a reworded text goes; `None` = the reader has not been asked yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit_as: Option<EditAs>,
    /// Hashes of the status bars that the reader lets run, in the order they were allowed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub status_bars: Vec<String>,
    /// What the reader said to regex scripts that a card or a preset brings, in the order in which it was said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<Consent>,
    /// The voice that reads aloud, by language, as the browser names it.
    #[serde(skip_serializing_if = "Extra::is_empty")]
    pub voices: Extra,
    /// Percent of its usual pace.
    #[serde(skip_serializing_if = "is_usual_rate")]
    pub voice_rate: u32,
    /// The status bar of the story is folded away.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub status_bar_folded: bool,
    /// Whom the reader usually plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plays_as: Option<ReaderPersonaId>,
    /// Lorebooks that hang on all stories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lorebooks: Vec<LorebookId>,
    pub last_backup: Option<Millis>,
    /// Turns played since the last backup.
    pub turns_since_backup: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup_put_off: Option<PutOff>,
    /// For a day, all stories together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Preferences, Settings);

impl Preferences {
    pub const ID: &str = "preferences";

    /// The voice for a language; empty = the browser's own.
    pub fn voice(&self, language: Language) -> &str {
        self.voices.get(language.name()).and_then(Value::as_str).unwrap_or_default()
    }

    pub fn set_voice(&mut self, language: Language, voice: String) {
        match voice.is_empty() {
            true => drop(self.voices.shift_remove(language.name())),
            false => drop(self.voices.insert(language.name().to_owned(), voice.into())),
        }
    }
}

fn is_usual_rate(rate: &u32) -> bool {
    *rate == 100
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            id: Self::ID.into(),
            language: None,
            theme: Theme::default(),
            type_size: 100,
            typography: String::new(),
            user_name: String::new(),
            last_storyline: None,
            default_connection: None,
            embedding_connection: None,
            edit_as: None,
            status_bars: Vec::new(),
            scripts: Vec::new(),
            voices: Extra::new(),
            voice_rate: 100,
            status_bar_folded: false,
            plays_as: None,
            lorebooks: Vec::new(),
            last_backup: None,
            turns_since_backup: 0,
            backup_put_off: None,
            budget: None,
            extra: Extra::new(),
        }
    }
}

/// What was said to something foreign, by the hash of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Consent {
    pub hash: String,
    pub allowed: bool,
}

/// Where a reworded text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditAs {
    /// In the place of the old wording; what follows stays.
    InPlace,
    /// Beside it, on a branch of its own.
    Branch,
}

impl EditAs {
    pub fn name(self) -> &'static str {
        match self {
            Self::InPlace => "in_place",
            Self::Branch => "branch",
        }
    }
}

/// All connections. One record, named `connections`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Connections {
    pub id: String,
    pub list: Vec<Connection>,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Connections, Settings);

impl Connections {
    pub const ID: &str = "connections";
}

impl Default for Connections {
    fn default() -> Self {
        Self { id: Self::ID.into(), list: Vec::new(), extra: Extra::new() }
    }
}

/// The config of seed `000`, by its names. One record, named `config`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    pub id: String,
    pub thresholds: Thresholds,
    pub limits: Limits,
    pub preferences: ConfigPreferences,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Config, Settings);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thresholds {
    /// Turns without progress after which the director reminds.
    pub rag_fallback_threshold: u32,
    /// Turns that a new session takes over after a summary.
    pub summary_last_n_turns: u32,
    #[serde(flatten)]
    pub extra: Extra,
}

/// In tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// A prompt above this is not sent.
    pub max_total_tokens: u32,
    /// A middle section above this is warned of, and sent.
    pub middle_section_warning_tokens: u32,
    /// Of the conversation, where [`ConfigPreferences::conversation_load_all`] is off: the newest turns up to this.
    pub conversation_max_tokens: u32,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConfigPreferences {
    pub summary_order: SummaryOrder,
    /// Off: a prompt does not take in the whole session but its newest turns, up to
    /// [`Limits::conversation_max_tokens`]. On: all that the preset asks for.
    pub conversation_load_all: bool,
    #[serde(flatten)]
    pub extra: Extra,
}

/// What a new session opens with first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryOrder {
    #[default]
    SummaryFirst,
    LastNFirst,
}

/// A number of the config, under its stored name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    RagFallbackThreshold,
    SummaryLastNTurns,
    MaxTotalTokens,
    MiddleSectionWarningTokens,
    ConversationMaxTokens,
}

/// The text is no whole number from `min` to `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a whole number from {min} to {max}")]
pub struct RangeFault {
    pub min: u32,
    pub max: u32,
}

impl Field {
    pub const ALL: [Self; 5] = [
        Self::RagFallbackThreshold,
        Self::SummaryLastNTurns,
        Self::MaxTotalTokens,
        Self::MiddleSectionWarningTokens,
        Self::ConversationMaxTokens,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::RagFallbackThreshold => "rag_fallback_threshold",
            Self::SummaryLastNTurns => "summary_last_n_turns",
            Self::MaxTotalTokens => "max_total_tokens",
            Self::MiddleSectionWarningTokens => "middle_section_warning_tokens",
            Self::ConversationMaxTokens => "conversation_max_tokens",
        }
    }

    pub fn range(self) -> std::ops::RangeInclusive<u32> {
        match self {
            Self::RagFallbackThreshold => 1..=10,
            Self::SummaryLastNTurns => 1..=20,
            Self::MaxTotalTokens | Self::ConversationMaxTokens => 10_000..=200_000,
            Self::MiddleSectionWarningTokens => 1_000..=50_000,
        }
    }

    pub fn get(self, config: &Config) -> u32 {
        match self {
            Self::RagFallbackThreshold => config.thresholds.rag_fallback_threshold,
            Self::SummaryLastNTurns => config.thresholds.summary_last_n_turns,
            Self::MaxTotalTokens => config.limits.max_total_tokens,
            Self::MiddleSectionWarningTokens => config.limits.middle_section_warning_tokens,
            Self::ConversationMaxTokens => config.limits.conversation_max_tokens,
        }
    }

    pub fn set(self, config: &mut Config, value: u32) {
        *match self {
            Self::RagFallbackThreshold => &mut config.thresholds.rag_fallback_threshold,
            Self::SummaryLastNTurns => &mut config.thresholds.summary_last_n_turns,
            Self::MaxTotalTokens => &mut config.limits.max_total_tokens,
            Self::MiddleSectionWarningTokens => &mut config.limits.middle_section_warning_tokens,
            Self::ConversationMaxTokens => &mut config.limits.conversation_max_tokens,
        } = value;
    }

    /// Reads what was typed.
    ///
    /// # Errors
    /// It is no whole number, or out of range.
    pub fn validate(self, text: &str) -> Result<u32, RangeFault> {
        let typed = ungrouped(text);
        let range = self.range();
        let fault = RangeFault { min: *range.start(), max: *range.end() };
        let digits = !typed.is_empty() && typed.chars().all(|char| char.is_ascii_digit());
        let value = typed.parse().ok().filter(|value| digits && range.contains(value));
        value.ok_or(fault)
    }
}

impl Config {
    pub const ID: &str = "config";

    /// Takes what a form changed of what it was opened upon; what it left alone stays as it is by now.
    pub fn take(&mut self, before: &Self, form: &Self) {
        for field in Field::ALL {
            if field.get(form) != field.get(before) {
                field.set(self, field.get(form));
            }
        }
        let (before, form) = (&before.preferences, &form.preferences);
        if form.summary_order != before.summary_order {
            self.preferences.summary_order = form.summary_order;
        }
        if form.conversation_load_all != before.conversation_load_all {
            self.preferences.conversation_load_all = form.conversation_load_all;
        }
    }

    /// With the default in the place of every number that is out of its range.
    pub fn in_range(mut self) -> Self {
        for field in Field::ALL {
            if !field.range().contains(&field.get(&self)) {
                field.set(&mut self, field.get(&Self::default()));
            }
        }
        self
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            id: Self::ID.into(),
            thresholds: Thresholds::default(),
            limits: Limits::default(),
            preferences: ConfigPreferences::default(),
            extra: Extra::new(),
        }
    }
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { rag_fallback_threshold: 3, summary_last_n_turns: 5, extra: Extra::new() }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_total_tokens: 100_000,
            middle_section_warning_tokens: 20_000,
            conversation_max_tokens: 100_000,
            extra: Extra::new(),
        }
    }
}

impl Default for ConfigPreferences {
    fn default() -> Self {
        Self { summary_order: SummaryOrder::SummaryFirst, conversation_load_all: true, extra: Extra::new() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Letter by letter the file of seed `000`.
    #[test]
    fn the_defaults_are_the_seed_s() {
        let expected = json!({
            "id": "config",
            "thresholds": { "rag_fallback_threshold": 3, "summary_last_n_turns": 5 },
            "limits": {
                "max_total_tokens": 100000,
                "middle_section_warning_tokens": 20000,
                "conversation_max_tokens": 100000
            },
            "preferences": { "summary_order": "summary_first", "conversation_load_all": true }
        });
        assert_eq!(serde_json::to_value(Config::default()).unwrap(), expected);
        assert_eq!(serde_json::from_value::<Config>(json!({})).unwrap(), Config::default());
        let foreign = json!({ "limits": { "max_total_tokens": 50000, "later": true } });
        let read: Config = serde_json::from_value(foreign).unwrap();
        assert_eq!((read.limits.max_total_tokens, read.limits.middle_section_warning_tokens), (50_000, 20_000));
        assert_eq!(serde_json::to_value(&read).unwrap()["limits"]["later"], true);
    }

    /// Another device may have set something since the form was opened.
    #[test]
    fn a_form_takes_what_it_changed() {
        let before = Config::default();
        let mut stands = Config::default();
        Field::SummaryLastNTurns.set(&mut stands, 9);
        stands.preferences.conversation_load_all = false;
        let mut form = before.clone();
        Field::MaxTotalTokens.set(&mut form, 50_000);
        form.preferences.summary_order = SummaryOrder::LastNFirst;
        stands.take(&before, &form);
        assert_eq!(Field::ALL.map(|field| field.get(&stands)), [3, 9, 50_000, 20_000, 100_000]);
        assert_eq!(
            (stands.preferences.summary_order, stands.preferences.conversation_load_all),
            (SummaryOrder::LastNFirst, false)
        );
    }

    #[test]
    fn ranges() {
        for field in Field::ALL {
            let (min, max) = field.range().into_inner();
            let check = |text: &str, expected: Option<u32>| {
                let expected = expected.ok_or(RangeFault { min, max });
                assert_eq!(field.validate(text), expected, "{} {text:?}", field.name());
            };
            check(&min.to_string(), Some(min));
            check(&format!(" {max} "), Some(max));
            check(&(min - 1).to_string(), None);
            check(&(max + 1).to_string(), None);
            for wrong in ["", "abc", "-1", "+5", "3.5", "1e3", "99999999999999999999"] {
                check(wrong, None);
            }
            let mut config = Config::default();
            field.set(&mut config, max);
            assert_eq!((field.get(&config), config.clone().in_range()), (max, config.clone()));
            field.set(&mut config, max + 1);
            assert_eq!(config.in_range(), Config::default());
        }
        assert_eq!(Field::RagFallbackThreshold.validate("７"), Ok(7));
    }
}
