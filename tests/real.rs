//! Files that other programs wrote, from a folder that is no part of this repository (their licences are their own): each is
//! recognised as the page does, taken in and written again, and all of its fields are looked for in what was written.
//!
//! `FABULA_REAL_FILES=<folder> cargo test --test real -- --nocapture` names each difference; without the folder there is
//! nothing to do, and it says so.
#![cfg(not(target_arch = "wasm32"))]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use fabula::{
    exchange::{
        archive::Reader,
        character::{self, Form},
        chat::{self, sillytavern, story},
        container::{exif, png, zip},
        json,
        limits::{CARD, Limits},
        lorebook, personas, preset, quick,
        refusal::Refusal,
        script,
        sniff::{Content, FileKind, content, sniff},
        yaml,
    },
    store::{Part, Record, from_value},
    story::{
        storyline::Storyline,
        tree::{self, Branch},
    },
};
use futures_executor::block_on;
use serde_json::{Map, Value};

/// What a file said, and what is written of it; each a list of values that belong together.
type Both = Vec<(Value, Value)>;

#[test]
fn what_comes_in_goes_out_as_it_came() {
    let Some(folder) = std::env::var_os("FABULA_REAL_FILES") else {
        println!("skipped: FABULA_REAL_FILES names no folder of other programs' files");
        return;
    };
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files);
    files.sort();
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for path in &files {
        let told = path.strip_prefix(&folder).unwrap_or(path).display();
        let (kind, faults) = match round(fs::read(path).expect("it can be read")) {
            Ok((kind, both)) => {
                let mut faults = Vec::new();
                both.iter().for_each(|(said, written)| compare("", said, written, &mut faults));
                (kind, faults)
            }
            Err(why) => ("refused".to_owned(), vec![why.to_string()]),
        };
        let count = counts.entry(kind.clone()).or_default();
        count.0 += 1;
        count.1 += usize::from(!faults.is_empty());
        if !faults.is_empty() {
            println!("{told} ({kind}): {} differences", faults.len());
            faults.iter().take(12).for_each(|fault| println!("    {fault}"));
        }
    }
    println!("{} files; of each kind, and of these not equal: {counts:?}", files.len());
    assert!(counts.values().all(|(_, faulty)| *faulty == 0), "differences are listed above");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("its entries can be read").path();
        match path.is_dir() {
            true => collect(&path, files),
            // What tells where the files are from.
            false if path.extension().is_some_and(|ending| ending == "tsv") => {}
            false => files.push(path),
        }
    }
}

fn round(bytes: Vec<u8>) -> Result<(String, Both), Refusal> {
    if let FileKind::Png | FileKind::Zip | FileKind::Picture = sniff(&bytes) {
        return Ok(("card in a container".into(), of_card(bytes)?));
    }
    let Ok(text) = String::from_utf8(bytes.clone()) else { return Err(Refusal::NotText) };
    let found = match block_on(chat::read(&text, chat::at_a_stretch)) {
        Ok(chat) => return Ok(("chat".into(), of_chat(&chat, &text))),
        Err(Refusal::Unrecognised { found, .. }) => found,
        Err(other) => return Err(other),
    };
    let said: Value = json::parse(&text).unwrap_or_default();
    assert!(found == content(&said) || said.is_null(), "asked as a chat and by itself it is the same");
    let both = match found {
        Content::Lorebook => {
            let (book, _) = lorebook::read(&text)?;
            let is_spec = said.get("spec").is_some() || said["entries"].is_array();
            let own =
                ["novelai", "agnai", "risu"].into_iter().find(|own| of(&lorebook::write_v3(&book), own).is_some());
            match own {
                Some(own) => vec![(said, of(&lorebook::write_v3(&book), own).unwrap_or_default())],
                None if is_spec && said.get("spec").is_none() => {
                    vec![(said, value(&lorebook::write_v3(&book))["data"].take())]
                }
                None if is_spec => vec![(said, value(&lorebook::write_v3(&book)))],
                None => vec![(said, value(&lorebook::write(&book)))],
            }
        }
        Content::Preset => {
            let written = value(&preset::write_sillytavern(&preset::read(&text)?.0).0);
            vec![(without_secrets(by_identifier(said)), by_identifier(written))]
        }
        Content::Scripts => {
            let written = value(&script::write(&script::read(&text)?.0));
            vec![(if said.is_array() { said } else { Value::from(vec![said]) }, written)]
        }
        Content::QuickReplies => vec![(as_list(said), value(&quick::write(&quick::read(&text)?.0)))],
        Content::Personas => {
            let read = personas::read(&text)?.personas;
            vec![(said, value(&personas::write(&read.iter().collect::<Vec<_>>(), read.first())))]
        }
        _ => of_card(bytes)?,
    };
    Ok((format!("{found:?}"), both))
}

/// The prompts of a preset are told apart by their identifiers, and not by where they stand.
fn by_identifier(mut file: Value) -> Value {
    if let Some(prompts) = file.get_mut("prompts") {
        let named = |prompt: &Value| Some((prompt["identifier"].as_str()?.to_owned(), prompt.clone()));
        *prompts = Value::Object(prompts.as_array().into_iter().flatten().filter_map(named).collect());
    }
    file
}

/// Addresses, and lines that may hold a key, are never taken.
fn without_secrets(mut file: Value) -> Value {
    const PARTS: [&str; 5] = ["_url", "proxy", "custom_include", "custom_exclude", "password"];
    if let Some(fields) = file.as_object_mut().filter(|fields| fields.contains_key("prompts")) {
        fields.retain(|key, _| !PARTS.iter().any(|part| key.contains(part)));
    }
    file
}

/// Quick replies of older versions by their names of now.
fn as_list(mut file: Value) -> Value {
    if let Some(Value::Array(slots)) = file.as_object_mut().and_then(|file| file.remove("quickReplySlots")) {
        let named = |mut slot: Value| {
            slot["message"] = slot.as_object_mut().and_then(|slot| slot.remove("mes")).unwrap_or_default();
            slot
        };
        file["qrList"] = slots.into_iter().map(named).filter(|slot| slot["message"] != "").collect();
    }
    file
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("what is written is JSON")
}

/// A book of another program as it was, of what V3 keeps under its name.
fn of(text: &str, own: &str) -> Option<Value> {
    let data = value(text)["data"].take();
    let mut root = data["extensions"].get(own)?.as_object()?.clone();
    let entries = data["entries"].as_array().into_iter().flatten();
    let entries: Value = entries.map(|entry| entry["extensions"][own].clone()).collect();
    root.insert(if own == "risu" { "data" } else { "entries" }.into(), entries);
    Some(root.into())
}

/// The text that a file carries, whatever carries it; by its container, its assets.
fn carried(bytes: &[u8]) -> (Value, bool) {
    let decode = |text: Vec<u8>| {
        use base64::{Engine, engine::general_purpose::STANDARD};
        let text = text.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect::<Vec<_>>();
        STANDARD.decode(&text).unwrap_or(text)
    };
    let parse = |text: &[u8]| json::parse(&String::from_utf8_lossy(text)).unwrap_or_default();
    match sniff(bytes) {
        FileKind::Png => {
            let named = |name: &str| png::texts(bytes, |one| one.eq_ignore_ascii_case(name)).pop();
            let text = named("ccv3").or_else(|| named("chara")).map(|(_, text)| decode(text));
            (parse(&text.or_else(|| Some(exif::card(bytes)?.into_bytes())).unwrap_or_default()), true)
        }
        FileKind::Zip | FileKind::Picture => {
            let files = zip::read(bytes, CARD).unwrap_or_default();
            let text = |name: &str| parse(&files.iter().find(|(path, _)| path == name).cloned().unwrap_or_default().1);
            let manifest = text("manifest.json");
            if let Some(person) = manifest["characters"][0].as_str() {
                let scenarios = manifest["scenarios"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let scenarios: Value = scenarios.map(text).collect();
                let whole = [("character", text(person)), ("scenarios", scenarios), ("manifest", manifest)];
                return (Value::Object(whole.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()), true);
            }
            (text("card.json"), true)
        }
        FileKind::Unknown => {
            let texts = yaml::texts(&String::from_utf8_lossy(bytes)).unwrap_or_default();
            (Value::Object(texts.into_iter().map(|(key, text)| (key, text.into())).collect()), false)
        }
        _ => (parse(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)), false),
    }
}

fn of_card(bytes: Vec<u8>) -> Result<Both, Refusal> {
    let (mut said, is_contained) = carried(&bytes);
    let (read, _) = character::open(bytes.clone())?;
    assert!(said.is_object(), "what it carries is found here, too");
    let files: Vec<_> =
        read.character.assets.iter().cloned().zip(read.files.iter().map(|file| file.1.clone())).collect();
    let face = read.avatar.as_ref().map(|(kind, bytes)| (kind.as_str(), bytes.as_slice()));
    let form = match said["spec"].as_str() {
        _ if is_contained && sniff(&bytes) == FileKind::Png => Form::Png,
        _ if is_contained => Form::Charx,
        Some("chara_card_v3") => Form::V3,
        _ => Form::V2,
    };
    let png = face.map(|(_, bytes)| bytes).filter(|bytes| sniff(bytes) == FileKind::Png).unwrap_or(&bytes);
    let packed = character::pack(&read.character, face, &files, form, png);
    let newer = said["spec"] == "chara_card_v3";
    let (mut written, _) = if form == Form::Png && !newer {
        let text = png::texts(&packed, |name| name == "chara").pop().expect("both are written");
        (serde_json::from_slice(&base64_of(text.1)).expect("JSON"), true)
    } else {
        carried(&packed)
    };
    // The face of a card that lies in a picture is that picture.
    if form == Form::Png
        && let Some(Value::Array(assets)) = said.pointer_mut("/data/assets")
    {
        let icon = assets.iter_mut().find(|asset| asset["type"] == "icon");
        icon.into_iter().for_each(|icon| icon["uri"] = "ccdefault:".into());
    }
    // Files of a container stay beside the text that names them.
    let mut both = Vec::new();
    if form == Form::Charx {
        let inside = |bytes: &[u8]| -> BTreeMap<String, usize> {
            zip::read(bytes, CARD).unwrap_or_default().into_iter().map(|(path, file)| (path, file.len())).collect()
        };
        let mut before = inside(&bytes);
        // What the card is made of is in the card.
        before.retain(|path, _| !path.ends_with(".json"));
        both.push((
            serde_json::to_value(before).expect("text keys"),
            serde_json::to_value(inside(&packed)).expect("text keys"),
        ));
    }
    let extensions = &mut written["data"]["extensions"];
    let own = ["agnai", "backyard", "webui"]
        .into_iter()
        .find(|own| said.get("spec").is_none() && extensions.get(own).is_some());
    if let Some(own) = own {
        both.push((said, extensions[own].take()));
    } else if said["data"].is_object() && said.get("spec").is_some() {
        both.push((said, written));
    } else {
        // A flat card has become one of V2: what it names lies in `data`, by its names of now.
        let old = [
            ("char_name", "name"),
            ("char_persona", "description"),
            ("world_scenario", "scenario"),
            ("char_greeting", "first_mes"),
            ("example_dialogue", "mes_example"),
            ("creatorcomment", "creator_notes"),
        ];
        let now: Map<String, Value> = said
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| {
                let name = old.iter().find(|(old, _)| old == key).map_or(key.as_str(), |(_, now)| now);
                (name.to_owned(), value.clone())
            })
            .collect();
        let data = written["data"].take();
        let mut all = written.as_object().cloned().unwrap_or_default();
        all.extend(data.as_object().cloned().unwrap_or_default());
        both.push((now.into(), all.into()));
    }
    Ok(both)
}

fn base64_of(text: Vec<u8>) -> Vec<u8> {
    use base64::{Engine, engine::general_purpose::STANDARD};
    STANDARD.decode(text).expect("it is written as Base64")
}

fn of_chat(chat: &chat::Chat, text: &str) -> Both {
    let given = story::Given {
        characters: &[],
        own: None,
        file: "file",
        reader: "Reader",
        group: None,
        now: 1_760_000_000_000,
    };
    let made = block_on(story::made(chat, text, &[], &given, chat::at_a_stretch)).expect("nothing ends it");
    let archive = block_on(story::write(&[made], given.now, chat::at_a_stretch)).expect("nothing ends it");
    let mut reader = Reader::new(Limits::default());
    let entries = reader.push(archive.as_bytes()).expect("it is an archive");
    reader.finish().expect("it is whole");
    fn all<R: Record>(entries: &[fabula::exchange::archive::Entry], part: Part) -> Vec<R> {
        let of = entries.iter().filter(|entry| entry.part == part);
        of.map(|entry| from_value(entry.doc.value.clone()).expect("it is one")).collect()
    }
    let storyline: Storyline = all(&entries, Part::Storylines).remove(0);
    let characters: Vec<fabula::story::character::Character> = all(&entries, Part::Characters);
    let branches: Vec<Branch> = all(&entries, Part::Branches);
    let by_id = branches.iter().map(|one| (one.id.clone(), one.clone())).collect();
    let path = tree::Path::of(&by_id, &storyline.head).expect("it is sound");
    let nodes = tree::nodes(&path, all(&entries, Part::Turns), all(&entries, Part::Generations));
    let name = |id: &_| characters.iter().find(|one| one.id == *id).map(|one| one.name.clone()).unwrap_or_default();
    let written = sillytavern::write(&storyline, &nodes, name, |position| path.is_told(position));
    let lines = |text: &str| text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect::<Vec<Value>>();
    let (said, mut written) = (lines(text), lines(&written));
    if said.first().is_some_and(|line| line.get("mes").is_some()) {
        // Without a head.
        written.remove(0);
    }
    if said.iter().any(|line| line.get("mes").is_some()) {
        let said = said.into_iter().filter(|line| line.get("mes").is_some() || line.get("user_name").is_some());
        // A place beyond its list is none.
        let said = said.map(|mut line| {
            let all = line["swipes"].as_array().map_or(0, Vec::len) as u64;
            if line["swipe_id"].as_u64().is_some_and(|at| at >= all) {
                line["swipe_id"] = Value::Null;
            }
            line
        });
        return vec![(said.collect(), written.into_iter().collect())];
    }
    // Of another program: each of its messages is kept with what became of it.
    let mut said: Value = json::parse(text).unwrap_or_default();
    let head = written.remove(0);
    let mut take = |key: &str| said.as_object_mut().and_then(|said| said.remove(key)).unwrap_or_default();
    if let Some(kept) = head.get("novelai") {
        let begins = take("prompt");
        let shown = written[0]["mes"].clone();
        return vec![(said, kept.clone()), (begins, shown)];
    }
    match head.get("koboldai") {
        Some(kept) => {
            let pieces = [Value::from(vec![take("prompt")]), take("actions")];
            let pieces = pieces.iter().flat_map(|list| list.as_array().into_iter().flatten());
            // Told in other pieces.
            let words = |all: Vec<&str>| Value::from(all.concat().split_whitespace().collect::<String>());
            let told = words(pieces.filter_map(Value::as_str).collect());
            let shown = words(written.iter().filter_map(|line| line["mes"].as_str()).collect());
            take("savedsettings");
            take("savedaestheticsettings");
            vec![(said, kept.clone()), (told, shown)]
        }
        None => {
            let list = take("messages");
            let kept = |line: &Value| {
                let mut kept = line["extra"]["agnai"].clone();
                kept["msg"] = line["mes"].clone();
                kept
            };
            let head = head.get("agnai").cloned().unwrap_or_else(|| Map::new().into());
            vec![(list, written.iter().map(kept).collect()), (said, head)]
        }
    }
}

/// Whether all that is said is written. What is written beside is this program's.
fn compare(at: &str, said: &Value, written: &Value, faults: &mut Vec<String>) {
    match (said, written) {
        (Value::Object(said), Value::Object(written)) => {
            for (key, value) in said {
                match written.get(key) {
                    Some(now) => compare(&format!("{at}/{key}"), value, now, faults),
                    None => faults.push(format!("{at}/{key}: {} is gone", short(value))),
                }
            }
        }
        (Value::Array(said), Value::Array(written)) if said.len() == written.len() => {
            let pairs = said.iter().zip(written).enumerate();
            pairs.for_each(|(index, (said, written))| compare(&format!("{at}/{index}"), said, written, faults));
        }
        (Value::Number(said), Value::Number(written)) if said.as_f64() == written.as_f64() => {}
        (Value::Null, _) if at.ends_with("/swipe_id") => {}
        _ if said == written => {}
        _ => faults.push(format!("{at}: {} became {}", short(said), short(written))),
    }
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::Array(items) => format!("a list of {}", items.len()),
        value => value.to_string(),
    };
    let end: String = text.chars().take(80).collect();
    if end.len() < text.len() { end + "…" } else { end }
}
