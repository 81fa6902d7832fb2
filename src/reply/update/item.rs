//! The items of a persona, and how their fields are found.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{reply::notice::ReplyNotice, story::Extra};

use super::plain_key;

pub trait Item: Sized {
    /// For each field its names, the proper one first; the first field is the one that an item is about.
    const FIELDS: &'static [&'static [&'static str]];

    /// None if the item says nothing.
    fn new(texts: Vec<String>, extra: Extra) -> Option<Self>;
}

macro_rules! item {
    ($(#[$doc:meta])* $name:ident { $($field:ident: [$($alias:literal),*]),* } says $says:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $name {
            $(pub $field: String,)*
            #[serde(flatten)]
            pub extra: Extra,
        }

        impl Item for $name {
            const FIELDS: &'static [&'static [&'static str]] = &[$(&[stringify!($field), $($alias),*]),*];

            fn new(texts: Vec<String>, extra: Extra) -> Option<Self> {
                let mut texts = texts.into_iter();
                let item = Self { $($field: texts.next().unwrap_or_default(),)* extra };
                let says: fn(&Self) -> bool = $says;
                says(&item).then_some(item)
            }
        }
    };
}

item!(Belief {
    content: ["belief", "text", "description", "new", "内容", "信念"],
    formed_from: ["source", "reason", "origin", "context", "来源"]
} says |it| !it.content.is_empty());

item!(Pattern {
    pattern: ["content", "behavior", "behaviour", "description", "text", "new", "内容", "模式"]
} says |it| !it.pattern.is_empty());

item!(Relationship {
    entity: ["name", "character", "target", "with", "person", "who", "对象", "角色"],
    status: ["relationship", "relation", "type", "new_status", "状态", "关系"],
    history: ["description", "reason", "context", "content", "历史"]
} says |it| !(it.entity.is_empty() || it.status.is_empty() && it.history.is_empty()));

item!(Emotion {
    content: ["emotion", "name", "feeling", "type", "state", "text", "new", "内容", "情绪"],
    context: ["reason", "cause", "trigger", "description", "source", "原因"]
} says |it| !it.content.is_empty());

item!(Goal {
    goal: ["content", "name", "description", "text", "new", "目标", "内容"],
    reason: ["context", "why", "cause", "原因"]
} says |it| !it.goal.is_empty());

item!(Physical {
    condition: ["state", "status", "content", "description", "text", "状况", "状态"]
} says |it| !it.condition.is_empty());

/// Whether an object is such an item, and not a list of them by name.
pub fn fits<T: Item>(map: &Map<String, Value>) -> bool {
    map.keys().any(|key| {
        let key = plain_key(key);
        T::FIELDS.iter().flat_map(|names| names.iter()).any(|name| plain_key(name) == key)
    })
}

pub fn read<T: Item>(mut map: Map<String, Value>, path: &str, notices: &mut Vec<ReplyNotice>) -> Option<T> {
    let texts = T::FIELDS.iter().map(|names| field(&mut map, names, path, notices)).collect();
    T::new(texts, extra(map, path, notices))
}

/// An item about `name`, with the rest of its fields.
pub fn named<T: Item>(
    name: &str,
    mut map: Map<String, Value>,
    path: &str,
    notices: &mut Vec<ReplyNotice>,
) -> Option<T> {
    let mut texts = vec![name.trim().to_owned()];
    texts.extend(T::FIELDS[1..].iter().map(|names| field(&mut map, names, path, notices)));
    T::new(texts, extra(map, path, notices))
}

/// An item about `name`, of which a text is said. A measure may say that it is not there, or measure another item.
pub fn described<T: Item>(name: &str, value: &Value, path: &str, notices: &mut Vec<ReplyNotice>) -> Option<T> {
    let text = text(value, path, notices).unwrap_or_default();
    let is_measured = value.is_number() && ["intensity", "level", "score"].contains(&plain_key(name).as_str());
    if is_measured || value.as_f64() == Some(0.0) || *value == Value::Bool(false) {
        return None;
    }
    let texts = match T::FIELDS.len() {
        1 if text.is_empty() => return None,
        1 => vec![format!("{}: {text}", name.trim())],
        _ => vec![name.trim().to_owned(), text],
    };
    T::new(texts, Extra::new())
}

/// Takes the first of the names that is there and says something.
fn field(map: &mut Map<String, Value>, names: &[&str], path: &str, notices: &mut Vec<ReplyNotice>) -> String {
    for name in names {
        let Some(key) = map.keys().find(|key| plain_key(key) == plain_key(name)).cloned() else { continue };
        let here = format!("{path}.{key}");
        match map.get(&key) {
            Some(Value::Object(_)) | None => {}
            Some(value) => {
                let text = text(value, &here, notices);
                map.shift_remove(&key);
                if let Some(text) = text {
                    return text;
                }
            }
        }
    }
    String::new()
}

/// A text, or a list of them. A number is dropped.
fn text(value: &Value, path: &str, notices: &mut Vec<ReplyNotice>) -> Option<String> {
    match value {
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) if !is_number(text) => Some(text.trim().to_owned()),
        Value::Number(_) | Value::String(_) => {
            notices.push(ReplyNotice::NumberDropped { path: path.to_owned(), value: value.clone() });
            None
        }
        Value::Bool(yes) => Some(yes.to_string()),
        Value::Array(list) => {
            let texts: Vec<&str> =
                list.iter().filter_map(Value::as_str).filter(|text| !text.trim().is_empty()).collect();
            (!texts.is_empty()).then(|| texts.join("; "))
        }
        Value::Null | Value::Object(_) => None,
    }
}

/// What an item carries beside its fields, without numbers. Time is not the model's to tell.
fn extra(map: Map<String, Value>, path: &str, notices: &mut Vec<ReplyNotice>) -> Extra {
    let keep = |(key, value): (String, Value)| {
        if key == "timestamp" || value.is_null() {
            return None;
        }
        if has_number(&value) {
            notices.push(ReplyNotice::NumberDropped { path: format!("{path}.{key}"), value });
            return None;
        }
        Some((key, value))
    };
    map.into_iter().filter_map(keep).collect()
}

fn has_number(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::String(text) => is_number(text),
        Value::Array(list) => list.iter().any(has_number),
        Value::Object(map) => map.values().any(has_number),
        Value::Null | Value::Bool(_) => false,
    }
}

/// `8`, `8/10`, `80%`, `+2`.
pub fn is_number(text: &str) -> bool {
    let text = text.trim();
    text.contains(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '/' | '%' | '+' | '-' | ' ' | '％'))
}
