//! Places in a record: names with `/` between them, `*` for each item of a list, `**` for whatever stands below, however
//! deep; of objects `*` stands for each field. `sessions/*/id`, `personas/**/generation`. Where texts are asked for, `@` at
//! the end stands for the names of the fields there: `personas/@`.

use serde_json::{Map, Value};

/// Shows each value that stands there.
pub fn each<'a>(value: &'a Value, path: &str, show: &mut dyn FnMut(&'a Value)) {
    let Some((name, rest)) = split(path) else { return show(value) };
    match (name, value) {
        ("*", Value::Array(items)) => items.iter().for_each(|item| each(item, rest, show)),
        ("*", Value::Object(fields)) => fields.values().for_each(|field| each(field, rest, show)),
        ("**", Value::Array(items)) => items.iter().for_each(|item| each(item, path, show)),
        ("**", Value::Object(fields)) => {
            each(value, rest, show);
            fields.values().for_each(|field| each(field, path, show));
        }
        (name, Value::Object(fields)) => {
            if let Some(field) = fields.get(name) {
                each(field, rest, show);
            }
        }
        _ => {}
    }
}

/// As [`each`], to change it.
pub fn each_mut(value: &mut Value, path: &str, change: &mut dyn FnMut(&mut Value)) {
    let Some((name, rest)) = split(path) else { return change(value) };
    match (name, value) {
        ("*", Value::Array(items)) => items.iter_mut().for_each(|item| each_mut(item, rest, change)),
        ("*", Value::Object(fields)) => fields.values_mut().for_each(|field| each_mut(field, rest, change)),
        ("**", Value::Array(items)) => items.iter_mut().for_each(|item| each_mut(item, path, change)),
        ("**", value @ Value::Object(_)) => {
            each_mut(value, rest, change);
            let fields = value.as_object_mut().into_iter().flat_map(|fields| fields.values_mut());
            fields.for_each(|field| each_mut(field, path, change));
        }
        (name, Value::Object(fields)) => {
            if let Some(field) = fields.get_mut(name) {
                each_mut(field, rest, change);
            }
        }
        _ => {}
    }
}

/// Shows each text that stands there.
pub fn texts<'a>(value: &'a Value, path: &str, show: &mut dyn FnMut(&'a str)) {
    match path.strip_suffix("/@") {
        Some(path) => each(value, path, &mut |named| {
            named.as_object().into_iter().flat_map(Map::keys).for_each(|name| show(name));
        }),
        None => each(value, path, &mut |value| value.as_str().into_iter().for_each(&mut *show)),
    }
}

/// As [`texts`], to change them.
pub fn texts_mut(value: &mut Value, path: &str, change: &mut dyn FnMut(&mut String)) {
    match path.strip_suffix("/@") {
        Some(path) => each_mut(value, path, &mut |named| {
            let Value::Object(fields) = named else { return };
            let renamed = std::mem::take(fields).into_iter().map(|(mut name, field)| {
                change(&mut name);
                (name, field)
            });
            *fields = renamed.collect();
        }),
        None => each_mut(value, path, &mut |value| {
            if let Value::String(text) = value {
                change(text);
            }
        }),
    }
}

fn split(path: &str) -> Option<(&str, &str)> {
    (!path.is_empty()).then(|| path.split_once('/').unwrap_or((path, "")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places() {
        let record = json!({ "id": "a", "list": [{ "id": "b", "in": { "id": "c" } }, { "id": "d" }, 3], "in": {} });
        for (path, there) in [
            ("id", vec!["a"]),
            ("list/*/id", vec!["b", "d"]),
            ("list/**/id", vec!["b", "c", "d"]),
            ("**/id", vec!["a", "b", "c", "d"]),
            ("list/*/in/id", vec!["c"]),
            ("list/id", vec![]),
            ("gone/id", vec![]),
            ("*/id", vec![]),
        ] {
            let mut found = Vec::new();
            each(&record, path, &mut |value| found.extend(value.as_str()));
            assert_eq!(found, there, "{path}");
            let (mut changed, mut count) = (record.clone(), 0);
            each_mut(&mut changed, path, &mut |value| {
                *value = "new".into();
                count += 1;
            });
            assert_eq!((count, changed != record), (there.len(), !there.is_empty()), "{path}");
        }
    }

    #[test]
    fn names_of_fields() {
        let mut record = json!({ "of": { "": { "at": "a" }, "eve": { "at": "b" } }, "list": ["c", 4] });
        for (path, there) in
            [("of/@", vec!["", "eve"]), ("of/*/at", vec!["a", "b"]), ("list/*", vec!["c"]), ("no/@", vec![])]
        {
            let mut found = Vec::new();
            texts(&record, path, &mut |text| found.push(text));
            assert_eq!(found, there, "{path}");
        }
        texts_mut(&mut record, "of/@", &mut |name| name.push('!'));
        texts_mut(&mut record, "list/*", &mut |text| text.push('!'));
        assert_eq!(record, json!({ "of": { "!": { "at": "a" }, "eve!": { "at": "b" } }, "list": ["c!", 4] }));
    }
}
