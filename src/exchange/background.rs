//! Backgrounds from files, and to files.
//!
//! Read: the files of seed `000` (`background_id, name, world_setting, story_outline: [{index, content}]`) and of seed
//! `001` (`description, world_rules, initial_context`), in any mixture; the outline also as a list of texts or as one
//! text with a point a line. Written: the same shape, plain.
//!
//! Fields that we do not know go to `Background::extra` and out again. The original rides along in
//! `Background::imported` where it says anything that the fields do not (a name before it was cleaned, a field of an
//! unexpected type); an export starts from it and overwrites only what reads differently now.

use serde_json::{Map, Value, json};

use super::{
    json,
    limits::RECORD_BYTES,
    names::tidy_name,
    refusal::{Refusal, Warning},
    sniff::{self, Content},
};
use crate::{
    store::from_value,
    story::{
        background::{Background, OutlinePoint, outline_from_lines},
        event::StoryEvent,
    },
};

type Object = Map<String, Value>;

struct Text {
    key: &'static str,
    of: fn(&mut Background) -> &mut String,
}

const TEXTS: [Text; 4] = [
    Text { key: "description", of: |background| &mut background.description },
    Text { key: "world_setting", of: |background| &mut background.world_setting },
    Text { key: "world_rules", of: |background| &mut background.world_rules },
    Text { key: "initial_context", of: |background| &mut background.initial_context },
];
const ID: &str = "background_id";
const OUTLINE: &str = "story_outline";
const EVENTS: &str = "events";
const STATUS_BAR: &str = "status_bar";
/// Fields of the stored record that a file may not set.
const RESERVED: [&str; 5] = ["id", "created", "updated", "deleted", "imported"];

/// Reads a background file. The caller gives id and times.
///
/// # Errors
/// It is not JSON, too large or deep, or holds something else (`Unrecognised`).
pub fn read(text: &str) -> Result<(Background, Vec<Warning>), Refusal> {
    let file = match json::parse(text)? {
        Value::Object(file) if sniff::is_background(&file) => file,
        other => return Err(Refusal::Unrecognised { wanted: Content::Background, found: sniff::content(&other) }),
    };
    let mut warnings = Vec::new();
    let mut background = read_fields(&file, &mut warnings);
    if background.name.is_empty() {
        warnings.push(Warning::NoName);
    }
    // Our own export: its id is the record's of then, and its fields say all.
    let mut file = file;
    let mut plain = to_object(&background);
    plain.shift_remove(ID);
    let id = file.shift_remove(ID);
    let foreign_id = id.as_ref().is_some_and(|id| !id.as_str().is_some_and(is_ours));
    if plain != file || foreign_id {
        if let Some(id) = id {
            file.shift_insert(0, ID.into(), id);
        }
        background.imported = Some(file.into());
    }
    json::too_large(json::size(&background), RECORD_BYTES)?;
    Ok((background, warnings))
}

/// Writes a background, readable by people.
pub fn write(background: &Background) -> String {
    serde_json::to_string_pretty(&Value::from(to_object(background))).expect("a value has text keys")
}

fn read_fields(file: &Object, warnings: &mut Vec<Warning>) -> Background {
    let mut background = Background::default();
    let (name, warning) = tidy_name(&text(file, "name", warnings));
    background.name = name;
    warnings.extend(warning);
    for field in &TEXTS {
        *(field.of)(&mut background) = text(file, field.key, warnings);
    }
    background.story_outline = outline(file.get(OUTLINE), warnings);
    background.events = events(file.get(EVENTS), warnings);
    background.status_bar = text(file, STATUS_BAR, warnings);
    background.extra = file.clone();
    background.extra.retain(|key, _| !is_known(key) && !RESERVED.contains(&key.as_str()));
    background
}

/// An id that some Fabula gave (a UUID) says nothing here.
fn is_ours(id: &str) -> bool {
    id.is_empty() || uuid::Uuid::try_parse(id).is_ok()
}

fn is_known(key: &str) -> bool {
    [ID, "name", OUTLINE, EVENTS, STATUS_BAR].contains(&key) || TEXTS.iter().any(|field| field.key == key)
}

fn text(file: &Object, key: &str, warnings: &mut Vec<Warning>) -> String {
    match file.get(key) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
        Some(_) => {
            warnings.push(Warning::FieldIgnored { field: key.to_owned() });
            String::new()
        }
    }
}

/// The points in the order of the file, numbered 1, 2, 3 …: progress is told by that number, and seed `000` also takes
/// it as the place in the list.
fn outline(value: Option<&Value>, warnings: &mut Vec<Warning>) -> Vec<OutlinePoint> {
    let ignored = || Warning::FieldIgnored { field: OUTLINE.to_owned() };
    let items = match value {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::String(lines)) => return outline_from_lines(lines),
        Some(Value::Array(items)) => items,
        Some(_) => {
            warnings.push(ignored());
            return Vec::new();
        }
    };
    let mut points = Vec::new();
    let mut renumbered = false;
    for item in items {
        let number = points.len() as u32 + 1;
        let point = match item {
            Value::String(content) => OutlinePoint { index: number, content: content.clone(), ..Default::default() },
            Value::Object(fields) => {
                let mut fields = fields.clone();
                let index = fields.shift_remove("index");
                renumbered |= index.is_some_and(|index| index != number && index != number.to_string().as_str());
                match fields.shift_remove("content") {
                    Some(Value::String(content)) => OutlinePoint { index: number, content, extra: fields },
                    _ => {
                        warnings.push(ignored());
                        continue;
                    }
                }
            }
            _ => {
                warnings.push(ignored());
                continue;
            }
        };
        points.push(point);
    }
    if renumbered {
        warnings.push(Warning::OutlineRenumbered);
    }
    points
}

/// Those that are events of ours; others ride along with the file as it came.
fn events(value: Option<&Value>, warnings: &mut Vec<Warning>) -> Vec<StoryEvent> {
    let items = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let events: Vec<StoryEvent> = items.iter().filter_map(|item| from_value(item.clone()).ok()).collect();
    if events.len() != items.len() || value.is_some_and(|value| !value.is_array() && !value.is_null()) {
        warnings.push(Warning::FieldIgnored { field: EVENTS.to_owned() });
    }
    events
}

fn to_object(background: &Background) -> Object {
    let fresh = background.imported.is_none();
    let mut file = background.imported.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
    let before = &mut read_fields(&file, &mut Vec::new());
    let now = &mut background.clone();

    if fresh {
        file.insert(ID.into(), background.id.as_str().into());
    }
    if fresh || before.name != now.name {
        file.insert("name".into(), now.name.as_str().into());
    }
    for field in &TEXTS {
        let text = (field.of)(now);
        if fresh || (field.of)(before) != text {
            file.insert(field.key.into(), text.as_str().into());
        }
    }
    if fresh || before.story_outline != now.story_outline {
        file.insert(OUTLINE.into(), json!(now.story_outline));
    }
    if before.events != now.events {
        file.insert(EVENTS.into(), json!(now.events));
    }
    if before.status_bar != now.status_bar {
        match now.status_bar.as_str() {
            "" => drop(file.shift_remove(STATUS_BAR)),
            code => drop(file.insert(STATUS_BAR.into(), code.into())),
        }
    }
    file.retain(|key, _| !before.extra.contains_key(key) || now.extra.contains_key(key));
    for (key, value) in std::mem::take(&mut now.extra) {
        if !is_known(&key) && !RESERVED.contains(&key.as_str()) {
            file.insert(key, value);
        }
    }
    file
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::exchange::character::tests::odd_text;

    fn contents(background: &Background) -> Vec<(u32, &str)> {
        background.story_outline.iter().map(|point| (point.index, point.content.as_str())).collect()
    }

    #[test]
    fn the_seeds() {
        let file = json!({"background_id": "bg_wasteland", "name": "废土复仇记", "world_setting": "2087年，核战后50年...",
            "story_outline": [{"index": 1, "content": "发现背叛者的线索"}, {"index": 2, "content": "潜入敌人据点", "must": true}]});
        let (background, warnings) = read(&file.to_string()).unwrap();
        assert_eq!(warnings, []);
        assert_eq!(background.world_setting, "2087年，核战后50年...");
        assert_eq!(contents(&background), [(1, "发现背叛者的线索"), (2, "潜入敌人据点")]);
        assert_eq!(background.story_outline[1].extra["must"], true);
        assert_eq!(serde_json::from_str::<Value>(&write(&background)).unwrap(), file, "out as it came");

        let file = json!({"background_id": "w", "name": "废土世界", "description": "d", "world_rules": "r", "initial_context": "c"});
        let (background, _) = read(&file.to_string()).unwrap();
        assert_eq!([&background.description, &background.world_rules, &background.initial_context], ["d", "r", "c"]);
    }

    #[test]
    fn outlines() {
        let ignored = || Warning::FieldIgnored { field: OUTLINE.into() };
        for (outline, points, expected) in [
            (json!(["a", "b"]), vec![(1, "a"), (2, "b")], vec![]),
            (json!("1. a\n\n2. b"), vec![(1, "a"), (2, "b")], vec![]),
            (json!([{"index": "1", "content": "a"}, {"content": "b"}]), vec![(1, "a"), (2, "b")], vec![]),
            (
                json!([{"index": 0, "content": "a"}, {"index": 1, "content": "b"}]),
                vec![(1, "a"), (2, "b")],
                vec![Warning::OutlineRenumbered],
            ),
            (json!([{"index": 1}, "a", 7]), vec![(1, "a")], vec![ignored(), ignored()]),
            (json!(7), vec![], vec![ignored()]),
        ] {
            let file = json!({"name": "x", "story_outline": outline});
            let (background, warnings) = read(&file.to_string()).unwrap();
            assert_eq!((contents(&background), warnings), (points, expected), "{file}");
            assert_eq!(serde_json::from_str::<Value>(&write(&background)).unwrap(), file);
        }
    }

    #[test]
    fn refused() {
        let other = |found| Refusal::Unrecognised { wanted: Content::Background, found };
        for (text, refusal) in [
            (r#"{"name": "x", "first_mes": "y"}"#, other(Content::Character)),
            (r#"{"spec": "chara_card_v2", "data": {"name": "x", "description": ""}}"#, other(Content::Character)),
            ("7", other(Content::Unknown)),
            ("", Refusal::Truncated),
        ] {
            assert_eq!(read(text).map(|_| ()), Err(refusal), "{text}");
        }
    }

    prop_compose! {
        pub(crate) fn any_background()(name in "[a-zé好🦊]{1,9}", texts in prop::collection::vec(odd_text(), 6), points in prop::collection::vec(odd_text(), 0..4), some in any::<bool>()) -> Background {
            let mut background = Background { name, ..Default::default() };
            for (field, text) in TEXTS.iter().zip(&texts) {
                *(field.of)(&mut background) = text.clone();
            }
            let point = |(at, content)| OutlinePoint { index: at as u32 + 1, content, ..Default::default() };
            background.story_outline = points.into_iter().enumerate().map(point).collect();
            if some { background.status_bar = format!("<b>{}", texts[0]); }
            if some { background.extra.insert(format!("x{}", texts[4]), texts[5].clone().into()); }
            background
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn what_is_written_is_read(background in any_background()) {
            prop_assert_eq!(read(&write(&background)).unwrap(), (background, vec![]));
        }

        #[test]
        fn an_edited_import_is_read_as_it_stands(mut background in any_background(), name in odd_text()) {
            let file = json!({"name": format!("n{name}"), "world_rules": 5, "story_outline": ["a"], "odd": [1]});
            background.imported = read(&file.to_string()).unwrap().0.imported;
            background.extra.insert("odd".into(), json!([1]));
            let again = read(&write(&background)).unwrap().0;
            prop_assert_eq!(&read(&write(&again)).unwrap().0, &again);
            prop_assert_eq!(Background { imported: None, ..again }, Background { imported: None, ..background });
        }
    }

    #[test]
    fn a_status_bar_comes_back_as_it_went() {
        let mut background =
            Background { name: "边境".into(), status_bar: "<b>金币</b>".into(), ..Default::default() };
        assert_eq!(read(&write(&background)).unwrap(), (background.clone(), vec![]));
        let foreign = json!({"name": "x", "story_outline": [], "status_bar": "<i>", "odd": 1}).to_string();
        background = read(&foreign).unwrap().0;
        assert_eq!((background.status_bar.as_str(), background.imported.is_some()), ("<i>", true));
        background.status_bar.clear();
        assert_eq!(read(&write(&background)).unwrap().0.status_bar, "", "what was taken out stays out");
        let odd = json!({"name": "x", "story_outline": [], "status_bar": {"html": "<i>"}}).to_string();
        let (odd, warnings) = read(&odd).unwrap();
        assert_eq!(warnings, [Warning::FieldIgnored { field: STATUS_BAR.into() }]);
        assert!(write(&odd).contains("\"html\""), "it rides along as it came");
    }

    #[test]
    fn events_come_back_as_they_went() {
        let event = StoryEvent { id: "e".into(), name: "猎人".into(), when: "turn > 3".into(), ..Default::default() };
        let background = Background { name: "边境".into(), events: vec![event], ..Default::default() };
        let (back, warnings) = read(&write(&background)).unwrap();
        assert_eq!((back.events, warnings, back.imported), (background.events, vec![], None));
        let foreign = json!({"name": "x", "story_outline": [], "events": [3, {"id": "e"}]}).to_string();
        let (read, warnings) = read(&foreign).unwrap();
        assert_eq!(read.events.len(), 1);
        assert_eq!(warnings, [Warning::FieldIgnored { field: EVENTS.into() }]);
        assert!(read.imported.is_some(), "it rides along as it came");
    }
}
