//! What a scribe is asked, and what it may answer.

use serde_json::json;

use super::{
    request::{Parts, Request, shape},
    *,
};
use crate::{
    features::{Absorbed, reading::read_note, summary},
    prompt::{
        builtin::plain,
        samples::{Sample, imported},
        tokens::estimate,
    },
    story::{plot::PointStatus, storyline::Language},
};

fn with(sample: &Sample, features: &[&str]) -> Preset {
    let mut preset = plain(sample.storyline.language);
    preset.features = Features::default();
    features.iter().for_each(|feature| preset.features.switch(feature, true));
    preset
}

fn asked(sample: &Sample, features: &[&str]) -> String {
    let preset = with(sample, features);
    let reader = sample.storyline.reader();
    let turns: Vec<_> = sample.history.iter().map(|node| summary::told(node, &sample.character.name, reader)).collect();
    Request::new(&sample.scene(&preset)).about(&turns).remove(0).content
}

const ALL: [&str; 3] = ["persona", "director", "world"];

#[test]
fn whole_requests() {
    for language in [Language::Zh, Language::En] {
        let named = imported(language);
        let mut bare = imported(language).unnamed();
        bare.background = None;
        bare.state = Default::default();
        let cases =
            [("named", asked(&named, &ALL)), ("unnamed", asked(&bare, &ALL)), ("plot", asked(&named, &["director"]))];
        for (name, asked) in cases {
            insta::assert_snapshot!(format!("scribe_{name}_{language:?}"), asked);
        }
    }
}

/// However long the story, what the scribe is told to do is short.
#[test]
fn what_it_is_told_to_do_is_short() {
    for language in [Language::Zh, Language::En] {
        let mut sample = imported(language);
        let told = asked(&sample, &ALL);
        let (bare, full) = (Sample { state: Default::default(), ..sample.clone() }, &sample);
        assert!(estimate(&asked(&bare, &ALL)) < estimate(&asked(full, &ALL)), "the state is in it");
        sample.history = std::iter::repeat_n(sample.history.clone(), 200).flatten().collect();
        let long = asked(&sample, &ALL);
        assert_eq!(long.lines().last(), told.lines().last());
        let instructions = match language {
            Language::Zh => include_str!("scribe.zh.md"),
            Language::En => include_str!("scribe.en.md"),
        };
        // The signs of JSON, each for itself, are dearer to the estimate than to a vocabulary.
        assert!(estimate(instructions) <= 410, "{}", estimate(instructions));
    }
}

#[test]
fn what_it_may_answer() {
    let check = |text: &str, items: usize, plot: Option<(u32, PointStatus)>, world: &[&str]| {
        let Absorbed { progress, update, world: ops, unreadable, .. } = read_note(text);
        let keys: Vec<_> = ops.iter().map(|op| op.said().0).collect();
        let found = update.map_or(0, |update| update.items.len());
        assert_eq!((found, progress, keys.as_slice(), unreadable), (items, plot, world, None), "{text}");
    };
    let done = Some((2, PointStatus::Completed));
    let object = json!({
        "current_state": {"emotions": [{"content": "weary", "context": "the march"}], "physical": {"condition": ""}, "immediate_goals": []},
        "growth_state": {"beliefs": [], "behavioral_patterns": [], "relationships": [{"entity": "", "status": "", "history": ""}]},
        "major_event": "",
        "progress": {"point": 2, "status": "completed"},
        "world": [{"key": "lamp", "value": "lit"}, {"key": "", "value": ""}],
    });
    check(&object.to_string(), 1, done, &["lamp"]);
    assert_eq!(read_note(&object.to_string()).notices, [], "what is empty is no news");
    check(&format!("Here is the note:\n```json\n{object:#}\n```"), 1, done, &["lamp"]);
    check(
        &json!({"progress": "2: completed", "world": {"set": {"lamp": "lit"}, "add": {"gold": 5}}}).to_string(),
        0,
        done,
        &["lamp", "gold"],
    );
    check(r#"{"progress": {"point": 0, "status": "pending"}}"#, 0, None, &[]);
    check("feels: weary\nplot 2: completed\nworld lamp: lit", 1, done, &["lamp"]);
    check("<changes>\nfeels: weary\n</changes>", 1, None, &[]);
    check("<think>hm {</think><changes>\nfeels: weary\n</changes>", 1, None, &[]);
    check("{}", 0, None, &[]);
    // As models write what they were asked for in another shape.
    check(r#"{"note": {"current_state": {"emotions": ["weary"]}, "progress": "2: completed"}}"#, 1, done, &[]);
    let wrapped =
        json!({"state_update": {"progress": [{"point": "第2点", "status": "已完成"}], "world": {"lamp": "lit"}}});
    check(&wrapped.to_string(), 0, done, &["lamp"]);
    check(r#"{"world": {"key": "lamp", "value": "lit"}}"#, 0, None, &["lamp"]);
    check(r#"{"world": [{"lamp": "lit"}, {"name": "gold", "value": 5}]}"#, 0, None, &["lamp", "gold"]);
    check(r#"{"world": [{"set": {"lamp": "lit"}}, {"add": {"gold": 5}}]}"#, 0, None, &["lamp", "gold"]);
    check(r#"{"world": {"set": [{"key": "gold", "value": 5}]}}"#, 0, None, &["gold"]);
    check("<state_update>[{\"key\": \"gold\", \"value\": 5}]</state_update>", 0, None, &["gold"]);
    // Words for nothing are none.
    let nothing = json!({
        "current_state": {"emotions": ["none"], "physical": {"condition": "无"}, "immediate_goals": [{"goal": "None."}]},
        "growth_state": {"relationships": [{"entity": "无", "status": "无"}]},
        "major_event": "none",
    });
    check(&nothing.to_string(), 0, None, &[]);
    for none in ["none", "无", "No", "false", "没有"] {
        let note = json!({"current_state": {"emotions": ["weary"]}, "major_event": none});
        assert_eq!(read_note(&note.to_string()).update.unwrap().major_event, None, "{none}");
    }
    check("无变化", 0, None, &[]);
    for useless in ["I'm sorry, but I can't help with that.", "抱歉，我不能这样做。", "{\"current_state\": oh no"]
    {
        assert!(read_note(useless).unreadable.is_some() || read_note(useless).update.is_none(), "{useless}");
    }
    assert!(read_note("I'm sorry, but I can't help with that.").unreadable.is_some());
}

/// Each object of the shape names all of its fields as required and takes no others, and what is empty in it says nothing.
#[test]
fn the_shape_is_a_strict_one() {
    fn look(schema: &serde_json::Value) -> usize {
        if schema["type"] == "array" {
            return look(&schema["items"]);
        }
        let Some(fields) = schema["properties"].as_object() else { return 0 };
        let names: Vec<_> = fields.keys().map(String::as_str).collect();
        assert_eq!((&schema["required"], &schema["additionalProperties"]), (&json!(names), &json!(false)));
        1 + fields.values().map(look).sum::<usize>()
    }
    let sample = imported(Language::En);
    for (features, objects, fields) in [
        (&ALL[..], 11, vec!["current_state", "growth_state", "major_event", "progress", "world"]),
        (&["director"], 2, vec!["progress"]),
        (&["world"], 2, vec!["world"]),
        (&[], 1, vec![]),
    ] {
        let preset = with(&sample, features);
        let parts = Parts::of(&sample.scene(&preset));
        assert_eq!(parts.is_none(), features.is_empty());
        let shape = shape(parts);
        assert_eq!(look(&shape.schema), objects, "{features:?}");
        assert_eq!(shape.schema["required"], json!(fields));
    }
}

/// Where a scribe notes what changes, the story's model is asked for none of it.
#[test]
fn the_storys_model_writes_prose_alone() {
    let mut sample = imported(Language::En);
    let preset = with(&sample, &ALL);
    let told = |sample: &Sample| {
        let scene = sample.scene(&preset);
        crate::prompt::sources::of(&mut crate::prompt::draft::Draft::new(&scene), "changes")
    };
    assert!(told(&sample).contains("feels:"));
    sample.storyline.features.switch(NAME, true);
    assert_eq!(told(&sample), "");
    sample.storyline.demo = true;
    assert!(told(&sample).contains("feels:"), "a demo's replies are written beforehand");
}
