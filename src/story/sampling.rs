//! Sampling: what a model is told of how to choose its words.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Extra, connection::Connection};

/// Sampling parameters; `None` = leave it to the provider (and send no field).
///
/// What came after the first version is skipped where it is at its default, so that older records keep their form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sampling {
    /// 0 to 2.
    pub temperature: Option<f64>,
    /// 0 to 1.
    pub top_p: Option<f64>,
    pub top_k: Option<u32>,
    /// 0 to 1: the share of the likeliest token's probability that a token must have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_p: Option<f64>,
    /// -2 to 2.
    pub frequency_penalty: Option<f64>,
    /// -2 to 2.
    pub presence_penalty: Option<f64>,
    /// 0 to 2; 1 = none. What has been said is that many times less likely.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repetition_penalty: Option<f64>,
    /// Of the reply, without what is thought before it.
    pub max_tokens: Option<u32>,
    pub stop: Vec<String>,
    pub seed: Option<i64>,
    /// By a token's number in the model's vocabulary, as text: -100 (never) to 100 (always).
    #[serde(skip_serializing_if = "Extra::is_empty")]
    pub logit_bias: Extra,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// How each reply begins: the model goes on from there. May hold macros.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prefill: String,
    #[serde(flatten)]
    pub extra: Extra,
}

/// How much a model thinks before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Effort {
    Off,
    Low,
    Medium,
    High,
}

impl TryFrom<String> for Effort {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Self::from_name(&name).ok_or(name)
    }
}

impl From<Effort> for String {
    fn from(effort: Effort) -> Self {
        effort.name().to_owned()
    }
}

impl Effort {
    pub const ALL: [Self; 4] = [Self::Off, Self::Low, Self::Medium, Self::High];

    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effort| effort.name() == name)
    }

    /// Tokens for the thoughts, beside those of the reply: every provider counts both against one limit.
    pub fn room(self) -> u32 {
        match self {
            Self::Off => 0,
            Self::Low => 2_048,
            Self::Medium => 8_192,
            Self::High => 16_384,
        }
    }
}

/// One of the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parameter {
    Temperature,
    TopP,
    TopK,
    MinP,
    FrequencyPenalty,
    PresencePenalty,
    RepetitionPenalty,
    MaxTokens,
    Stop,
    Seed,
    LogitBias,
    Effort,
    Prefill,
}

impl Parameter {
    pub const ALL: [Self; 13] = [
        Self::Temperature,
        Self::TopP,
        Self::TopK,
        Self::MinP,
        Self::FrequencyPenalty,
        Self::PresencePenalty,
        Self::RepetitionPenalty,
        Self::MaxTokens,
        Self::Stop,
        Self::Seed,
        Self::LogitBias,
        Self::Effort,
        Self::Prefill,
    ];

    /// As it is stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::TopP => "top_p",
            Self::TopK => "top_k",
            Self::MinP => "min_p",
            Self::FrequencyPenalty => "frequency_penalty",
            Self::PresencePenalty => "presence_penalty",
            Self::RepetitionPenalty => "repetition_penalty",
            Self::MaxTokens => "max_tokens",
            Self::Stop => "stop",
            Self::Seed => "seed",
            Self::LogitBias => "logit_bias",
            Self::Effort => "effort",
            Self::Prefill => "prefill",
        }
    }
}

impl Sampling {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// These, and where they say nothing the others.
    pub fn over(&self, other: Self) -> Self {
        let mut both = self.clone();
        for parameter in Parameter::ALL.into_iter().filter(|parameter| self.value(*parameter).is_none()) {
            both.take(parameter, &other);
        }
        Self { extra: other.extra, ..both }
    }

    /// What is set of one; `None` where nothing is. A stop text that is empty, which all providers refuse and which would
    /// stop everything, and a number that JSON cannot write, are nothing.
    pub fn value(&self, parameter: Parameter) -> Option<Value> {
        let value = match parameter {
            Parameter::Temperature => self.temperature?.into(),
            Parameter::TopP => self.top_p?.into(),
            Parameter::TopK => self.top_k?.into(),
            Parameter::MinP => self.min_p?.into(),
            Parameter::FrequencyPenalty => self.frequency_penalty?.into(),
            Parameter::PresencePenalty => self.presence_penalty?.into(),
            Parameter::RepetitionPenalty => self.repetition_penalty?.into(),
            Parameter::MaxTokens => self.max_tokens?.into(),
            Parameter::Stop => self.stop.iter().filter(|stop| !stop.is_empty()).cloned().collect(),
            Parameter::Seed => self.seed?.into(),
            Parameter::LogitBias => self.logit_bias.clone().into(),
            Parameter::Effort => self.effort?.name().into(),
            Parameter::Prefill => self.prefill.trim_end().into(),
        };
        let is_nothing = match &value {
            Value::Array(list) => list.is_empty(),
            Value::Object(map) => map.is_empty(),
            Value::String(text) => text.is_empty(),
            value => value.is_null(),
        };
        (!is_nothing).then_some(value)
    }

    /// Those that are set.
    pub fn set(&self) -> impl Iterator<Item = Parameter> {
        Parameter::ALL.into_iter().filter(|parameter| self.value(*parameter).is_some())
    }

    /// Takes one as the others have it.
    pub fn take(&mut self, parameter: Parameter, other: &Self) {
        match parameter {
            Parameter::Temperature => self.temperature = other.temperature,
            Parameter::TopP => self.top_p = other.top_p,
            Parameter::TopK => self.top_k = other.top_k,
            Parameter::MinP => self.min_p = other.min_p,
            Parameter::FrequencyPenalty => self.frequency_penalty = other.frequency_penalty,
            Parameter::PresencePenalty => self.presence_penalty = other.presence_penalty,
            Parameter::RepetitionPenalty => self.repetition_penalty = other.repetition_penalty,
            Parameter::MaxTokens => self.max_tokens = other.max_tokens,
            Parameter::Stop => self.stop = other.stop.clone(),
            Parameter::Seed => self.seed = other.seed,
            Parameter::LogitBias => self.logit_bias = other.logit_bias.clone(),
            Parameter::Effort => self.effort = other.effort,
            Parameter::Prefill => self.prefill.clone_from(&other.prefill),
        }
    }

    /// Tokens that an answer may take, its thoughts with it.
    pub fn answer(&self) -> Option<u32> {
        Some(self.max_tokens?.saturating_add(self.room()))
    }

    /// Tokens that a reply may have beside its thoughts where the model takes so many in all: half of them with the
    /// thoughts, or an eighth. Many servers refuse a prompt together with what it asks for.
    pub fn most(&self, context: u32) -> u32 {
        (context / 2).saturating_sub(self.room()).max(context / 8)
    }

    /// Those of the thoughts alone.
    pub fn room(&self) -> u32 {
        self.effort.map_or(0, Effort::room)
    }
}

/// What a connection's model was found to refuse, among what is learnt of the connection ([`Connection::extra`]). A
/// value that is set anew is tried again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Refused {
    model: String,
    /// By the parameter's name; the newest last.
    values: BTreeMap<String, Vec<Value>>,
}

impl Refused {
    pub const FIELD: &str = "refused";
    /// So many values of one parameter are kept.
    const MOST: usize = 8;

    /// As far as is known of the connection's model.
    pub fn of(connection: &Connection) -> Self {
        let stored =
            connection.extra.get(Self::FIELD).and_then(|value| serde_json::from_value::<Self>(value.clone()).ok());
        let stored = stored.filter(|stored| stored.model == connection.model);
        stored.unwrap_or_else(|| Self { model: connection.model.clone(), ..Self::default() })
    }

    pub fn keep(self, connection: &mut Connection) {
        let stored = serde_json::to_value(self).expect("a record has text keys");
        connection.extra.insert(Self::FIELD.to_owned(), stored);
    }

    pub fn add(&mut self, parameter: Parameter, value: Value) {
        let values = self.values.entry(parameter.name().to_owned()).or_default();
        values.retain(|known| *known != value);
        values.push(value);
        let over = values.len().saturating_sub(Self::MOST);
        values.drain(..over);
    }

    /// Whether this value of it is one.
    pub fn has(&self, parameter: Parameter, value: &Value) -> bool {
        self.values.get(parameter.name()).is_some_and(|values| values.contains(value))
    }

    /// The connection's sampling as its model takes it, as far as is known.
    pub fn taken(connection: &Connection) -> Sampling {
        Self::of(connection).without(&connection.sampling)
    }

    /// The sampling without what is refused.
    pub fn without(&self, sampling: &Sampling) -> Sampling {
        let (mut rest, nothing) = (sampling.clone(), Sampling::default());
        for parameter in Parameter::ALL {
            if sampling.value(parameter).is_some_and(|value| self.has(parameter, &value)) {
                rest.take(parameter, &nothing);
            }
        }
        rest.effort = rest.effort.or_else(|| self.nearest(sampling.effort?));
        rest
    }

    /// Of the levels of thought that are not refused, what is nearest to a refused one, the lesser of two: what a model does
    /// where nothing is said may be far from it. `None` where all are refused.
    fn nearest(&self, effort: Effort) -> Option<Effort> {
        let is_taken = |other: &Effort| !self.has(Parameter::Effort, &other.name().into());
        let levels = Effort::ALL.into_iter().filter(|other| *other != Effort::Off && is_taken(other));
        levels.min_by_key(|other| (*other as u8).abs_diff(effort as u8))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn full() -> Sampling {
        Sampling {
            temperature: Some(0.7),
            top_p: Some(0.9),
            top_k: Some(40),
            min_p: Some(0.05),
            frequency_penalty: Some(0.1),
            presence_penalty: Some(0.2),
            repetition_penalty: Some(1.1),
            max_tokens: Some(300),
            stop: vec!["x".into()],
            seed: Some(7),
            logit_bias: Extra::from_iter([("50".to_owned(), json!(-100.0))]),
            effort: Some(Effort::Low),
            prefill: "“".into(),
            extra: Extra::new(),
        }
    }

    #[test]
    fn each_parameter_is_read_and_taken() {
        assert_eq!(full().set().collect::<Vec<_>>(), Parameter::ALL);
        assert_eq!(Sampling::default().set().count(), 0);
        for parameter in Parameter::ALL {
            let mut one = Sampling::default();
            one.take(parameter, &full());
            assert_eq!(one.set().collect::<Vec<_>>(), [parameter]);
            assert_eq!(one.value(parameter), full().value(parameter));
            assert_eq!(json!(parameter), parameter.name());
            assert_eq!(one.over(Sampling::default()), one);
            assert_eq!(Sampling::default().over(one.clone()), one);
        }
        let own = Sampling { temperature: Some(1.5), ..Sampling::default() };
        assert_eq!(own.over(full()), Sampling { temperature: Some(1.5), ..full() });
    }

    #[test]
    fn what_says_nothing_is_not_set() {
        let nothing = Sampling { temperature: Some(f64::NAN), stop: vec![String::new()], ..Sampling::default() };
        assert_eq!(nothing.set().count(), 0);
    }

    #[test]
    fn thoughts_have_room_beside_the_reply() {
        assert_eq!(Sampling { effort: Some(Effort::High), ..Sampling::default() }.answer(), None);
        assert_eq!(full().answer(), Some(300 + 2_048));
        assert_eq!(Sampling { effort: Some(Effort::Off), ..full() }.answer(), Some(300));
    }

    #[test]
    fn a_refused_value_is_left_out_until_it_is_another() {
        let mut connection = Connection { model: "a".into(), sampling: full(), ..Default::default() };
        let mut refused = Refused::of(&connection);
        assert_eq!(refused.without(&full()), full());
        refused.add(Parameter::Temperature, json!(0.7));
        refused.add(Parameter::Stop, json!(["x"]));
        refused.keep(&mut connection);
        let refused = Refused::of(&connection);
        let is_refused = |one: &Parameter| full().value(*one).is_some_and(|value| refused.has(*one, &value));
        assert_eq!(full().set().filter(is_refused).collect::<Vec<_>>(), [Parameter::Temperature, Parameter::Stop]);
        assert_eq!(refused.without(&full()), Sampling { temperature: None, stop: Vec::new(), ..full() });
        let another = Sampling { temperature: Some(0.8), ..full() };
        assert_eq!(refused.without(&another).temperature, Some(0.8));
        connection.model = "b".into();
        assert_eq!(Refused::of(&connection).without(&full()), full(), "of another model nothing is known");
    }

    #[test]
    fn of_one_parameter_the_newest_values_are_kept() {
        let mut refused = Refused::default();
        (0..20).chain([15]).for_each(|value| refused.add(Parameter::TopK, json!(value)));
        assert_eq!(refused.values["top_k"], [12, 13, 14, 16, 17, 18, 19, 15].map(|value| json!(value)));
        assert!(refused.has(Parameter::TopK, &json!(15)) && !refused.has(Parameter::TopK, &json!(11)));
    }
}
