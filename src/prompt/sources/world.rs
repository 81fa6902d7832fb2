//! The world of the background, and its state.

use serde_json::Value;

use super::{join, section};
use crate::{
    prompt::draft::Draft,
    story::{background::Background, event, storyline::Language},
};

fn field(draft: &mut Draft, field: fn(&Background) -> &str) -> String {
    let Some(background) = draft.scene.background else { return String::new() };
    draft.source_text(field(background).trim())
}

pub fn setting(draft: &mut Draft) -> String {
    field(draft, |background| &background.world_setting)
}

pub fn rules(draft: &mut Draft) -> String {
    field(draft, |background| &background.world_rules)
}

pub fn initial_context(draft: &mut Draft) -> String {
    field(draft, |background| &background.initial_context)
}

/// What the world is: the description of seed `001`, the setting of seed `000`, or both.
pub fn description(draft: &mut Draft) -> String {
    join([field(draft, |background| &background.description), setting(draft)])
}

/// Description and rules under their headings.
pub fn background(draft: &mut Draft) -> String {
    let (world, law) = match draft.language() {
        Language::Zh => ("背景设定", "世界规则"),
        Language::En => ("World", "Rules of the world"),
    };
    join([section(world, &description(draft)), section(law, &rules(draft))])
}

/// Description and rules in a row.
pub fn world(draft: &mut Draft) -> String {
    let law = match draft.language() {
        Language::Zh => "世界规则：",
        Language::En => "Rules: ",
    };
    let rules = match rules(draft) {
        rules if rules.is_empty() => rules,
        rules => format!("{law}{rules}"),
    };
    join([description(draft), rules])
}

/// Key-values (seed `003`), a line each, in the order in which they came.
pub fn state(draft: &mut Draft) -> String {
    let lines = draft.scene.state.world.iter().map(|(key, value)| match value {
        Value::String(text) => format!("{key}: {text}"),
        other => format!("{key}: {other}"),
    });
    draft.with_names(&lines.collect::<Vec<_>>().join("\n"))
}

/// The events that are active, one a piece.
pub fn events(draft: &mut Draft) -> Vec<String> {
    let of_background = draft.scene.background.map_or(&[][..], |background| &background.events);
    let events = draft.scene.storyline.events(of_background);
    let told = event::told(&events, &draft.scene.state.events, draft.language());
    told.into_iter().map(|text| draft.source_text(&text)).collect()
}
