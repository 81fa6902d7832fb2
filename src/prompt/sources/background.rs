//! The world of the background.

use super::{join, section};
use crate::{
    prompt::draft::Draft,
    story::{background::Background, storyline::Language},
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
