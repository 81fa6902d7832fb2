use proptest::prelude::*;
use serde_json::{Value, json};

use super::samples::*;
use super::*;
use crate::{
    exchange::{
        limits::Limits,
        refusal::{Refusal, Warning},
        sniff::FileKind,
    },
    store::Part,
};

/// Reads `bytes` cut into pieces of `size`.
fn read_cut(bytes: &[u8], size: usize, limits: Limits) -> Result<(Summary, Vec<Entry>), Refusal> {
    let mut reader = Reader::new(limits);
    let mut entries = Vec::new();
    for piece in bytes.chunks(size) {
        entries.extend(reader.push(piece)?);
    }
    Ok((reader.finish()?, entries))
}

fn read(text: &str) -> Result<(Summary, Vec<Entry>), Refusal> {
    read_cut(text.as_bytes(), 1 << 16, Limits::default())
}

fn refusal(text: &str) -> String {
    read(text).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn the_stored_form() {
    let entries: Vec<_> = library(&["a"], "你好\n\"")
        .into_iter()
        .filter(|entry| {
            let id = entry.id();
            !["a-fork", "a-t1", "a-t2", "a-g1", "a-g2", "a-g3", "a-m0"].contains(&id)
        })
        .collect();
    insta::assert_snapshot!(write(Kind::Library, &entries), @r#"
    {"fabula":2,"kind":"library","created":7,"title":"盟友之路","counts":{}}
    {"t":"characters","r":{"id":"ada","name":"你好\n\"","description":"你好\n\"","extensions":{"n":18446744073709551615},"initial_profile":{},"avatar":"6c63cc5063ac82d8bbc925f9a31adf3a87f1510c021e0fde51854d60484b5019","created":1,"updated":5}}
    {"t":"backgrounds","r":{"id":"moor","name":"你好\n\"","world_setting":"你好\n\"","created":1,"updated":5}}
    {"t":"presets","r":{"id":"own","name":"你好\n\"","blocks":[{"identifier":"a","role":"user","content":"你好\n\""}]}}
    {"t":"storylines","r":{"id":"a","title":"你好\n\"","status":"active","cast":["ada"],"background":"moor","preset":"plain","user_name":"你好\n\"","language":"zh","created":1,"last_active":2,"total_turns":1,"head":{"branch":"a-fork","end":3},"sessions":[{"id":"a-sess","created":1,"turns":2}],"current_session":"a-sess","initial_state":"a-s0","record_version":1}}
    {"t":"branches","r":{"id":"a-root","storyline":"a","parent":null,"first":0,"length":2,"created":1}}
    {"t":"states","r":{"id":"a-s0","storyline":"a","created":1,"world":{"glass":{"half":0.5,"id":"a-t0"}},"record_version":1}}
    {"t":"turns","r":{"id":"a-t0","storyline":"a","branch":"a-root","position":0,"session":"a-sess","user":"你好\n\"","created":1,"chosen":"a-g0","newer":"你好\n\""}}
    {"t":"generations","r":{"id":"a-g0","turn":"a-t0","storyline":"a","branch":"a-root","position":0,"text":"你好\n\" a-t0","status":"done","model":"m","started":1,"state":"a-s0"}}
    {"t":"blobs","r":{"id":"6c63cc5063ac82d8bbc925f9a31adf3a87f1510c021e0fde51854d60484b5019","kind":"image/gif","size":35},"b":"R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs="}
    {"end":{"records":9,"sha256":"01a2de2964f9cc314b81d2472db2fdc07c7eb14dee62652e843927292022f901"}}
    "#);
}

#[test]
fn whole() {
    let entries = library(&["a"], "x");
    let (summary, read) = read(&write(Kind::Storyline, &entries)).unwrap();
    assert_eq!(read, entries);
    assert_eq!(summary.header.title, "盟友之路");
    assert_eq!(summary.counts.of(Part::Generations), 4);
    assert_eq!((summary.broken, summary.warnings), (vec![], vec![]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn what_is_written_is_read(entries in any_library(), size in 1usize..200) {
        let text = write(Kind::Library, &entries);
        let (_, read) = read_cut(text.as_bytes(), size, Limits::default()).unwrap();
        prop_assert_eq!(write(Kind::Library, &read), text, "byte for byte");
        prop_assert_eq!(read, entries);
    }

    #[test]
    fn noise_is_refused(noise in prop::collection::vec(any::<u8>(), 0..300), at in any::<prop::sample::Index>()) {
        let mut bytes = write(Kind::Storyline, &library(&["a"], "x")).into_bytes();
        prop_assert!(read_cut(&noise, 64, Limits::default()).is_err());
        if !noise.is_empty() {
            let at = at.index(bytes.len() + 1);
            bytes.splice(at..at, noise);
            prop_assert!(read_cut(&bytes, 64, Limits::default()).is_err());
        }
    }
}

#[test]
fn cut_anywhere_is_refused() {
    let text = write(Kind::Storyline, &library(&["a"], "好"));
    for end in 0..text.len() {
        assert_eq!(
            read_cut(&text.as_bytes()[..end], 1 << 16, Limits::default()).map(|_| ()),
            Err(Refusal::Truncated),
            "{end}"
        );
    }
}

#[test]
fn one_wrong_bit_anywhere_is_refused() {
    let bytes = write(Kind::Storyline, &library(&["a"], "好")).into_bytes();
    for at in 0..bytes.len() {
        for bit in [0x01, 0x20, 0x80] {
            let mut wrong = bytes.clone();
            wrong[at] ^= bit;
            assert!(read_cut(&wrong, 1 << 16, Limits::default()).is_err(), "byte {at}, bit {bit:#x}");
        }
    }
}

#[test]
fn other_files() {
    let not = |kind| Err(Refusal::NotFabula(kind));
    let ours = "{\"fabula\":1,\"kind\":\"library\"}\n";
    for (bytes, expected) in [
        (&b""[..], Err(Refusal::Truncated)),
        (b"PK\x03\x04 no newline", not(FileKind::Zip)),
        (b"\x89PNG\r\n\x1a\n", not(FileKind::Png)),
        (b"\x1f\x8b twice packed", not(FileKind::Gzip)),
        (b"<!DOCTYPE html>\n<html>", not(FileKind::Unknown)),
        (b"{\"name\":\"x\"}\n", not(FileKind::Json)),
        (b"{\n  \"spec\": 1\n}\n", not(FileKind::Json)),
        (b"{\"fabula\":3,\"kind\":\"galaxy\"}\n", Err(Refusal::Newer { file: 3, known: 2 })),
        (b"{\"fabula\":99999999999,\"kind\":1}\n", Err(Refusal::Newer { file: u32::MAX, known: 2 })),
        (ours.as_bytes(), Err(Refusal::Truncated)),
    ] {
        assert_eq!(read_cut(bytes, 7, Limits::default()).map(|_| ()), expected, "{bytes:?}");
    }
    assert!(refusal("{\"fabula\":1,\"kind\":\"galaxy\"}\n").contains("unknown variant `galaxy`"));
    assert_eq!(
        Refusal::Newer { file: 2, known: 1 }.to_string(),
        "format 2 is newer than 1, the newest that this program knows"
    );
}

#[test]
fn hostile_lines() {
    let long = json!({"t": "presets", "r": {"id": "x".repeat(201)}}).to_string();
    let deep = format!("{{\"t\":\"presets\",\"r\":{{\"id\":\"a\",\"x\":{}", "[".repeat(10_000));
    let blob = |id: &str, kind: &str, size: usize, bytes: &str| {
        json!({"t": "blobs", "r": {"id": id, "kind": kind, "size": size}, "b": bytes}).to_string()
    };
    let gif = crate::story::blob::address(b"GIF89a").0;
    let svg = crate::story::blob::address(b"<svg>").0;
    for (lines, why) in [
        (vec![r#"{"t":"vault","r":{"id":"a"}}"#], "unknown variant `vault`"),
        (vec![r#"{"t":"settings","r":{"id":"preferences"}}"#], "unknown variant `settings`"),
        (vec![r#"{"t":"presets","r":{"id":"a"}}"#; 2], "presets a: there twice"),
        (vec![r#"{"t":"presets","r":{"id":""}}"#], "an id that is empty"),
        (vec![r#"{"t":"presets","r":{"name":"a"}}"#], "a record without an id"),
        (vec![r#"{"t":"presets","r":[]}"#], "a record without an id"),
        (vec![&long], "absurdly long"),
        (vec![&deep], "nested too deeply"),
        (vec![r#"{"t":"presets","r":{"id":"a","blocks":7}}"#], "invalid type"),
        (vec![r#"{"t":"presets","r":{"id":"a"},"more":1}"#], "unknown field `more`"),
        (vec![r#"{"t":"presets","r":{"id":"a"},"b":"R0lGODlh"}"#], "bytes belong to pictures"),
        (
            vec![r#"{"t":"presets","r":{"id":"b"}}"#, r#"{"t":"characters","r":{"id":"a"}}"#],
            "characters a: after its place",
        ),
        (vec![r#"{"t":"turns","r":{"id":"a","storyline":"s","position":1}}"#], "turns a: hangs on nothing"),
        (vec![r#"{"t":"accounts","r":{"id":"a","storyline":"s"}}"#], "accounts a: hangs on nothing"),
        (vec![r#"{"t":"branches","r":{"id":"a","first":4294967295,"length":1}}"#], "a branch without measure"),
        (vec![""], "cut short"),
        (vec!["\u{0}"], "expected value"),
        (vec![&blob(&gif, "image/png", 6, "R0lGODlh")], "not a picture of the kind"),
        (vec![&blob(&gif, "image/gif", 7, "R0lGODlh")], "of another size"),
        (vec![&blob(&gif, "image/gif", 6, "R0lGODlhAA==")], "not those of its id"),
        (vec![&blob(&gif, "image/gif", 6, "%")], "not Base64"),
        (vec![&blob(&svg, "image/svg+xml", 5, "PHN2Zz4=")], "not a picture of the kind"),
    ] {
        let found = refusal(&forge("library", lines.iter().copied()));
        assert!(found.contains(why), "{lines:?}: {found}");
    }
    assert!(refusal(&(forge("library", []) + "{}\n")).contains("after the end"));
    assert_eq!(refusal(&(forge("library", []) + "{}")), Refusal::Truncated.to_string());
    assert_eq!(refusal(&forge("storyline", [])), "damaged: line 1: 0 storylines in an archive of one");
}

/// In files of the first version the accounts of prompts lie in their replies, each in one line.
#[test]
fn an_older_file_gives_accounts_of_their_own() {
    let now = library(&["a"], "x");
    let mut then = now.clone();
    for told in now.iter().filter(|entry| entry.part == Part::Accounts) {
        let is_its = |entry: &&mut Entry| entry.part == Part::Generations && entry.id() == told.id();
        let reply = then.iter_mut().find(is_its).unwrap();
        reply.doc.value["account"] = json!({ "blocks": told.doc.value["blocks"], "total_tokens": 7 });
    }
    then.retain(|entry| entry.part != Part::Accounts);
    let (summary, mut read) = read(&forge_of("library", &then)).unwrap();
    assert_eq!((summary.broken.len(), summary.mends.is_empty(), summary.warnings.len()), (0, true, 0));
    assert_eq!((summary.counts.of(Part::Accounts), summary.counts.total()), (2, now.len() as u64));
    read.sort_by_key(|entry| entry.part);
    for (read, now) in read.iter().zip(&now) {
        assert_eq!((read.part, read.id()), (now.part, now.id()));
        match now.part {
            Part::Accounts => assert_eq!(read.doc.value["blocks"], now.doc.value["blocks"]),
            Part::Generations if ["a-g1", "a-g3"].contains(&now.id()) => {
                assert_eq!(read.doc.value["prompt"], json!({ "tokens": 7, "raw_tokens": 0 }));
                assert_eq!(read.doc.value.get("account"), None);
            }
            _ => assert_eq!(read, now),
        }
    }
    // What is no account spoils the story, as it did.
    then.iter_mut().find(|entry| entry.id() == "a-g1").unwrap().doc.value["account"] = json!({ "blocks": 7 });
    assert!(refusal(&forge_of("storyline", &then)).contains("accounts a-g1, blocks: invalid type"));
}

#[test]
fn sizes() {
    let head = "{\"fabula\":1,\"kind\":\"library\"}\n";
    let mut reader = Reader::new(Limits::default());
    reader.push(head.as_bytes()).unwrap();
    let mebibyte = vec![b'a'; 1 << 20];
    let pushed = (0..20).take_while(|_| reader.push(&mebibyte).is_ok()).count();
    assert_eq!(pushed, 16, "a line of 20 MiB");
    assert!(matches!(reader.push(b"\n"), Err(Refusal::TooLarge { .. })), "refused for good");
    assert!(matches!(reader.finish(), Err(Refusal::TooLarge { .. })));

    let line = "{\"t\":\"presets\",\"r\":{\"id\":\"a\"}}\n";
    let few = Limits { records: 0, ..Limits::default() };
    assert_eq!(read_cut((head.to_owned() + line).as_bytes(), 99, few).map(|_| ()), Err(Refusal::TooMany { limit: 0 }));
    let small = Limits { total_bytes: 10, ..Limits::default() };
    assert!(matches!(read_cut(head.as_bytes(), 99, small), Err(Refusal::TooLarge { limit: 10, .. })));

    let mut reader = Reader::new(Limits { ratio_after: 1_000, ..Limits::default() });
    reader.compressed_so_far(5);
    reader.push(head.as_bytes()).unwrap();
    reader.push(&[b' '; 900]).unwrap();
    assert_eq!(
        reader.push(&[b' '; 901]).map(|_| ()),
        Err(Refusal::Bomb { compressed: 5, decompressed: head.len() as u64 + 1801 })
    );
}

/// A chain of branches so long that a path for each would not end, and a circle.
#[test]
fn trees() {
    let line = |part: &str, record: Value| json!({"t": part, "r": record}).to_string();
    // Each has one turn, and leaves its parent there.
    let branch = |id: usize, parent: Option<usize>| {
        let fork = parent.map(|parent| json!({"branch": parent.to_string(), "position": parent, "generation": null}));
        let first = parent.map_or(0, |parent| parent + 1);
        line("branches", json!({"id": id.to_string(), "storyline": "s", "parent": fork, "first": first, "length": 1}))
    };
    let turn = |id: usize, position: usize| {
        line("turns", json!({"id": id.to_string(), "storyline": "s", "branch": id.to_string(), "position": position}))
    };
    let storyline = line(
        "storylines",
        json!({"id": "s", "character": "c", "head": {"branch": "0", "end": 1}, "initial_state": "x",
            "sessions": [{"id": "y"}], "current_session": "y"}),
    );
    let state = line("states", json!({"id": "x", "storyline": "s"}));
    let character = r#"{"t":"characters","r":{"id":"c"}}"#.to_owned();
    let file = |kind: &str, branches: Vec<String>, turns: Vec<String>| {
        let head = [character.clone(), storyline.clone()];
        forge(kind, head.iter().chain(&branches).chain([&state]).chain(&turns).map(String::as_str))
    };

    let chain = (0..20_000).map(|id| branch(id, id.checked_sub(1))).collect();
    let (summary, _) = read(&file("storyline", chain, (0..20_000).map(|id| turn(id, id)).collect())).unwrap();
    assert!(summary.mends.is_empty() && summary.warnings.is_empty());

    let circle = || vec![branch(0, None), branch(1, Some(2)), branch(2, Some(1))];
    for (branches, what, why) in [
        (vec![], "no head", "storylines s, head: leads nowhere"),
        (vec![branch(0, Some(0))], "a circle at the head", "branches 0, parent: is missing or part of a circle"),
        (circle(), "a circle beside it", "parent: is missing or part of a circle"),
        (vec![branch(0, None), branch(1, Some(7))], "no parent", "branches 1, parent: is missing or part of a circle"),
    ] {
        let found = refusal(&file("storyline", branches, vec![]));
        assert!(found.contains(why), "{what}: {found}");
    }
    let (summary, _) = read(&file("library", circle(), vec![])).unwrap();
    assert_eq!(summary.broken, ["s".into()], "in a library the others live on");
    assert!(matches!(&summary.warnings[..], [Warning::BrokenStoryline { .. }]));

    let lines = [&storyline, &branch(0, None), &state, &turn(0, 0)];
    let (summary, _) = read(&forge("storyline", lines.map(String::as_str))).unwrap();
    assert_eq!(summary.warnings, [Warning::MissingCharacter { storyline: "s".into(), character: "c".into() }]);
}

/// The others of a library live on, whatever is wrong with the records of one.
#[test]
fn one_bad_story_never_hides_the_others() {
    for (id, field, value) in [
        ("b", "last_active", json!(u64::MAX)),
        ("b", "sessions", json!(7)),
        ("b-t1", "created", json!(1_u64 << 60)),
        ("b-t1", "position", json!(0)),
        ("b-t1", "branch", json!("nowhere")),
        ("b-g3", "id", json!("b-g2")),
        ("b-m0", "branch", json!("a-root")),
    ] {
        let mut entries = library(&["a", "b"], "x");
        entries.iter_mut().find(|entry| entry.id() == id).unwrap().doc.value[field] = value;
        let (summary, _) = read(&forge_of("library", &entries)).unwrap();
        assert_eq!(summary.broken, ["b".into()], "{id} {field}");
        let [Warning::BrokenStoryline { why, .. }] = &summary.warnings[..] else { panic!("{:?}", summary.warnings) };
        assert!(why.place.line > 1 && why.place.part.is_some() && !why.place.id.is_empty(), "{why}");
    }
}

#[test]
fn a_damaged_store_gives_a_good_archive() {
    let mut entries = library(&["a"], "x");
    entries.extend([
        entry(Part::Turns, json!({"id": "lost", "storyline": "gone"})),
        entry(Part::Generations, json!({"id": "bad", "storyline": "a", "position": "x"})),
        entry(Part::Characters, json!({"id": "fat", "name": "x".repeat(17 << 20)})),
        entry(Part::Blobs, json!({"id": "empty", "kind": "image/png", "size": 0})),
    ]);
    entries.sort_by_key(|entry| entry.part);
    let (mut writer, mut text) = Writer::new(&Header::new(Kind::Library, 0, "", &Default::default()));
    for entry in &entries {
        text.extend(writer.line(entry.part, &entry.doc));
    }
    let left_out: Vec<_> = writer.left_out().iter().map(|left| left.id.as_str()).collect();
    assert_eq!(left_out, ["fat", "lost", "bad", "empty"]);
    assert_eq!(writer.warnings(), []);
    text += &writer.finish();
    assert_eq!(read(&text).unwrap().1, library(&["a"], "x"));
}
