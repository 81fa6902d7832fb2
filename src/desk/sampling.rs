//! What is typed of the sampling beside numbers: a bias for each token, and fields of the reader's own.

use serde_json::Value;

use crate::story::Extra;

/// Why fields of the reader's own cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFault {
    /// It is no JSON: line and column of where that shows.
    NotJson(usize, usize),
    NotAnObject,
}

/// Lines of `id: bias` as the request has them. A comma may stand for the colon, and a decimal comma is none here.
///
/// # Errors
/// The first line that is none.
pub fn bias_of(text: &str) -> Result<Extra, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let entry = |line: &str| {
        let (token, bias) = line.split_once([':', '：', ',', '，', '='])?;
        let token: u32 = token.trim().trim_matches('"').parse().ok()?;
        let bias: f64 = bias.trim().trim_end_matches(',').parse().ok()?;
        (-100.0..=100.0).contains(&bias).then(|| (token.to_string(), bias.into()))
    };
    lines.map(|line| entry(line).ok_or_else(|| line.to_owned())).collect()
}

/// The lines of a bias.
pub fn bias_lines(bias: &Extra) -> String {
    bias.iter().map(|(token, bias)| format!("{token}: {bias}")).collect::<Vec<_>>().join("\n")
}

/// An object, or nothing.
///
/// # Errors
/// It is neither.
pub fn body_of(text: &str) -> Result<Extra, BodyFault> {
    if text.trim().is_empty() {
        return Ok(Extra::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(body)) => Ok(body),
        Ok(_) => Err(BodyFault::NotAnObject),
        Err(error) => Err(BodyFault::NotJson(error.line(), error.column())),
    }
}

/// As it is typed.
pub fn body_text(body: &Extra) -> String {
    match body.is_empty() {
        true => String::new(),
        false => serde_json::to_string_pretty(body).expect("an object can be written"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_bias_is_read_as_people_write_it() {
        let want: Extra =
            [("50256", -100.0), ("7", 1.5)].map(|(a, b)| (a.to_owned(), Value::from(b))).into_iter().collect();
        for text in ["50256: -100\n7: 1.5", " 7=1.5 \n\n50256：-100", "\"50256\": -100,\n\"7\": 1.5"] {
            assert_eq!(bias_of(text).as_ref(), Ok(&want), "{text}");
        }
        assert_eq!(bias_of(&bias_lines(&want)).as_ref(), Ok(&want));
        assert_eq!(bias_of(" \n"), Ok(Extra::new()));
        for bad in ["word: 1", "7", "7: 101", "-7: 1", "7: NaN", "7: "] {
            assert_eq!(bias_of(&format!("7: 1\n{bad}")), Err(bad.trim().to_owned()));
        }
    }

    #[test]
    fn fields_are_an_object_or_nothing() {
        let body = json!({"top_a": 0.2, "chat_template_kwargs": {"x": null}});
        let body = body.as_object().unwrap();
        assert_eq!(body_of(&body_text(body)).as_ref(), Ok(body));
        assert_eq!((body_of(" "), body_text(&Extra::new())), (Ok(Extra::new()), String::new()));
        assert_eq!(body_of("[1]"), Err(BodyFault::NotAnObject));
        assert_eq!(body_of("{\"a\": 1\n b}"), Err(BodyFault::NotJson(2, 2)));
    }
}
