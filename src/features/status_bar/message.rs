//! What a frame says to the page: five messages, each a text of JSON of exactly this shape.
//!
//! ```json
//! {"fabula": "ready"}
//! {"fabula": "seen", "n": 3}
//! {"fabula": "height", "px": 120}
//! {"fabula": "draft", "text": "拔剑"}
//! {"fabula": "fault", "text": "TypeError: …"}
//! ```
//!
//! Whatever else comes is refused: a bar is foreign, and its messages are read as such.

use serde_json::{Map, Value};

/// Bytes of a message.
pub const BYTES: usize = 16 << 10;
/// Characters of a draft and of a fault's words; what is beyond is cut.
pub const DRAFT: usize = 2_000;
pub const FAULT: usize = 300;
/// Pixels of a frame.
pub const HEIGHT: u32 = 480;

#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The scripts of the bar have run.
    Ready,
    /// The `n`-th state has been taken in.
    Seen { n: u64 },
    /// The bar would like to be so high: pixels, 0 to [`HEIGHT`].
    Height(u32),
    /// Words for the composer, not blank, all of them to be seen: no control characters but line breaks, none that turn
    /// the direction, none of the tags that only a model would read.
    Draft(String),
    /// The bar threw this.
    Fault(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("longer than {BYTES} bytes")]
    TooLong,
    #[error("not a JSON object")]
    NotAnObject,
    #[error("not a message of a status bar")]
    Unknown,
    #[error("a field is missing, not what it should be, or one too many")]
    BadField,
}

/// Reads what a frame said.
///
/// # Errors
/// It is none of the messages.
pub fn read(text: &str) -> Result<Message, Refusal> {
    if text.len() > BYTES {
        return Err(Refusal::TooLong);
    }
    let Ok(Value::Object(said)) = serde_json::from_str(text) else { return Err(Refusal::NotAnObject) };
    let kind = said.get("fabula").and_then(Value::as_str).ok_or(Refusal::Unknown)?;
    match kind {
        "ready" => fields(&said, 1).map(|()| Message::Ready),
        "seen" => {
            let n = field(&said, "n")?.as_u64().ok_or(Refusal::BadField)?;
            Ok(Message::Seen { n })
        }
        "height" => {
            let px = field(&said, "px")?.as_f64().ok_or(Refusal::BadField)?;
            Ok(Message::Height(px.clamp(0.0, HEIGHT.into()).ceil() as u32))
        }
        "draft" => {
            let words = words(field(&said, "text")?, DRAFT)?;
            if words.is_empty() { Err(Refusal::BadField) } else { Ok(Message::Draft(words)) }
        }
        "fault" => words(field(&said, "text")?, FAULT).map(Message::Fault),
        _ => Err(Refusal::Unknown),
    }
}

/// The one field that stands beside the kind.
fn field<'a>(said: &'a Map<String, Value>, name: &str) -> Result<&'a Value, Refusal> {
    fields(said, 2)?;
    said.get(name).ok_or(Refusal::BadField)
}

fn fields(said: &Map<String, Value>, count: usize) -> Result<(), Refusal> {
    if said.len() == count { Ok(()) } else { Err(Refusal::BadField) }
}

fn words(value: &Value, most: usize) -> Result<String, Refusal> {
    let text = value.as_str().ok_or(Refusal::BadField)?;
    let plain: String = text.chars().filter(|c| *c == '\n' || !is_hidden(*c)).take(most).collect();
    Ok(plain.trim().to_owned())
}

fn is_hidden(c: char) -> bool {
    let turns = matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn messages() {
        let check = |said: Value, expected: Result<Message, Refusal>| {
            assert_eq!(read(&said.to_string()), expected, "{said}");
        };
        let bad = || Err(Refusal::BadField);
        check(json!({ "fabula": "ready" }), Ok(Message::Ready));
        check(json!({ "fabula": "ready", "also": 1 }), bad());
        check(json!({ "fabula": "seen", "n": 3 }), Ok(Message::Seen { n: 3 }));
        check(json!({ "fabula": "seen", "n": -1 }), bad());
        check(json!({ "fabula": "seen", "n": "3" }), bad());
        check(json!({ "fabula": "seen" }), bad());
        check(json!({ "fabula": "height", "px": 120 }), Ok(Message::Height(120)));
        check(json!({ "fabula": "height", "px": 12.2 }), Ok(Message::Height(13)));
        check(json!({ "fabula": "height", "px": -5 }), Ok(Message::Height(0)));
        check(json!({ "fabula": "height", "px": 1e308 }), Ok(Message::Height(HEIGHT)));
        check(json!({ "fabula": "height", "px": null }), bad());
        check(json!({ "fabula": "height", "px": 1, "text": "" }), bad());
        check(json!({ "fabula": "draft", "text": " 拔剑\u{0}\u{1b}\n再退 " }), Ok(Message::Draft("拔剑\n再退".into())));
        check(json!({ "fabula": "draft", "text": " \t" }), bad());
        check(json!({ "fabula": "draft", "text": "剑\u{202e}\u{e0041}\u{200b}" }), Ok(Message::Draft("剑".into())));
        check(json!({ "fabula": "draft", "text": "👩‍🚀" }), Ok(Message::Draft("👩‍🚀".into())));
        check(json!({ "fabula": "draft", "text": ["拔剑"] }), bad());
        check(json!({ "fabula": "fault", "text": "" }), Ok(Message::Fault(String::new())));
        check(json!({ "fabula": "fault", "text": "x".repeat(900) }), Ok(Message::Fault("x".repeat(FAULT))));
        check(json!({ "fabula": "draft", "text": "好".repeat(4_000) }), Ok(Message::Draft("好".repeat(DRAFT))));
        check(json!({ "fabula": "send", "text": "拔剑" }), Err(Refusal::Unknown));
        check(json!({ "fabula": 7 }), Err(Refusal::Unknown));
        check(json!({ "type": "ready" }), Err(Refusal::Unknown));
        check(json!(["ready"]), Err(Refusal::NotAnObject));
        check(json!("ready"), Err(Refusal::NotAnObject));
        check(json!({ "fabula": "draft", "text": "x".repeat(BYTES) }), Err(Refusal::TooLong));
        assert_eq!(read(""), Err(Refusal::NotAnObject));
        assert_eq!(read(&"[".repeat(BYTES)), Err(Refusal::NotAnObject));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,12}".prop_map(Value::from),
            prop::sample::select(&["ready", "seen", "height", "draft", "fault"][..]).prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            let key = prop_oneof![
                prop::sample::select(&["fabula", "n", "px", "text"][..]).prop_map(str::to_owned),
                "\\PC{0,6}",
            ];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((key, inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn anything_is_a_message_or_refused(said in any_json(), odd in "\\PC{0,80}") {
            for text in [said.to_string(), odd] {
                match read(&text) {
                    Ok(Message::Height(px)) => prop_assert!(px <= HEIGHT),
                    Ok(Message::Draft(words)) => prop_assert!(!words.is_empty() && words.chars().count() <= DRAFT),
                    Ok(Message::Fault(words)) => prop_assert!(words.chars().count() <= FAULT),
                    Ok(Message::Ready | Message::Seen { .. }) | Err(_) => {}
                }
            }
        }

        #[test]
        fn a_message_is_read_whatever_stands_in_it(kind in prop::sample::select(&["seen", "height", "draft", "fault"][..]), inside in any_json()) {
            let name = match kind { "seen" => "n", "height" => "px", _ => "text" };
            let mut said = json!({ "fabula": kind });
            said[name] = inside;
            prop_assert!(matches!(read(&said.to_string()), Ok(_) | Err(Refusal::BadField)));
        }
    }
}
