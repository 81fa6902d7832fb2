//! What a model costs, and money: whole numbers, so that no sum drifts.

use serde::{Deserialize, Serialize};

use super::{figures::plain, generation::Usage};

/// Money in billionths of its currency's unit: a sum of nine million is still exact where numbers are JavaScript's.
pub type Nanos = u64;

/// The currency where none is named.
pub const CURRENCY: &str = "USD";

/// Letters that the name of a currency has at most.
pub const CURRENCY_LENGTH: usize = 8;

/// Prices of one model, in millionths of the currency's unit for a million tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Price {
    /// As the reader calls it.
    pub currency: String,
    pub input: u64,
    pub output: u64,
    /// Of what the provider's cache gives; `None` = as all input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Of what is put into it; `None` = as all input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
    /// It was taken from the provider's list of models.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub listed: bool,
}

impl Default for Price {
    fn default() -> Self {
        Self { currency: CURRENCY.into(), input: 0, output: 0, cached: None, written: None, listed: false }
    }
}

impl Price {
    /// What so many tokens cost.
    pub fn of(&self, usage: Usage) -> Nanos {
        let cached = usage.cached_tokens.unwrap_or(0).min(usage.prompt_tokens);
        let written = usage.written_tokens.unwrap_or(0).min(usage.prompt_tokens - cached);
        let fresh = usage.prompt_tokens - cached - written;
        // A millionth for a million tokens is a billionth of a thousandth for one.
        let thousandths: u128 = [
            (fresh, self.input),
            (cached, self.cached.unwrap_or(self.input)),
            (written, self.written.unwrap_or(self.input)),
            (usage.completion_tokens, self.output),
        ]
        .into_iter()
        .map(|(tokens, price)| u128::from(tokens) * u128::from(price))
        .sum();
        u64::try_from((thousandths + 500) / 1_000).unwrap_or(u64::MAX)
    }
}

/// Reads a decimal number (`0.15`, `1,5`, `.5`, `1.5e-7`) as a whole number of its `places`-th decimals, rounded; full-width digits
/// count as digits. `None`: it is none, is negative, or is too large.
pub fn decimal(text: &str, places: i32) -> Option<u64> {
    let text = plain(text).replace(',', ".");
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok().filter(|e| e.abs() < 100)?),
        None => (text.as_str(), 0),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{part}");
    if all.is_empty() || all.len() > 30 || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u128 = all.parse().ok()?;
    let shift = places + exponent - part.len() as i32;
    let power = 10u128.checked_pow(shift.unsigned_abs());
    let scaled = match (shift >= 0, power) {
        (true, Some(power)) => number.checked_mul(power)?,
        (true, None) => return (number == 0).then_some(0),
        (false, Some(power)) => number / power + u128::from(number % power >= power.div_ceil(2)),
        (false, None) => 0,
    };
    u64::try_from(scaled).ok()
}

/// A number of which `places` digits are decimals, without zeros that say nothing.
pub fn written_out(number: u64, places: u32) -> String {
    if places == 0 {
        return number.to_string();
    }
    let unit = 10u64.pow(places);
    let text = format!("{}.{:0width$}", number / unit, number % unit, width = places as usize);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A sum as it is read: cents where there are any to speak of, else the first two digits that say something.
pub fn sum(nanos: Nanos) -> String {
    const NANOS: u64 = 1_000_000_000;
    let places = match nanos {
        0 => return "0".into(),
        NANOS.. => 2,
        10_000_000.. => 4,
        _ => 6,
    };
    let unit = 10u64.pow(9 - places);
    match nanos.saturating_add(unit / 2) / unit {
        0 => "< 0.000001".into(),
        rounded if places == 2 => format!("{}.{:02}", rounded / 100, rounded % 100),
        rounded => written_out(rounded, places),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimals_are_read() {
        for (text, expected) in [
            ("0.15", Some(150_000)),
            ("0,15", Some(150_000)),
            (" ３．５ ", Some(3_500_000)),
            (".5", Some(500_000)),
            ("15", Some(15_000_000)),
            ("0", Some(0)),
            ("1e-3", Some(1_000)),
            ("0.0000004", Some(0)),
            ("0.0000005", Some(1)),
            ("0e99", Some(0)),
            ("1e99", None),
            ("", None),
            (".", None),
            ("-1", None),
            ("1.2.3", None),
            ("1e", None),
            ("free", None),
            ("99999999999999999999999999999999", None),
        ] {
            assert_eq!(decimal(text, 6), expected, "{text:?}");
        }
        // As OpenRouter writes dollars for a token.
        for (text, expected) in [("0.00000015", 150_000), ("0.000003", 3_000_000), ("1.5e-7", 150_000)] {
            assert_eq!(decimal(text, 12), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn sums_are_said() {
        for (nanos, expected) in [
            (0, "0"),
            (400, "< 0.000001"),
            (1_499, "0.000001"),
            (123_456, "0.000123"),
            (12_345_678, "0.0123"),
            (100_000_000, "0.1"),
            (1_000_000_000, "1.00"),
            (12_345_678_901, "12.35"),
        ] {
            assert_eq!(sum(nanos), expected, "{nanos}");
        }
        assert_eq!((written_out(150_000, 6), written_out(3_000_000, 6)), ("0.15".into(), "3".into()));
    }

    #[test]
    fn a_call_costs_what_its_tokens_cost() {
        let usage = |prompt, completion, cached, written| Usage {
            prompt_tokens: prompt,
            completion_tokens: completion,
            cached_tokens: cached,
            written_tokens: written,
        };
        let plain = Price { input: 3_000_000, output: 15_000_000, ..Price::default() };
        let full = Price { cached: Some(300_000), written: Some(3_750_000), ..plain.clone() };
        for (price, usage, expected) in [
            (&plain, usage(1_000_000, 0, None, None), 3_000_000_000),
            (&plain, usage(1_000, 100, None, None), 4_500_000),
            (&plain, usage(1_000, 100, Some(800), Some(100)), 4_500_000),
            (&full, usage(1_000, 100, Some(800), Some(100)), 300_000 + 240_000 + 375_000 + 1_500_000),
            // More cached than asked is a mistake: nothing is counted twice.
            (&full, usage(100, 0, Some(1_000), Some(1_000)), 30_000),
            (&Price { input: 20_000, ..Price::default() }, usage(1, 0, None, None), 20),
            (&Price::default(), usage(9, 9, None, None), 0),
        ] {
            assert_eq!(price.of(usage), expected, "{usage:?} of {price:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_out_is_read_as_it_was(number in 0u64..1_000_000_000_000, places in 0u32..12) {
            prop_assert_eq!(decimal(&written_out(number, places), places as i32), Some(number));
        }

        #[test]
        fn nothing_is_read_wrong(text in "\\PC{0,12}", places in 0i32..13) {
            if let Some(number) = decimal(&text, places) {
                prop_assert!(number == 0 || plain(&text).chars().any(|char| char.is_ascii_digit()));
            }
        }
    }
}
