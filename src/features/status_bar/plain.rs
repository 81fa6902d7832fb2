//! The plain status bar: the world in groups, for stories whose cards bring none of their own.

use std::collections::HashMap;

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
/// has makes no group: that key stands alone, as it is. Groups and entries keep the order of the world. No more than `most`
/// entries; the second number says how many were left out.
pub fn groups(world: &Extra, most: usize) -> (Vec<Group>, usize) {
    let mut counts = HashMap::<&str, usize>::new();
    for (name, _) in world.keys().filter_map(|key| parts(key)) {
        *counts.entry(name).or_default() += 1;
    }
    let mut groups = vec![Group::default()];
    let mut places = HashMap::from([("", 0)]);
    for (key, value) in world.iter().take(most) {
        let (name, label) = parts(key).filter(|(name, _)| counts[name] > 1).unwrap_or(("", key));
        let place = *places.entry(name).or_insert_with(|| {
            groups.push(Group { name: name.to_owned(), entries: Vec::new() });
            groups.len() - 1
        });
        groups[place].entries.push(Entry { key: key.clone(), label: label.to_owned(), value: value.clone() });
    }
    groups.retain(|group| !group.entries.is_empty());
    (groups, world.len().saturating_sub(most))
}

/// The name of a group, and the key in it. `x.` and `..` are keys of their own.
fn parts(key: &str) -> Option<(&str, &str)> {
    let (name, rest) = key.split_once('.')?;
    let (name, rest) = (name.trim(), rest.trim());
    (!name.is_empty() && !rest.is_empty()).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(world: Value, expected: &[(&str, &[&str])]) {
        let (found, left_out) = groups(world.as_object().unwrap(), 100);
        assert_eq!(left_out, 0);
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

    #[test]
    fn a_large_world_is_told_in_part() {
        let world: Extra = (0..5_000).map(|n| (format!("{}.{n}", n % 7), json!(n))).collect();
        let (groups, left_out) = groups(&world, 60);
        assert_eq!((groups.iter().map(|group| group.entries.len()).sum::<usize>(), left_out), (60, 4_940));
    }
}
