//! Times and sizes in words.

use super::{Language, fill};
use crate::story::Millis;

const MINUTE: Millis = 60_000;
const HOUR: Millis = 60 * MINUTE;
const DAY: Millis = 24 * HOUR;

/// How long ago, up to a week; `None` beyond: there a date says more.
pub fn ago(then: Millis, now: Millis, language: Language) -> Option<String> {
    let passed = now.saturating_sub(then);
    let count = |unit: Millis| (passed / unit).to_string();
    Some(match passed {
        0..MINUTE => language.pick("刚刚", "just now").to_owned(),
        MINUTE..HOUR => fill(language.pick("{} 分钟前", "{} min ago"), &[&count(MINUTE)]),
        HOUR..DAY => fill(language.pick("{} 小时前", "{} h ago"), &[&count(HOUR)]),
        DAY..604_800_000 => fill(language.pick("{} 天前", "{} d ago"), &[&count(DAY)]),
        _ => return None,
    })
}

/// A number of bytes, in powers of 1,000 as file managers show it.
pub fn bytes(count: f64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut size = count.max(0.0);
    let mut unit = 0;
    while size >= 1000.0 && unit + 1 < UNITS.len() {
        size /= 1000.0;
        unit += 1;
    }
    if unit == 0 || size >= 100.0 { format!("{size:.0} {}", UNITS[unit]) } else { format!("{size:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_how_long_ago() {
        let check =
            |passed, zh: Option<&str>| assert_eq!(ago(DAY * 30, DAY * 30 + passed, Language::Zh).as_deref(), zh);
        check(59_000, Some("刚刚"));
        check(61_000, Some("1 分钟前"));
        check(5 * HOUR, Some("5 小时前"));
        check(6 * DAY, Some("6 天前"));
        check(7 * DAY, None);
        assert_eq!(ago(10, 5, Language::En).as_deref(), Some("just now"), "a clock that was set back");
    }

    #[test]
    fn says_sizes() {
        assert_eq!([999.0, 1500.0, 123_456_789.0].map(bytes), ["999 B", "1.5 kB", "123 MB"]);
    }
}
