//! How much may be spent: it warns, then it asks.

use serde::{Deserialize, Serialize};

use super::{
    figures::{ungrouped, ungrouped_decimal},
    price::{Nanos, decimal, written_out},
    spending::Total,
};

/// A bound on what is spent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// Prompt and completion together.
    Tokens(u64),
    /// Of what was paid in that currency.
    Money { nanos: Nanos, currency: String },
}

/// What a budget bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// All that is spent on a day.
    Day,
    /// All that a story has ever cost.
    Story,
}

/// How much of a budget is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    Free,
    /// Four fifths, or more.
    Near,
    Up,
}

/// A budget, and what has been spent of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub bounds: Bounds,
    pub budget: Budget,
    /// In the budget's own unit.
    pub spent: u64,
}

/// Decimals of an amount of money.
const PLACES: u32 = 9;

impl Budget {
    /// As it was typed, in a currency or, where that is `None`, in tokens. `None`: that is no amount above zero.
    pub fn typed(text: &str, currency: Option<&str>) -> Option<Self> {
        let (places, text) = match currency {
            Some(_) => (PLACES, ungrouped_decimal(text)),
            None => (0, ungrouped(text)),
        };
        let amount = decimal(&text, places as i32).filter(|amount| *amount > 0)?;
        Some(match currency {
            Some(currency) => Self::Money { nanos: amount, currency: currency.to_owned() },
            None => Self::Tokens(amount),
        })
    }

    pub fn currency(&self) -> Option<&str> {
        match self {
            Self::Tokens(_) => None,
            Self::Money { currency, .. } => Some(currency),
        }
    }

    /// So much, in the same unit, as one would type it.
    pub fn written(&self, amount: u64) -> String {
        written_out(amount, if self.currency().is_some() { PLACES } else { 0 })
    }

    pub fn amount(&self) -> u64 {
        match self {
            Self::Tokens(amount) | Self::Money { nanos: amount, .. } => *amount,
        }
    }

    /// What of a total counts against it.
    pub fn spent(&self, total: &Total) -> u64 {
        match self {
            Self::Tokens(_) => total.tokens(),
            Self::Money { currency, .. } => total.money.get(currency).copied().unwrap_or(0),
        }
    }
}

impl Standing {
    pub fn of(bounds: Bounds, budget: &Budget, total: &Total) -> Self {
        Self { bounds, budget: budget.clone(), spent: budget.spent(total) }
    }

    pub fn is(&self) -> Use {
        let (spent, amount) = (u128::from(self.spent), u128::from(self.budget.amount()));
        match spent {
            spent if spent >= amount => Use::Up,
            spent if spent * 5 >= amount * 4 => Use::Near,
            _ => Use::Free,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn total() -> Total {
        let money = [("USD".to_owned(), 800), ("¥".to_owned(), 5_000)].into();
        Total { prompt: 70, completion: 9, money, ..Total::default() }
    }

    #[test]
    fn it_warns_then_it_asks() {
        let money = |nanos, currency: &str| Budget::Money { nanos, currency: currency.into() };
        for (budget, expected) in [
            (Budget::Tokens(100), Use::Free),
            (Budget::Tokens(98), Use::Near),
            (Budget::Tokens(80), Use::Near),
            (Budget::Tokens(79), Use::Up),
            (Budget::Tokens(10), Use::Up),
            (money(1_001, "USD"), Use::Free),
            (money(1_000, "USD"), Use::Near),
            (money(800, "USD"), Use::Up),
            (money(800, "EUR"), Use::Free),
            (money(6_000, "¥"), Use::Near),
            (Budget::Tokens(u64::MAX), Use::Free),
        ] {
            assert_eq!(Standing::of(Bounds::Day, &budget, &total()).is(), expected, "{budget:?}");
        }
    }

    #[test]
    fn it_is_typed_and_written() {
        for (text, currency, expected) in [
            ("2.5", Some("USD"), Some(Budget::Money { nanos: 2_500_000_000, currency: "USD".into() })),
            ("100000", None, Some(Budget::Tokens(100_000))),
            ("100,000", None, Some(Budget::Tokens(100_000))),
            ("1,000", Some("USD"), Some(Budget::Money { nanos: 1_000_000_000_000, currency: "USD".into() })),
            ("1.125", Some("USD"), Some(Budget::Money { nanos: 1_125_000_000, currency: "USD".into() })),
            ("0", None, None),
            ("0.0", Some("¥"), None),
            ("", None, None),
            ("much", None, None),
            ("-3", Some("¥"), None),
        ] {
            assert_eq!(Budget::typed(text, currency), expected, "{text}");
            if let Some(budget) = expected {
                assert_eq!(budget.written(budget.amount()), text.replace(',', ""));
            }
        }
    }

    proptest! {
        #[test]
        fn who_spends_more_stands_no_better(amount in 1u64.., spent in 0u64.., more in 0u64..) {
            let standing = |spent| Standing { bounds: Bounds::Story, budget: Budget::Tokens(amount), spent };
            prop_assert!(standing(spent).is() <= standing(spent.saturating_add(more)).is());
        }
    }
}
