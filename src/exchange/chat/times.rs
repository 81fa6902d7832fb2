//! Times as the field's programs write them. Where no zone is said, it is taken for UTC: which it was, nobody knows.

use serde_json::Value;

use crate::story::{LAST_MILLIS, Millis};

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A time: milliseconds, seconds, `2023-06-19T14:20:30.123Z`, `June 19, 2023 2:20pm`, `2023-6-19 @14h 20m 30s 123ms`.
pub(super) fn millis(value: &Value) -> Option<Millis> {
    let at = match value {
        Value::Number(number) => of_number(number.as_f64()?),
        Value::String(text) => of_text(text.trim()),
        _ => None,
    };
    at.filter(|at| *at > 0 && *at <= LAST_MILLIS)
}

fn of_number(number: f64) -> Option<Millis> {
    /// In seconds this is the year 5138, in milliseconds 1973.
    const SECONDS: f64 = 1e11;
    (number > 0.0).then_some(if number < SECONDS { number * 1_000.0 } else { number } as Millis)
}

fn of_text(text: &str) -> Option<Millis> {
    if let Ok(number) = text.parse::<f64>() {
        return of_number(number);
    }
    let lower = text.to_lowercase();
    let (body, zone) = zone(&lower);
    let numbers: Vec<u64> = body
        .split(|char: char| !char.is_ascii_digit())
        .filter(|digits| !digits.is_empty() && digits.len() <= 9)
        .filter_map(|digits| digits.parse().ok())
        .collect();
    let month = MONTHS.iter().position(|month| lower.starts_with(month));
    let (year, month, day, rest) = match (month, &*numbers) {
        (Some(month), [day, year, rest @ ..]) => (*year, month as u64 + 1, *day, rest),
        (None, [year, month, day, rest @ ..]) => (*year, *month, *day, rest),
        _ => return None,
    };
    if !(1970..=9_999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let part = |at: usize, most: u64| rest.get(at).copied().unwrap_or(0).min(most);
    let hour = match part(0, 23) {
        12 if lower.ends_with("am") => 0,
        hour if hour < 12 && lower.ends_with("pm") => hour + 12,
        hour => hour,
    };
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + part(1, 59) * 60 + part(2, 60);
    (seconds * 1_000 + part(3, 999)).checked_add_signed(-zone)
}

/// What stands before the zone, and the zone in milliseconds.
fn zone(text: &str) -> (&str, i64) {
    let after = text.find('t').filter(|at| text[..*at].ends_with(|char: char| char.is_ascii_digit()));
    let Some(sign) = after.and_then(|at| text[at..].find(['+', '-']).map(|sign| at + sign)) else { return (text, 0) };
    let (body, zone) = text.split_at(sign);
    let digits: String = zone.chars().filter(char::is_ascii_digit).take(4).collect();
    let (hours, minutes) = digits.split_at(digits.len().min(2));
    let of = |digits: &str| digits.parse::<i64>().unwrap_or(0);
    let millis = (of(hours) * 60 + of(minutes)) * 60_000;
    (body, if zone.starts_with('-') { -millis } else { millis })
}

/// Days from 1970 on.
fn days(year: u64, month: u64, day: u64) -> u64 {
    // The year begins in March: a leap day is then its last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::story::persona::iso;

    #[test]
    fn as_they_are_found() {
        for (value, expected) in [
            (json!("2023-06-19T14:20:30.123Z"), Some(1_687_184_430_123)),
            (json!("2023-06-19T14:20:30.123+08:00"), Some(1_687_155_630_123)),
            (json!("2023-06-19 14:20:30"), Some(1_687_184_430_000)),
            (json!("June 19, 2023 2:20pm"), Some(1_687_184_400_000)),
            (json!("June 19, 2023 12:05am"), Some(1_687_133_100_000)),
            (json!("2023-6-19 @14h 20m 30s 123ms"), Some(1_687_184_430_123)),
            (json!(1_687_184_430_123_u64), Some(1_687_184_430_123)),
            (json!("1687184430"), Some(1_687_184_430_000)),
            (json!("yesterday"), None),
            (json!("99999-99-99"), None),
            (json!(-1), None),
            (json!(1e300), None),
            (json!({}), None),
        ] {
            assert_eq!(millis(&value), expected, "{value}");
        }
    }

    proptest! {
        #[test]
        fn what_we_write_we_read(at in 1u64..4_000_000_000) {
            prop_assert_eq!(millis(&json!(iso(at * 1_000))), Some(at * 1_000));
        }

        #[test]
        fn noise_is_no_panic(text in "[0-9tT:+@apm ,.-]{0,30}|.{0,20}") {
            let _ = millis(&json!(text));
        }
    }
}
