//! Places in a record: names with `/` between them, `*` for each item of a list, `**` for whatever stands below, however
//! deep. `sessions/*/id`, `persona/**/generation`.

use serde_json::Value;

/// Shows each value that stands there.
pub fn each<'a>(value: &'a Value, path: &str, show: &mut dyn FnMut(&'a Value)) {
    let Some((name, rest)) = split(path) else { return show(value) };
    match (name, value) {
        ("*", Value::Array(items)) => items.iter().for_each(|item| each(item, rest, show)),
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
}
