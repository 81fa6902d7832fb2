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
    to_places(count, 0)
}

/// Two numbers of bytes that are not the same, told so that one sees it.
pub fn bytes_apart(a: f64, b: f64) -> [String; 2] {
    let told = |more| [a, b].map(|count| to_places(count, more));
    (0..12).map(told).find(|[a, b]| a != b).unwrap_or_else(|| told(0))
}

/// With so many more places after the point than one needs to know.
fn to_places(count: f64, more: usize) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut size = count.max(0.0);
    let mut unit = 0;
    while size >= 1000.0 && unit + 1 < UNITS.len() {
        size /= 1000.0;
        unit += 1;
    }
    let places = if unit == 0 || size >= 100.0 { more } else { more + 1 };
    format!("{size:.places$} {}", UNITS[unit])
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
        let limit = (16 << 20) as f64;
        assert_eq!(bytes_apart(limit + 1.0, limit), ["16.777217 MB", "16.777216 MB"]);
        assert_eq!(bytes_apart(17.4e6, limit), ["17.4 MB", "16.8 MB"]);
        assert_eq!(bytes_apart(limit, limit), ["16.8 MB", "16.8 MB"]);
    }
}
