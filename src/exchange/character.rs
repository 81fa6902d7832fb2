//! Characters from files, and to files.
//!
//! Read: character cards V1 (flat), V2, V3 (`spec`, fields under `data`), the names that older tools used, those of
//! Agnai, Backyard AI and text-generation-webui, the
//! `definition.json` of seed `001`, and our own export. Written: a V2 card, or V3 where it came as one, that other
//! programs read; what V2 has no place for stands under `data.extensions.fabula`:
//!
//! ```json
//! {"version": 1, "initial_profile": {…seed 001…}, "avatar": "data:image/png;base64,…", "extra": {…},
//!  "status_bar": "<b>…</b><script>…</script>", "recap": {…}}
//! ```
//!
//! A card comes as JSON, in a PNG (or, by some, in the EXIF of a JPEG or WebP), as CHARX, or as a JPEG with a CHARX behind
//! it ([`file`]); and leaves in each [`Form`]. The files that it brings are stored beside it ([`assets`]).
//!
//! Nothing that a file said is lost: the original rides along in `Character::imported`, an export starts from it, and
//! a field of it is overwritten only where reading it again would not give the character's value.

mod assets;
mod backyard;
mod fields;
mod file;
mod foreign;
#[cfg(test)]
mod forms;
#[cfg(test)]
pub(crate) mod tests;

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};

use serde_json::{Value, json};

pub use self::assets::{SPRITES, is_added, plainly};
use self::{
    assets::Held,
    fields::{LISTS, NAME, Object, TEXTS, ignored},
};
use super::{
    container::{Files, png, zip},
    json,
    limits::RECORD_BYTES,
    picture::{self, Picture},
    refusal::{Refusal, Warning},
    risu,
    sniff::{self, Content},
};
use crate::{
    features::{circle, cradle},
    story::{
        character::{Asset, Character, Profile},
        picture::look,
        recap::RecapSettings,
    },
};

/// A character without id, times and avatar id: the caller gives them.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedCharacter {
    pub character: Character,
    pub avatar: Option<Picture>,
    /// Media types and bytes of its assets.
    pub files: Vec<Picture>,
}

/// What a character leaves as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON by a specification.
    V2,
    V3,
    /// Its picture, with the card by both specifications in it.
    Png,
    /// A ZIP with all its files.
    Charx,
}

/// Bytes of files that a text holds, all together at most: more go as CHARX alone.
const IN_TEXT: usize = 6 << 20;

/// Our place in `data.extensions`.
const OURS: &str = "fabula";
const OUR_KEYS: [&str; 6] = ["version", "initial_profile", "extra", "avatar", "status_bar", "recap"];
const OUR_VERSION: u32 = 1;

/// Reads a character file in whatever it comes.
///
/// # Errors
/// As [`read`]; or it is no file that carries a card.
pub fn open(bytes: Vec<u8>) -> Result<(ImportedCharacter, Vec<Warning>), Refusal> {
    let file::Opened { text, picture, files } = file::open(bytes)?;
    read_with(&text, picture, files)
}

/// Whether a card's field is one of those that are told or shown.
pub fn is_of_card(key: &str) -> bool {
    TEXTS.iter().any(|text| text.key == key || text.old.contains(&key))
        || LISTS.iter().any(|list| list.key == key)
        || NAME.1.contains(&key)
}

/// Reads the text of a character; which of the formats it is shows in its content.
///
/// # Errors
/// It is not JSON, too large or deep, or holds something else (`Unrecognised`).
pub fn read(text: &str) -> Result<(ImportedCharacter, Vec<Warning>), Refusal> {
    read_with(text, None, Files::new())
}

fn read_with(text: &str, carrier: Option<Vec<u8>>, files: Files) -> Result<(ImportedCharacter, Vec<Warning>), Refusal> {
    let parsed = match json::parse(text) {
        Ok(Value::Object(file)) => foreign::as_v2(&file).unwrap_or(file).into(),
        Ok(other) => other,
        Err(refusal @ Refusal::NotJson { .. }) => foreign::webui(text).ok_or(refusal)?.into(),
        Err(refusal) => return Err(refusal),
    };
    let mut file = match parsed {
        Value::Object(file) if sniff::is_character(&file) => file,
        other => return Err(Refusal::Unrecognised { wanted: Content::Character, found: sniff::content(&other) }),
    };
    let mut warnings = Vec::new();
    warnings.extend(newer(&file));

    let mut character = read_fields(&file, &mut warnings);
    // RisuAI's own scripts, which the card may have beside none in the form that all others share.
    let risu = character.card.extensions.get("risuai").map(|own| risu::scripts(&own["customScripts"]));
    let scripts = risu.unwrap_or_default();
    if !scripts.is_empty() && !character.card.extensions.contains_key("regex_scripts") {
        character.card.extensions.insert("regex_scripts".into(), scripts.into());
    }
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
        // And it could set something to work that calls a model.
        character.extra.retain(|key, _| !is_field(key) && key != cradle::KEY && key != circle::KEY);
    }
    match own.and_then(|own| own.get("status_bar")) {
        Some(Value::String(code)) => character.status_bar.clone_from(code),
        Some(_) => warnings.push(ignored("status_bar")),
        None => {}
    }
    match own.and_then(|own| own.get("recap")).map(|recap| crate::store::from_value::<RecapSettings>(recap.clone())) {
        Some(Ok(recap)) => character.recap = recap,
        Some(Err(_)) => warnings.push(ignored("recap")),
        None => {}
    }
    let taken = assets::take(&mut file, files);
    warnings.extend(taken.warnings);
    let carried = taken.icon.or(carrier);
    let drawn = match avatar(&file, own, carried.is_some()) {
        Some(url) => Some(picture::from_url(url)),
        None => carried.map(|bytes| Ok((look(&bytes)?.kind.to_owned(), bytes))),
    };
    let avatar = drawn.and_then(|drawn| drawn.map_err(|fault| warnings.push(Warning::PictureLeftOut(fault))).ok());
    let (assets, files) = taken.files.into_iter().unzip();
    character.assets = assets;

    let form = if spec_number(&file).is_some_and(|spec| spec >= 3) { Form::V3 } else { Form::V2 };
    // The picture is stored by itself; it need not ride along twice.
    forget_ours(&mut file);
    let file = Value::Object(file);
    let nothing_more = ours.is_some() && without_ours(to_card(&character, form)) == file;
    character.imported = (!nothing_more).then_some(file);
    json::too_large(json::size(&character), RECORD_BYTES)?;
    Ok((ImportedCharacter { character, avatar, files }, warnings))
}

/// Writes a character with its files, for other programs. The avatar is media type and bytes; `png`: the same as one (or what
/// stands for it), which carries [`Form::Png`].
pub fn pack(
    character: &Character,
    avatar: Option<(&str, &[u8])>,
    files: &[(Asset, Vec<u8>)],
    form: Form,
    png: &[u8],
) -> Vec<u8> {
    let text = |card: &Value| serde_json::to_string_pretty(card).expect("a value has text keys");
    match form {
        Form::V2 | Form::V3 => {
            let mut card = to_card(character, form);
            assets::list_sprites(&mut card, files, held(form));
            let is_icon = assets::has_icon(&card) == Some(true);
            write_ours(&mut card, character, avatar.filter(|_| !is_icon));
            assets::put(&mut card, avatar, files, held(form));
            text(&card).into_bytes()
        }
        Form::Png => {
            let encoded = |form| {
                let mut card = to_card(character, form);
                let held = if form == Form::V3 { held(Form::Png) } else { Held::Picture(0) };
                assets::list_sprites(&mut card, files, held);
                write_ours(&mut card, character, None);
                assets::put(&mut card, avatar, files, held);
                STANDARD.encode(text(&card))
            };
            let mut texts = vec![(Cow::from(file::V2), encoded(Form::V2)), (file::V3.into(), encoded(Form::V3))];
            texts.extend(assets::legacy(files).map(|(name, bytes)| (name.into(), STANDARD.encode(bytes))));
            png::with(&png::without(png, file::is_cards), &texts)
        }
        Form::Charx => {
            let mut card = to_card(character, Form::V3);
            assets::list_sprites(&mut card, files, held(form));
            // An icon that lies elsewhere stays the card's; ours has no other place then.
            let is_elsewhere = assets::has_icon(&card) == Some(false);
            write_ours(&mut card, character, avatar.filter(|_| is_elsewhere));
            let beside = assets::put(&mut card, avatar, files, held(form));
            let card = text(&card);
            let files = beside.iter().map(|(path, bytes)| (path.as_str(), *bytes));
            zip::write(std::iter::once((file::CARD_JSON, card.as_bytes())).chain(files))
        }
    }
}

fn held(form: Form) -> Held {
    match form {
        Form::V2 | Form::V3 => Held::Text(IN_TEXT),
        Form::Png => Held::Picture(IN_TEXT),
        Form::Charx => Held::Container,
    }
}

/// How many files of a card a form does not take along.
pub fn left_behind(files: &[(Asset, Vec<u8>)], form: Form) -> usize {
    assets::left_behind(files, held(form))
}

fn read_fields(file: &Object, warnings: &mut Vec<Warning>) -> Character {
    match file.get("data").and_then(Value::as_object) {
        Some(data) if sniff::is_nested_card(file) => fields::read(&[data, file], warnings),
        _ => fields::read(&[file], warnings),
    }
}

/// Without what stands in our own place.
fn to_card(character: &Character, form: Form) -> Value {
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
    let mut extensions = std::mem::take(&mut now.card.extensions);
    extensions.extend(before.card.extensions.remove_entry(OURS));
    data.insert("extensions".into(), extensions.into());

    // SillyTavern repeats the V1 fields at the top: of what has changed they must not tell another story.
    let names = [(NAME.0, NAME.1, before.name.clone(), now.name.clone())];
    let texts = TEXTS.map(|field| {
        let [then, now] = [&mut *before, &mut *now].map(|of| (field.of)(&mut of.card).clone());
        (field.key, field.old, then, now)
    });
    for (key, old, _, text) in names.into_iter().chain(texts).filter(|(.., then, now)| then != now) {
        for key in std::iter::once(&key).chain(old) {
            if let Some(copy) = root.get_mut(*key) {
                *copy = text.as_str().into();
            }
        }
    }
    let is_new = spec_number(&root).is_some_and(|spec| spec >= 3);
    if form != Form::V2 {
        if !is_new {
            root.insert("spec".into(), "chara_card_v3".into());
            root.insert("spec_version".into(), "3.0".into());
            data.entry("group_only_greetings").or_insert_with(|| json!([]));
            if character.created > 0 {
                data.entry("creation_date").or_insert_with(|| (character.created / 1000).into());
            }
        }
        if character.updated > character.created {
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

fn write_ours(card: &mut Value, character: &Character, avatar: Option<(&str, &[u8])>) {
    let extensions = &mut card["data"]["extensions"];
    if !extensions[OURS].is_object() {
        extensions[OURS] = json!({});
    }
    let Some(ours) = extensions[OURS].as_object_mut() else { return };
    let profile = &character.initial_profile;
    let profile = (*profile != Profile::default()).then(|| serde_json::to_value(profile).expect("text keys"));
    let mut extra = character.extra.clone();
    // What it grew from stays here.
    extra.remove(cradle::KEY);
    extra.remove(circle::KEY);
    let extra = (!extra.is_empty()).then(|| extra.into());
    let avatar = avatar.map(|(kind, bytes)| picture::to_data_url(kind, bytes).into());
    let bar = Some(character.status_bar.as_str()).filter(|code| !code.is_empty()).map(Value::from);
    let recap = (!character.recap.is_default()).then(|| serde_json::to_value(&character.recap).expect("text keys"));
    let values = [Some(OUR_VERSION.into()), profile, extra, avatar, bar, recap];
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

/// The picture that a file names beside its files: ours, or the flat `avatar`; where it came in or with a picture, a mere
/// name is that one's.
fn avatar<'a>(file: &'a Object, own: Option<&'a Object>, is_carried: bool) -> Option<&'a str> {
    let ours = own.and_then(|own| own.get("avatar")).and_then(Value::as_str);
    let data = file.get("data").and_then(Value::as_object);
    let flat = || {
        let place = data.and_then(|data| data.get("avatar")).or_else(|| file.get("avatar"));
        let url = place.and_then(Value::as_str).filter(|url| !url.is_empty() && *url != "none");
        url.filter(|url| !is_carried || url.starts_with("data:"))
    };
    ours.or_else(flat)
}

/// Whether the stored record has a field of this name.
fn is_field(key: &str) -> bool {
    /// Those that are not written where there is nothing.
    const OPTIONAL: [&str; 9] = [
        "deleted",
        "imported",
        "character_book",
        "status_bar",
        "thumbnail",
        "assets",
        "lorebooks",
        "recap",
        "plays_as",
    ];
    OPTIONAL.contains(&key) || serde_json::to_value(Character::default()).is_ok_and(|record| record.get(key).is_some())
}
