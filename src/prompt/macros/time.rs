//! Time as prompts tell it.

use crate::story::{Millis, storyline::Language};

/// A moment on the reader's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub year: i64,
    pub month: usize,
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    /// 0 = Sunday.
    pub weekday: usize,
}

impl Moment {
    pub fn new(now: Millis, utc_offset: i32) -> Self {
        let minutes = (now / 60_000) as i64 + i64::from(utc_offset);
        let (days, of_day) = (minutes.div_euclid(1_440), minutes.rem_euclid(1_440));
        // Howard Hinnant's civil-from-days: years that begin in March, in eras of 400.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        Self {
            year: year + era * 400 + i64::from(month <= 2),
            month: month as usize,
            day,
            hour: of_day / 60,
            minute: of_day % 60,
            weekday: (days + 4).rem_euclid(7) as usize,
        }
    }

    /// What a macro of time stands for.
    pub fn tell(&self, name: &str, language: Language) -> Option<String> {
        const MONTHS: [&str; 12] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ];
        const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
        const DAYS_ZH: [&str; 7] = ["星期日", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六"];
        let Self { year, month, day, hour, minute, weekday } = *self;
        Some(match (name, language) {
            ("isodate", _) => format!("{year:04}-{month:02}-{day:02}"),
            ("isotime", _) | ("time", Language::Zh) => format!("{hour:02}:{minute:02}"),
            ("time", Language::En) => {
                let half = if hour < 12 { "AM" } else { "PM" };
                format!("{}:{minute:02} {half}", (hour + 11) % 12 + 1)
            }
            ("date", Language::Zh) => format!("{year}年{month}月{day}日"),
            ("date", Language::En) => format!("{} {day}, {year}", MONTHS[month - 1]),
            ("weekday", Language::Zh) => DAYS_ZH[weekday].to_owned(),
            ("weekday", Language::En) => DAYS[weekday].to_owned(),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_time() {
        let check = |now, offset, zh: [&str; 3], en: [&str; 3]| {
            let moment = Moment::new(now, offset);
            let told = |language| ["date", "time", "weekday"].map(|name| moment.tell(name, language).unwrap());
            assert_eq!(told(Language::Zh), zh);
            assert_eq!(told(Language::En), en);
        };
        check(
            1_760_610_600_000,
            0,
            ["2025年10月16日", "10:30", "星期四"],
            ["October 16, 2025", "10:30 AM", "Thursday"],
        );
        check(
            1_760_610_600_000,
            480,
            ["2025年10月16日", "18:30", "星期四"],
            ["October 16, 2025", "6:30 PM", "Thursday"],
        );
        check(951_782_400_000, -1, ["2000年2月28日", "23:59", "星期一"], ["February 28, 2000", "11:59 PM", "Monday"]);
        check(951_782_400_000, 0, ["2000年2月29日", "00:00", "星期二"], ["February 29, 2000", "12:00 AM", "Tuesday"]);
        assert_eq!(Moment::new(0, 0).tell("isodate", Language::En).unwrap(), "1970-01-01");
    }
}
