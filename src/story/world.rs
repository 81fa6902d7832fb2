//! The world state (seed `003`): typed key-values, and what may be written there.
//!
//! A value is a number, a truth value, a text, or a list of these. What a model writes is text; it becomes what it
//! reads as. Keys and values have limits, for they stand in every prompt.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::{
    Extra,
    generation::Generation,
    state::{ByHand, Change, HandEdit},
    storyline::Language,
};
use crate::store::tagged;

/// Characters of a key.
pub const KEY: usize = 80;
/// Characters of a value, lists written out.
pub const VALUE: usize = 2_000;
/// Keys of a world.
pub const KEYS: usize = 200;

/// Names that mean something else to programs that read a story.
const RESERVED: [&str; 3] = ["__proto__", "prototype", "constructor"];

/// Why a change of the world was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    #[error("not a name for a key")]
    BadKey,
    #[error("the key is too long")]
    LongKey,
    #[error("the value is too long")]
    LongValue,
    #[error("the world has too many keys")]
    TooManyKeys,
    /// Numbers are added to numbers, anything to a list.
    #[error("the one cannot be added to the other")]
    NotAddable,
    #[error("the number is out of range")]
    OutOfRange,
}

/// What the reader changes in the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum WorldEdit {
    Put { key: String, value: Value },
    Remove { key: String },
}
tagged!(WorldEdit, "do");

impl WorldEdit {
    pub fn key(&self) -> &str {
        match self {
            Self::Put { key, .. } | Self::Remove { key } => key,
        }
    }
}

/// What a text reads as: a number, `true`, `false`, a list in JSON, or itself.
pub fn typed(text: &str) -> Value {
    let text = text.trim();
    match serde_json::from_str(text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => tidy(value),
        Ok(Value::Array(list)) if list.iter().all(is_plain) => list.into_iter().map(tidy).collect(),
        _ => text.into(),
    }
}

fn is_plain(value: &Value) -> bool {
    matches!(value, Value::Number(_) | Value::Bool(_) | Value::String(_))
}

/// A value as a reply would write it.
pub fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A value in words.
pub fn words(value: &Value, language: Language) -> String {
    match value {
        Value::Bool(true) => language.pick("是", "yes").to_owned(),
        Value::Bool(false) => language.pick("否", "no").to_owned(),
        Value::Array(list) if list.is_empty() => language.pick("（空）", "(empty)").to_owned(),
        Value::Array(list) => list.iter().map(written).collect::<Vec<_>>().join(language.pick("、", ", ")),
        other => written(other),
    }
}

/// The name of a key, trimmed.
///
/// # Errors
/// It is none.
pub fn key(name: &str) -> Result<&str, Refusal> {
    let name = name.trim();
    let bad = name.is_empty() || RESERVED.contains(&name) || name.contains(char::is_control);
    match bad {
        true => Err(Refusal::BadKey),
        false if name.chars().nth(KEY).is_some() => Err(Refusal::LongKey),
        false => Ok(name),
    }
}

/// Puts a value under a key; gives the value before. The world is as before where it is refused.
///
/// # Errors
/// The key is none, the value too long, or the world full.
pub fn put(world: &mut Extra, name: &str, value: Value) -> Result<Option<Value>, Refusal> {
    let name = key(name)?;
    if written(&value).chars().nth(VALUE).is_some() {
        return Err(Refusal::LongValue);
    }
    if !is_in_range(&value) {
        return Err(Refusal::OutOfRange);
    }
    if !world.contains_key(name) && world.len() >= KEYS {
        return Err(Refusal::TooManyKeys);
    }
    Ok(world.insert(name.to_owned(), value))
}

/// What `value` added to `old` makes: a sum of numbers, or a longer list. Nothing is there yet: a number is the sum,
/// anything else begins a list.
///
/// # Errors
/// The one cannot be added to the other.
pub fn sum(old: Option<&Value>, value: Value) -> Result<Value, Refusal> {
    match (old, value) {
        (None, value @ (Value::Number(_) | Value::Array(_))) => Ok(value),
        (None, value @ Value::String(_)) => Ok(vec![value].into()),
        (Some(Value::Number(old)), Value::Number(value)) => add(old, &value),
        (Some(Value::Array(old)), Value::Array(more)) => Ok(old.iter().cloned().chain(more).collect()),
        (Some(Value::Array(old)), value) => Ok(old.iter().cloned().chain([value]).collect()),
        _ => Err(Refusal::NotAddable),
    }
}

fn add(a: &Number, b: &Number) -> Result<Value, Refusal> {
    if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64()) {
        return a.checked_add(b).map(Value::from).ok_or(Refusal::OutOfRange);
    }
    let sum = a.as_f64().unwrap_or(f64::NAN) + b.as_f64().unwrap_or(f64::NAN);
    // 0.1 and 0.2 are 0.3 to who reads the story. (Read as JSON, for the table of `str::parse` has ten kilobytes.)
    let sum = serde_json::from_str(&format!("{sum:.12e}")).unwrap_or(sum);
    Number::from_f64(sum).map(|sum| tidy(sum.into())).ok_or(Refusal::OutOfRange)
}

/// Above this whole numbers are no longer told apart in a browser.
const WHOLE: f64 = 9_007_199_254_740_992.0;

fn is_in_range(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().all(is_in_range),
        Value::Number(number) => number.as_f64().is_some_and(|number| number.abs() < WHOLE),
        _ => true,
    }
}

/// 2.0 is 2.
fn tidy(value: Value) -> Value {
    match value.as_f64() {
        Some(number) if value.is_f64() && number.fract() == 0.0 && number.abs() < WHOLE => (number as i64).into(),
        _ => value,
    }
}

/// Does what the reader asked for.
///
/// # Errors
/// `put` refused it; taking out what is not there is done already.
pub fn edit(world: &mut Extra, edit: &WorldEdit) -> Result<(), Refusal> {
    match edit {
        WorldEdit::Put { key, value } => put(world, key, value.clone()).map(drop),
        WorldEdit::Remove { key } => {
            world.shift_remove(key);
            Ok(())
        }
    }
}

/// A change of one key, as its history tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// `None`: it was taken out.
    pub to: Option<Value>,
    pub by_hand: bool,
}

/// What became of a key at a reply, in order: by the reply, then by hand.
pub fn steps(reply: &Generation, name: &str) -> Vec<Step> {
    let said = reply.changes().into_iter().filter_map(|change| match change {
        Change::World { key, to, .. } if key == name => Some(Step { to, by_hand: false }),
        _ => None,
    });
    let by_hand = reply.by_hand().into_iter().filter_map(|by_hand| match by_hand.edit {
        HandEdit::World { edit: WorldEdit::Put { key, value } } if key == name => {
            Some(Step { to: Some(value), by_hand: true })
        }
        HandEdit::World { edit: WorldEdit::Remove { key } } if key == name => Some(Step { to: None, by_hand: true }),
        _ => None,
    });
    said.chain(by_hand).collect()
}

/// The key of the last change of the world by hand at a reply.
pub fn last_by_hand(reply: &Generation) -> Option<String> {
    by_hand(reply).pop()
}

/// The key that was changed by hand last at a reply, and not since: those that were changed at later ones are in
/// `changed`, and what this one changed is added to them.
pub fn seen_by_hand(reply: &Generation, changed: &mut HashSet<String>) -> Option<String> {
    let key = by_hand(reply).into_iter().rev().find(|key| !changed.contains(key));
    changed.extend(reply.changes().into_iter().filter_map(|change| match change {
        Change::World { key, .. } => Some(key),
        _ => None,
    }));
    key
}

fn by_hand(reply: &Generation) -> Vec<String> {
    let key = |by_hand: ByHand| match by_hand.edit {
        HandEdit::World { edit } => Some(edit.key().to_owned()),
        _ => None,
    };
    reply.by_hand().into_iter().filter_map(key).collect()
}

/// The world after a reply, from the world before it: what the reply changed, and what was done by hand.
pub fn after(before: &Extra, reply: &Generation) -> Extra {
    let mut world = before.clone();
    for change in reply.changes() {
        match change {
            Change::World { key, to: Some(to), .. } => drop(world.insert(key, to)),
            Change::World { key, to: None, .. } => drop(world.shift_remove(&key)),
            _ => {}
        }
    }
    for by_hand in reply.by_hand() {
        if let HandEdit::World { edit: by_hand } = by_hand.edit {
            // What is refused was refused when it was settled.
            let _ = edit(&mut world, &by_hand);
        }
    }
    world
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_text_reads_as() {
        let check = |text: &str, expected: Value| assert_eq!(typed(text), expected, "{text}");
        check("90", json!(90));
        check(" -3 ", json!(-3));
        check("2.0", json!(2));
        check("0.5", json!(0.5));
        check("true", json!(true));
        check("酒馆", json!("酒馆"));
        check("007", json!("007"));
        check("90%", json!("90%"));
        check("1e999", json!("1e999"));
        check("\"90\"", json!("\"90\""));
        check("null", json!("null"));
        check(r#"["剑", 2]"#, json!(["剑", 2]));
        check(r#"[{"a": 1}]"#, json!(r#"[{"a": 1}]"#));
        check(r#"{"a": 1}"#, json!(r#"{"a": 1}"#));
    }

    #[test]
    fn what_can_be_added() {
        let check = |old: Value, more: &str, expected: Result<Value, Refusal>| {
            let old = Some(old).filter(|old| !old.is_null());
            assert_eq!(sum(old.as_ref(), typed(more)), expected, "{old:?} + {more}");
        };
        check(json!(10), "5", Ok(json!(15)));
        check(json!(10), "-12", Ok(json!(-2)));
        check(json!(0.1), "0.2", Ok(json!(0.3)));
        check(json!(1.5), "0.5", Ok(json!(2)));
        check(json!(null), "7", Ok(json!(7)));
        check(json!(null), "剑", Ok(json!(["剑"])));
        check(json!(["剑"]), "盾", Ok(json!(["剑", "盾"])));
        check(json!(["剑"]), "3", Ok(json!(["剑", 3])));
        check(json!(["剑"]), r#"["盾", "弓"]"#, Ok(json!(["剑", "盾", "弓"])));
        check(json!(10), "很多", Err(Refusal::NotAddable));
        check(json!("10 枚"), "5", Err(Refusal::NotAddable));
        check(json!("酒"), "馆", Err(Refusal::NotAddable));
        check(json!(true), "1", Err(Refusal::NotAddable));
        check(json!(null), "true", Err(Refusal::NotAddable));
        check(json!(i64::MAX), "1", Err(Refusal::OutOfRange));
        check(json!(f64::MAX), "1.7e308", Err(Refusal::OutOfRange));
    }

    #[test]
    fn what_is_refused() {
        let mut world = Extra::new();
        for (name, why) in [
            ("", Refusal::BadKey),
            ("  \n", Refusal::BadKey),
            ("__proto__", Refusal::BadKey),
            ("constructor", Refusal::BadKey),
            ("a\nb", Refusal::BadKey),
            (&"k".repeat(10_000), Refusal::LongKey),
        ] {
            assert_eq!(put(&mut world, name, json!(1)), Err(why), "{}", &name[..name.len().min(20)]);
        }
        assert_eq!(put(&mut world, "long", "字".repeat(VALUE + 1).into()), Err(Refusal::LongValue));
        assert_eq!(put(&mut world, "long", vec!["字"; VALUE].into()), Err(Refusal::LongValue), "lists too");
        assert_eq!(put(&mut world, "n", json!(1e300)), Err(Refusal::OutOfRange));
        assert_eq!(put(&mut world, "n", json!([i64::MAX])), Err(Refusal::OutOfRange));
        assert!(world.is_empty());
        for at in 0..KEYS {
            put(&mut world, &format!("k{at}"), json!(at)).unwrap();
        }
        assert_eq!(put(&mut world, "one more", json!(1)), Err(Refusal::TooManyKeys));
        assert_eq!(put(&mut world, " k0 ", json!("new")), Ok(Some(json!(0))), "those that are there may change");
    }

    proptest! {
        /// Whatever is written: a value, within the limits, that reads back as itself.
        #[test]
        fn any_text_is_a_value_or_refused(name in "\\PC{0,90}", texts in prop::collection::vec(any::<String>(), 1..6)) {
            let mut world = Extra::new();
            for text in &texts {
                let value = typed(text);
                prop_assert_eq!(typed(&written(&value)), value.clone());
                let before = world.clone();
                let made = sum(world.get(name.trim()), value).and_then(|value| put(&mut world, &name, value));
                if made.is_err() {
                    prop_assert_eq!(&world, &before);
                }
            }
            prop_assert!(world.len() <= 1);
        }
    }
}
