//! The numbers of an entry, as they are typed.

use std::ops::RangeInclusive;

use crate::{
    features::lore::LoreSettings,
    story::{figures::ungrouped, lorebook::Entry},
};

/// Deeper than any story is long.
const DEEPEST: i64 = 10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    Order,
    Depth,
    Probability,
    GroupWeight,
    Sticky,
    Cooldown,
    Delay,
    RecursionLevel,
    ScanDepth,
    Priority,
}

/// What was typed is no whole number from `min` to `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberFault {
    pub min: i64,
    pub max: i64,
}

impl Number {
    pub const ALL: [Self; 10] = [
        Self::Order,
        Self::Depth,
        Self::Probability,
        Self::GroupWeight,
        Self::Sticky,
        Self::Cooldown,
        Self::Delay,
        Self::RecursionLevel,
        Self::ScanDepth,
        Self::Priority,
    ];

    fn range(self) -> RangeInclusive<i64> {
        match self {
            Self::Order | Self::Priority => -1_000_000..=1_000_000,
            Self::Probability => 0..=100,
            Self::ScanDepth => 0..=(*LoreSettings::SCAN_DEPTH.end()).into(),
            Self::GroupWeight => 1..=DEEPEST,
            Self::Depth | Self::Sticky | Self::Cooldown | Self::Delay | Self::RecursionLevel => 0..=DEEPEST,
        }
    }

    /// Whether it may stay empty: then something else decides.
    fn is_optional(self) -> bool {
        matches!(self, Self::ScanDepth | Self::Priority)
    }

    /// As it is typed.
    pub fn get(self, entry: &Entry) -> String {
        let number = match self {
            Self::Order => Some(entry.order.into()),
            Self::Depth => Some(entry.depth.unwrap_or(super::draft::DEPTH).into()),
            Self::Probability => Some(entry.probability.into()),
            Self::GroupWeight => Some(entry.group_weight.into()),
            Self::Sticky => Some(entry.sticky.into()),
            Self::Cooldown => Some(entry.cooldown.into()),
            Self::Delay => Some(entry.delay.into()),
            Self::RecursionLevel => Some(entry.recursion_level.into()),
            Self::ScanDepth => entry.scan_depth.map(i64::from),
            Self::Priority => entry.priority.map(i64::from),
        };
        number.map(|number: i64| number.to_string()).unwrap_or_default()
    }

    /// Puts what was typed into the entry.
    ///
    /// # Errors
    /// It is none, or out of its range: the entry is as it was.
    pub fn set(self, entry: &mut Entry, typed: &str) -> Result<(), NumberFault> {
        let number = whole(typed, self.range())?;
        let (min, max) = self.range().into_inner();
        if number.is_none() && !self.is_optional() {
            return Err(NumberFault { min, max });
        }
        // Within its range, so that nothing is cut.
        let count = number.unwrap_or_default() as u32;
        match self {
            Self::Order => entry.order = number.unwrap_or_default() as i32,
            Self::Depth => entry.depth = Some(count),
            Self::Probability => entry.probability = count,
            Self::GroupWeight => entry.group_weight = count,
            Self::Sticky => entry.sticky = count,
            Self::Cooldown => entry.cooldown = count,
            Self::Delay => entry.delay = count,
            Self::RecursionLevel => entry.recursion_level = count,
            Self::ScanDepth => entry.scan_depth = number.map(|_| count),
            Self::Priority => entry.priority = number.map(|number| number as i32),
        }
        Ok(())
    }
}

/// A whole number as it is typed; `None`: nothing is.
///
/// # Errors
/// It is none, or out of the range.
pub fn whole(typed: &str, range: RangeInclusive<i64>) -> Result<Option<i64>, NumberFault> {
    let typed = ungrouped(typed);
    if typed.is_empty() {
        return Ok(None);
    }
    let (min, max) = range.clone().into_inner();
    typed.parse().ok().filter(|number| range.contains(number)).map(Some).ok_or(NumberFault { min, max })
}
