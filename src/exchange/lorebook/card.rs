//! An entry in the book of a card: other names, and most of what World Info says of it under `extensions`.

use serde_json::{Value, json};

use super::{Object, entry};

/// (World Info, card).
const TOP: [(&str, &str); 8] = [
    ("uid", "id"),
    ("key", "keys"),
    ("keysecondary", "secondary_keys"),
    ("order", "insertion_order"),
    ("content", "content"),
    ("constant", "constant"),
    ("selective", "selective"),
    ("priority", "priority"),
];

/// (World Info, `extensions`).
const EXTENSIONS: [(&str, &str); 34] = [
    ("position", "position"),
    ("excludeRecursion", "exclude_recursion"),
    ("preventRecursion", "prevent_recursion"),
    ("delayUntilRecursion", "delay_until_recursion"),
    ("displayIndex", "display_index"),
    ("probability", "probability"),
    ("useProbability", "useProbability"),
    ("depth", "depth"),
    ("selectiveLogic", "selectiveLogic"),
    ("outletName", "outlet_name"),
    ("group", "group"),
    ("groupOverride", "group_override"),
    ("groupWeight", "group_weight"),
    ("useGroupScoring", "use_group_scoring"),
    ("scanDepth", "scan_depth"),
    ("caseSensitive", "case_sensitive"),
    ("matchWholeWords", "match_whole_words"),
    ("automationId", "automation_id"),
    ("role", "role"),
    ("vectorized", "vectorized"),
    ("sticky", "sticky"),
    ("cooldown", "cooldown"),
    ("delay", "delay"),
    ("matchPersonaDescription", "match_persona_description"),
    ("matchCharacterDescription", "match_character_description"),
    ("matchCharacterPersonality", "match_character_personality"),
    ("matchCharacterDepthPrompt", "match_character_depth_prompt"),
    ("matchScenario", "match_scenario"),
    ("matchCreatorNotes", "match_creator_notes"),
    ("triggers", "triggers"),
    ("ignoreBudget", "ignore_budget"),
    ("characterFilter", "character_filter"),
    ("addMemo", "add_memo"),
    ("outlet", "outlet"),
];

/// As World Info. What a card alone says is not in it.
pub fn flat(fields: &Object) -> Object {
    let mut flat = Object::new();
    let mut put = |key: &str, value: Option<&Value>| {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            flat.insert(key.to_owned(), value.clone());
        }
    };
    for (world_info, card) in TOP {
        put(world_info, fields.get(card));
    }
    put("comment", fields.get("comment").filter(|label| !entry::text(Some(label)).is_empty()).or(fields.get("name")));
    put("caseSensitive", fields.get("case_sensitive"));
    let position = match fields.get("position") {
        Some(Value::String(position)) => Some(json!(usize::from(position == "after_char"))),
        position => position.cloned(),
    };
    put("position", position.as_ref());
    if let Some(extensions) = fields.get("extensions").and_then(Value::as_object) {
        for (world_info, card) in EXTENSIONS {
            put(world_info, extensions.get(card));
        }
        // RisuAI has a name of its own for it.
        if extensions.get("probability").is_none_or(Value::is_null) {
            put("probability", extensions.get("risu_activationPercent"));
        }
    }
    // A card has to ask for them.
    flat.entry("selective").or_insert(false.into());
    flat.insert("disable".into(), (fields.get("enabled") == Some(&Value::Bool(false))).into());
    flat
}

/// The card's form of what [`entry::Form::write`] wrote as World Info.
pub fn of(mut flat: Object) -> Object {
    let mut fields = Object::new();
    let is_pattern = |key: &Value| key.as_str().is_some_and(|key| key.len() > 1 && key.starts_with('/'));
    let patterns = flat.get("key").and_then(Value::as_array).is_some_and(|keys| keys.iter().any(is_pattern));
    let asks_more = flat.get("keysecondary").and_then(Value::as_array).is_some_and(|keys| !keys.is_empty());
    flat.insert("selective".into(), asks_more.into());
    for (world_info, card) in TOP {
        if let Some(value) = flat.shift_remove(world_info) {
            fields.insert(card.into(), value);
        }
    }
    fields.insert("comment".into(), flat.shift_remove("comment").unwrap_or_default());
    fields.insert("enabled".into(), (flat.get("disable") != Some(&Value::Bool(true))).into());
    fields.insert("use_regex".into(), patterns.into());
    if let Some(sensitive) = flat.get("caseSensitive").filter(|sensitive| !sensitive.is_null()) {
        fields.insert("case_sensitive".into(), sensitive.clone());
    }
    // By the letter there are but two places; the true one stands in the extensions.
    let before = flat.get("position").and_then(Value::as_u64) == Some(0);
    fields.insert("position".into(), if before { "before_char" } else { "after_char" }.into());
    fields.insert("extensions".into(), extensions(flat).into());
    fields
}

/// What World Info says and a card has no field for, under the names there.
pub fn extensions(mut flat: Object) -> Object {
    let known = EXTENSIONS.into_iter().filter_map(|(world_info, card)| Some((card, flat.shift_remove(world_info)?)));
    known.map(|(card, value)| (card.to_owned(), value)).collect()
}

/// The other way round.
pub fn world_info(mut extensions: Object) -> Object {
    let known =
        EXTENSIONS.into_iter().filter_map(|(world_info, card)| Some((world_info, extensions.shift_remove(card)?)));
    known.map(|(world_info, value)| (world_info.to_owned(), value)).collect()
}
