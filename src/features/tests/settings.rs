//! What is on, and with which settings.

use super::*;
use crate::{
    features::{
        director::DirectorSettings,
        events::EventsSettings,
        persona::PersonaSettings,
        recall::{RecallPolicy, RecallSettings},
    },
    store::from_value,
    story::{features::Settings, ids::PresetId},
};

/// Lore is on wherever a book hangs; texts that were written stay, whether or not more are.
const ALWAYS: [&str; 4] = [lore::NAME, "sheet", "plot_summary", recap::NAME];

#[test]
fn the_preset_decides_until_the_reader_does() {
    let on = |story: &Storyline, preset: &Preset| -> Vec<&str> {
        let names = enabled(story, preset, &[]);
        names.iter().map(|module| module.name()).filter(|name| !ALWAYS.contains(name)).collect()
    };
    let recall = |story: &Storyline, preset: &Preset| -> RecallSettings { story.settings(preset) };
    let mut story = Storyline { preset: PresetId::from("any"), ..Default::default() };
    assert_eq!(on(&story, &Preset::default()), [""; 0]);
    assert_eq!(recall(&story, &Preset::default()).limit, 5);
    assert!(serde_json::to_value(&story).unwrap().get("modules").is_none());
    let declared = json!({"director": {"enabled": true}, "recall": {"policy": "asked", "limit": 20}});
    let preset = Preset { features: from_value(declared).unwrap(), ..Default::default() };
    assert_eq!(on(&story, &preset), ["director"]);
    assert_eq!((recall(&story, &preset).policy, recall(&story, &preset).limit), (RecallPolicy::Asked, 20));
    story.features.set(&DirectorSettings::default());
    assert_eq!(on(&story, &preset), [""; 0]);
    let set = json!({"preset": "plain", "modules": {"persona": {"enabled": true, "growth": "ask"}, "later": 1}});
    let story: Storyline = from_value(set).unwrap();
    assert_eq!(story.settings::<PersonaSettings>(&preset).growth, GrowthPolicy::Ask);
    assert_eq!(on(&story, &preset), ["director", "persona"]);
    assert_eq!(serde_json::to_value(&story).unwrap()["modules"]["later"], 1);
}

/// Of the events, those of the background, in their order, and then its own.
#[test]
fn events_are_those_of_the_background_and_its_own() {
    let events = |ids: &[&str]| -> Vec<StoryEvent> {
        ids.iter().map(|id| StoryEvent { id: (*id).into(), ..Default::default() }).collect()
    };
    let mut story = Storyline::default();
    assert_eq!(events::of(&story, &events(&["a", "b"])), events(&["a", "b"]));
    let mut settings = EventsSettings { own: events(&["c", "d"]), ..Default::default() };
    for (id, on) in [("a", false), ("a", false), ("d", false), ("d", true), ("gone", false)] {
        settings.switch(id, on);
    }
    story.features.set(&settings);
    assert_eq!(events::of(&story, &events(&["a", "b"])), events(&["b", "c", "d"]));
}

/// What one feature is told cannot be read: the story is there, and all else holds.
#[test]
fn settings_that_cannot_be_read_cost_themselves_alone() {
    let broken = json!({"director": {"enabled": true}, "persona": {"enabled": true, "growth": 7}, "world": "on"});
    let story: Storyline = from_value(json!({"id": "s", "title": "Ash", "modules": broken})).unwrap();
    let modules = enabled(&story, &Preset::default(), &[]);
    assert_eq!(
        modules.iter().map(|module| module.name()).collect::<Vec<_>>(),
        ["director", "persona", "sheet", "plot_summary", recap::NAME, "lore"]
    );
    assert_eq!(serde_json::to_value(&story).unwrap()["modules"], broken);
}

/// Two features of one name would share their settings, two sources of one name a marker.
#[test]
fn names_are_taken_once() {
    let once = |mut names: Vec<&'static str>| {
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{names:?}");
    };
    once(ALL.iter().map(|feature| feature.name()).collect());
    let sources = sources().into_iter().chain([crate::prompt::sources::REGISTRY]).flatten();
    once(sources.map(|source| source.name).collect());
    assert_eq!([PersonaSettings::NAME, RecallSettings::NAME], [persona::NAME, recall::NAME]);
}
