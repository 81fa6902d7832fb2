//! Regex scripts as files: one, or a list of them, as SillyTavern writes them (`reference` of the field, 6.3).

use serde_json::Value;

use super::{
    json,
    limits::RECORD_BYTES,
    names::tidy_name,
    refusal::{Refusal, Warning},
    sniff::{self, Content},
};
use crate::{
    features::scripts::rules::{Rule, leaves_macros},
    prompt::macros::Values,
    store::from_value,
    story::{
        reader::Reader,
        script::{KEY, MOST, Script, ScriptSet},
        storyline::Language,
    },
};

/// Reads a file of scripts as a set. Its name is that of the only script, else empty.
///
/// # Errors
/// It is not JSON, too large or deep, holds more than [`MOST`], or something else.
pub fn read(text: &str) -> Result<(ScriptSet, Vec<Warning>), Refusal> {
    let value = json::parse(text)?;
    let found = sniff::content(&value);
    let mut about = Value::Null;
    let list = match value {
        Value::Array(list) => list,
        // What a card or a preset carries, alone; it may say what it is called, and whether it runs.
        Value::Object(mut file) if file.get(KEY).is_some_and(Value::is_array) => {
            let list = file.remove(KEY);
            about = file.into();
            match list {
                Some(Value::Array(list)) => list,
                _ => Vec::new(),
            }
        }
        other => vec![other],
    };
    let (mut set, warnings) = read_list(list).ok_or(Refusal::Unrecognised { wanted: Content::Scripts, found })??;
    if let Some(name) = about["name"].as_str() {
        set.name = tidy_name(name).0;
    }
    set.enabled = about["enabled"] != false;
    Ok((set, warnings))
}

/// The same of a list; `None`: none of it is a script.
pub(super) fn read_list(list: Vec<Value>) -> Option<Result<(ScriptSet, Vec<Warning>), Refusal>> {
    if list.len() > MOST {
        return Some(Err(Refusal::TooMany { limit: MOST as u64 }));
    }
    let count = list.len();
    let scripts: Vec<Script> =
        list.into_iter().filter(is_script).filter_map(|script| from_value(script).ok()).collect();
    if scripts.is_empty() {
        return None;
    }
    let name = if let [only] = scripts.as_slice() { tidy_name(&only.script_name).0 } else { String::new() };
    let set = ScriptSet { name, enabled: true, scripts, ..ScriptSet::default() };
    if let Err(refusal) = json::too_large(json::size(&set), RECORD_BYTES) {
        return Some(Err(refusal));
    }
    let nobody = Reader::new("", Language::En);
    let names = Values { char: "", user: nobody.told(), original: "" };
    let broken = set.scripts.iter().filter(|script| Rule::of(script, &names).is_err()).count();
    let with_macros = set.scripts.iter().filter(|script| leaves_macros(script, &names)).count();
    let left_out = count - set.scripts.len();
    let warnings = [
        (left_out > 0).then_some(Warning::ItemsLeftOut { count: left_out }),
        (broken > 0).then_some(Warning::ScriptsBroken { count: broken }),
        (with_macros > 0).then_some(Warning::MacrosStay { count: with_macros }),
    ];
    Some(Ok((set, warnings.into_iter().flatten().collect())))
}

/// Whether it is a script. Each has a pattern.
pub fn is_script(value: &Value) -> bool {
    value.get("findRegex").is_some_and(Value::is_string)
}

/// Writes a set as a list that SillyTavern reads.
pub fn write(set: &ScriptSet) -> String {
    serde_json::to_string_pretty(&set.scripts).expect("a value has text keys")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn one_a_list_or_what_a_card_carries() {
        let one =
            json!({ "id": "1", "scriptName": "Hide", "findRegex": "/a/g", "replaceString": "", "placement": [2] });
        let broken = json!({ "scriptName": "Ahead", "findRegex": "/a(?=b)/g" });
        let (set, warnings) = read(&one.to_string()).unwrap();
        assert_eq!((set.name.as_str(), set.scripts.len(), warnings), ("Hide", 1, vec![]));
        for file in [json!([one, broken, 7]), json!({ "regex_scripts": [one, broken, 7] })] {
            let (set, warnings) = read(&file.to_string()).unwrap();
            assert_eq!((set.name.as_str(), set.scripts.len()), ("", 2));
            assert_eq!(warnings, [Warning::ItemsLeftOut { count: 1 }, Warning::ScriptsBroken { count: 1 }]);
        }
        for other in [json!({ "entries": {} }), json!([]), json!([{ "a": 1 }]), json!(7)] {
            assert!(matches!(read(&other.to_string()), Err(Refusal::Unrecognised { .. })), "{other}");
        }
        assert!(read("{").is_err());
        let told = json!({ "findRegex": "/a/", "replaceString": "{{getvar::hp}}" });
        assert_eq!(read(&told.to_string()).unwrap().1, [Warning::MacrosStay { count: 1 }]);
        let many = vec![one; 501];
        assert_eq!(read(&Value::from(many).to_string()).map(drop), Err(Refusal::TooMany { limit: 500 }));
    }

    fn any_script() -> impl Strategy<Value = Value> {
        let texts = ("\\PC{0,12}", "\\PC{1,12}", "\\PC{0,12}", prop::collection::vec("\\PC{0,6}", 0..3));
        let switches = (any::<[bool; 4]>(), 0..3u8, prop::option::of(-1..9i64), prop::option::of(-1..9i64));
        (texts, switches, prop::collection::vec(1..9u32, 0..4), "\\PC{0,8}").prop_map(
            |((id, find, replace, trim), ([disabled, eye, model, edit], how, min, max), placement, later)| {
                json!({
                    "id": id, "scriptName": "x", "findRegex": find, "replaceString": replace, "trimStrings": trim,
                    "placement": placement, "disabled": disabled, "markdownOnly": eye, "promptOnly": model,
                    "runOnEdit": edit, "substituteRegex": how, "minDepth": min, "maxDepth": max, "later": later
                })
            },
        )
    }

    proptest! {
        /// What comes in goes out as it came, fields that nobody here knows among them.
        #[test]
        fn nothing_is_lost(scripts in prop::collection::vec(any_script(), 1..5)) {
            let (set, _) = read(&Value::from(scripts.clone()).to_string()).unwrap();
            prop_assert_eq!(serde_json::from_str::<Value>(&write(&set)).unwrap(), Value::from(scripts));
        }
    }
}
