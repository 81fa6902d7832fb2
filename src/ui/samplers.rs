//! The fields of sampling parameters: those of a connection, and those of a preset, which go before them.

use leptos::prelude::*;

use super::{
    app::App,
    fields::{SelectField, TextArea, TextField},
    number::{Number, Problem},
};
use crate::{
    desk::sampling::{bias_lines, bias_of},
    locales::sampling::{T, effort as effort_name, label},
    story::sampling::{Effort, Parameter, Sampling},
};

/// The names of the fields in one place.
pub struct TestIds {
    numbers: [&'static str; COUNT],
    stop: &'static str,
    bias: &'static str,
    effort: &'static str,
    prefill: &'static str,
}

const COUNT: usize = 9;

macro_rules! test_ids {
    ($place:literal) => {
        TestIds {
            numbers: [
                concat!($place, "-temperature"),
                concat!($place, "-top-p"),
                concat!($place, "-top-k"),
                concat!($place, "-min-p"),
                concat!($place, "-frequency-penalty"),
                concat!($place, "-presence-penalty"),
                concat!($place, "-repetition-penalty"),
                concat!($place, "-max-tokens"),
                concat!($place, "-seed"),
            ],
            stop: concat!($place, "-stop"),
            bias: concat!($place, "-bias"),
            effort: concat!($place, "-effort"),
            prefill: concat!($place, "-prefill"),
        }
    };
}

pub const OF_CONNECTION: &TestIds = &test_ids!("connection");
pub const OF_PRESET: &TestIds = &test_ids!("preset");

/// As they are typed.
#[derive(Clone, Copy)]
pub struct Samplers {
    ids: &'static TestIds,
    pub temperature: Number,
    /// Those that few people touch.
    rare: [Number; COUNT - 1],
    stop: RwSignal<String>,
    bias: RwSignal<String>,
    effort: RwSignal<String>,
    prefill: RwSignal<String>,
}

impl Samplers {
    pub fn new(ids: &'static TestIds, sampling: &Sampling) -> Self {
        const SAFE: f64 = 9_007_199_254_740_991.0;
        let [temperature, top_p, top_k, min_p, frequency, presence, repetition, max_tokens, seed] = ids.numbers;
        let count = |count: Option<u32>| count.map(f64::from);
        let number = |id, parameter, value, range| Number::new(id, label(parameter), value, range);
        let whole = |id, parameter, value, range| Number::whole(id, label(parameter), value, range);
        Self {
            ids,
            temperature: number(temperature, Parameter::Temperature, sampling.temperature, (0.0, 2.0)),
            rare: [
                number(top_p, Parameter::TopP, sampling.top_p, (0.0, 1.0)),
                whole(top_k, Parameter::TopK, count(sampling.top_k), (0.0, 100_000.0)),
                number(min_p, Parameter::MinP, sampling.min_p, (0.0, 1.0)),
                number(frequency, Parameter::FrequencyPenalty, sampling.frequency_penalty, (-2.0, 2.0)),
                number(presence, Parameter::PresencePenalty, sampling.presence_penalty, (-2.0, 2.0)),
                number(repetition, Parameter::RepetitionPenalty, sampling.repetition_penalty, (0.0, 2.0)),
                whole(max_tokens, Parameter::MaxTokens, count(sampling.max_tokens), (1.0, 1_000_000.0)),
                whole(seed, Parameter::Seed, sampling.seed.map(|seed| seed as f64), (-SAFE, SAFE)),
            ],
            stop: RwSignal::new(sampling.stop.join("\n")),
            bias: RwSignal::new(bias_lines(&sampling.logit_bias)),
            effort: RwSignal::new(sampling.effort.map_or("", Effort::name).to_owned()),
            prefill: RwSignal::new(sampling.prefill.clone()),
        }
    }

    /// What is in the fields.
    pub fn texts(self) -> impl Iterator<Item = RwSignal<String>> {
        let numbers = [self.temperature].into_iter().chain(self.rare).map(|number| number.text);
        numbers.chain([self.stop, self.bias, self.effort, self.prefill])
    }

    /// Whether anything but the temperature is set.
    pub fn has_rare(self) -> bool {
        self.texts().skip(1).any(|text| text.with_untracked(|text| !text.is_empty()))
    }

    /// As it is typed; what has no field is as in `rest`.
    ///
    /// # Errors
    /// The first that cannot be read, or is out of its range.
    pub fn read(self, rest: Sampling) -> Result<Sampling, Problem> {
        let [top_p, top_k, min_p, frequency, presence, repetition, max_tokens, seed] = self.rare;
        let count = |number: Number| Ok::<_, Problem>(number.read()?.map(|number| number as u32));
        Ok(Sampling {
            temperature: self.temperature.read()?,
            top_p: top_p.read()?,
            top_k: count(top_k)?,
            min_p: min_p.read()?,
            frequency_penalty: frequency.read()?,
            presence_penalty: presence.read()?,
            repetition_penalty: repetition.read()?,
            max_tokens: count(max_tokens)?,
            seed: seed.read()?.map(|seed| seed as i64),
            stop: self.stop.with(|stop| stop.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()),
            logit_bias: self.bias.with(|bias| bias_of(bias)).map_err(Problem::Bias)?,
            effort: self.effort.with(|effort| Effort::from_name(effort)),
            prefill: self.prefill.get(),
            extra: rest.extra,
        })
    }
}

#[component]
pub fn NumberField(number: Number) -> impl IntoView {
    let app = App::here();
    view! { <TextField label=app.t(number.label) value=number.text testid=number.testid fault=number.fault(app) /> }
}

/// All but the temperature, which may stand elsewhere.
#[component]
pub fn RareSamplers(samplers: Samplers) -> impl IntoView {
    let app = App::here();
    let Samplers { ids, rare, stop, bias, effort, prefill, .. } = samplers;
    let efforts = Signal::derive(move || {
        let none = [(String::new(), app.t(T::EffortNotSet)().to_owned())];
        let option = |one: Effort| (one.name().to_owned(), app.t(effort_name(one))().to_owned());
        none.into_iter().chain(Effort::ALL.map(option)).collect::<Vec<_>>()
    });
    let bias_fault =
        Signal::derive(move || bias.with(|bias| bias_of(bias)).err().map(|line| Problem::Bias(line).words(app)));
    view! {
        <div class="columns">
            <SelectField label=app.t(T::Effort) value=effort options=efforts testid=ids.effort hint=Signal::derive(app.t(T::EffortHint)) />
            {rare.map(|number| view! { <NumberField number /> }).collect_view()}
        </div>
        <TextArea label=app.t(T::Prefill) value=prefill testid=ids.prefill rows=2 hint=Signal::derive(app.t(T::PrefillHint)) />
        <TextArea label=app.t(T::StopTexts) value=stop testid=ids.stop rows=2 />
        <TextArea label=app.t(T::LogitBias) value=bias testid=ids.bias rows=2 hint=Signal::derive(app.t(T::LogitBiasHint)) fault=bias_fault />
    }
}
