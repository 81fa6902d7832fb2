//! The three layers of seed `001` and the two texts of seed `000`.

use serde_json::Value;

use super::{items, told};
use crate::{
    prompt::{
        Scene,
        draft::Draft,
        sources::{Give::Text, Source, is_place, join},
    },
    reply::progress,
    story::{
        preset::Block,
        state::{CoreIdentity, CurrentState},
        storyline::Language,
    },
};

pub(super) const ALL: &[Source] = &[
    Source { name: "base_persona", title: ["初始人格", "Base persona"], give: Text(base_persona) },
    Source { name: "evolved_persona", title: ["成长人格", "Evolved persona"], give: Text(evolved_persona) },
    Source { name: "core_identity", title: ["核心层", "Core layer"], give: Text(core_identity) },
    Source {
        name: "archetype",
        title: ["原型", "Archetype"],
        give: Text(|draft| draft.source_text(&core(draft.scene).archetype)),
    },
    Source {
        name: "core_goal",
        title: ["核心目标", "Core goal"],
        give: Text(|draft| draft.source_text(&core(draft.scene).core_goal)),
    },
    Source { name: "core_traits", title: ["核心特质", "Core traits"], give: Text(core_traits) },
    Source { name: "background_story", title: ["背景故事", "Background story"], give: Text(background_story) },
    Source { name: "growth_state", title: ["成长层", "Growth layer"], give: Text(growth_state) },
    Source { name: "beliefs", title: ["信念", "Beliefs"], give: Text(beliefs) },
    Source {
        name: "behavioral_patterns",
        title: ["行为模式", "Behavioural patterns"],
        give: Text(behavioral_patterns),
    },
    Source { name: "relationships", title: ["关系", "Relationships"], give: Text(relationships) },
    Source { name: "current_state", title: ["当前层", "Current layer"], give: Text(current_state) },
    Source { name: "emotions", title: ["情绪", "Emotions"], give: Text(emotions) },
    Source { name: "physical", title: ["身体状况", "Physical condition"], give: Text(physical) },
    Source { name: "immediate_goals", title: ["眼前目标", "Immediate goals"], give: Text(immediate_goals) },
];

fn core<'a>(scene: &'a Scene<'a>) -> &'a CoreIdentity {
    &scene.persona().core_identity
}

/// Who the character is, in prose; what the card says where the story has no text of its own.
fn base_persona(draft: &mut Draft) -> String {
    let own = &draft.scene.persona().base_persona;
    let card = &draft.scene.character.card.description;
    draft.source_text(if own.trim().is_empty() { card } else { own })
}

/// Written by a model, which may have the names as a card writes them.
fn evolved_persona(draft: &mut Draft) -> String {
    draft.with_names(&progress::without(&draft.scene.persona().evolved_persona))
}

fn core_identity(draft: &mut Draft) -> String {
    let core = core(draft.scene);
    let names = match draft.language() {
        Language::Zh => ["原型：", "核心目标：", "核心特质：", "背景故事："],
        Language::En => ["Archetype: ", "Core goal: ", "Core traits: ", "Background story: "],
    };
    let traits = core_traits(draft);
    let values = [&core.archetype, &core.core_goal, &traits, &core.background_story];
    let lines: Vec<_> = names
        .iter()
        .zip(values)
        .filter(|(_, value)| !value.trim().is_empty())
        .map(|(name, value)| format!("{name}{}", draft.source_text(value.trim())))
        .collect();
    lines.join("\n")
}

fn core_traits(draft: &mut Draft) -> String {
    let comma = match draft.language() {
        Language::Zh => "、",
        Language::En => ", ",
    };
    core(draft.scene).core_traits.join(comma)
}

/// What made the character, after who it is where no block of the preset says that.
fn background_story(draft: &mut Draft) -> String {
    let says_who = |block: &Block| ["base_persona", "description", "character"].iter().any(|who| is_place(block, who));
    let is_said = draft.scene.preset.blocks.iter().any(|block| block.enabled && says_who(block));
    let who = if is_said { String::new() } else { base_persona(draft) };
    let story = draft.source_text(&core(draft.scene).background_story);
    join([who, story])
}

fn current<'a>(draft: &Draft<'a>) -> &'a CurrentState {
    &draft.scene.persona().current_state
}

fn beliefs(draft: &mut Draft) -> String {
    let [beliefs, ..] = told::growth(draft);
    lines(&beliefs)
}

fn behavioral_patterns(draft: &mut Draft) -> String {
    let [_, patterns, _] = told::growth(draft);
    lines(&patterns)
}

fn relationships(draft: &mut Draft) -> String {
    let [.., relationships] = told::growth(draft);
    lines(&relationships)
}

fn emotions(draft: &mut Draft) -> String {
    in_a_row(draft, &current(draft).emotions, items::emotion)
}

fn physical(draft: &mut Draft) -> String {
    draft.with_names(items::condition(&current(draft).physical))
}

fn immediate_goals(draft: &mut Draft) -> String {
    in_a_row(draft, &current(draft).immediate_goals, items::goal)
}

/// What there is of the second layer, under names.
fn growth_state(draft: &mut Draft) -> String {
    let names = match draft.language() {
        Language::Zh => ["信念：", "行为模式：", "人际关系："],
        Language::En => ["Beliefs:", "Behavioral patterns:", "Relationships:"],
    };
    let lists = told::growth(draft).map(|list| lines(&list));
    join(named(names, lists, "\n"))
}

/// What there is of the third layer, under names.
fn current_state(draft: &mut Draft) -> String {
    let (names, gap) = match draft.language() {
        Language::Zh => (["情绪：", "身体状况：", "眼前目标："], ""),
        Language::En => (["Emotions:", "Physical condition:", "Immediate goals:"], " "),
    };
    let texts = [emotions(draft), physical(draft), immediate_goals(draft)];
    named(names, texts, gap).collect::<Vec<_>>().join("\n")
}

fn named(names: [&'static str; 3], texts: [String; 3], gap: &'static str) -> impl Iterator<Item = String> {
    names
        .into_iter()
        .zip(texts)
        .filter(|(_, text)| !text.is_empty())
        .map(move |(name, text)| format!("{name}{gap}{text}"))
}

/// One item a line.
fn lines(list: &[String]) -> String {
    let lines: Vec<_> = list.iter().map(|text| format!("- {text}")).collect();
    lines.join("\n")
}

/// All on one line.
fn in_a_row(draft: &Draft, list: &[Value], say: fn(&Value, Language) -> String) -> String {
    let language = draft.language();
    let gap = match language {
        Language::Zh => "；",
        Language::En => "; ",
    };
    let said = list.iter().map(|item| draft.with_names(&say(item, language)));
    said.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(gap)
}
