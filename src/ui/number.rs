//! A field for a number, and what may be wrong with one.

use leptos::prelude::*;

use super::app::App;
use crate::{
    desk::sampling::BodyFault,
    locales::{AnyText, T, costs, fill, reasons, sampling},
    story::figures::{plain, ungrouped},
};

/// A number that may be left out.
#[derive(Clone, Copy)]
pub struct Number {
    pub testid: &'static str,
    pub label: AnyText,
    pub text: RwSignal<String>,
    low: f64,
    high: f64,
    whole: bool,
}

/// Why a field is refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    NotANumber,
    NotWhole,
    OutOfRange(f64, f64),
    Required,
    BothPrices,
    Address(String),
    /// A line of a bias that is none.
    Bias(String),
    Body(BodyFault),
}

impl Problem {
    pub fn words(&self, app: App) -> String {
        match self {
            Self::NotANumber => app.t(T::NotANumber)().to_owned(),
            Self::NotWhole => app.t(T::NotWhole)().to_owned(),
            Self::Required => app.t(T::Required)().to_owned(),
            Self::BothPrices => costs::T::BothPrices.text(app.language.get()).to_owned(),
            Self::OutOfRange(low, high) => fill(app.t(T::OutOfRange)(), &[&low.to_string(), &high.to_string()]),
            Self::Bias(line) => fill(app.t(sampling::T::LogitBiasBroken)(), &[line]),
            Self::Body(BodyFault::NotAnObject) => app.t(sampling::T::BodyNotObject)().to_owned(),
            Self::Body(BodyFault::NotJson(line, column)) => {
                fill(app.t(sampling::T::BodyNotJson)(), &[&line.to_string(), &column.to_string()])
            }
            Self::Address(reason) => reasons::reason(reason, app.language.get()),
        }
    }
}

impl Number {
    pub fn new(testid: &'static str, label: impl Into<AnyText>, value: Option<f64>, (low, high): (f64, f64)) -> Self {
        let label = label.into();
        let text = RwSignal::new(value.map(|value| value.to_string()).unwrap_or_default());
        Self { testid, label, text, low, high, whole: false }
    }

    pub fn whole(testid: &'static str, label: impl Into<AnyText>, value: Option<f64>, range: (f64, f64)) -> Self {
        Self { whole: true, ..Self::new(testid, label, value, range) }
    }

    /// The number; `None` where the field is empty.
    pub fn read(self) -> Result<Option<f64>, Problem> {
        // A decimal comma is how half of the world writes it. A whole number has none.
        let text = self.text.with(|text| if self.whole { ungrouped(text) } else { plain(text) });
        let text = text.replace(',', ".");
        if text.is_empty() {
            return Ok(None);
        }
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or(Problem::NotANumber)?;
        if !(self.low..=self.high).contains(&number) {
            return Err(Problem::OutOfRange(self.low, self.high));
        }
        if self.whole && number.fract() != 0.0 {
            return Err(Problem::NotWhole);
        }
        Ok(Some(number))
    }

    /// What is wrong with it, beside the field.
    pub fn fault(self, app: App) -> Signal<Option<String>> {
        Signal::derive(move || self.read().err().map(|problem| problem.words(app)))
    }
}
