//! The fields of sampling parameters: those of a connection, and those of a preset, which go before them.

use super::number::{Number, Problem};
use crate::{locales::T, story::sampling::Sampling};

/// Temperature, top p, top k, the penalties, the longest reply, the seed.
pub const COUNT: usize = 7;

/// By their test ids, in that order.
pub fn samplers(names: [&'static str; COUNT], sampling: &Sampling) -> [Number; COUNT] {
    const SAFE: f64 = 9_007_199_254_740_991.0;
    let [temperature, top_p, top_k, frequency, presence, max_tokens, seed] = names;
    let count = |count: Option<u32>| count.map(f64::from);
    [
        Number::new(temperature, T::Temperature, sampling.temperature, (0.0, 2.0)),
        Number::new(top_p, T::TopP, sampling.top_p, (0.0, 1.0)),
        Number::whole(top_k, T::TopK, count(sampling.top_k), (0.0, 100_000.0)),
        Number::new(frequency, T::FrequencyPenalty, sampling.frequency_penalty, (-2.0, 2.0)),
        Number::new(presence, T::PresencePenalty, sampling.presence_penalty, (-2.0, 2.0)),
        Number::whole(max_tokens, T::MaxTokens, count(sampling.max_tokens), (1.0, 1_000_000.0)),
        Number::whole(seed, T::Seed, sampling.seed.map(|seed| seed as f64), (-SAFE, SAFE)),
    ]
}

/// As they are typed; what they have no field for is as in `rest`.
///
/// # Errors
/// The first that is none, or out of its range.
pub fn read(fields: [Number; COUNT], rest: Sampling) -> Result<Sampling, Problem> {
    let [temperature, top_p, top_k, frequency, presence, max_tokens, seed] = fields;
    let count = |number: Number| Ok::<_, Problem>(number.read()?.map(|number| number as u32));
    Ok(Sampling {
        temperature: temperature.read()?,
        top_p: top_p.read()?,
        top_k: count(top_k)?,
        frequency_penalty: frequency.read()?,
        presence_penalty: presence.read()?,
        max_tokens: count(max_tokens)?,
        seed: seed.read()?.map(|seed| seed as i64),
        ..rest
    })
}
