//! The plain status bar: the world in groups, for stories whose cards bring none of their own.

use serde_json::Value;

use crate::story::Extra;

/// Entries under a name; those without one come first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    pub name: String,
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub key: String,
    /// The key without the name of its group.
    pub label: String,
    pub value: Value,
}

/// `林夕.体力` and `林夕.心情` belong together, under the part of the key before the first dot. A name that only one key
/// has makes no group: that key stands alone, as it is. Groups and entries keep the order of the world.
pub fn groups(world: &Extra) -> Vec<Group> {
    let name_of = |key: &str| {
        let (name, rest) = key.split_once('.')?;
        let (name, rest) = (name.trim(), rest.trim());
        // `3.5` and `..` are keys of their own.
        (!name.is_empty() && !rest.is_empty()).then(|| (name.to_owned(), rest.to_owned()))
    };
    let count = |name: &str| world.keys().filter(|key| name_of(key).is_some_and(|(other, _)| other == name)).count();
    let mut groups = vec![Group::default()];
    for (key, value) in world {
        let (name, label) = name_of(key).filter(|(name, _)| count(name) > 1).unwrap_or((String::new(), key.clone()));
        let entry = Entry { key: key.clone(), label, value: value.clone() };
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.entries.push(entry),
            None => groups.push(Group { name, entries: vec![entry] }),
        }
    }
    groups.retain(|group| !group.entries.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(world: Value, expected: &[(&str, &[&str])]) {
        let found = groups(world.as_object().unwrap());
        let found: Vec<(&str, Vec<&str>)> = found
            .iter()
            .map(|group| (group.name.as_str(), group.entries.iter().map(|entry| entry.label.as_str()).collect()))
            .collect();
        let expected: Vec<_> = expected.iter().map(|(name, labels)| (*name, labels.to_vec())).collect();
        assert_eq!(found, expected, "{world}");
    }

    #[test]
    fn keys_with_dots_make_groups() {
        check(json!({}), &[]);
        check(json!({ "金币": 3, "地点": "酒馆" }), &[("", &["金币", "地点"])]);
        check(
            json!({ "林夕.体力": 90, "金币": 3, "林夕.心情": "好", "猫.名": "墨" }),
            &[("", &["金币", "猫.名"]), ("林夕", &["体力", "心情"])],
        );
        check(json!({ "a.b.c": 1, "a.d": 2 }), &[("a", &["b.c", "d"])]);
        check(json!({ ".x": 1, "x.": 2, ". .": 3 }), &[("", &[".x", "x.", ". ."])]);
    }
}
