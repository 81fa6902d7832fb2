//! How long a provider asks to wait, in seconds, wherever it says so. A page sees of the headers what the server exposes
//! (CORS), so the body and its words count as well.

use serde_json::Value;

use crate::story::Millis;

/// A wait of a day and more is no retry.
const LONGEST: f64 = 86_400.0;

/// Whole seconds, where `wait` is a time that one can wait.
pub(super) fn seconds(wait: Option<f64>) -> Option<u32> {
    wait.filter(|wait| (0.0..LONGEST).contains(wait)).map(|wait| wait.ceil() as u32)
}

/// `retry-after-ms`, or `retry-after` in seconds or as a date (RFC 9110, 10.2.3). Dates are measured by the server's own
/// clock where it shows it.
pub(super) fn of_headers(headers: &[(String, String)], now: Millis) -> Option<f64> {
    let header = |name| headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim());
    let date = |text| {
        let now = header("date").and_then(http_date).unwrap_or(now as f64 / 1000.0);
        // It may have come while the answer was on its way.
        Some((http_date(text)? - now).max(0.0))
    };
    let millis = header("retry-after-ms").and_then(decimal);
    millis
        .map(|millis| millis / 1000.0)
        .or_else(|| header("retry-after").and_then(|text| decimal(text).or_else(|| date(text))))
}

/// What an error object says of it: Gemini's `details`, OpenRouter's copy of the headers (a time of day, in ms), and fields of
/// the same name as the header.
pub(super) fn of_value(object: &Value, now: Option<Millis>) -> Option<f64> {
    let number = |value: &Value| value.as_f64().or_else(|| decimal(value.as_str()?.trim()));
    let delay = || {
        let details = object["details"].as_array()?;
        details.iter().filter_map(|detail| detail["retryDelay"].as_str()).find_map(duration)
    };
    let field = || ["retry_after", "retry_after_seconds", "retryAfter"].iter().find_map(|name| number(&object[*name]));
    let millis = || Some(number(&object["retry_after_ms"])? / 1000.0);
    let reset = || Some((number(&object["metadata"]["headers"]["X-RateLimit-Reset"])? - now? as f64) / 1000.0);
    delay().or_else(field).or_else(millis).or_else(reset)
}

/// OpenAI, Groq, Gemini and Azure say it in their sentence: "Please try again in 7m12.5s", "Please retry after 20 seconds".
pub(super) fn of_words(message: &str) -> Option<f64> {
    let message = message.to_ascii_lowercase();
    let after = ["try again in ", "retry in ", "retry after "].iter().find_map(|words| message.split_once(words))?.1;
    duration(after)
}

/// A number as JSON writes it: the page has the reading of those, and that of `str::parse` brings a table of ten kilobytes.
fn decimal(text: &str) -> Option<f64> {
    serde_json::from_str(text).ok()
}

/// `34.07s`, `7m12.5s`, `120ms`, `20 seconds`: numbers with units at the start of a text.
fn duration(text: &str) -> Option<f64> {
    let (mut rest, mut sum) = (text, None);
    loop {
        let start = rest.trim_start();
        let digits = start.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(start.len());
        let Some(number) = decimal(&start[..digits]) else { return sum };
        let after = start[digits..].trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let unit = match &after[..letters] {
            "ms" | "milliseconds" => 0.001,
            "s" | "sec" | "second" | "seconds" => 1.0,
            "m" | "min" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ => return sum,
        };
        sum = Some(sum.unwrap_or(0.0) + number * unit);
        rest = &after[letters..];
    }
}

/// Seconds since 1970 of a date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<f64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_ascii_whitespace();
    let mut next = || words.next();
    let (_weekday, day, month, year, time) = (next()?, next()?, next()?, next()?, next()?);
    let number = |text: &str| text.parse::<i64>().ok();
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let mut clock = time.split(':').map(number);
    let mut clock = || clock.next().flatten();
    let (hour, minute, second) = (clock()?, clock()?, clock()?);
    // Howard Hinnant's days-from-civil: years that begin in March, in eras of 400.
    let year = number(year).filter(|year| (1970..10_000).contains(year))? - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + number(day)? - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some((days * 86_400 + hour * 3600 + minute * 60 + second) as f64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Wed, 21 Oct 2026 07:28:00 GMT.
    const NOW: Millis = 1_792_567_680_000;

    #[test]
    fn headers() {
        #[track_caller]
        fn check(headers: &[(&str, &str)], want: Option<u32>) {
            let headers: Vec<_> =
                headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            assert_eq!(seconds(of_headers(&headers, NOW)), want, "{headers:?}");
        }
        check(&[("retry-after", "20")], Some(20));
        check(&[("retry-after", " 1.2 ")], Some(2));
        check(&[("retry-after", "20"), ("retry-after-ms", "1500")], Some(2));
        check(&[("retry-after", "Wed, 21 Oct 2026 07:28:12 GMT")], Some(12));
        check(&[("retry-after", "Thu, 22 Oct 2026 07:27:59 GMT")], Some(86_399));
        check(&[("retry-after", "Thu, 22 Oct 2026 07:28:00 GMT")], None);
        check(&[("retry-after", "Wed, 21 Oct 2026 07:27:00 GMT")], Some(0));
        // The reader's clock may be wrong.
        check(&[("date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT")], Some(60));
        for none in ["", "-1", "NaN", "1e300", "soon", "Wed, 21 Foo 2026 07:28:00 GMT", "Wed, 21 Oct 2026", "1;2"] {
            check(&[("retry-after", none)], None);
        }
        check(&[], None);
    }

    #[test]
    fn days() {
        let check = |text, want: Option<f64>| assert_eq!(http_date(text), want, "{text}");
        check("Thu, 01 Jan 1970 00:00:00 GMT", Some(0.0));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777.0));
        check("Tue, 29 Feb 2000 12:00:00 GMT", Some(951_825_600.0));
        check("Wed, 21 Oct 2026 07:28:00 GMT", Some(NOW as f64 / 1000.0));
    }

    #[test]
    fn bodies() {
        let check = |value: Value, want| assert_eq!(seconds(of_value(&value, Some(NOW))), want, "{value}");
        check(json!({ "details": [{ "reason": "x" }, { "retryDelay": "34.07s" }] }), Some(35));
        check(json!({ "details": [{ "retryDelay": "1m0.5s" }] }), Some(61));
        check(json!({ "retry_after": 7 }), Some(7));
        check(json!({ "retry_after": "7.5" }), Some(8));
        check(json!({ "retry_after_ms": 1500 }), Some(2));
        check(json!({ "metadata": { "headers": { "X-RateLimit-Reset": (NOW + 90_000).to_string() } } }), Some(90));
        check(json!({ "details": "?", "retry_after": null }), None);
        check(json!("slow"), None);
    }

    #[test]
    fn sentences() {
        let check = |text, want| assert_eq!(seconds(of_words(text)), want, "{text}");
        check("Rate limit reached. Please try again in 20s. Visit the page.", Some(20));
        check("Please try again in 7m12.5s. Need more tokens?", Some(433));
        check("Please try again in 120ms.", Some(1));
        check("Please retry after 20 seconds.", Some(20));
        check("Please retry in 34.074824224s.", Some(35));
        check("Please try again in 1 hour 2 minutes", Some(3720));
        check("Please try again later.", None);
        check("Please try again in a while.", None);
        check("retry after 2026-10-21", None);
        check("", None);
    }
}
