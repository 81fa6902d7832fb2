//! What a connection's estimate is multiplied by, learnt from the counts that its provider reports.

use serde::{Deserialize, Serialize};

use crate::story::connection::Connection;

/// Stored in [`Connection::extra`] under [`Calibration::FIELD`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Calibration {
    /// Reported tokens for an estimated one.
    pub factor: f64,
    /// Reports so far.
    pub samples: u32,
}

impl Default for Calibration {
    fn default() -> Self {
        Self { factor: 1.0, samples: 0 }
    }
}

impl Calibration {
    pub const FIELD: &str = "calibration";
    /// Outside of this a report is a mistake (a cached prompt that is not counted, a picture), not a vocabulary.
    const BOUNDS: (f64, f64) = (0.5, 2.0);
    /// Weight of a new report once there are several.
    const WEIGHT: f64 = 0.3;

    pub fn of(connection: &Connection) -> Self {
        let stored = connection.extra.get(Self::FIELD).and_then(|value| serde_json::from_value(value.clone()).ok());
        let Self { factor, samples } = stored.unwrap_or_default();
        let factor = if factor.is_finite() { factor.clamp(Self::BOUNDS.0, Self::BOUNDS.1) } else { 1.0 };
        Self { factor, samples }
    }

    pub fn store(self, connection: &mut Connection) {
        let value = serde_json::to_value(self).expect("two numbers");
        connection.extra.insert(Self::FIELD.to_owned(), value);
    }

    /// Learns from one report. `estimated` is the uncalibrated figure ([`crate::story::account::Account::raw_tokens`]);
    /// a report for a prompt of almost nothing says little and is passed over.
    pub fn learn(self, estimated: u32, reported: u32) -> Self {
        if estimated < 32 || reported == 0 {
            return self;
        }
        let seen = (f64::from(reported) / f64::from(estimated)).clamp(Self::BOUNDS.0, Self::BOUNDS.1);
        let samples = self.samples.saturating_add(1);
        let weight = (1.0 / f64::from(samples)).max(Self::WEIGHT);
        Self { factor: self.factor + (seen - self.factor) * weight, samples }
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

    #[test]
    fn stored_form() {
        let mut connection = Connection::default();
        assert_eq!(Calibration::of(&connection), Calibration::default());
        Calibration { factor: 1.25, samples: 3 }.store(&mut connection);
        assert_eq!(serde_json::to_string(&connection.extra).unwrap(), r#"{"calibration":{"factor":1.25,"samples":3}}"#);
        assert_eq!(Calibration::of(&connection).factor, 1.25);
        connection.extra.insert("calibration".into(), serde_json::json!({ "factor": -7 }));
        assert_eq!(Calibration::of(&connection).factor, 0.5);
        connection.extra.insert("calibration".into(), "?".into());
        assert_eq!(Calibration::of(&connection), Calibration::default());
    }

    proptest! {
        #[test]
        fn three_turns_bring_it_within_five_percent(times in 0.5f64..2.0, prompts in prop::collection::vec(100u32..50_000, 4), noise in prop::collection::vec(-0.02f64..0.02, 3)) {
            let mut calibration = Calibration::default();
            for (estimated, noise) in prompts.iter().zip(noise) {
                calibration = calibration.learn(*estimated, (f64::from(*estimated) * times * (1.0 + noise)) as u32);
            }
            let real = f64::from(prompts[3]) * times;
            let told = f64::from(calibration.scale(prompts[3]));
            prop_assert!((told - real).abs() <= real * 0.05 + 1.0, "{} for {}", told, real);
        }

        #[test]
        fn a_budget_holds(factor in 0.5f64..2.0, budget in 0u32..2_000_000) {
            let calibration = Calibration { factor, samples: 1 };
            prop_assert!(calibration.scale(calibration.unscale(budget)) <= budget);
        }
    }
}
