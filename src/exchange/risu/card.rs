//! The record of a character as a V3 card has it. What that has no word for stands under `risuai` in its extensions, as the
//! program's own cards have it.

use serde_json::{Map, Value, json};

use super::scripts;
use crate::exchange::lorebook;

type Object = Map<String, Value>;

/// A file that a record names.
pub(super) struct Asset {
    pub kind: String,
    pub name: String,
    pub uri: String,
    pub ending: String,
}

/// Texts and lists that a card has a place for, by their names there.
const FIELDS: [(&str, &str); 16] = [
    ("name", "name"),
    ("description", "desc"),
    ("personality", "personality"),
    ("scenario", "scenario"),
    ("first_mes", "firstMessage"),
    ("mes_example", "exampleMessage"),
    ("creator_notes", "creatorNotes"),
    ("system_prompt", "systemPrompt"),
    ("post_history_instructions", "replaceGlobalNote"),
    ("alternate_greetings", "alternateGreetings"),
    ("tags", "tags"),
    ("nickname", "nickname"),
    ("source", "source"),
    ("group_only_greetings", "group_only_greetings"),
    ("creation_date", "creation_date"),
    ("modification_date", "modification_date"),
];

pub(super) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// The card of a record, without its files.
pub(super) fn card(mut record: Object) -> Value {
    let mut data = Object::new();
    for (field, own) in FIELDS {
        if let Some(value) = record.remove(own) {
            data.insert(field.into(), value);
        }
    }
    for field in ["description", "first_mes"] {
        data.entry(field).or_insert_with(|| "".into());
    }
    let about = record.remove("additionalData").unwrap_or_default();
    for (field, own, old) in
        [("creator", "creator", "creator"), ("character_version", "characterVersion", "character_version")]
    {
        let said = [about.get(old).cloned(), record.remove(own)].into_iter().flatten().find(|text| !is_blank(text));
        data.extend(said.map(|said| (field.to_owned(), said)));
    }
    data.extend(book(&mut record).map(|book| ("character_book".to_owned(), book)));
    let mut extensions = match record.remove("extentions") {
        Some(Value::Object(extensions)) => extensions,
        _ => Object::new(),
    };
    if let Some(prompt) = record.remove("depth_prompt").filter(|prompt| !is_blank(prompt)) {
        extensions.insert("depth_prompt".into(), prompt);
    }
    let own = record.remove("customscript").unwrap_or_default();
    let list: Vec<Value> = own.as_array().into_iter().flatten().filter_map(scripts::script).collect();
    if !list.is_empty() {
        extensions.insert("regex_scripts".into(), list.into());
    }
    record.insert("customScripts".into(), own);
    for taken in ["type", "image", "emotionImages", "additionalAssets", "ccAssets", "trashTime"] {
        record.remove(taken);
    }
    record.retain(|_, value| !is_blank(value));
    extensions.insert("risuai".into(), record.into());
    data.insert("extensions".into(), extensions.into());
    json!({ "spec": "chara_card_v3", "spec_version": "3.0", "data": data })
}

fn book(record: &mut Object) -> Option<Value> {
    let about = record.remove("loreSettings").unwrap_or_default();
    let more = record.remove("loreExt").unwrap_or_default();
    let entries = record.remove("globalLore").filter(|entries| !is_blank(entries))?;
    let mut book = lorebook::foreign_as_v3(&json!({ "type": "risu", "ver": 1, "data": entries }))?["data"].take();
    // Folders, which are none.
    book["entries"].as_array_mut()?.retain(|entry| !entry.is_null());
    for (field, own) in
        [("scan_depth", "scanDepth"), ("token_budget", "tokenBudget"), ("recursive_scanning", "recursiveScanning")]
    {
        if let Some(value) = about.get(own) {
            book[field] = value.clone();
        }
    }
    if let (Value::Object(extensions), Value::Object(more)) = (&mut book["extensions"], more) {
        extensions.extend(more);
    }
    Some(book)
}

/// The files that a record names, its picture first.
pub(super) fn assets(record: &Object) -> Vec<Asset> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |key: &str| record.get(key).and_then(Value::as_array).into_iter().flatten();
    let png = || "png".to_owned();
    let icon = record.get("image").map(|uri| Asset {
        kind: "icon".into(),
        name: "main".into(),
        uri: text(uri),
        ending: png(),
    });
    let emotions = list("emotionImages").map(|said| Asset {
        kind: "emotion".into(),
        name: text(&said[0]),
        uri: text(&said[1]),
        ending: png(),
    });
    let further = list("additionalAssets").map(|said| Asset {
        kind: "x-risu-asset".into(),
        name: text(&said[0]),
        uri: text(&said[1]),
        ending: said[2].as_str().filter(|ending| !ending.is_empty()).map_or_else(png, str::to_owned),
    });
    let of_card = list("ccAssets").map(|said| Asset {
        kind: text(&said["type"]),
        name: text(&said["name"]),
        uri: text(&said["uri"]),
        ending: text(&said["ext"]),
    });
    icon.into_iter().chain(emotions).chain(further).chain(of_card).filter(|asset| !asset.uri.is_empty()).collect()
}
