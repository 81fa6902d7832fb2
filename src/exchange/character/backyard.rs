//! Characters of Backyard AI (Faraday before): in the EXIF of a picture, or an archive of them (BYAF) with its scenarios and
//! pictures. As a card would have them; the original stands under the program's name in `extensions`.

use serde_json::{Value, json};

use super::fields::Object;
use crate::exchange::{container::Files, json, lorebook::keys_of, sniff::is_of_backyard};

/// The program's name there.
const BACKYARD: &str = "backyard";
const MANIFEST: &str = "manifest.json";

/// What a picture carries: `character` with names that begin with `ai`. `None`: it is none.
pub(super) fn as_v2(file: &Object) -> Option<Object> {
    let character = file.get("character").filter(|_| is_of_backyard(file))?;
    let text = |key: &str| said(character, key);
    let name = [text("aiName"), text("aiDisplayName")].into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    let data = json!({
        "name": name,
        "description": text("aiPersona"),
        "scenario": text("scenario"),
        "first_mes": text("firstMessage"),
        "mes_example": text("customDialogue"),
        "system_prompt": text("basePrompt"),
        "character_book": book(&character["loreItems"]),
        "extensions": {BACKYARD: file},
    });
    json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}).as_object().cloned()
}

/// The card of an archive, as V3 would have it, with its texts taken out of the files: the first scenario is the card's, how the
/// others begin are greetings. `None`: it is no such archive.
pub(super) fn of_archive(files: &mut Files) -> Option<Value> {
    let read = |path: &str| {
        let (_, bytes) = files.iter().find(|(known, _)| known == path)?;
        json::parse(std::str::from_utf8(bytes).ok()?).ok()
    };
    let manifest = read(MANIFEST)?;
    let paths = |key: &str| manifest[key].as_array().into_iter().flatten().filter_map(Value::as_str);
    let path = paths("characters").next()?;
    let character = read(path)?;
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let scenarios: Vec<Value> = paths("scenarios").filter_map(read).collect();
    let first = scenarios.first().cloned().unwrap_or_default();
    let begins = |scenario: &Value| said(&scenario["firstMessages"][0], "text");
    let example = first["exampleMessages"].as_array().into_iter().flatten().map(|line| {
        let by = if line["characterID"] == character["id"] { "char" } else { "user" };
        format!("{{{{{by}}}}}: {}", said(line, "text"))
    });
    let names = [said(&character, "name"), said(&character, "displayName")];
    let taken: Vec<String> = [MANIFEST, path].into_iter().chain(paths("scenarios")).map(str::to_owned).collect();
    let data = json!({
        "name": names.into_iter().find(|name| !name.is_empty()).unwrap_or_default(),
        "description": said(&character, "persona"),
        "scenario": said(&first, "narrative"),
        "first_mes": begins(&first),
        "mes_example": example.collect::<Vec<_>>().join("\n"),
        "system_prompt": said(&first, "formattingInstructions"),
        "alternate_greetings": scenarios.iter().skip(1).map(begins).filter(|text| !text.is_empty()).collect::<Vec<_>>(),
        "creator": said(&manifest["author"], "name"),
        "character_book": book(&character["loreItems"]),
        "assets": assets(&character, &scenarios, folder),
        "extensions": {BACKYARD: {"manifest": manifest, "character": character, "scenarios": scenarios}},
    });
    files.retain(|(path, _)| !taken.contains(path));
    Some(json!({"spec": "chara_card_v3", "spec_version": "3.0", "data": data}))
}

/// Its pictures: the first is the face.
fn assets(character: &Value, scenarios: &[Value], folder: &str) -> Vec<Value> {
    let asset = |kind: &str, name: &str, path: &str| {
        let ending = path.rsplit_once('.').map_or("unknown", |(_, ending)| ending);
        json!({"type": kind, "name": name, "uri": format!("embeded://{path}"), "ext": ending})
    };
    let pictures = character["images"].as_array().into_iter().flatten().enumerate().map(|(index, image)| {
        let path = format!("{folder}/{}", said(image, "path"));
        let label = image["label"].as_str().unwrap_or_default();
        asset("icon", if index == 0 { "main" } else { label }, &path)
    });
    let places = scenarios.iter().filter_map(|scenario| scenario["backgroundImage"].as_str());
    pictures.chain(places.map(|path| asset("background", "main", path))).collect()
}

/// Its lore: keys parted by commas, and what they call up.
fn book(items: &Value) -> Option<Value> {
    let entry = |(index, item): (usize, &Value)| {
        json!({"keys": keys_of(&item["key"]), "content": said(item, "value"), "extensions": {}, "enabled": true,
            "insertion_order": index})
    };
    let entries: Vec<Value> = items.as_array()?.iter().enumerate().map(entry).collect();
    (!entries.is_empty()).then(|| json!({"extensions": {}, "entries": entries}))
}

/// A text, with this program's names for who speaks: `{character}`, and `#{character}:` where a line is theirs.
fn said(of: &Value, key: &str) -> String {
    let text = of.get(key).and_then(Value::as_str).unwrap_or_default();
    [("character", "{{char}}"), ("user", "{{user}}")].iter().fold(text.to_owned(), |text, (there, here)| {
        let one = format!("{{{there}}}");
        text.replace(&format!("#{one}"), &one).replace(&format!("{{{one}}}"), &one).replace(&one, here)
    })
}
