//! Backups in each encoding, as their program writes them; and such as no program would.

use std::io::Write;

use flate2::{
    Compression,
    write::{GzEncoder, ZlibEncoder},
};
use futures_executor::block_on;
use proptest::prelude::*;

use super::*;
use crate::{
    exchange::{
        character, chat,
        container::blobs::{self, Index},
        lorebook, personas,
        refusal::{Missing, Warning},
        script,
    },
    story::picture::samples::png,
};

/// What must be nowhere in what comes in.
pub const KEY: &str = "sk-canary-of-another-program";

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Encoding {
    Plain,
    Gzip,
    Zlib,
    Stream,
    Blocks,
    PackedBlocks,
}

pub const ALL: [Encoding; 6] =
    [Encoding::Plain, Encoding::Gzip, Encoding::Zlib, Encoding::Stream, Encoding::Blocks, Encoding::PackedBlocks];

/// A small library.
pub fn library() -> Value {
    let said =
        |role: &str, text: &str| json!({ "role": role, "data": text, "time": 1_700_000_000_000_u64, "chatId": text });
    let lore = |key: &str, content: &str| json!({ "key": key, "secondkey": "", "insertorder": 100, "comment": key, "content": content, "mode": "normal", "alwaysActive": false, "selective": false });
    json!({
        "openAIKey": KEY, "proxyKey": KEY, "account": { "token": KEY, "id": KEY }, "hordeConfig": { "apiKey": KEY },
        "plugins": [{ "name": "p", "script": KEY, "realArg": { "key": KEY } }],
        "characters": [
            {
                "chats": [
                    { "name": "Harbour", "note": "Rain.", "message": [said("user", "So?"), said("char", "Yes.")], "fmIndex": 0,
                        "bindedPersona": "p2", "localLore": [], "scriptstate": { "$api_key": KEY } },
                    { "name": "New", "message": [], "note": "", "localLore": [] },
                ],
                "type": "character", "name": "Ada", "chaId": "c1", "image": "assets/ada.png", "desc": "A smith.",
                "firstMessage": "Hi, {{user}}.", "alternateGreetings": ["Rain, {{user}}, says {{char}}."], "personality": "calm",
                "exampleMessage": "x", "replaceGlobalNote": "Stay.", "creatorNotes": "n", "tags": ["t"], "additionalData": { "creator": "me" },
                "emotionImages": [["joy", "assets/joy.png"], ["gone", "assets/gone.png"]],
                "additionalAssets": [["map", "assets/map.png", "png"]], "globalLore": [lore("forge", "Hot."), { "mode": "folder", "content": "", "key": "f" }],
                "loreSettings": { "scanDepth": 5, "tokenBudget": 800, "recursiveScanning": true },
                "customscript": [{ "comment": "Shout", "in": "hi", "out": "HI", "type": "editoutput" }, { "in": "a", "out": "@@emo joy", "type": "editdisplay" }],
                "triggerscript": [{ "comment": "t", "type": "start", "effect": [] }], "depth_prompt": { "depth": 4, "prompt": "Calm." },
                "extentions": { "chub": { "id": 7 } }, "lowLevelAccess": false, "odd": { "of": 1, "apiToken": KEY },
                "gptSoVitsConfig": { "url": KEY }, "lastInteraction": 1_700_000_000_001_u64, "nickname": "Addie",
            },
            { "type": "character", "name": "Lin", "chaId": "c2", "desc": "A courier.", "firstMessage": "", "globalLore": [], "chats": [] },
            { "type": "character", "name": "Old", "chaId": "c3", "trashTime": 1_700_000_000_000_u64, "chats": [{ "name": "x", "message": [said("user", "y")] }] },
            {
                "type": "group", "name": "Both", "chaId": "g1", "characters": ["c2", "c1"], "firstMessage": "", "globalLore": [],
                "chats": [{ "name": "One", "message": [said("user", "Who?"), { "role": "char", "data": "I.", "saying": "c1" }, { "role": "char", "data": "And I.", "saying": "c2" }] }],
            },
        ],
        "botPresets": [{ "name": "Mine", "openAIKey": KEY, "mainPrompt": "Write." }],
        "modules": [
            { "name": "Weather", "description": "d", "id": "m1", "lorebook": [lore("rain", "Wet.")], "regex": [{ "comment": "r", "in": "a", "out": "b", "type": "editdisplay" }],
                "trigger": [{ "type": "start" }], "mcp": { "url": "u", "secret": KEY }, "lowLevelAccess": false },
            { "name": "Off", "description": "", "id": "m2", "regex": [{ "comment": "r", "in": "c", "out": "d", "type": "editoutput" }, { "in": "e", "out": "", "type": "edittrans" }] },
        ],
        "enabledModules": ["m1"], "globalscript": [{ "comment": "g", "in": "e", "out": "f", "type": "editinput" }],
        "personas": [{ "name": "Me", "icon": "", "personaPrompt": "A guest.", "id": "p1" }, { "name": "Mei", "icon": "assets/mei.png", "personaPrompt": "A pilot.", "id": "p2", "note": "n" }],
        "selectedPersona": 1, "username": "Mei", "userIcon": "assets/mei.png",
    })
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

fn block(kind: u8, name: &str, value: &Value, is_packed: bool) -> Vec<u8> {
    let text = value.to_string().into_bytes();
    let body = if is_packed { packed(&text) } else { text };
    [&[kind, is_packed.into(), name.len() as u8], name.as_bytes(), &(body.len() as u32).to_le_bytes(), &body].concat()
}

/// The database, as its program would write it.
pub fn encoded(library: &Value, encoding: Encoding) -> Vec<u8> {
    let pack = || rmp_serde::to_vec(library).unwrap();
    let of = |number: u8, body: Vec<u8>| [&b"\0RISUSAVE\0"[..], &[number], &body].concat();
    match encoding {
        Encoding::Plain => of(7, pack()),
        Encoding::Gzip => of(8, packed(&pack())),
        Encoding::Zlib => {
            let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
            zlib.write_all(&pack()).unwrap();
            of(8, zlib.finish().unwrap())
        }
        Encoding::Stream => of(9, packed(&pack())),
        Encoding::Blocks | Encoding::PackedBlocks => {
            let is_packed = encoding == Encoding::PackedBlocks;
            let mut root = library.clone();
            let mut part = |name: &str| root.as_object_mut().unwrap().remove(name).unwrap();
            let (characters, presets, modules) = (part("characters"), part("botPresets"), part("modules"));
            root["__directory"] = json!([]);
            let mut out = b"RISUSAVE\0".to_vec();
            out.extend(block(1, "root", &root, is_packed));
            out.extend(block(4, "preset", &presets, is_packed));
            out.extend(block(5, "modules", &modules, is_packed));
            for character in characters.as_array().unwrap() {
                out.extend(block(2, character["chaId"].as_str().unwrap(), character, is_packed));
            }
            out.extend(block(0, "config", &json!({ "version": 1 }), is_packed));
            out
        }
    }
}

/// The whole of it, with pictures.
pub fn backup(encoding: Encoding) -> Vec<u8> {
    let database = encoded(&library(), encoding);
    let pictures = [png(8, 1), png(16, 1), png(3, 3), png(4, 4), png(5, 5)];
    let names = ["ada.png", "joy.png", "map.png", "mei.png", "other.png"];
    let files = names.into_iter().zip(pictures.iter().map(Vec::as_slice));
    blobs::write(files.chain([(DATABASE, &database[..])]))
}

/// Opens it as a page does.
pub fn open(file: &[u8]) -> Result<Backup, Refusal> {
    let mut index = Index::new(file.len() as u64);
    while let Some(from) = index.wants() {
        let to = (from + blobs::HEADER).min(file.len() as u64);
        index.read(&file[from as usize..to as usize])?;
    }
    let blobs = index.blobs();
    let at = super::database(&blobs).ok_or(Refusal::Truncated)?;
    let held = &file[at.from as usize..at.to as usize];
    Backup::open(blobs.clone(), held)
}

/// Its files.
pub fn files(file: &[u8]) -> Vec<(String, Role, Vec<u8>)> {
    let backup = open(file).unwrap();
    let made = |(at, made): (usize, &Virtual)| {
        let spans = backup.spans(at).into_iter().map(|(from, to)| file[from as usize..to as usize].to_vec());
        (made.path.clone(), made.role, backup.made(at, spans.collect()))
    };
    backup.files().iter().enumerate().map(made).collect()
}

#[test]
fn a_backup_is_the_same_files_whatever_it_is_encoded_in() {
    let first = files(&backup(Encoding::Gzip));
    let listed: Vec<_> = first.iter().map(|(path, role, _)| (path.as_str(), *role)).collect();
    assert_eq!(
        listed,
        [
            ("characters/Ada.charx", Role::Character),
            ("chats/Ada/Harbour.json", Role::Chat),
            ("chats/Ada/New", Role::Left(Why::Empty)),
            ("characters/Lin.charx", Role::Character),
            ("characters/Old", Role::Left(Why::Thrown)),
            ("groups/Both", Role::Left(Why::Group)),
            ("chats/Both/One.json", Role::Chat),
            ("lorebooks/Weather.json", Role::Lorebook),
            ("scripts/Weather.json", Role::Scripts),
            ("modules/Weather (trigger, mcp)", Role::Left(Why::Form)),
            ("scripts/Off.json", Role::Scripts),
            ("scripts/RisuAI.json", Role::Scripts),
            ("database.risudat/personas.json", Role::Settings),
            ("User Avatars/mei.png", Role::Face),
            ("presets/Mine.json", Role::Preset),
            ("database.risudat/settings", Role::Left(Why::Secret)),
            ("assets/other.png", Role::Left(Why::Media)),
        ]
    );
    for encoding in ALL {
        let file = backup(encoding);
        let found = files(&file);
        assert_eq!(found, first, "{encoding:?}");
        // What is taken knows no key; the backup does.
        for (path, _, bytes) in found {
            let said = String::from_utf8_lossy(&bytes);
            assert!(!path.contains(KEY) && !said.contains(KEY), "{path}");
        }
        if matches!(encoding, Encoding::Plain | Encoding::Blocks) {
            assert!(String::from_utf8_lossy(&file).contains(KEY));
        }
    }
}

fn file(path: &str) -> Vec<u8> {
    let mut files = files(&backup(Encoding::Gzip)).into_iter();
    files.find(|(of, ..)| of == path).unwrap_or_else(|| panic!("{path}")).2
}

fn text(path: &str) -> String {
    String::from_utf8(file(path)).unwrap()
}

#[test]
fn a_character_is_a_card_with_its_pictures() {
    let (read, warnings) = character::open(file("characters/Ada.charx")).unwrap();
    let character = &read.character;
    let card = &character.card;
    assert_eq!(
        (character.name.as_str(), card.description.as_str(), card.first_mes.as_str()),
        ("Ada", "A smith.", "Hi, {{user}}.")
    );
    assert_eq!(
        (card.post_history_instructions.as_str(), card.creator.as_str(), card.mes_example.as_str()),
        ("Stay.", "me", "x")
    );
    assert_eq!((card.alternate_greetings.len(), card.tags.as_slice()), (1, &["t".to_owned()][..]));
    assert_eq!(read.avatar, Some(("image/png".into(), png(8, 1))));
    let assets: Vec<_> = character.assets.iter().map(|asset| (asset.kind.as_str(), asset.name.as_str())).collect();
    assert_eq!(assets, [("emotion", "joy"), ("x-risu-asset", "map")]);
    assert_eq!(warnings, [Warning::AssetsLeftOut { why: Missing::Absent, count: 1 }]);
    let book = card.character_book.as_ref().unwrap();
    let entries = lorebook::book_of(book, "").entries;
    assert_eq!((entries.len(), entries[0].content.as_str(), &book["scan_depth"]), (1, "Hot.", &json!(5)));
    let own = &card.extensions;
    assert_eq!((&own["depth_prompt"]["prompt"], &own["chub"]["id"]), (&json!("Calm."), &json!(7)));
    assert_eq!(own["regex_scripts"].as_array().map(Vec::len), Some(1));
    let rest = own["risuai"].as_object().unwrap();
    assert_eq!((&rest["odd"], rest["customScripts"].as_array().map(Vec::len)), (&json!({ "of": 1 }), Some(2)));
    assert!(
        rest.contains_key("triggerscript")
            && !rest.contains_key("gptSoVitsConfig")
            && !rest.contains_key("lastInteraction")
    );
}

#[test]
fn chats_begin_with_their_greetings() {
    let chat = block_on(chat::read(&text("chats/Ada/Harbour.json"), chat::at_a_stretch)).unwrap();
    let said: Vec<_> =
        chat.messages.iter().map(|message| (message.is_reader, message.name.as_str(), message.text())).collect();
    assert_eq!(said, [(false, "", "Rain, Mei, says Ada."), (true, "", "So?"), (false, "", "Yes.")]);
    assert_eq!((chat.title.as_str(), chat.character.as_str(), chat.reader.as_str()), ("Ada – Harbour", "Ada", "Mei"));
    assert_eq!(
        (&chat.head["chat_metadata"]["note_prompt"], chat.messages[1].at),
        (&json!("Rain."), Some(1_700_000_000_000))
    );
    let chat = block_on(chat::read(&text("chats/Both/One.json"), chat::at_a_stretch)).unwrap();
    let names: Vec<_> = chat.messages.iter().map(|message| message.name.as_str()).collect();
    assert_eq!((names, chat.character.as_str()), (vec!["", "Ada", "Lin"], "Lin"));
}

#[test]
fn books_scripts_and_personas() {
    let (book, _) = lorebook::read(&text("lorebooks/Weather.json")).unwrap();
    assert_eq!((book.name.as_str(), book.entries.len()), ("Weather", 1));
    for (path, enabled, count, warnings) in [
        ("scripts/Weather.json", true, 1, vec![]),
        ("scripts/Off.json", false, 1, vec![Warning::ItemsLeftOut { count: 1 }]),
        ("scripts/RisuAI.json", true, 1, vec![]),
    ] {
        let (set, said) = script::read(&text(path)).unwrap();
        assert_eq!((set.enabled, set.scripts.len(), said), (enabled, count, warnings), "{path}");
        assert!(path.contains(&set.name));
    }
    let settings = crate::exchange::folder::settings::read(&text("database.risudat/personas.json")).unwrap();
    let names: Vec<_> =
        settings.personas.personas.iter().map(|one| (one.name.as_str(), one.description.as_str())).collect();
    assert_eq!((names, settings.books), (vec![("Mei", "A pilot."), ("Me", "A guest.")], vec!["Weather".to_owned()]));
    assert_eq!(settings.personas.personas[0].extra[personas::FILE], "mei.png");
    assert!(settings.personas.has_usual);
}

/// Of what only MessagePack can say: nothing undefined, whole numbers, half a letter, a name that is a number.
#[test]
fn as_its_program_packs_it() {
    let person = b"\x84\xa4name\xa3A\xffb\xa4desc\xd4\0\0\xa3odd\xcb\x40\x14\0\0\0\0\0\0\x07\xc4\x01x";
    let bytes = [&b"\0RISUSAVE\0\x07\x82\xaacharacters\x92\xc0"[..], person, b"\xa7apiKeys\xa1x"].concat();
    let database = database::read(&bytes).unwrap();
    assert_eq!(database.characters.len(), 1);
    assert_eq!(database.characters[0].text, "{\"name\":\"A\u{fffd}b\",\"odd\":5,\"7\":\"x\"}");
}

#[test]
fn pictures_that_no_card_has_room_for() {
    let mut person = library()["characters"][0].clone();
    person["chats"] = json!([]);
    let database = encoded(&json!({ "characters": [person] }), Encoding::Gzip);
    let blob = |name: &str, from: u64, bytes: u64| Blob { name: name.into(), from, to: from + bytes };
    let backup =
        Backup::open(vec![blob("ada.png", 0, 10), blob("joy.png", 10, CARD_BYTES), blob("map.png", 9, 1)], &database)
            .unwrap();
    let listed: Vec<_> = backup.files().iter().map(|file| (file.path.as_str(), file.role)).collect();
    assert_eq!(listed[1], ("characters/Ada.charx/joy.png", Role::Left(Why::Large)));
    assert!(backup.files()[0].bytes <= CARD_BYTES);
    assert_eq!(backup.spans(0), [(0, 10), (9, 10)]);
}

#[test]
fn many_of_one_name() {
    let person = json!({ "name": "A/b", "chats": [{ "name": "x", "message": [{ "role": "user", "data": "y" }] }] });
    let database = encoded(&json!({ "characters": vec![person; 20_000] }), Encoding::Gzip);
    let backup = Backup::open(Vec::new(), &database).unwrap();
    let paths: HashSet<_> = backup.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths.len(), 40_001);
    for path in ["characters/A_b.charx", "chats/A_b/x.json", "characters/A_b (2).charx", "chats/A_b (20000)/x.json"] {
        assert!(paths.contains(path), "{path}");
    }
}

fn refused(database: &[u8]) -> Option<Refusal> {
    Backup::open(Vec::new(), database).err()
}

#[test]
fn hostile_databases() {
    let of = |number: u8, body: &[u8]| [&b"\0RISUSAVE\0"[..], &[number], body].concat();
    let whole = encoded(&library(), Encoding::Plain);
    for cut in [11, 12, 40, whole.len() / 2, whole.len() - 1] {
        assert_eq!(refused(&whole[..cut]), Some(Refusal::Truncated), "cut at {cut}");
    }
    let blocks = encoded(&library(), Encoding::Blocks);
    assert_eq!(refused(&blocks[..blocks.len() - 1]), Some(Refusal::Truncated));
    for encoding in [Encoding::Gzip, Encoding::Zlib, Encoding::PackedBlocks] {
        let packed = encoded(&library(), encoding);
        assert_eq!(refused(&packed[..packed.len() / 2]), Some(Refusal::Truncated), "{encoding:?}");
    }
    // Lengths that lie.
    for lying in [&b"\x81\xaacharacters\xdd\xff\xff\xff\xff"[..], b"\xdf\xff\xff\xff\xff", b"\x81\xdb\xff\xff\xff\xffx"]
    {
        assert_eq!(refused(&of(7, lying)), Some(Refusal::Truncated), "{lying:?}");
    }
    for other in [&b""[..], b"\0RISUSAVE\0", &of(6, b"x"), b"\0\0RISU", b"{}"] {
        assert!(matches!(refused(other), Some(Refusal::Unrecognised { .. })), "{other:?}");
    }
    assert!(matches!(refused(&of(8, b"\x1f\x8b\x08\0 nothing")), Some(Refusal::Damaged(_) | Refusal::Truncated)));
    // Deep, in what is looked at and in what is passed over.
    for name in ["personas", "settings"] {
        let mut deep = vec![0x81, 0xa0 + name.len() as u8];
        deep.extend(name.as_bytes());
        deep.extend([0x91; 10_000]);
        assert_eq!(refused(&of(7, &deep)), Some(Refusal::TooDeep), "{name}");
        let text = format!("{{\"{name}\":{}", "[".repeat(10_000)).into_bytes();
        let deep = [&b"RISUSAVE\0\x01\0\0"[..], &(text.len() as u32).to_le_bytes(), &text].concat();
        // What is passed over of JSON is no deeper for that.
        let why = if name == "settings" { Refusal::Truncated } else { Refusal::TooDeep };
        assert_eq!(refused(&deep), Some(why), "{name}");
    }
    // Many small things.
    let many = [&b"\x81\xa8personas\xdd\x00\x20\0\0"[..], &vec![0xc0; 2 << 20]].concat();
    assert_eq!(refused(&of(7, &many)), Some(Refusal::TooMany { limit: 1_000_000 }));
    let many = [&b"\x81\xaacharacters\xdd\x00\x04\0\0"[..], &vec![0x80; 4 << 16]].concat();
    assert_eq!(refused(&of(7, &many)), Some(Refusal::TooMany { limit: 200_000 }));
    // What grows when it is unpacked.
    let bomb = packed(&[&b"\x81\xa8settings\xdb\x04\0\0\0"[..], &vec![b' '; 64 << 20]].concat());
    assert!(matches!(refused(&of(8, &bomb)), Some(Refusal::Bomb { .. })));
    let bomb = [&b"RISUSAVE\0\x01\x01\0"[..], &(bomb.len() as u32).to_le_bytes(), &bomb].concat();
    assert!(refused(&bomb).is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Any bytes, and any that are nearly right: no panic.
    #[test]
    fn noise_is_no_panic(
        noise in prop::collection::vec(any::<(u16, u8)>(), 0..20),
        bare in prop::collection::vec(any::<u8>(), 0..300),
        encoding in prop::sample::select(&ALL[..]),
    ) {
        let mut file = backup(encoding);
        for (at, byte) in noise {
            let at = usize::from(at) % file.len();
            file[at] = byte;
        }
        if let Ok(backup) = open(&file) {
            for at in 0..backup.files().len() {
                let spans = backup.spans(at).into_iter().map(|(from, to)| file[from as usize..to as usize].to_vec());
                backup.made(at, spans.collect());
            }
        }
        for number in [7, 8] {
            drop(refused(&[&b"\0RISUSAVE\0"[..], &[number], &bare].concat()));
        }
        drop(refused(&[b"RISUSAVE\0", &bare[..]].concat()));
    }
}
