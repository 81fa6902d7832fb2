//! What a connection's estimate is multiplied by, learnt from the counts that its provider reports.

use serde::{Deserialize, Serialize};

use crate::{store::from_value, story::connection::Connection};

/// Stored in [`Connection::extra`] under [`Calibration::FIELD`].
///
/// A provider counts exactly, and the prompts of one story are alike: what the last ones were worth is what the next one
/// is. The middle one of three follows another story, in another language, within two turns, and is not led astray by
/// a single count that is off (a cached prompt of which only the rest is counted).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Calibration {
    /// Reported tokens for an estimated one.
    pub factor: f64,
    /// Reports so far.
    pub samples: u32,
    /// What the last reports said, the newest first; 0 = none.
    #[serde(skip_serializing_if = "is_none")]
    pub last: [f64; KEPT],
}

const KEPT: usize = 3;

fn is_none(last: &[f64; KEPT]) -> bool {
    *last == [0.0; KEPT]
}

impl Default for Calibration {
    fn default() -> Self {
        Self { factor: 1.0, samples: 0, last: [0.0; KEPT] }
    }
}

impl Calibration {
    pub const FIELD: &str = "calibration";
    /// The vocabularies in use lie well within: a Chinese character is half a token to the newest, two or three to the
    /// oldest. Outside of it a report is a mistake (a prompt that was cached and is not counted, a picture), and teaches
    /// nothing.
    const BOUNDS: (f64, f64) = (0.25, 4.0);

    pub fn of(connection: &Connection) -> Self {
        let stored = connection.extra.get(Self::FIELD).and_then(|value| from_value(value.clone()).ok());
        let stored: Self = stored.unwrap_or_default();
        let factor = if stored.factor.is_finite() { stored.factor } else { 1.0 };
        Self { factor: factor.clamp(Self::BOUNDS.0, Self::BOUNDS.1), ..stored }
    }

    pub fn store(self, connection: &mut Connection) {
        let value = serde_json::to_value(self).expect("numbers");
        connection.extra.insert(Self::FIELD.to_owned(), value);
    }

    /// Learns from one report. `estimated` is the uncalibrated figure ([`crate::story::account::Account::raw_tokens`]);
    /// a report for a prompt of almost nothing says little and is passed over.
    pub fn learn(self, estimated: u32, reported: u32) -> Self {
        if estimated < 32 {
            return self;
        }
        let seen = f64::from(reported) / f64::from(estimated);
        if !(Self::BOUNDS.0..=Self::BOUNDS.1).contains(&seen) {
            return self;
        }
        let [first, second, _] = self.last;
        let last = [seen, first, second];
        let factor = match last {
            [newest, 0.0, 0.0] => newest,
            [newest, before, 0.0] => (newest + before) / 2.0,
            [a, b, c] => a.min(b).max(a.max(b).min(c)),
        };
        Self { factor, samples: self.samples.saturating_add(1), last }
    }

    /// An uncalibrated figure, calibrated.
    pub fn scale(self, tokens: u32) -> u32 {
        (f64::from(tokens) * self.factor - 1e-6).ceil() as u32
    }

    /// The uncalibrated figure that a calibrated budget has room for.
    pub fn unscale(self, budget: u32) -> u32 {
        (f64::from(budget) / self.factor) as u32
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::prompt::tokens::{PER_MESSAGE, estimate};

    #[test]
    fn stored_form() {
        let mut connection = Connection::default();
        assert_eq!(Calibration::of(&connection), Calibration::default());
        Calibration { factor: 1.25, samples: 3, ..Calibration::default() }.store(&mut connection);
        assert_eq!(serde_json::to_string(&connection.extra).unwrap(), r#"{"calibration":{"factor":1.25,"samples":3}}"#);
        assert_eq!(Calibration::of(&connection).factor, 1.25);
        let learnt = Calibration::of(&connection).learn(1_000, 1_500);
        learnt.store(&mut connection);
        assert_eq!((Calibration::of(&connection), learnt.factor), (learnt, 1.5), "what it last heard counts");
        for broken in [serde_json::json!({ "factor": -7 }), serde_json::json!({ "factor": 0.01, "samples": 9 })] {
            connection.extra.insert("calibration".into(), broken);
            assert_eq!(Calibration::of(&connection).factor, 0.25);
        }
        connection.extra.insert("calibration".into(), "?".into());
        assert_eq!(Calibration::of(&connection), Calibration::default());
    }

    #[test]
    fn a_count_that_is_off_leads_nobody_astray() {
        let mut calibration = Calibration::default();
        for _ in 0..3 {
            calibration = calibration.learn(1_000, 640);
        }
        let before = calibration;
        for reported in [0, 1, 200, 9_000] {
            assert_eq!(calibration.learn(1_000, reported), before, "{reported} is no count of such a prompt");
        }
        assert_eq!(calibration.learn(1_000, 330).factor, 0.64, "one that may be is outvoted");
        assert_eq!(calibration.learn(31, 31), before);
    }

    const ZH: &[&str] = &[
        "她沿着旧城墙走，雨落在青石上，每一步都像是在数着从前的日子。",
        "「你还记得我吗？」他低声问，灯火在窗纸上晃动。",
        "林夕没有回答，只是把那把旧伞收起来，靠在门边——雨声渐渐小了。",
    ];
    const EN: &[&str] = &[
        "The lamp on the counter had burned low, and nobody in the shop thought of trimming it.",
        "“I remember,” she said, and counted the coins again: seven, eight, nine.",
        "It was the third letter this week; the other two lay unopened beneath the ledger.",
    ];

    /// A vocabulary of one's own: tokens of a Han character, of a word, of a sign.
    #[derive(Clone, Copy, Debug)]
    struct Vocabulary {
        han: f64,
        word: f64,
        sign: f64,
    }

    impl Vocabulary {
        fn count(self, text: &str) -> f64 {
            let signs = text.chars().filter(|char| !char.is_alphanumeric() && !char.is_whitespace()).count();
            let han = text.chars().filter(|char| matches!(char, '\u{4e00}'..='\u{9fff}')).count();
            let letters = |char: char| char.is_ascii_alphanumeric();
            let words = text.split(|char| !letters(char)).filter(|word| !word.is_empty()).count();
            han as f64 * self.han + words as f64 * self.word + signs as f64 * self.sign
        }
    }

    /// From the newest vocabularies (DeepSeek, Qwen) over o200k to cl100k and older ones.
    fn vocabulary() -> impl Strategy<Value = Vocabulary> {
        (0.5f64..1.5, 1.0f64..1.4, 0.6f64..1.1).prop_map(|(han, word, sign)| Vocabulary { han, word, sign })
    }

    /// The prompts of a story of which so many lines in ten are Chinese: head and turns, each longer by a turn.
    fn prompts(zh: usize, turns: usize, from: usize) -> Vec<Vec<String>> {
        let line = |nth: usize| match (nth * 7 + nth / 10) % 10 < zh {
            true => ZH[nth % ZH.len()],
            false => EN[nth % EN.len()],
        };
        let said = |nth: usize| (nth * 10..nth * 10 + 10).map(line).collect::<String>();
        (0..turns).map(|turn| (from..from + 4 + turn).map(said).collect()).collect()
    }

    fn estimated(prompt: &[String]) -> u32 {
        prompt.iter().map(|text| estimate(text) + PER_MESSAGE).sum()
    }

    fn counted(prompt: &[String], by: Vocabulary) -> f64 {
        prompt.iter().map(|text| by.count(text) + f64::from(PER_MESSAGE)).sum()
    }

    proptest! {
        /// Whatever the vocabulary and the language: after three turns the fourth prompt is known; and so it is after
        /// three more in another language, over the same connection.
        #[test]
        fn three_turns_bring_it_within_five_percent(
            by in vocabulary(),
            stories in prop::collection::vec(prop_oneof![Just(0usize), Just(10), 1usize..10], 1..4),
            noise in prop::collection::vec(-0.015f64..0.015, 3),
        ) {
            let mut calibration = Calibration::default();
            for zh in stories {
                let prompts = prompts(zh, 4, zh);
                for (prompt, noise) in prompts.iter().zip(&noise) {
                    calibration = calibration.learn(estimated(prompt), (counted(prompt, by) * (1.0 + noise)) as u32);
                }
                let (told, real) = (f64::from(calibration.scale(estimated(&prompts[3]))), counted(&prompts[3], by));
                prop_assert!((told - real).abs() <= real * 0.05 + 1.0, "{} for {}, {} lines of ten in Chinese", told, real, zh);
            }
        }

        #[test]
        fn a_budget_holds(factor in 0.25f64..4.0, budget in 0u32..1_000_000) {
            let calibration = Calibration { factor, samples: 1, ..Calibration::default() };
            prop_assert!(calibration.scale(calibration.unscale(budget)) <= budget);
        }
    }
}
