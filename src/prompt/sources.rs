//! Sources: each draws one thing out of the scene for the prompt. The framework decides where it goes.

use super::{Scene, macros::Values};
use crate::story::{background::Background, preset::Role, state::CoreIdentity, storyline::Language, tree::Node};

/// What a source gives to a marker of its name.
pub struct Source {
    /// The marker that it fills.
    pub name: &'static str,
    /// Its text, macros not yet expanded; empty = the block falls away.
    pub text: fn(&Scene) -> String,
}

/// All sources but history, which gives messages and takes what is left of the budget.
pub const REGISTRY: &[Source] = &[
    Source { name: "background", text: background },
    Source { name: "character", text: character },
    Source { name: "scenario", text: |scene| scene.character.card.scenario.clone() },
    Source { name: "examples", text: examples },
    Source { name: "post_history", text: |scene| scene.character.card.post_history_instructions.clone() },
];

/// The marker of the history.
pub const HISTORY: &str = "history";

pub fn find(name: &str) -> Option<&'static Source> {
    REGISTRY.iter().find(|source| source.name == name)
}

/// The values of this scene's macros.
pub fn values<'a>(scene: &'a Scene, original: &'a str) -> Values<'a> {
    let user = match (scene.storyline.user_name.as_str(), scene.storyline.language) {
        ("", Language::Zh) => "你",
        ("", Language::En) => "You",
        (name, _) => name,
    };
    Values { char: &scene.character.name, user, original }
}

fn background(scene: &Scene) -> String {
    let Some(Background { description, world_setting, world_rules, .. }) = scene.background else {
        return String::new();
    };
    let (world, rules) = match scene.storyline.language {
        Language::Zh => ("背景设定", "世界规则"),
        Language::En => ("World", "Rules of the world"),
    };
    let setting = join([description.trim(), world_setting.trim()]);
    join([section(world, &setting), section(rules, world_rules)])
}

fn character(scene: &Scene) -> String {
    let card = &scene.character.card;
    let (title, personality, core) = match scene.storyline.language {
        Language::Zh => ("角色：{{char}}", "性格", "核心身份（不变）"),
        Language::En => ("Character: {{char}}", "Personality", "Core identity (immutable)"),
    };
    join([
        section(title, &card.description),
        section(personality, &card.personality),
        section(core, &core_identity(&scene.state.persona.core_identity, scene.storyline.language)),
    ])
}

fn core_identity(core: &CoreIdentity, language: Language) -> String {
    let traits = core.core_traits.join(match language {
        Language::Zh => "、",
        Language::En => ", ",
    });
    let names = match language {
        Language::Zh => ["原型：", "核心目标：", "核心特质：", "背景故事："],
        Language::En => ["Archetype: ", "Core goal: ", "Core traits: ", "Background story: "],
    };
    let values = [&core.archetype, &core.core_goal, &traits, &core.background_story];
    let lines: Vec<_> = names
        .iter()
        .zip(values)
        .filter(|(_, value)| !value.trim().is_empty())
        .map(|(name, value)| format!("{name}{}", value.trim()))
        .collect();
    lines.join("\n")
}

fn examples(scene: &Scene) -> String {
    let text = scene.character.card.mes_example.replace("<START>", "").replace("<start>", "");
    let title = match scene.storyline.language {
        Language::Zh => "对话示例",
        Language::En => "Example dialogue",
    };
    section(title, &text)
}

/// `## title` and text; nothing where the text is blank.
fn section(title: &str, text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("## {title}\n{text}"),
    }
}

fn join<S: AsRef<str>>(parts: impl IntoIterator<Item = S>) -> String {
    let mut joined = String::new();
    for part in parts.into_iter().filter(|part| !part.as_ref().is_empty()) {
        if !joined.is_empty() {
            joined.push_str("\n\n");
        }
        joined.push_str(part.as_ref());
    }
    joined
}

/// The messages of one turn: the reader's words, then the reply that is seen. A reply that is an error or empty says
/// nothing; one that broke off says what came.
pub fn messages_of(node: &Node) -> Vec<(Role, &str)> {
    let user = node.turn.user.as_deref().map(|text| (Role::User, text));
    let reply = node.reply().map(|generation| (Role::Assistant, generation.text.as_str()));
    user.into_iter().chain(reply).filter(|(_, text)| !text.trim().is_empty()).collect()
}
