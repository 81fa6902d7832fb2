use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    exchange::refusal::PictureFault,
    story::picture::{Fault, samples::gif},
};

/// As JSON, by the specification that it came by.
pub(crate) fn write(character: &Character, avatar: Option<(&str, &[u8])>) -> String {
    let spec = character.imported.as_ref().and_then(Value::as_object).and_then(spec_number);
    let form = if spec.is_some_and(|spec| spec >= 3) { Form::V3 } else { Form::V2 };
    String::from_utf8(pack(character, avatar, &[], form, &[])).unwrap()
}

fn read_value(value: &Value) -> (ImportedCharacter, Vec<Warning>) {
    read(&value.to_string()).unwrap()
}

#[test]
fn every_format_is_known_by_its_content() {
    let v1 = json!({"name": "Ada", "description": "d", "personality": "p", "scenario": "s", "first_mes": "f",
        "mes_example": "<START>", "creatorcomment": "c", "tags": "a, b", "talkativeness": "0.5"});
    let v2 = json!({"spec": "chara_card_v2", "spec_version": "2.0", "name": "stale", "data": {"name": "Ada",
        "description": "d", "personality": "p", "scenario": "s", "first_mes": "f", "mes_example": "<START>",
        "creator_notes": "c", "tags": ["a", "b"], "extensions": {"depth_prompt": {"depth": 4}}}});
    let mut v3 = v2.clone();
    v3["spec"] = "chara_card_v3".into();
    v3["spec_version"] = "3.0".into();
    v3["data"]["group_only_greetings"] = json!([]);
    let old = json!({"char_name": "Ada", "char_persona": "d", "personality": "p", "world_scenario": "s",
        "char_greeting": "f", "example_dialogue": "<START>", "creator_notes": "c", "tags": ["a", "b"]});
    for (file, what) in [(&v1, "V1"), (&v2, "V2"), (&v3, "V3"), (&old, "old names")] {
        let (ImportedCharacter { character, avatar, .. }, warnings) = read_value(file);
        assert_eq!(character.name, "Ada", "{what}");
        let card = &character.card;
        assert_eq!(
            [
                &card.description,
                &card.personality,
                &card.scenario,
                &card.first_mes,
                &card.mes_example,
                &card.creator_notes
            ],
            ["d", "p", "s", "f", "<START>", "c"],
            "{what}"
        );
        assert_eq!(card.tags, ["a", "b"], "{what}");
        assert_eq!(character.initial_profile, Profile::default(), "{what}");
        assert_eq!((avatar, warnings), (None, vec![]), "{what}");
        assert_eq!(character.imported.as_ref(), Some(file), "{what}: the untouched original");
        assert_eq!(character.id.as_str(), "");
    }
}

#[test]
fn the_definition_of_seed_001() {
    let file = json!({"character_id": "alserqi_v1", "name": "Alserqi", "description": "一个寻仇者", "avatar": "alserqi_avatar.png",
        "initial_profile": {
            "core_identity": {"archetype": "Vengeful Anti-hero", "core_goal": "Destroy the 'Core'",
                "core_traits": ["Cynical", "Loyal_to_few"], "background_story": "曾是组织的精英战士", "blood": "A"},
            "growth_state": {"beliefs": [], "behavioral_patterns": [], "relationships": []},
            "current_state": {"emotions": ["Neutral"], "physical": "健康", "immediate_goals": []}}});
    let (ImportedCharacter { character, .. }, warnings) = read_value(&file);
    assert_eq!(character.initial_profile.core_identity.core_traits, ["Cynical", "Loyal_to_few"]);
    assert_eq!(character.initial_profile.core_identity.extra["blood"], "A");
    assert_eq!(character.initial_profile.current_state.physical, "健康");
    assert_eq!(warnings, [Warning::PictureLeftOut(PictureFault::NotIncluded("alserqi_avatar.png".into()))]);

    let card: Value = serde_json::from_str(&write(&character, None)).unwrap();
    assert_eq!(card["spec"], "chara_card_v2");
    assert_eq!(card["character_id"], "alserqi_v1", "unknown to a card, and kept");
    assert_eq!(card["data"]["extensions"]["fabula"]["initial_profile"], file["initial_profile"]);
}

#[test]
fn of_agnai() {
    let file = json!({"kind": "character", "name": "Ada", "description": "for people", "greeting": "Hi.", "scenario": "s",
        "sampleChat": "<START>", "persona": {"kind": "boostyle", "attributes": {"text": ["An engineer."], "likes": ["tea", "rain"]}},
        "characterBook": {"kind": "memory", "name": "Lore", "entries": [{"name": "Gate", "entry": "Shut.", "keywords": ["gate"]}]}, "own": [1]});
    let (ImportedCharacter { character, .. }, warnings) = read_value(&file);
    assert_eq!((character.name.as_str(), warnings), ("Ada", vec![]));
    let card = &character.card;
    assert_eq!(card.description, "An engineer.\nlikes: tea; rain");
    assert_eq!((&*card.first_mes, &*card.mes_example, &*card.creator_notes), ("Hi.", "<START>", "for people"));
    assert_eq!(card.character_book.as_ref().unwrap()["entries"][0]["keys"], json!(["gate"]));
    let out: Value = serde_json::from_str(&write(&character, None)).unwrap();
    assert_eq!(out["data"]["extensions"]["agnai"], file);
}

#[test]
fn a_new_character_becomes_a_plain_v2_card() {
    let mut character = Character { id: "c".into(), name: "Ada".into(), created: 1, updated: 2, ..Default::default() };
    character.card.first_mes = "Hello, {{user}}.".into();
    character.card.tags = vec!["science".into()];
    character.initial_profile.core_identity.core_goal = "an engine".into();
    insta::assert_snapshot!(write(&character, Some(("image/gif", b"GIF89a"))), @r#"
    {
      "spec": "chara_card_v2",
      "spec_version": "2.0",
      "data": {
        "name": "Ada",
        "description": "",
        "personality": "",
        "scenario": "",
        "first_mes": "Hello, {{user}}.",
        "mes_example": "",
        "creator_notes": "",
        "system_prompt": "",
        "post_history_instructions": "",
        "creator": "",
        "character_version": "",
        "alternate_greetings": [],
        "tags": [
          "science"
        ],
        "extensions": {
          "fabula": {
            "version": 1,
            "initial_profile": {
              "core_identity": {
                "archetype": "",
                "core_goal": "an engine",
                "core_traits": [],
                "background_story": ""
              },
              "growth_state": {
                "beliefs": [],
                "behavioral_patterns": [],
                "relationships": []
              },
              "current_state": {
                "emotions": [],
                "physical": null,
                "immediate_goals": []
              }
            },
            "avatar": "data:image/gif;base64,R0lGODlh"
          }
        }
      }
    }
    "#);
}

#[test]
fn unknown_fields_survive_an_edit_and_a_round_trip() {
    let file = json!({"spec": "chara_card_v3", "spec_version": "3.0", "name": "Ada", "first_mes": "f", "fav": true,
        "data": {"name": "Ada", "first_mes": "f", "nickname": "A", "source": ["x:1"], "assets": [{"type": "x_y"}],
            "group_only_greetings": [], "odd": {"a": [null, 1.5, 18446744073709551615u64]}, "tags": "a,b",
            "character_version": 7, "extensions": {"chub": {"full_path": "x/y"}, "fabula": {"of_tomorrow": 1}}}});
    let (ImportedCharacter { mut character, .. }, _) = read_value(&file);
    character.card.first_mes = "edited".into();
    character.updated = 5_000;
    let card: Value = serde_json::from_str(&write(&character, None)).unwrap();

    let mut expected = file.clone();
    expected["first_mes"] = "edited".into();
    expected["data"]["first_mes"] = "edited".into();
    expected["data"]["modification_date"] = 5.into();
    expected["data"]["extensions"]["fabula"]["version"] = 1.into();
    for key in [
        "description",
        "personality",
        "scenario",
        "mes_example",
        "creator_notes",
        "system_prompt",
        "post_history_instructions",
        "creator",
    ] {
        expected["data"][key] = "".into();
    }
    expected["data"]["alternate_greetings"] = json!([]);
    assert_eq!(card, expected, "tags and version as they were written, too");
    let (again, _) = read_value(&card);
    assert_eq!(write(&again.character, None), write(&character, None));
}

/// The fields that SillyTavern repeats at the top may say otherwise there: they do until the character changes.
#[test]
fn what_is_repeated_at_the_top() {
    let card = json!({"spec": "chara_card_v2", "spec_version": "2.0", "name": "Ada", "creator": "", "creatorcomment": "old",
        "description": "d", "data": {"name": "Ada", "creator": "someone", "creator_notes": "new", "description": "d", "tags": [],
        "alternate_greetings": [], "extensions": {}}});
    let (ImportedCharacter { mut character, .. }, _) = read_value(&card);
    let out = |character: &Character| serde_json::from_str::<Value>(&write(character, None)).unwrap();
    for (key, value) in card.as_object().unwrap().iter().filter(|(key, _)| *key != "data") {
        assert_eq!(out(&character).get(key), Some(value), "{key}");
    }
    character.card.creator = "another".into();
    let written = out(&character);
    assert_eq!((&written["creator"], &written["data"]["creator"]), (&json!("another"), &json!("another")));
    assert_eq!(written["creatorcomment"], "old");
}

#[test]
fn warnings() {
    let newer = |spec: &str, version: &str| vec![Warning::NewerCard { spec: spec.into(), version: version.into() }];
    let field = |name: &str| vec![Warning::FieldIgnored { field: name.into() }];
    for (file, expected) in [
        (json!({"spec": "chara_card_v4", "spec_version": "4.0", "data": {"name": "A"}}), newer("chara_card_v4", "4.0")),
        (json!({"spec": "chara_card_v3", "spec_version": "3.1", "data": {"name": "A"}}), newer("chara_card_v3", "3.1")),
        (json!({"spec": "chara_card_v3", "spec_version": 3.0, "data": {"name": "A"}}), vec![]),
        (json!({"name": "A", "description": ["x"]}), field("description")),
        (json!({"name": "A", "first_mes": "", "tags": ["a", 1]}), field("tags")),
        (json!({"name": "A", "first_mes": "", "extensions": [1]}), field("extensions")),
        (json!({"name": "A", "initial_profile": "x"}), field("initial_profile")),
        (json!({"name": "A", "first_mes": "", "extensions": {"fabula": {"status_bar": ["<b>"]}}}), field("status_bar")),
        (json!({"description": "", "first_mes": ""}), vec![Warning::NoName]),
        (
            json!({"name": "A", "first_mes": "", "avatar": "https://x.example/a.png"}),
            vec![Warning::PictureLeftOut(PictureFault::Remote("https://x.example/a.png".into()))],
        ),
        (
            json!({"name": "A", "first_mes": "", "avatar": "data:image/svg+xml;base64,PHN2Zz4="}),
            vec![Warning::PictureLeftOut(PictureFault::Unfit(Fault::Unknown))],
        ),
        (json!({"name": "A", "first_mes": "", "avatar": "none"}), vec![]),
    ] {
        assert_eq!(read_value(&file).1, expected, "{file}");
    }
}

#[test]
fn a_v3_icon_in_the_file_is_the_avatar() {
    let icon = |name: &str, bytes: &[u8]| json!({"type": "icon", "name": name, "uri": picture::to_data_url("image/gif", bytes)});
    let file = json!({"spec": "chara_card_v3", "data": {"name": "A", "assets": [icon("other", &gif(2, 1)), icon("main", &gif(1, 1))]}});
    assert_eq!(read_value(&file).0.avatar, Some(("image/gif".into(), gif(1, 1))));
}

#[test]
fn a_name_of_tricks_is_cleaned_and_kept_in_the_original() {
    let name = format!("{}\u{202e}", "好".repeat(10_000));
    let (ImportedCharacter { character, .. }, warnings) = read_value(&json!({"name": name, "first_mes": ""}));
    assert_eq!(character.name, "好".repeat(100));
    assert_eq!(warnings, [Warning::NameCleaned { removed: 1, joined_lines: false, cut_from: Some(10_000) }]);
    let card: Value = serde_json::from_str(&write(&character, None)).unwrap();
    assert_eq!(card["data"]["name"], name.as_str(), "not renamed by us, so as it came");
}

#[test]
fn a_file_cannot_set_what_is_ours() {
    let file = json!({"spec": "chara_card_v2", "data": {"name": "A", "extensions": {"fabula":
        {"extra": {"id": "victim", "updated": 9, "imported": 1, "deleted": 1, "avatar": "x", "status_bar": "y",
            "mood": "good", "lorebooks": ["theirs"], "recap": {"enabled": true}, "assets": [{"blob": "x"}]}}}}});
    let character = read_value(&file).0.character;
    assert_eq!(Value::from(character.extra), json!({"mood": "good"}));
}

#[test]
fn a_status_bar_travels_with_its_card() {
    let card = json!({"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "A", "nickname": "a", "extensions":
        {"risuai": {"backgroundHTML": "<i>"}, "fabula": {"version": 1, "status_bar": "<b id=x></b><script>1</script>"}}}});
    let mut character = read_value(&card).0.character;
    assert_eq!(character.status_bar, "<b id=x></b><script>1</script>");
    let written = |character: &Character| serde_json::from_str::<Value>(&write(character, None)).unwrap();
    assert_eq!(written(&character)["data"]["extensions"], card["data"]["extensions"]);
    character.status_bar = "<i>".into();
    assert_eq!(written(&character)["data"]["extensions"]["fabula"]["status_bar"], "<i>");
    character.status_bar.clear();
    let expected = json!({"risuai": {"backgroundHTML": "<i>"}, "fabula": {"version": 1}});
    assert_eq!(written(&character)["data"]["extensions"], expected);
}

#[test]
fn refused() {
    let other = |found| Refusal::Unrecognised { wanted: Content::Character, found };
    for (text, refusal) in [
        (r#"{"name": "x", "world_setting": "y"}"#, other(Content::Background)),
        (r#"{"entries": {}}"#, other(Content::Lorebook)),
        (r#"{"fabula": 1, "kind": "library"}"#, other(Content::Archive)),
        ("[]", other(Content::Unknown)),
        ("null", other(Content::Unknown)),
        ("{\"name\":", Refusal::Truncated),
        ("<!DOCTYPE html><html>", Refusal::NotJson { line: 1, column: 1, message: "expected value".into() }),
    ] {
        assert_eq!(read(text).map(|_| ()), Err(refusal), "{text}");
    }
    let deep = format!("{{\"name\":\"a\",\"first_mes\":{}", "[".repeat(10_000));
    assert_eq!(read(&deep).map(|_| ()), Err(Refusal::TooDeep));
    // Lore and original together would not fit into a line of an archive.
    let fat = json!({"name": "a", "first_mes": "", "character_book": {"x": "y".repeat(8 << 20)}}).to_string();
    assert!(matches!(read(&fat), Err(Refusal::TooLarge { limit: RECORD_BYTES, .. })));
}

pub(crate) fn odd_text() -> impl Strategy<Value = String> {
    const ODD: [&str; 8] =
        ["", "\u{202e}rtl עברית", "👩‍🚀", "\0\u{1}", "\u{2028}\u{2029}", "<script>", "\\u0000\"\n\r\t", "{{char}} 你好"];
    prop_oneof![
        prop::sample::select(&ODD[..]).prop_map(str::to_owned),
        prop::collection::vec(any::<char>(), 0..8).prop_map(|c| c.into_iter().collect())
    ]
}

prop_compose! {
    pub(crate) fn any_character()(name in "[a-zé好🦊]{1,9}", texts in prop::collection::vec(odd_text(), 16), list in prop::collection::vec(odd_text(), 0..3), some in any::<[bool; 4]>()) -> Character {
        let mut character = Character { name, ..Default::default() };
        for (field, text) in TEXTS.iter().zip(&texts) {
            *(field.of)(&mut character.card) = text.clone();
        }
        character.card.alternate_greetings = list.clone();
        if some[0] { character.card.tags = list.clone(); }
        if some[1] { character.card.character_book = Some(json!({"entries": [{"content": texts[10]}]})); }
        if some[2] { character.initial_profile.core_identity.core_traits = list; }
        if some[2] { character.initial_profile.current_state.physical = texts[11].clone().into(); }
        if some[3] { character.extra.insert(format!("x{}", texts[12]), texts[13].clone().into()); }
        character.recap.enabled = some[2];
        if some[1] { character.status_bar = format!("<b>{}", texts[15]); }
        if some[3] { character.card.extensions.insert(format!("x{}", texts[14]), json!([texts[15], 1, null])); }
        character
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn what_is_written_is_read(character in any_character(), picture in prop::option::of(prop::collection::vec(any::<u8>(), 0..9))) {
        let avatar = picture.map(|tail| ("image/gif".to_owned(), [gif(1, 1), tail].concat()));
        let text = write(&character, avatar.as_ref().map(|(kind, bytes)| (kind.as_str(), bytes.as_slice())));
        let (read, warnings) = read(&text).unwrap();
        prop_assert_eq!(&read, &ImportedCharacter { character, avatar, files: vec![] });
        prop_assert_eq!(warnings, vec![]);
    }

    /// An imported card, edited at will: all but the original is as it was, and a second round changes nothing.
    #[test]
    fn an_edited_import_is_read_as_it_stands(mut character in any_character(), original in any_character(), flat in any::<bool>()) {
        let mut file: Value = serde_json::from_str(&write(&original, None)).unwrap();
        if flat { file = file["data"].take(); file["unknown"] = 1.into(); } else { file["data"]["unknown"] = 1.into(); }
        character.imported = read(&file.to_string()).unwrap().0.character.imported;
        let text = write(&character, None);
        let again = read(&text).unwrap().0.character;
        prop_assert_eq!(write(&again, None), &text[..]);
        prop_assert!(text.contains("\"unknown\": 1"));
        prop_assert_eq!(Character { imported: None, ..again }, Character { imported: None, ..character });
    }
}

/// Of a picture, and of an archive with its scenarios.
#[test]
fn of_backyard() {
    let file = json!({"version": 4, "character": {"aiName": "Ada", "aiDisplayName": "Ada Low", "aiPersona": "{character} waits.",
        "scenario": "With {user}.", "firstMessage": "Hi.", "customDialogue": "#{user}: Hm?\n#{character}: Yes.", "basePrompt": "Be.",
        "temperature": 0.8, "loreItems": [{"id": "1", "key": "gate, door", "value": "Shut."}]}});
    let (ImportedCharacter { character, .. }, warnings) = read_value(&file);
    let card = &character.card;
    assert_eq!((character.name.as_str(), card.description.as_str(), warnings), ("Ada", "{{char}} waits.", vec![]));
    assert_eq!((card.mes_example.as_str(), card.system_prompt.as_str()), ("{{user}}: Hm?\n{{char}}: Yes.", "Be."));
    assert_eq!(card.character_book.as_ref().unwrap()["entries"][0]["keys"], json!(["gate", "door"]));
    assert_eq!(card.extensions["backyard"], file);

    let person = json!({"schemaVersion": 1, "id": "a", "name": "Ada", "displayName": "Ada Low", "persona": "p", "loreItems": [],
        "images": [{"path": "images/face.gif", "label": ""}, {"path": "images/2.gif", "label": "far"}], "later": 1});
    let scene = |first: &str| {
        json!({"narrative": "n", "formattingInstructions": "f", "firstMessages": [{"characterID": "a", "text": first}],
        "exampleMessages": [{"characterID": "a", "text": "x"}, {"characterID": "u", "text": "y"}], "messages": [{"type": "human", "text": "z"}]})
    };
    let manifest = json!({"characters": ["characters/a/character.json"], "scenarios": ["scenarios/1.json", "scenarios/2.json"], "author": {"name": "B"}});
    let texts = [manifest, person.clone(), scene("Hi."), scene("Ho.")].map(|text| text.to_string());
    let (face, far) = (gif(1, 1), gif(2, 1));
    let archive = zip::write([
        ("manifest.json", texts[0].as_bytes()),
        ("characters/a/character.json", texts[1].as_bytes()),
        ("characters/a/images/face.gif", &face),
        ("characters/a/images/2.gif", &far),
        ("scenarios/1.json", texts[2].as_bytes()),
        ("scenarios/2.json", texts[3].as_bytes()),
    ]);
    let (read, warnings) = open(archive).unwrap();
    let card = &read.character.card;
    assert_eq!((read.character.name.as_str(), card.first_mes.as_str(), warnings), ("Ada", "Hi.", vec![]));
    assert_eq!(
        (&*card.alternate_greetings, card.mes_example.as_str()),
        (&["Ho.".to_owned()][..], "{{char}}: x\n{{user}}: y")
    );
    assert_eq!((card.creator.as_str(), card.scenario.as_str()), ("B", "n"));
    assert_eq!(card.extensions["backyard"]["character"], person);
    assert_eq!(card.extensions["backyard"]["scenarios"], json!([scene("Hi."), scene("Ho.")]));
    assert_eq!(read.avatar, Some(("image/gif".into(), face)));
    assert_eq!(read.files.iter().map(|file| &file.1).collect::<Vec<_>>(), [&far], "the texts are the card's");
}

#[test]
fn of_text_generation_webui() {
    let file = "name: Ada\ngreeting: |-\n  *waves*\n  Hi.\ncontext: \"Ada is\\nsomebody.\"\nyour_name: Bo\n";
    let (ImportedCharacter { character, .. }, warnings) = read(file).unwrap();
    assert_eq!((character.name.as_str(), character.card.first_mes.as_str()), ("Ada", "*waves*\nHi."));
    assert_eq!((character.card.description.as_str(), warnings), ("Ada is\nsomebody.", vec![]));
    assert_eq!(character.card.extensions["webui"]["your_name"], "Bo");
    for other in ["name: Ada\n", "instruction_template: |-\n  x\n", "Ada: Hi.\nBo: Ho.\n"] {
        assert!(matches!(read(other).map(|_| ()), Err(Refusal::NotJson { .. })), "{other}");
    }
}
