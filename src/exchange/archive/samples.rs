//! Libraries for tests.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Entry, Header, Kind, Writer};
use crate::{
    exchange::character::tests::odd_text,
    store::{Doc, Part},
    story::{blob, picture::samples::gif},
};

pub(crate) fn entry(part: Part, value: Value) -> Entry {
    Entry { part, doc: value.into() }
}

pub(crate) fn picture(bytes: &[u8]) -> Entry {
    let value = json!({"id": blob::address(bytes), "kind": "image/gif", "size": bytes.len()});
    Entry { part: Part::Blobs, doc: Doc { value, bytes: Some(bytes.into()) } }
}

/// A storyline: two turns, the second answered twice, and a branch from its first answer, told of the same.
pub(crate) fn story(id: &str, text: &str) -> Vec<Entry> {
    let own = |name: &str| format!("{id}-{name}");
    let branch = |name: &str, parent: Value, first: u32, length: u32| json!({"id": own(name), "storyline": id, "parent": parent, "first": first, "length": length, "created": 1});
    let turn = |name: &str, on: &str, position: u32, chosen: &str| {
        json!({"id": own(name), "storyline": id, "branch": own(on), "position": position, "session": own("sess"),
            "user": text, "created": 1, "chosen": own(chosen), "newer": text})
    };
    let reply = |name: &str, to: &str, on: &str, position: u32| {
        json!({"id": own(name), "turn": own(to), "storyline": id, "branch": own(on), "position": position,
            "text": format!("{text} {}", own("t0")), "status": "done", "model": "m", "started": 1, "state": own("s0")})
    };
    vec![
        entry(
            Part::Storylines,
            json!({"id": id, "title": text, "status": "active", "cast": ["ada"], "background": "moor",
            "preset": "plain", "user_name": text, "language": "zh", "created": 1, "last_active": 2, "total_turns": 1,
            "head": {"branch": own("fork"), "end": 3},
            "sessions": [{"id": own("sess"), "created": 1, "turns": 2}], "current_session": own("sess"),
            "initial_state": own("s0")}),
        ),
        entry(Part::Branches, branch("root", Value::Null, 0, 2)),
        entry(
            Part::Branches,
            branch("fork", json!({"branch": own("root"), "position": 1, "generation": own("g1")}), 2, 1),
        ),
        entry(
            Part::States,
            json!({"id": own("s0"), "storyline": id, "created": 1, "world": {"glass": {"half": 0.5, "id": own("t0")}}}),
        ),
        entry(Part::Turns, turn("t0", "root", 0, "g0")),
        entry(Part::Turns, turn("t1", "root", 1, "g2")),
        entry(Part::Turns, turn("t2", "fork", 2, "g3")),
        entry(Part::Generations, reply("g0", "t0", "root", 0)),
        entry(Part::Generations, reply("g1", "t1", "root", 1)),
        entry(Part::Generations, reply("g2", "t1", "root", 1)),
        entry(Part::Generations, reply("g3", "t2", "fork", 2)),
        entry(
            Part::Accounts,
            json!({"id": own("g1"), "storyline": id, "made": 1, "blocks": [{"identifier": "a", "text": text}]}),
        ),
        entry(
            Part::Accounts,
            json!({"id": own("g3"), "storyline": id, "made": 2, "blocks": [{"identifier": "a", "text_in": own("g1")}]}),
        ),
        entry(
            Part::Memories,
            json!({"id": own("m0"), "storyline": id, "session": own("sess"), "kind": "summary", "branch": own("root"),
            "position": 1, "generation": own("g1"), "turns": [1, 1], "text": text, "created": 1, "updated": 1}),
        ),
    ]
}

/// Characters, backgrounds, stories and pictures in their order.
pub(crate) fn library(stories: &[&str], text: &str) -> Vec<Entry> {
    let mut entries = vec![
        entry(
            Part::Characters,
            json!({"id": "ada", "name": text, "description": text, "extensions": {"n": 18446744073709551615u64},
            "initial_profile": {}, "avatar": blob::address(&gif(1, 1)), "created": 1, "updated": 5}),
        ),
        entry(
            Part::Backgrounds,
            json!({"id": "moor", "name": text, "world_setting": text, "created": 1, "updated": 5}),
        ),
        entry(
            Part::Presets,
            json!({"id": "own", "name": text, "blocks": [{"identifier": "a", "role": "user", "content": text}]}),
        ),
    ];
    entries.extend(stories.iter().flat_map(|id| story(id, text)));
    entries.push(picture(&gif(1, 1)));
    entries.sort_by_key(|entry| entry.part);
    entries
}

pub(crate) fn write(kind: Kind, entries: &[Entry]) -> String {
    let (mut writer, mut text) = Writer::new(&Header::new(kind, 7, "盟友之路", &Default::default()));
    for entry in entries {
        let line = writer.line(entry.part, &entry.doc);
        text += &line.unwrap_or_else(|| panic!("{:?}", writer.left_out()));
    }
    text + &writer.finish()
}

/// Lines as anyone could write them, with a true checksum.
pub(crate) fn forge<'a>(kind: &str, lines: impl IntoIterator<Item = &'a str>) -> String {
    use sha2::{Digest, Sha256};
    let mut text = format!("{{\"fabula\":1,\"kind\":\"{kind}\"}}\n");
    let mut records = 0;
    for line in lines {
        text += line;
        text += "\n";
        records += 1;
    }
    let sha = Sha256::digest(&text);
    text + &format!("{{\"end\":{{\"records\":{records},\"sha256\":\"{sha:x}\"}}}}\n")
}

/// The same of entries.
pub(crate) fn forge_of(kind: &str, entries: &[Entry]) -> String {
    let lines: Vec<_> = entries.iter().map(|entry| super::line::write(entry.part, &entry.doc)).collect();
    forge(kind, lines.iter().map(|line| line.trim_end()))
}

prop_compose! {
    pub(crate) fn any_library()(count in 1usize..4, texts in prop::collection::vec(odd_text(), 3)) -> Vec<Entry> {
        let mut entries = library(&["a", "b", "c"][..count], &texts[0]);
        for entry in &mut entries {
            if matches!(entry.part, Part::Turns | Part::Characters | Part::States) {
                entry.doc.value[format!("x{}", texts[1])] = json!([texts[2], -1, 0.5, null, {"": texts[0]}]);
            }
        }
        entries
    }
}
