use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    exchange::{character::tests::odd_text, limits::JSON_BYTES},
    story::{
        lorebook::{Filter, Logic, Position},
        preset::Role,
    },
};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Each field of `some` stands in `all` as it is.
fn within(some: &Value, all: &Value, path: &str) {
    match (some, all) {
        (Value::Object(some), Value::Object(all)) => {
            for (key, value) in some {
                within(value, all.get(key).unwrap_or_else(|| panic!("{path}.{key} is gone")), &format!("{path}.{key}"));
            }
        }
        (Value::Array(some), Value::Array(all)) if some.len() == all.len() => {
            some.iter().zip(all).enumerate().for_each(|(at, (some, all))| within(some, all, &format!("{path}[{at}]")));
        }
        _ => assert_eq!(some, all, "{path}"),
    }
}

fn world_info() -> Value {
    parsed(
        r#"{
        "name": "Moor", "tool": {"x": [1]},
        "entries": {
            "0": {
                "uid": 0, "key": ["gate", "/ga+te/i"], "keysecondary": ["night"], "comment": "The gate", "content": "@@depth 2\nIt is shut.",
                "constant": false, "vectorized": true, "selective": true, "selectiveLogic": 2, "addMemo": true, "order": 50,
                "position": 4, "disable": false, "ignoreBudget": true, "excludeRecursion": true, "preventRecursion": true,
                "delayUntilRecursion": true, "probability": 40, "useProbability": true, "depth": 3, "outletName": "",
                "group": "doors, ways", "groupOverride": true, "groupWeight": 30, "useGroupScoring": null, "scanDepth": 7,
                "caseSensitive": true, "matchWholeWords": false, "automationId": "q", "role": 2, "sticky": 3, "cooldown": 0,
                "delay": null, "matchScenario": true, "triggers": ["swipe"], "displayIndex": 4,
                "characterFilter": {"isExclude": true, "names": ["Ada"], "tags": [], "more": 1}
            },
            "7": {
                "uid": 7, "key": ["x"], "keysecondary": ["asleep"], "selective": false, "content": "c", "probability": 10,
                "useProbability": false, "position": 0, "depth": 9, "order": 100.0, "role": null, "mine": {"deep": [null]}
            },
            "9": {"uid": 9, "key": [], "keysecondary": [], "content": "named", "position": 7, "disable": false, "outletName": "o"}
        }
    }"#,
    )
}

#[test]
fn world_info_in_and_out() {
    let (book, warnings) = read(&world_info().to_string()).unwrap();
    assert_eq!(warnings, [Warning::OutletsOff { count: 1 }]);
    assert_eq!(book.name, "Moor");
    let mut gate = book.entries[0].clone();
    gate.extra.clear();
    let expected = Entry {
        id: "0".into(),
        name: "The gate".into(),
        keys: vec!["gate".into(), "/ga+te/i".into()],
        secondary_keys: vec!["night".into()],
        logic: Logic::NotAny,
        content: "@@depth 2\nIt is shut.".into(),
        by_meaning: true,
        order: 50,
        position: Position::AtDepth,
        depth: Some(3),
        role: Role::Assistant,
        probability: 40,
        case_sensitive: Some(true),
        whole_words: Some(false),
        scan_depth: Some(7),
        groups: vec!["doors".into(), "ways".into()],
        group_first: true,
        group_weight: 30,
        sticky: 3,
        exclude_recursion: true,
        prevent_recursion: true,
        recursion_level: 1,
        ignore_budget: true,
        only: Some(Filter {
            names: vec!["Ada".into()],
            exclude: true,
            extra: Object::from_iter([("more".into(), json!(1))]),
            ..Filter::default()
        }),
        ..Entry::default()
    };
    assert_eq!(gate, expected);
    let other = &book.entries[1];
    assert_eq!((other.secondary_keys.len(), other.probability, other.depth, other.order), (0, 100, None, 100));
    assert!(!book.entries[2].enabled, "there is no outlet here");
    within(&world_info(), &parsed(&write(&book)), "");
}

/// A place in an outlet switches an entry off also where a card says it outside the extensions, and comes out again.
#[test]
fn an_outlet_of_a_card_stays_one() {
    let file = json!({"entries": [{"content": "c", "keys": ["k"], "enabled": null, "position": 7}]});
    let book = book_of(&file, "");
    assert!(!book.entries[0].enabled);
    within(&file, &to_card_book(&book), "");
}

/// Positions 0 to 6, all logics and roles; each comes out as the number it came in as.
#[test]
fn numbers_are_names() {
    use Position::*;
    let positions = [BeforeCharacter, AfterCharacter, BeforeNote, AfterNote, AtDepth, BeforeExamples, AfterExamples];
    for (at, position) in positions.into_iter().enumerate() {
        let file = json!({"entries": [{"content": "c", "key": ["k"], "position": at}]});
        let (book, _) = read(&file.to_string()).unwrap();
        assert_eq!(book.entries[0].position, position);
        assert_eq!(parsed(&write(&book))["entries"]["0"]["position"], at);
        let card = to_card_book(&book);
        assert_eq!(card["entries"][0]["position"], if at == 0 { "before_char" } else { "after_char" });
        assert_eq!(card["entries"][0]["extensions"]["position"], at);
        assert_eq!(book_of(&card, "").entries[0].position, position);
    }
    for (at, logic) in [Logic::Any, Logic::NotAll, Logic::NotAny, Logic::All].into_iter().enumerate() {
        let file = json!({"entries": [{"content": "c", "key": ["k"], "keysecondary": ["s"], "selectiveLogic": at}]});
        assert_eq!(read(&file.to_string()).unwrap().0.entries[0].logic, logic);
    }
    for (at, role) in [Role::System, Role::User, Role::Assistant].into_iter().enumerate() {
        let file = json!({"entries": [{"content": "c", "key": ["k"], "role": at}]});
        assert_eq!(read(&file.to_string()).unwrap().0.entries[0].role, role);
    }
}

fn of_card() -> Value {
    parsed(
        r#"{
        "name": "Harbour", "description": "d", "scan_depth": 5, "token_budget": 600, "recursive_scanning": true,
        "extensions": {"risu": 1},
        "entries": [
            {
                "id": 3, "keys": ["ship"], "secondary_keys": ["sail"], "comment": "Ship", "name": "other", "content": "A ship.",
                "constant": false, "selective": true, "insertion_order": 12, "enabled": true, "position": "after_char",
                "use_regex": true, "case_sensitive": true, "priority": 4, "tool": "x",
                "extensions": {
                    "position": 4, "depth": 6, "role": 1, "probability": 70, "useProbability": true, "selectiveLogic": 3,
                    "exclude_recursion": true, "prevent_recursion": false, "delay_until_recursion": 2, "group": "g",
                    "group_override": false, "group_weight": 100, "use_group_scoring": false, "scan_depth": null,
                    "match_whole_words": true, "automation_id": "", "vectorized": false, "sticky": 2, "cooldown": 5, "delay": 0,
                    "display_index": 0, "ignore_budget": true, "own": {"a": 1}
                }
            },
            {"keys": ["quay"], "content": "A quay.", "extensions": {}, "enabled": false, "insertion_order": 1, "secondary_keys": ["asleep"]},
            {"id": 3, "keys": [], "content": "again", "extensions": {}, "enabled": true, "insertion_order": 1, "constant": true, "case_sensitive": false}
        ]
    }"#,
    )
}

#[test]
fn a_cards_book_in_and_out() {
    let book = book_of(&of_card(), "Ada");
    assert_eq!((book.name.as_str(), book.scan_depth, book.token_budget), ("Harbour", Some(5), Some(600)));
    assert_eq!(book.recursive, Some(true));
    let ship = &book.entries[0];
    assert_eq!((ship.id.as_str(), ship.name.as_str(), ship.order, ship.priority), ("3", "Ship", 12, Some(4)));
    assert_eq!(
        (ship.logic, ship.position, ship.depth, ship.role),
        (Logic::All, Position::AtDepth, Some(6), Role::User)
    );
    assert_eq!((ship.recursion_level, ship.sticky, ship.cooldown, ship.delay), (2, 2, 5, 0));
    assert_eq!((ship.case_sensitive, ship.whole_words, ship.ignore_budget), (Some(true), Some(true), true));
    let quay = &book.entries[1];
    assert_eq!((quay.enabled, quay.position, quay.secondary_keys.len()), (false, Position::BeforeCharacter, 0));
    let ids: Vec<&str> = book.entries.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 3, "{ids:?}");
    // Two of one id cannot both keep it.
    let mut file = of_card();
    file["entries"][2].as_object_mut().unwrap().remove("id");
    within(&file, &to_card_book(&book), "");
    let standalone = json!({"spec": "lorebook_v3", "data": file});
    let (read_again, warnings) = read(&standalone.to_string()).unwrap();
    assert_eq!((read_again.entries.len(), warnings), (3, vec![]));
    within(&standalone, &parsed(&write_v3(&read_again)), "");
    assert_eq!(book_of(&json!({"entries": []}), "Ada").name, "Ada");
    assert_eq!((book_of(&json!(7), "Ada").entries.len(), count_of(&json!(7)), count_of(&of_card())), (0, 0, 3));
}

/// What is known by other names in the other form goes by them.
#[test]
fn from_one_form_to_the_other() {
    let (book, _) = read(&world_info().to_string()).unwrap();
    let card = to_card_book(&book);
    for (key, value) in [
        ("vectorized", json!(true)),
        ("automation_id", json!("q")),
        ("match_scenario", json!(true)),
        ("triggers", json!(["swipe"])),
        ("display_index", json!(4)),
    ] {
        assert_eq!(card["entries"][0]["extensions"][key], value, "{key}");
    }
    let back = book_of(&card, "");
    assert!(back.entries.iter().zip(&book.entries).all(|(one, other)| entry::same(one, other)));
    let (card, _) = read(&of_card().to_string()).unwrap();
    let file = parsed(&write(&card));
    assert_eq!(file["entries"]["3"]["displayIndex"], 0);
    assert_eq!(file["entries"]["3"]["useGroupScoring"], false);
    let back = book_of(&file, "");
    assert!(back.entries.iter().zip(&card.entries).all(|(one, other)| entry::same(one, other)));
}

/// What rides along never speaks against what was edited.
/// What an entry is called by stays as it was written, and a name that is another form's is one more field.
#[test]
fn what_entries_are_called_by() {
    let file = json!({"entries": {
        "3": {"uid": 3, "id": 9, "key": ["a"], "content": "x"},
        "4": {"uid": "4", "key": ["b"], "content": "y"},
        "5": {"uid": "4", "key": ["c"], "content": "z"}}});
    let mut book = read(&file.to_string()).unwrap().0;
    let out = parsed(&write(&book));
    assert_eq!((&out["entries"]["3"]["uid"], &out["entries"]["3"]["id"]), (&json!(3), &json!(9)));
    assert_eq!(out["entries"]["4"]["uid"], "4");
    let others: Vec<_> = out["entries"].as_object().unwrap().values().map(|entry| entry["uid"].clone()).collect();
    assert_eq!(others[2], json!(2), "two of one name are told apart");
    book.entries[1].id = "8".into();
    assert_eq!(parsed(&write(&book))["entries"]["8"]["uid"], 8);
}

#[test]
fn an_edit_wins() {
    let (mut book, _) = read(&world_info().to_string()).unwrap();
    book.entries[1].secondary_keys = vec!["now".into()];
    book.entries[1].probability = 50;
    book.entries[2].enabled = true;
    book.name = "Fen".into();
    let file = parsed(&write(&book));
    let entry = &file["entries"]["7"];
    assert_eq!((&entry["keysecondary"], &entry["selective"]), (&json!(["now"]), &json!(true)));
    assert_eq!((&entry["probability"], &entry["useProbability"]), (&json!(50), &json!(true)));
    assert_eq!(entry["mine"], json!({"deep": [null]}));
    assert_eq!((&file["entries"]["9"]["position"], &file["name"]), (&json!(0), &json!("Fen")));
    let again = read(&file.to_string()).unwrap().0;
    assert!(again.entries.iter().zip(&book.entries).all(|(one, other)| entry::same(one, other)));
}

/// Its writer prefers the card's own book to the entries: it must not tell another story.
#[test]
fn the_original_goes_with_the_first_edit() {
    let mut file = world_info();
    file["originalData"] = to_card_book(&read(&file.to_string()).unwrap().0);
    let (mut book, _) = read(&file.to_string()).unwrap();
    within(&file, &parsed(&write(&book)), "");
    book.entries[0].content = "It is open.".into();
    assert_eq!(parsed(&write(&book)).get("originalData"), None);
}

#[test]
fn refused() {
    let other = |found| Err(Refusal::Unrecognised { wanted: Content::Lorebook, found });
    for (text, refusal) in [
        (r#"{"name": "x", "first_mes": "y"}"#, other(Content::Character)),
        (r#"{"world_setting": "y"}"#, other(Content::Background)),
        (r#"{"prompts": [], "prompt_order": []}"#, other(Content::Preset)),
        (r#"{"entries": 5}"#, other(Content::Unknown)),
        (r#"{"entries": [{"text": "x", "keys": ["y"]}]}"#, other(Content::Unknown)),
        (r#"{"entries": {"0": "#, Err(Refusal::Truncated)),
        ("[]", other(Content::Unknown)),
    ] {
        assert_eq!(read(text).map(drop), refusal, "{text}");
    }
    let large = format!(r#"{{"entries": [{{"content": "{}"}}]}}"#, "x".repeat(50 << 20));
    assert_eq!(read(&large).map(drop), Err(Refusal::TooLarge { bytes: large.len() as u64, limit: JSON_BYTES }));
    let (book, warnings) = read(r#"{"entries": [7, {"key": ["x"], "content": "y"}]}"#).unwrap();
    assert_eq!(book.entries.len(), 1);
    assert_eq!(warnings, [Warning::EntriesLeftOut { count: 1 }, Warning::NoName]);
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = odd_text().prop_map(Value::from);
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..200).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(json!(1.5)),
        text,
        prop::collection::vec(odd_text(), 0..3).prop_map(Value::from),
        Just(json!({"names": ["a", ""], "isExclude": 1, "x": []})),
    ]
}

/// An entry whose fields may hold anything.
fn any_entry(names: &'static [&'static str]) -> impl Strategy<Value = Object> {
    prop::collection::vec((prop::sample::select(names), any_value()), 0..12)
        .prop_map(|fields| fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

const WORLD_INFO: &[&str] = &[
    "key",
    "keysecondary",
    "comment",
    "content",
    "constant",
    "selective",
    "selectiveLogic",
    "order",
    "position",
    "disable",
    "probability",
    "useProbability",
    "depth",
    "group",
    "groupWeight",
    "scanDepth",
    "caseSensitive",
    "role",
    "sticky",
    "delayUntilRecursion",
    "characterFilter",
    "vectorized",
    "name",
    "extensions",
    "odd",
    "priority",
];
const CARD: &[&str] = &[
    "keys",
    "secondary_keys",
    "comment",
    "name",
    "constant",
    "selective",
    "insertion_order",
    "enabled",
    "position",
    "case_sensitive",
    "use_regex",
    "priority",
    "odd",
];
const EXTENSIONS: &[&str] = &[
    "position",
    "probability",
    "useProbability",
    "selectiveLogic",
    "depth",
    "role",
    "group",
    "delay_until_recursion",
    "character_filter",
    "case_sensitive",
    "vectorized",
    "odd",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn all_that_world_info_says_goes_out_again(entries in prop::collection::vec(any_entry(WORLD_INFO), 1..4), odd in any_value()) {
        let entries: Object = entries.into_iter().enumerate().map(|(uid, mut entry)| {
            entry.insert("uid".into(), uid.into());
            (uid.to_string(), entry.into())
        }).collect();
        let file = json!({"name": odd, "odd": odd, "scan_depth": odd, "entries": entries});
        let (book, _) = read(&file.to_string()).unwrap();
        within(&file, &parsed(&write(&book)), "");
        let by_card = book_of(&to_card_book(&book), "");
        prop_assert!(by_card.entries.iter().zip(&book.entries).all(|(one, other)| entry::same(one, other)));
    }

    #[test]
    fn all_that_a_card_says_goes_out_again(entries in prop::collection::vec((any_entry(CARD), any_entry(EXTENSIONS)), 1..4), odd in any_value()) {
        let entries: Vec<Value> = entries.into_iter().enumerate().map(|(id, (mut entry, extensions))| {
            entry.insert("id".into(), id.into());
            entry.insert("content".into(), "c".into());
            entry.insert("keys".into(), json!(["k"]));
            entry.insert("extensions".into(), extensions.into());
            entry.into()
        }).collect();
        let file = json!({"description": odd, "odd": odd, "entries": entries});
        let book = book_of(&file, "");
        within(&file, &to_card_book(&book), "");
        let by_world_info = read(&write(&book)).unwrap().0;
        prop_assert!(by_world_info.entries.iter().zip(&book.entries).all(|(one, other)| entry::same(one, other)));
    }
}

#[test]
fn a_rank_that_has_no_opposite() {
    for rank in [i64::MIN, i64::MAX] {
        let entry = json!({"text": "x", "keys": ["a"], "contextConfig": {"budgetPriority": rank}});
        let (book, _) = super::read(&json!({"lorebookVersion": 5, "entries": [entry]}).to_string()).unwrap();
        assert_eq!(book.entries.len(), 1, "{rank}");
    }
}

/// Books of other programs: what they mean, and what only they know goes out again.
#[test]
fn of_other_programs() {
    let agnai = json!({"kind": "memory", "name": "Moor", "description": "d", "isDefault": false, "entries": [
        {"name": "Gate", "entry": "It is shut.", "keywords": ["gate", "door*"], "priority": 3, "weight": 7, "enabled": false, "own": 1},
        {"name": "none"}]});
    let novel = json!({"lorebookVersion": 5, "settings": {"orderByKeyLocations": false}, "categories": [], "entries": [
        {"text": "It is shut.", "displayName": "Gate", "keys": ["gate", "/door\\w*/"], "enabled": true, "forceActivation": true,
            "searchRange": 1000, "contextConfig": {"budgetPriority": 7, "prefix": ""}, "id": "x"}]});
    let risu = json!({"type": "risu", "ver": 1, "data": [
        {"key": "gate, door", "secondkey": "night", "insertorder": 7, "comment": "Gate", "content": "@@depth 2\nIt is shut.",
            "mode": "normal", "alwaysActive": false, "selective": true, "activationPercent": 40, "extentions": {"risu_case_sensitive": true}},
        {"key": "ga+te", "useRegex": true, "comment": "", "content": "x", "mode": "constant"},
        {"key": "\u{f000}folder:1", "content": "", "mode": "folder", "comment": "Folder"}]});
    let read = |value: &Value| super::read(&value.to_string()).unwrap();
    let (book, warnings) = read(&agnai);
    let gate = &book.entries[0];
    assert_eq!((book.name.as_str(), gate.name.as_str(), gate.content.as_str()), ("Moor", "Gate", "It is shut."));
    assert_eq!(
        (&*gate.keys, gate.order, gate.enabled),
        (&["gate".to_owned(), "/\\bdoor\\w*\\b/i".to_owned()][..], 7, false)
    );
    assert_eq!(warnings, [Warning::EntriesLeftOut { count: 1 }]);
    let mut unnamed = agnai.clone();
    unnamed.as_object_mut().unwrap().remove("kind");
    assert_eq!(read(&unnamed).0.entries[0].keys, gate.keys, "known by its entries");
    let (book, warnings) = read(&novel);
    let gate = &book.entries[0];
    assert_eq!((gate.name.as_str(), gate.constant, gate.order), ("Gate", true, -7));
    assert_eq!(warnings, [Warning::NoName]);
    let (book, _) = read(&risu);
    let [gate, pattern] = &book.entries[..] else { panic!("{:?}", book.entries) };
    assert_eq!(
        (&*gate.keys, &*gate.secondary_keys),
        (&["gate".to_owned(), "door".to_owned()][..], &["night".to_owned()][..])
    );
    assert_eq!(
        (gate.case_sensitive, gate.order, &*pattern.keys, pattern.constant),
        (Some(true), 7, &["/ga+te/".to_owned()][..], true)
    );
    assert!(gate.content.starts_with("@@depth 2"));
    for (program, value) in [("agnai", &agnai), ("novelai", &novel), ("risu", &risu)] {
        let (book, _) = read(value);
        let out = parsed(&write_v3(&book));
        let items = value.get("entries").or(value.get("data")).unwrap();
        within(&items[0], &out["data"]["entries"][0]["extensions"][program], program);
        let left_out = &out["data"]["extensions"][program][if program == "risu" { "data" } else { "entries" }];
        let last = items.as_array().unwrap().last().unwrap();
        assert_eq!(
            left_out,
            &if program == "novelai" { Value::Null } else { json!([last]) },
            "{program}: what is no entry"
        );
        let again = super::read(&out.to_string()).unwrap().0;
        assert_eq!(again.entries, book.entries, "{program}");
    }
}
