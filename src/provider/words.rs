//! Foreign text made fit to be shown: one line, short, without markup and without the key.

use super::hide::hide;

/// Whether a body is a page.
pub fn is_html(text: &str) -> bool {
    text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}').starts_with('<')
}

/// The words of a body: of a page its title, or its text without tags; any other text as it is.
pub fn plain(text: &str) -> String {
    if !is_html(text) {
        return text.to_owned();
    }
    // ASCII lower case keeps byte positions.
    let lower = text.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|at| {
        let start = at + lower[at..].find('>')? + 1;
        let end = start + lower[start..].find("</title")?;
        Some(text[start..end].trim()).filter(|title| !title.is_empty())
    });
    if let Some(title) = title {
        return title.to_owned();
    }
    let mut words = String::new();
    for part in text.split('<') {
        words.push(' ');
        words.push_str(part.split_once('>').map_or("", |(_, after)| after));
    }
    words
}

/// One line of at most `limit` characters, `key` replaced in every writing. The key goes first: a cut must not leave a piece of it.
pub fn clean(text: &str, key: Option<&str>, limit: usize) -> String {
    let text = match key {
        Some(key) if !key.is_empty() => hide(text, key),
        _ => text.to_owned(),
    };
    let line = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let line = line.collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(limit) {
        Some(_) => {
            let kept: String = line.chars().take(limit - 1).collect();
            format!("{}…", kept.trim_end())
        }
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_told_by_their_title() {
        #[track_caller]
        fn check(text: &str, want: &str) {
            assert_eq!(clean(&plain(text), None, 100), want);
        }
        check("<html><head><title>502 Bad\n Gateway</title></head><body>x</body></html>", "502 Bad Gateway");
        check("\n<!DOCTYPE html><HTML><TITLE lang=en>İ Ünavailable</TITLE>", "İ Ünavailable");
        check("<h1>Not <b>here</b></h1><br", "Not here");
        check("a < b > c", "a < b > c");
        check("<", "");
    }

    #[test]
    fn text_becomes_one_short_line_without_the_key() {
        #[track_caller]
        fn check(text: &str, limit: usize, want: &str) {
            assert_eq!(clean(text, Some("sk-secret"), limit), want);
        }
        check(" a\r\n\tb \u{0} c ", 100, "a b c");
        check("雪雪雪雪雪", 5, "雪雪雪雪雪");
        check("雪雪雪雪雪雪", 5, "雪雪雪雪…");
        check("the key sk-secret, sk-secret.", 100, "the key •••, •••.");
        check("12345sk-secret", 9, "12345•••");
    }
}
