//! Characters from files, and to files.
//!
//! Read: character cards V1 (flat), V2, V3 (`spec`, fields under `data`), the names that older tools used, the
//! `definition.json` of seed `001`, and our own export. Written: a V2 card, or V3 where it came as one, that other
//! programs read; what V2 has no place for stands under `data.extensions.fabula`:
//!
//! ```json
//! {"version": 1, "initial_profile": {…seed 001…}, "avatar": "data:image/png;base64,…", "extra": {…},
//!  "status_bar": "<b>…</b><script>…</script>"}
//! ```
//!
//! Nothing that a file said is lost: the original rides along in `Character::imported`, an export starts from it, and
//! a field of it is overwritten only where reading it again would not give the character's value.

mod fields;
#[cfg(test)]
pub(crate) mod tests;

use serde_json::{Value, json};

use super::{
    json,
    limits::RECORD_BYTES,
    picture::{self, Picture},
    refusal::{Refusal, Warning},
    sniff::{self, Content},
};
use crate::story::character::{Character, Profile};
use fields::{LISTS, NAME, Object, TEXTS, ignored};

/// A character without id, times and avatar id: the caller gives them.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedCharacter {
    pub character: Character,
    pub avatar: Option<Picture>,
}

/// Our place in `data.extensions`.
const OURS: &str = "fabula";
const OUR_KEYS: [&str; 5] = ["version", "initial_profile", "extra", "avatar", "status_bar"];
const OUR_VERSION: u32 = 1;

/// Reads a character file; which of the formats it is shows in its content.
///
/// # Errors
/// It is not JSON, too large or deep, or holds something else (`Unrecognised`).
pub fn read(text: &str) -> Result<(ImportedCharacter, Vec<Warning>), Refusal> {
    let mut file = match json::parse(text)? {
        Value::Object(file) if sniff::is_character(&file) => file,
        other => return Err(Refusal::Unrecognised { wanted: Content::Character, found: sniff::content(&other) }),
    };
    let mut warnings = Vec::new();
    warnings.extend(newer(&file));

    let mut character = read_fields(&file, &mut warnings);
    let ours = character.card.extensions.remove(OURS);
    let own = ours.as_ref().and_then(Value::as_object);
    if let Some(profile) = own.and_then(|own| own.get("initial_profile")).or_else(|| file.get("initial_profile")) {
        match crate::store::from_value::<Profile>(profile.clone()) {
            Ok(profile) => character.initial_profile = profile,
            Err(_) => warnings.push(ignored("initial_profile")),
        }
    }
    if let Some(extra) = own.and_then(|own| own.get("extra")).and_then(Value::as_object) {
        character.extra = extra.clone();
        // Else a file could set the id of the record that it becomes.
        character.extra.retain(|key, _| !is_field(key));
    }
    match own.and_then(|own| own.get("status_bar")) {
        Some(Value::String(code)) => character.status_bar.clone_from(code),
        Some(_) => warnings.push(ignored("status_bar")),
        None => {}
    }
    let avatar = avatar(&file, own)
        .and_then(|url| picture::from_url(url).map_err(|fault| warnings.push(Warning::PictureLeftOut(fault))).ok());

    // The picture is stored by itself; it need not ride along twice.
    forget_ours(&mut file);
    let file = Value::Object(file);
    let nothing_more = ours.is_some() && without_ours(to_card(&character, None)) == file;
    character.imported = (!nothing_more).then_some(file);
    json::too_large(json::size(&character), RECORD_BYTES)?;
    Ok((ImportedCharacter { character, avatar }, warnings))
}

/// Writes a character card, readable by people and by other programs. The avatar is media type and bytes.
pub fn write(character: &Character, avatar: Option<(&str, &[u8])>) -> String {
    let card = to_card(character, avatar);
    serde_json::to_string_pretty(&card).expect("a value has text keys")
}

fn read_fields(file: &Object, warnings: &mut Vec<Warning>) -> Character {
    match file.get("data").and_then(Value::as_object) {
        Some(data) if sniff::is_nested_card(file) => fields::read(&[data, file], warnings),
        _ => fields::read(&[file], warnings),
    }
}

fn to_card(character: &Character, avatar: Option<(&str, &[u8])>) -> Value {
    let (mut root, mut data) = base(character.imported.as_ref());
    let before = &mut fields::read(&[&data, &root], &mut Vec::new());
    let now = &mut character.clone();

    if !data.contains_key(NAME.0) || before.name != now.name {
        data.insert(NAME.0.into(), now.name.as_str().into());
    }
    for field in &TEXTS {
        let text = (field.of)(&mut now.card);
        if !data.contains_key(field.key) || (field.of)(&mut before.card) != text {
            data.insert(field.key.into(), text.as_str().into());
        }
    }
    for field in &LISTS {
        let list = (field.of)(&mut now.card);
        if !data.contains_key(field.key) || (field.of)(&mut before.card) != list {
            data.insert(field.key.into(), list.as_slice().into());
        }
    }
    if before.card.character_book != now.card.character_book {
        match now.card.character_book.take() {
            Some(book) => data.insert("character_book".into(), book),
            None => data.remove("character_book"),
        };
    }
    let mut ours = match before.card.extensions.remove(OURS) {
        Some(Value::Object(ours)) => ours,
        _ => Object::new(),
    };
    write_ours(&mut ours, character, avatar);
    let mut extensions = std::mem::take(&mut now.card.extensions);
    extensions.insert(OURS.into(), ours.into());
    data.insert("extensions".into(), extensions.into());

    // SillyTavern repeats the V1 fields at the top: they must not tell another story.
    let names = [(NAME.0, NAME.1, now.name.clone())];
    let texts = TEXTS.map(|field| (field.key, field.old, (field.of)(&mut now.card).clone()));
    for (key, old, text) in names.into_iter().chain(texts) {
        for key in std::iter::once(&key).chain(old) {
            if let Some(copy) = root.get_mut(*key) {
                *copy = text.as_str().into();
            }
        }
    }
    if spec_number(&root).is_some_and(|spec| spec >= 3) {
        if character.updated > 0 {
            data.insert("modification_date".into(), (character.updated / 1000).into());
        }
    } else {
        root.insert("spec".into(), "chara_card_v2".into());
        root.insert("spec_version".into(), "2.0".into());
    }
    root.insert("data".into(), data.into());
    Value::Object(root)
}

/// The outer and inner object that an export starts from. A flat file's card fields move inwards under their V2
/// names; its other fields stay outside.
fn base(imported: Option<&Value>) -> (Object, Object) {
    let head = || {
        let head = json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": null});
        head.as_object().cloned().unwrap_or_default()
    };
    let Some(Value::Object(file)) = imported else { return (head(), Object::new()) };
    if sniff::is_nested_card(file) {
        let mut root = file.clone();
        let data = root.get_mut("data").map(Value::take);
        return (root, data.and_then(|data| data.as_object().cloned()).unwrap_or_default());
    }
    let (mut root, mut data) = (head(), Object::new());
    for (key, value) in file.clone() {
        let known = |name: &&str, old: &&[&str]| *name == key || old.contains(&key.as_str());
        let text = TEXTS.iter().map(|field| (field.key, field.old)).chain([NAME]).find(|(name, old)| known(name, old));
        let other =
            LISTS.iter().map(|field| field.key).chain(["extensions", "character_book"]).find(|name| *name == key);
        match text.map(|(name, _)| name).or(other) {
            // A file may have a field under both names: its own name wins, as in reading.
            Some(name) if name == key => drop(data.insert(key, value)),
            Some(name) => drop(data.entry(name).or_insert(value)),
            // It stands under `extensions.fabula` now; `data` would hide the card.
            None if key == "initial_profile" || key == "data" => {}
            None => drop(root.insert(key, value)),
        }
    }
    (root, data)
}

fn write_ours(ours: &mut Object, character: &Character, avatar: Option<(&str, &[u8])>) {
    let profile = &character.initial_profile;
    let profile = (*profile != Profile::default()).then(|| serde_json::to_value(profile).expect("text keys"));
    let extra = (!character.extra.is_empty()).then(|| character.extra.clone().into());
    let avatar = avatar.map(|(kind, bytes)| picture::to_data_url(kind, bytes).into());
    let bar = Some(character.status_bar.as_str()).filter(|code| !code.is_empty()).map(Value::from);
    let values = [Some(OUR_VERSION.into()), profile, extra, avatar, bar];
    for (key, value) in OUR_KEYS.into_iter().zip(values) {
        match value {
            Some(value) => ours.insert(key.into(), value),
            None => ours.remove(key),
        };
    }
}

/// Takes out what [`read`] has taken over; what a newer version wrote stays.
fn forget_ours(file: &mut Object) {
    let inner =
        if sniff::is_nested_card(file) { file.get_mut("data").and_then(Value::as_object_mut) } else { Some(file) };
    let Some(extensions) = inner.and_then(|data| data.get_mut("extensions")).and_then(Value::as_object_mut) else {
        return;
    };
    if let Some(Value::Object(ours)) = extensions.get_mut(OURS) {
        ours.retain(|key, _| !OUR_KEYS.contains(&key.as_str()));
        if ours.is_empty() {
            extensions.remove(OURS);
        }
    }
}

fn without_ours(mut card: Value) -> Value {
    card.as_object_mut().map(forget_ours);
    card
}

/// `chara_card_v3` → 3.
fn spec_number(file: &Object) -> Option<u32> {
    file.get("spec")?.as_str()?.strip_prefix("chara_card_v")?.parse().ok()
}

fn newer(file: &Object) -> Option<Warning> {
    let spec = file.get("spec").and_then(Value::as_str).filter(|spec| spec.starts_with("chara_card"))?;
    let version = match file.get("spec_version") {
        Some(Value::String(version)) => version.clone(),
        Some(Value::Number(version)) => version.to_string(),
        _ => String::new(),
    };
    let number = spec_number(file);
    let known = number.filter(|number| *number <= 3).map(f64::from);
    let later = version.parse::<f64>().is_ok_and(|version| known.is_some_and(|known| version > known));
    let short = |text: &str| text.chars().take(40).collect();
    (known.is_none() || later).then(|| Warning::NewerCard { spec: short(spec), version: short(&version) })
}

/// The picture that a file names: ours, V3's main icon if it is in the file, or the flat `avatar`.
fn avatar<'a>(file: &'a Object, own: Option<&'a Object>) -> Option<&'a str> {
    let ours = own.and_then(|own| own.get("avatar")).and_then(Value::as_str);
    let data = file.get("data").and_then(Value::as_object);
    let icons = || {
        let assets = data.and_then(|data| data.get("assets")).and_then(Value::as_array).into_iter().flatten();
        let icons = assets.filter(|asset| asset["type"] == "icon");
        icons.filter(|icon| icon["uri"].as_str().is_some_and(|uri| uri.starts_with("data:")))
    };
    let icon = || icons().find(|icon| icon["name"] == "main").or_else(|| icons().next())?["uri"].as_str();
    let flat = || {
        let place = data.and_then(|data| data.get("avatar")).or_else(|| file.get("avatar"));
        place.and_then(Value::as_str).filter(|url| !url.is_empty() && *url != "none")
    };
    ours.or_else(icon).or_else(flat)
}

/// Whether the stored record has a field of this name.
fn is_field(key: &str) -> bool {
    let optional = ["deleted", "imported", "character_book", "status_bar", "thumbnail"];
    optional.contains(&key) || serde_json::to_value(Character::default()).is_ok_and(|record| record.get(key).is_some())
}
