//! Books of programs that have forms of their own, as the V3 specification would have them. What it has no word for stands
//! under the program's name in `extensions`, and goes out again with it.

use serde_json::{Value, json};

use super::{ENTRIES, Object, SPEC};

/// `None`: it is no such book.
pub(super) fn as_v3(value: &Value) -> Option<Value> {
    // That of a scenario of NovelAI.
    let value = value.get("lorebook").filter(|book| book.get("lorebookVersion").is_some()).unwrap_or(value);
    let root = value.as_object()?;
    let list = |key: &str| root.get(key).and_then(Value::as_array);
    let (program, key, read): (_, _, fn(&Object) -> Option<Object>) = match () {
        () if root.get("kind").is_some_and(|kind| kind == "memory") || of_agnai(root) => ("agnai", ENTRIES, agnai),
        () if root.contains_key("lorebookVersion") => ("novelai", ENTRIES, novel_ai),
        () if root.get("type").is_some_and(|kind| kind == "risu") => ("risu", "data", risu),
        () => return None,
    };
    let mut left_out = Vec::new();
    let mut entries = Vec::new();
    for item in list(key)? {
        match item.as_object().and_then(|item| Some((read(item)?, item))) {
            Some((mut entry, item)) => {
                let own = entry.entry("extensions").or_insert_with(|| json!({}));
                own[program] = item.clone().into();
                entries.push(Value::from(entry));
            }
            None => left_out.push(item.clone()),
        }
    }
    // What is none (a folder) is counted where all are, and kept where the rest is.
    entries.extend(std::iter::repeat_n(Value::Null, left_out.len()));
    let mut rest = root.clone();
    rest.shift_remove(key);
    if !left_out.is_empty() {
        rest.insert(key.to_owned(), left_out.into());
    }
    let name = root.get("name").and_then(Value::as_str).unwrap_or_default();
    let description = root.get("description").and_then(Value::as_str).unwrap_or_default();
    let data = json!({"name": name, "description": description, "extensions": {program: rest}, ENTRIES: entries});
    Some(json!({"spec": SPEC, "data": data}))
}

/// A book of Agnai that does not say so: its entries do.
fn of_agnai(root: &Object) -> bool {
    let first = root.get(ENTRIES).and_then(Value::as_array).and_then(|entries| entries.first());
    first.is_some_and(|entry| entry["entry"].is_string() && entry.get("content").is_none())
}

fn text<'a>(item: &'a Object, key: &str) -> &'a str {
    item.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn is(item: &Object, key: &str) -> bool {
    item.get(key).and_then(Value::as_bool).unwrap_or_default()
}

fn keys<'a>(item: &'a Object, key: &str) -> impl Iterator<Item = &'a str> {
    item.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn of(value: Value) -> Option<Object> {
    value.as_object().cloned()
}

/// Agnai: `entry` and `keywords` (with `*` and `?`); the lowest `priority` is dropped first, the highest `weight` stands lowest.
fn agnai(item: &Object) -> Option<Object> {
    let content = item.get("entry")?.as_str()?;
    of(json!({
        "keys": keys(item, "keywords").map(wildcards).collect::<Vec<_>>(),
        "content": content,
        "name": text(item, "name"),
        "enabled": item.get("enabled") != Some(&Value::Bool(false)),
        "insertion_order": item.get("weight").cloned().unwrap_or(0.into()),
        "priority": item.get("priority").cloned().unwrap_or_default(),
    }))
}

/// `dra*n` as a pattern.
fn wildcards(key: &str) -> String {
    if !key.contains(['*', '?']) {
        return key.to_owned();
    }
    let mut pattern = String::from("/\\b");
    for char in key.chars() {
        match char {
            '*' => pattern.push_str("\\w*"),
            '?' => pattern.push_str("\\w?"),
            char if char.is_alphanumeric() || char == ' ' => pattern.push(char),
            char => pattern.extend(['\\', char]),
        }
    }
    pattern + "\\b/i"
}

/// NovelAI: `text`, `keys` (patterns among them), `forceActivation`; the higher `budgetPriority` comes first.
fn novel_ai(item: &Object) -> Option<Object> {
    let content = item.get("text")?.as_str()?;
    let about = item.get("contextConfig").and_then(Value::as_object);
    let rank = about.and_then(|about| about.get("budgetPriority")).and_then(Value::as_i64).unwrap_or(400);
    of(json!({
        "keys": keys(item, "keys").collect::<Vec<_>>(),
        "content": content,
        "name": text(item, "displayName"),
        "enabled": item.get("enabled") != Some(&Value::Bool(false)),
        "constant": is(item, "forceActivation"),
        "insertion_order": rank.saturating_neg(),
        "priority": rank,
    }))
}

/// RisuAI: keys parted by commas, or one pattern; decorators stay in the text. Folders are none.
fn risu(item: &Object) -> Option<Object> {
    let content = item.get("content")?.as_str()?;
    if text(item, "mode") == "folder" {
        return None;
    }
    let keys = |key: &str| -> Vec<String> {
        let said = text(item, key);
        match is(item, "useRegex") && !said.trim().is_empty() {
            true => vec![if said.starts_with('/') { said.to_owned() } else { format!("/{said}/") }],
            false => said.split(',').map(str::trim).filter(|key| !key.is_empty()).map(str::to_owned).collect(),
        }
    };
    let chance = item.get("activationPercent").and_then(Value::as_f64);
    let extensions = chance.map_or_else(|| json!({}), |chance| json!({"probability": chance, "useProbability": true}));
    let sensitive = item.get("extentions").is_some_and(|own| own["risu_case_sensitive"] == true);
    of(json!({
        "keys": keys("key"),
        "secondary_keys": keys("secondkey"),
        "selective": is(item, "selective"),
        "content": content,
        "name": text(item, "comment"),
        "enabled": true,
        "constant": is(item, "alwaysActive") || text(item, "mode") == "constant",
        "case_sensitive": sensitive,
        "insertion_order": item.get("insertorder").cloned().unwrap_or(100.into()),
        "extensions": extensions,
    }))
}
