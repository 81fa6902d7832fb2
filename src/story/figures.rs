//! Numbers as people type them.

/// A whole number in plain digits, as a page shows many: `12,000`, `12.000`, `12 000` and `１２，０００` are 12000. What is no
/// such number stays as it is, but for its digits: `1,5` may be a decimal comma.
pub fn ungrouped(text: &str) -> String {
    without(text, &[",", " ", "'", "."])
}

/// The same of a number that may have decimals: behind a point they are.
pub fn ungrouped_decimal(text: &str) -> String {
    without(text, &[",", " ", "'"])
}

fn without(text: &str, marks: &[&str]) -> String {
    let plain = plain(text);
    marks.iter().find_map(|mark| in_groups(&plain, mark)).unwrap_or(plain)
}

/// Groups of three digits, of which the first may be shorter and begins with no zero.
fn in_groups(text: &str, mark: &str) -> Option<String> {
    let mut groups = text.split(mark);
    let first = groups.next()?;
    let digits = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let is_first = digits(first) && first.len() <= 3 && !first.starts_with('0');
    let is_whole = is_first && text.contains(mark) && groups.all(|group| digits(group) && group.len() == 3);
    is_whole.then(|| text.replace(mark, ""))
}

/// The same in plain digits and signs, whatever it says.
pub fn plain(text: &str) -> String {
    text.trim().chars().map(half_width).collect()
}

fn half_width(char: char) -> char {
    match char {
        '０'..='９' => char::from_u32(char as u32 - '０' as u32 + '0' as u32).unwrap_or(char),
        '．' => '.',
        '，' => ',',
        '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{3000}' => ' ',
        '’' => '\'',
        _ => char,
    }
}

#[cfg(test)]
mod tests {
    use super::ungrouped;

    #[test]
    fn groups_are_one_number() {
        for (typed, expected) in [
            ("12000", "12000"),
            (" 2,000 ", "2000"),
            ("1,000,000", "1000000"),
            ("１２，０００", "12000"),
            ("１０２４", "1024"),
            ("12 000", "12000"),
            ("12\u{202f}000", "12000"),
            ("1’000", "1000"),
            ("2.000", "2000"),
            // No groups of three.
            ("1,5", "1,5"),
            ("0,125", "0,125"),
            ("1,00", "1,00"),
            ("1,0000", "1,0000"),
            ("1234,567", "1234,567"),
            (",000", ",000"),
            ("1,000.5", "1,000.5"),
            ("much", "much"),
            ("", ""),
        ] {
            assert_eq!(ungrouped(typed), expected, "{typed}");
        }
    }
}
