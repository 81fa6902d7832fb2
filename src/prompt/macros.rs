//! Macros in prompt texts: `{{char}}`, `{{user}}` and their older spellings, without regard to case.

/// What macros stand for in one scene.
pub struct Values<'a> {
    pub char: &'a str,
    pub user: &'a str,
    /// Text that the present one replaces: `{{original}}`.
    pub original: &'a str,
}

/// Expands the macros that are known; others stay as they are, so that nothing of a card is lost.
/// What a macro puts in is not expanded again.
pub fn expand(text: &str, values: &Values) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['{', '<']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match macro_at(rest, values) {
            Some((length, value)) => {
                out.push_str(value);
                rest = &rest[length..];
            }
            None => {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The macro that `text` begins with: its length and what it stands for.
fn macro_at<'a>(text: &str, values: &Values<'a>) -> Option<(usize, &'a str)> {
    let (inner, length) = if let Some(rest) = text.strip_prefix("{{") {
        let end = rest.find("}}")?;
        (&rest[..end], end + 4)
    } else {
        let rest = text.strip_prefix('<')?;
        let end = rest.find('>').filter(|end| *end <= 5)?;
        let tag = &rest[..end];
        if !["user", "bot", "char"].iter().any(|known| tag.eq_ignore_ascii_case(known)) {
            return None;
        }
        (tag, end + 2)
    };
    let value = match inner.trim().to_ascii_lowercase().as_str() {
        "char" | "bot" => values.char,
        "user" => values.user,
        "original" => values.original,
        _ => return None,
    };
    Some((length, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expands() {
        let values = Values { char: "Mira", user: "你", original: "main {{char}}" };
        let check = |text: &str, expected: &str| assert_eq!(expand(text, &values), expected);
        check("{{char}} and {{ User }}", "Mira and 你");
        check("<BOT> meets <user>; <b>bold</b> stays", "Mira meets 你; <b>bold</b> stays");
        check("{{original}}!", "main {{char}}!");
        check("{{unknown}} {{char {x} <", "{{unknown}} {{char {x} <");
        check("{{{char}}}", "{Mira}");
    }
}
