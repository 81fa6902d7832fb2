//! The three layers of seed `001` and the two texts of seed `000`.

use serde_json::Value;

use super::{items, join};
use crate::{
    prompt::{Scene, draft::Draft},
    reply::progress,
    story::{
        state::{CoreIdentity, CurrentState, GrowthState},
        storyline::Language,
    },
};

pub(super) fn core<'a>(scene: &'a Scene<'a>) -> &'a CoreIdentity {
    &scene.state.persona.core_identity
}

/// Who the character is, in prose; what the card says where the story has no text of its own.
pub fn base_persona(draft: &mut Draft) -> String {
    let own = &draft.scene.state.persona.base_persona;
    let card = &draft.scene.character.card.description;
    draft.source_text(if own.trim().is_empty() { card } else { own })
}

/// Written by a model: not expanded.
pub fn evolved_persona(draft: &mut Draft) -> String {
    progress::without(&draft.scene.state.persona.evolved_persona).into_owned()
}

pub fn core_identity(draft: &mut Draft) -> String {
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

pub fn core_traits(draft: &mut Draft) -> String {
    let comma = match draft.language() {
        Language::Zh => "、",
        Language::En => ", ",
    };
    core(draft.scene).core_traits.join(comma)
}

/// What made the character; who it is, where nobody wrote that (an imported card).
pub fn background_story(draft: &mut Draft) -> String {
    match core(draft.scene).background_story.trim() {
        "" => base_persona(draft),
        story => draft.source_text(story),
    }
}

fn growth<'a>(draft: &Draft<'a>) -> &'a GrowthState {
    &draft.scene.state.persona.growth_state
}

fn current<'a>(draft: &Draft<'a>) -> &'a CurrentState {
    &draft.scene.state.persona.current_state
}

pub fn beliefs(draft: &mut Draft) -> String {
    lines(&growth(draft).beliefs, items::belief, draft.language())
}

pub fn behavioral_patterns(draft: &mut Draft) -> String {
    lines(&growth(draft).behavioral_patterns, items::pattern, draft.language())
}

pub fn relationships(draft: &mut Draft) -> String {
    lines(&growth(draft).relationships, items::relationship, draft.language())
}

pub fn emotions(draft: &mut Draft) -> String {
    in_a_row(&current(draft).emotions, items::emotion, draft.language())
}

pub fn physical(draft: &mut Draft) -> String {
    items::condition(&current(draft).physical).to_owned()
}

pub fn immediate_goals(draft: &mut Draft) -> String {
    in_a_row(&current(draft).immediate_goals, items::goal, draft.language())
}

/// What there is of the second layer, under names.
pub fn growth_state(draft: &mut Draft) -> String {
    let names = match draft.language() {
        Language::Zh => ["信念：", "行为模式：", "人际关系："],
        Language::En => ["Beliefs:", "Behavioral patterns:", "Relationships:"],
    };
    let lists = [beliefs(draft), behavioral_patterns(draft), relationships(draft)];
    join(named(names, lists, "\n"))
}

/// What there is of the third layer, under names.
pub fn current_state(draft: &mut Draft) -> String {
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

type Say = fn(&Value, Language) -> String;

/// One item a line.
fn lines(list: &[Value], say: Say, language: Language) -> String {
    let lines: Vec<_> = said(list, say, language).map(|text| format!("- {text}")).collect();
    lines.join("\n")
}

/// All on one line.
fn in_a_row(list: &[Value], say: Say, language: Language) -> String {
    let gap = match language {
        Language::Zh => "；",
        Language::En => "; ",
    };
    said(list, say, language).collect::<Vec<_>>().join(gap)
}

fn said(list: &[Value], say: Say, language: Language) -> impl Iterator<Item = String> {
    list.iter().map(move |item| say(item, language)).filter(|text| !text.is_empty())
}
