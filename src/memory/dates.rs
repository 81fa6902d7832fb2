//! Days of the calendar, and how texts name them.

use super::words;

/// A day as a calendar names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

impl Date {
    /// The day of a moment in milliseconds since 1970, where the clock is `offset` minutes ahead of Greenwich.
    ///
    /// Source: Howard Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`.
    pub fn of(millis: i64, offset: i32) -> Self {
        let days = (millis + i64::from(offset) * 60_000).div_euclid(DAY) + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        // Years of this calendar begin in March.
        let shifted = (5 * day_of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self {
            year: year.clamp(0, i64::from(u16::MAX)) as u16,
            month: month as u8,
            day: (day_of_year - (153 * shifted + 2) / 5 + 1) as u8,
        }
    }

    /// One number that sorts as the days do; 0 is no date.
    pub fn pack(self) -> u32 {
        u32::from(self.year) << 9 | u32::from(self.month) << 5 | u32::from(self.day)
    }

    pub fn unpack(packed: u32) -> Option<Self> {
        let date = Self { year: (packed >> 9) as u16, month: (packed >> 5 & 15) as u8, day: (packed & 31) as u8 };
        (packed != 0).then_some(date)
    }
}

/// A day, a month or a year that a text names; what it leaves open is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Named {
    pub year: Option<u16>,
    pub month: Option<u8>,
    pub day: Option<u8>,
}

impl Named {
    /// Without a year: every year.
    pub fn holds(&self, date: Date) -> bool {
        self.year.is_none_or(|year| year == date.year)
            && self.month.is_none_or(|month| month == date.month)
            && self.day.is_none_or(|day| day == date.day)
    }

    /// How narrow: a day 2, a month 1, a year 0.
    fn precision(&self) -> u8 {
        if self.day.is_some() { 2 } else { u8::from(self.month.is_some()) }
    }
}

/// The dates that `text` names: its days, where it names any; else its months; else its years.
pub fn named(text: &str) -> Vec<Named> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (named, used) = match_at(&tokens[at..]);
        found.extend(named);
        at += used;
    }
    let finest = found.iter().map(Named::precision).max();
    found.retain(|named| Some(named.precision()) == finest);
    found
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    Number(u32),
    Month(u8),
    Year,
    MonthSign,
    Day,
    Of,
    Dash,
    Word,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            found.push(rest[..length].parse().map_or(Token::Word, Token::Number));
            let ending = ["st", "nd", "rd", "th"].iter().find(|ending| rest[length..].starts_with(**ending));
            length + ending.map_or(0, |ending| ending.len())
        } else if CHINESE_DIGITS.contains(first) {
            let length = rest.find(|c| !CHINESE_DIGITS.contains(c)).unwrap_or(rest.len());
            found.push(chinese_number(&rest[..length]).map_or(Token::Word, Token::Number));
            length
        } else if first.is_ascii_alphabetic() {
            let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
            found.push(english(&rest[..length]));
            length
        } else {
            match first {
                '年' => found.push(Token::Year),
                '月' => found.push(Token::MonthSign),
                '日' | '号' | '號' => found.push(Token::Day),
                '-' | '/' => found.push(Token::Dash),
                ' ' | ',' => {}
                _ => found.push(Token::Word),
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

/// Months are written with a capital: "may" and "march" are words of every day.
fn english(word: &str) -> Token {
    if word == "of" {
        return Token::Of;
    }
    let lower = word.to_ascii_lowercase();
    let short = lower.len() == 3 || lower == "sept";
    let month = MONTHS.iter().position(|month| *month == lower || short && month.starts_with(&lower));
    match month.filter(|_| word.starts_with(|c: char| c.is_ascii_uppercase())) {
        Some(month) => Token::Month(month as u8 + 1),
        None => Token::Word,
    }
}

const CHINESE_DIGITS: &str = "零一二三四五六七八九十〇";

/// Numbers up to ninety-nine (`二十三`), and digits in a row (`二〇二三`).
fn chinese_number(text: &str) -> Option<u32> {
    let digit = |c: char| match c {
        '零' | '〇' => Some(0),
        _ => "一二三四五六七八九".chars().position(|digit| digit == c).map(|at| at as u32 + 1),
    };
    if let Some((tens, ones)) = text.split_once('十') {
        let one = |text: &str, none| match text.chars().next() {
            None => Some(none),
            Some(c) => digit(c).filter(|_| text.chars().count() == 1),
        };
        return Some(one(tens, 1)? * 10 + one(ones, 0)?);
    }
    text.chars().try_fold(0u32, |sum, c| sum.checked_mul(10)?.checked_add(digit(c)?))
}

/// The date that `tokens` begin with, if any, and how many tokens were read.
fn match_at(tokens: &[Token]) -> (Option<Named>, usize) {
    use Token::{Dash, Day, Month, MonthSign, Number, Of, Year};
    let is_year = |number: &u32| (1000..3000).contains(number);
    let year_at = |at: usize| match tokens.get(at) {
        Some(Number(year)) if is_year(year) => (Some(*year as u16), 1),
        _ => (None, 0),
    };
    let named = |year: Option<u16>, month: u32, day: Option<u32>| {
        let fits = (1..=12).contains(&month) && day.is_none_or(|day| (1..=31).contains(&day));
        fits.then_some(Named { year, month: Some(month as u8), day: day.map(|day| day as u8) })
    };
    match tokens {
        [Number(y), Dash, Number(m), Dash, Number(d), ..] if is_year(y) => (named(Some(*y as u16), *m, Some(*d)), 5),
        [Number(y), Year, Number(m), MonthSign, Number(d), Day, ..] => (named(u16::try_from(*y).ok(), *m, Some(*d)), 6),
        [Number(y), Year, Number(m), MonthSign, ..] => (named(u16::try_from(*y).ok(), *m, None), 4),
        [Number(y), Year, ..] if is_year(y) => (Some(Named { year: Some(*y as u16), ..Named::default() }), 2),
        [Number(m), MonthSign, Number(d), Day, ..] => (named(None, *m, Some(*d)), 4),
        [Number(m), MonthSign, ..] => (named(None, *m, None), 2),
        [Number(d), Month(m), ..] if *d <= 31 => {
            let (year, used) = year_at(2);
            (named(year, u32::from(*m), Some(*d)), 2 + used)
        }
        [Number(d), Of, Month(m), ..] if *d <= 31 => {
            let (year, used) = year_at(3);
            (named(year, u32::from(*m), Some(*d)), 3 + used)
        }
        [Month(m), Number(d), ..] if *d <= 31 => {
            let (year, used) = year_at(2);
            (named(year, u32::from(*m), Some(*d)), 2 + used)
        }
        [Month(m), ..] => {
            let (year, used) = year_at(1);
            (named(year, u32::from(*m), None), 1 + used)
        }
        [Number(y), ..] if is_year(y) => (Some(Named { year: Some(*y as u16), ..Named::default() }), 1),
        _ => (None, 1),
    }
}

/// A word that may be part of a date: a session's date belongs to its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateWord {
    Number(u16),
    Month(u8),
}

impl DateWord {
    /// Words that a date adds to its texts: day, month and year.
    pub const COUNT: u32 = 3;

    /// Of a word in the index's form.
    pub fn of(word: &str) -> Option<Self> {
        let ordinal = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending));
        if let Ok(number) = ordinal.unwrap_or(word).parse() {
            return Some(Self::Number(number));
        }
        let month = MONTHS.iter().position(|month| words::stem(month).is_some_and(|stem| stem == word))?;
        Some(Self::Month(month as u8 + 1))
    }

    pub fn stands_in(self, date: Date) -> bool {
        match self {
            Self::Number(number) => number == u16::from(date.day) || number == date.year,
            Self::Month(month) => month == date.month,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        let part = |part: Option<u16>| part.map_or("*".to_owned(), |part| part.to_string());
        let show =
            |n: Named| format!("{}-{}-{}", part(n.year), part(n.month.map(u16::from)), part(n.day.map(u16::from)));
        named(text).into_iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn dates_are_read_as_people_write_them() {
        for (text, dates) in [
            ("on 8 May 2023", "2023-5-8"),
            ("May 8th, 2023?", "2023-5-8"),
            ("the 8th of May", "*-5-8"),
            ("in July", "*-7-*"),
            ("in July 2023 or in 2021", "2023-7-*"),
            ("1:56 pm on 8 May, 2023", "2023-5-8"),
            ("between 2021 and 2023", "2021-*-* 2023-*-*"),
            ("2023-05-06", "2023-5-6"),
            ("在5月6号，", "*-5-6"),
            ("2023年7月", "2023-7-*"),
            ("二〇二三年十二月二十五日", "2023-12-25"),
            ("you may march 20 miles", ""),
            ("13月40日", ""),
        ] {
            assert_eq!(show(text), dates, "{text}");
        }
    }

    #[test]
    fn a_moment_has_a_day() {
        assert_eq!(Date::of(0, 0), Date { year: 1970, month: 1, day: 1 });
        assert_eq!(Date::of(1_709_164_800_000, 0), Date { year: 2024, month: 2, day: 29 });
        assert_eq!(Date::of(-1, 0), Date { year: 1969, month: 12, day: 31 });
        assert_eq!(Date::of(-1, 60), Date { year: 1970, month: 1, day: 1 });
        let date = Date { year: 2023, month: 5, day: 6 };
        assert_eq!(Date::unpack(date.pack()), Some(date));
    }
}
