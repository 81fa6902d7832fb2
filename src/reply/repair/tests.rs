use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;

#[track_caller]
fn check(text: &str, want: &Value, repairs: &[Repair]) {
    match repair(text) {
        Ok((value, what)) => {
            assert_eq!(&value, want, "{text}");
            assert_eq!(what, repairs, "{text}");
        }
        Err(error) => panic!("{error}: {text}"),
    }
}

#[test]
fn what_models_write_is_read() {
    use Repair::*;
    let cases: &[(&str, Value, &[Repair])] = &[
        ("{}", json!({}), &[]),
        (" {\"a\": [1, \"b\"]}\n", json!({"a": [1, "b"]}), &[]),
        ("```json\n{\"a\": 1}\n```", json!({"a": 1}), &[Surroundings]),
        ("好的，更新如下：\n{\"a\": 1}\n以上。", json!({"a": 1}), &[Surroundings]),
        ("{\"a\": 1,}", json!({"a": 1}), &[TrailingComma]),
        ("{\"a\": [1, 2, ], \"b\": {\"c\": 3,},}", json!({"a": [1, 2], "b": {"c": 3}}), &[TrailingComma]),
        ("{\"a\": 1 // 一\n, /* two */ \"b\": 2 # 三\n}", json!({"a": 1, "b": 2}), &[Comment]),
        ("{\"a\": [\"x\", ...]}", json!({"a": ["x"]}), &[Comment, TrailingComma]),
        ("{'a': 'it's \"late\"', 'b': ['c']}", json!({"a": "it's \"late\"", "b": ["c"]}), &[Quotes, InnerQuotes]),
        ("{a: 1, state_x: \"y\"}", json!({"a": 1, "state_x": "y"}), &[UnquotedKey]),
        ("｛“a”：“乙，丙”，“b”：［1］｝", json!({"a": "乙，丙", "b": [1]}), &[Quotes, FullWidth]),
        ("{“content”: “他说“走吧”就走了”}", json!({"content": "他说“走吧”就走了"}), &[Quotes, InnerQuotes]),
        ("{\"a\"： \"b\"， \"c\"：\"d\"}", json!({"a": "b", "c": "d"}), &[FullWidth]),
        ("{\"a\": True, \"b\": None, \"c\": False}", json!({"a": true, "b": null, "c": false}), &[Literal]),
        ("{\"a\": \"one\ntwo\"}", json!({"a": "one\ntwo"}), &[RawNewline]),
        ("{\"a\": \"他说\"走吧\"，就走了\", \"b\": 1}", json!({"a": "他说\"走吧\"，就走了", "b": 1}), &[InnerQuotes]),
        ("{\"a\": \"He said \"go\", and went\"}", json!({"a": "He said \"go\", and went"}), &[InnerQuotes]),
        ("[\"he said \"go\"\", \"b\"]", json!(["he said \"go\"", "b"]), &[InnerQuotes]),
        ("{\"a\": 她很难过, b: 平静}", json!({"a": "她很难过", "b": "平静"}), &[UnquotedKey, UnquotedValue]),
        ("{\"a\": {\"b\": 1}}}", json!({"a": {"b": 1}}), &[ExtraBracket]),
        ("{\"a\": {\"b\": 1}}}, \"c\": 2}", json!({"a": {"b": 1}, "c": 2}), &[ExtraBracket]),
        (
            "{\"a\": [{\"b\": 1}, \"c\": 2}",
            json!({"a": [{"b": 1}], "c": 2}),
            &[TrailingComma, MissingComma, MissingBracket],
        ),
        ("{\"a\": [{\"b\": 1}}", json!({"a": [{"b": 1}]}), &[MissingBracket]),
        ("{\"a\": [1, {\"b\": 2], \"c\": 3}", json!({"a": [1, {"b": 2}], "c": 3}), &[MissingBracket]),
        ("{\"a\": 1 \"b\": 2}", json!({"a": 1, "b": 2}), &[MissingComma]),
        ("{\"a\": \"x\"\n \"b\": \"y\"}", json!({"a": "x", "b": "y"}), &[MissingComma]),
        ("[{\"a\": 1} {\"a\": 2}]", json!([{"a": 1}, {"a": 2}]), &[MissingComma]),
        ("{\"a\" {\"b\": 1}}", json!({"a": {"b": 1}}), &[MissingColon]),
        ("{\"a\" = 1, \"b\" => 2}", json!({"a": 1, "b": 2}), &[MissingColon]),
        ("{\"a\": , \"b\": 2}", json!({"a": null, "b": 2}), &[MissingValue]),
        ("\"a\": {\"b\": 1}, \"c\": 2", json!({"a": {"b": 1}, "c": 2}), &[MissingBracket, CutOff]),
        ("{\"growth\\_state\": \"5\\% \\u4f60\\ud83d\\ude00\"}", json!({"growth_state": "5\\% 你😀"}), &[Escape]),
        ("{\"a\": \"b\", \"c\": \"half of a sen", json!({"a": "b", "c": "half of a sen"}), &[CutOff]),
        ("{\"a\": {\"b\": [\"c\", \"d\"], \"half", json!({"a": {"b": ["c", "d"]}}), &[CutOff]),
        ("{\"a\": 1, \"b\"", json!({"a": 1}), &[CutOff]),
        ("{\"a\": 1, \"b\":", json!({"a": 1}), &[CutOff]),
        ("{\"a\": 1, \"b\": tr", json!({"a": 1}), &[CutOff]),
        ("{a: 1, b", json!({"a": 1}), &[UnquotedKey, CutOff]),
        ("{\"a\": +5, \"b\": 8/10}", json!({"a": 5, "b": "8/10"}), &[UnquotedValue]),
        ("{\"url\": \"https://x.org/a#b\", // c\n}", json!({"url": "https://x.org/a#b"}), &[Comment, TrailingComma]),
    ];
    for (text, want, repairs) in cases {
        check(text, want, repairs);
    }
}

/// A sentence that was cut off may say the opposite of what it would have said.
#[test]
fn what_is_half_written_is_no_change() {
    use Repair::*;
    let cases: &[(&str, Value, &[Repair])] = &[
        ("{\"a\": \"b\", \"c\": \"half of a sen", json!({"a": "b"}), &[HalfItem]),
        ("{\"a\": [\"b\", \"half of", json!({"a": ["b"]}), &[HalfItem]),
        (
            "{\"now\": {\"feels\": [{\"is\": \"calm\", \"why\": \"rain\"}, {\"is\": \"afraid\", \"why\": \"the bell",
            json!({"now": {"feels": [{"is": "calm", "why": "rain"}]}}),
            &[HalfItem],
        ),
        ("{\"a\": [{\"b\": 1}, {\"b\": \"c\",", json!({"a": [{"b": 1}]}), &[HalfItem]),
        ("{\"a\": {\"b\": [\"c\", \"d\"], \"half", json!({"a": {"b": ["c", "d"]}}), &[CutOff]),
        ("{\"a\": [{\"b\": \"c\"}]", json!({"a": [{"b": "c"}]}), &[CutOff]),
        ("[{\"a\": \"b\", \"c\": \"d", json!([{"a": "b"}]), &[HalfItem]),
        ("\"a\": {\"b\": 1}, \"c\": 2", json!({"a": {"b": 1}, "c": 2}), &[MissingBracket, CutOff]),
        ("{\"a\": [1, {\"b\": 2], \"c\": 3}", json!({"a": [1, {"b": 2}], "c": 3}), &[MissingBracket]),
    ];
    for (text, want, repairs) in cases {
        assert_eq!(repair_whole(text), Ok((want.clone(), repairs.to_vec())), "{text}");
    }
}

#[test]
fn prose_is_not_guessed_at() {
    for (text, error) in [
        ("", BadJson::NoObject),
        ("没有变化", BadJson::NoObject),
        ("“她走了”", BadJson::NoObject),
        ("{她走了，没有回头}", BadJson::Unreadable),
        ("{{user}} smiled.", BadJson::Unreadable),
    ] {
        assert_eq!(repair(text), Err(error), "{text}");
    }
    assert_eq!(repair(&"{\"a\":".repeat(200)), Err(BadJson::TooDeep));
    assert_eq!(repair(&"[".repeat(100_000)), Err(BadJson::TooDeep));
}

#[test]
fn long_and_odd_texts_end_soon() {
    for piece in
        ["{", "{\"a\":1,", "\"", "{\"a\":\"", "\"/*", "/*", "{'", ",", "}", "{\"a\":[}", "[{\"a\" ", "\\", "“，"]
    {
        let text = piece.repeat(100_000 / piece.len());
        _ = repair(&text);
        _ = repair(&format!("{{\"a\": [1, \"x{text}"));
        _ = repair(&format!("[{text}"));
    }
}

fn values() -> impl Strategy<Value = Value> {
    let text = "[a-z\"'\\\\{}\\[\\]:,/#\n “”，：一二]{0,12}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f32>().prop_map(|number| Value::from(f64::from(number))),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text, inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Half a number is none, and no text either.
#[test]
fn a_number_that_is_cut_off() {
    for number in ["-", "3.", "3.1e", "3.1e-", "-0."] {
        let text = format!(r#"{{"b": 1, "a": {number}"#);
        for read in [repair, repair_whole] {
            let (value, repairs) = read(&text).unwrap();
            assert_eq!((value, repairs.contains(&Repair::CutOff)), (json!({"b": 1}), true), "{text}");
        }
    }
}

/// All texts within a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        Value::Object(map) => map.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn valid_json_passes_untouched(value in values()) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            prop_assert_eq!(repair(&text), Ok((value.clone(), Vec::new())));
        }
    }

    /// The tolerant reader reads what is valid as it is, and needs no repair.
    #[test]
    fn tolerance_changes_nothing_that_is_valid(value in values()) {
        let value = json!({"a": value, "b": [1, "c"]});
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            prop_assert_eq!(tolerant(&text, true), Ok((value.clone(), Vec::new())));
            let fenced = format!("```json\n{text}\n```\n");
            prop_assert_eq!(repair(&fenced), Ok((value.clone(), vec![Repair::Surroundings])));
        }
    }

    #[test]
    fn whatever_is_cut_off_is_read_so_far(value in values(), part in 0.0..1.0) {
        let full = json!({"a": value, "b": [1, "c"]});
        let text = full.to_string();
        let mut end = (text.len() as f64 * part) as usize;
        while end == 0 || !text.is_char_boundary(end) {
            end += 1;
        }
        let (value, repairs) = repair(&text[..end]).unwrap();
        prop_assert!(value.is_object());
        prop_assert!(end == text.len() || repairs.contains(&Repair::CutOff), "{repairs:?}");
        let (whole, repairs) = repair_whole(&text[..end]).unwrap();
        let ended = |repair: &Repair| matches!(repair, Repair::CutOff | Repair::HalfItem);
        prop_assert!(end == text.len() || repairs.iter().any(ended), "{repairs:?}");
        prop_assert!(texts(&whole).into_iter().all(|text| texts(&full).contains(&text)), "{whole}");
    }

    #[test]
    fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "[{}\\[\\]\"':,“”a\\\\u1/*#.\n ，：<-]{0,60}") {
        _ = repair(&String::from_utf8_lossy(&bytes));
        _ = repair(&text);
        _ = repair(&format!("{{{text}"));
    }
}
