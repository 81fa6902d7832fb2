//! The fields of the character's card, and the reader's own description.

use super::{is_place, join, note::Place, of, section};
use crate::{
    prompt::draft::Draft,
    story::{
        preset::Role,
        reader_persona::{ReaderPersona, Stands},
        storyline::Language,
    },
};

/// Who the character is by now, under headings: card and core, and what the story has made of them.
pub fn character(draft: &mut Draft) -> String {
    let [title, personality_, core, evolved, growth, current] = match draft.language() {
        Language::Zh => ["角色：", "性格", "核心身份（不变）", "成长", "信念、习惯与关系", "当前状态"],
        Language::En => [
            "Character: ",
            "Personality",
            "Core identity (immutable)",
            "Growth",
            "Beliefs, habits and ties",
            "Current state",
        ],
    };
    let title = format!("{title}{}", draft.scene.character.name);
    let who = match description(draft) {
        nothing if nothing.trim().is_empty() => of(draft, "base_persona"),
        description => description,
    };
    join([
        section(&title, &who),
        section(personality_, &personality(draft)),
        section(core, &of(draft, "core_identity")),
        section(evolved, &of(draft, "evolved_persona")),
        section(growth, &of(draft, "growth_state")),
        section(current, &of(draft, "current_state")),
    ])
}

pub fn description(draft: &mut Draft) -> String {
    draft.source_text(&draft.scene.character.card.description)
}

pub fn personality(draft: &mut Draft) -> String {
    draft.source_text(&draft.scene.character.card.personality)
}

pub fn scenario(draft: &mut Draft) -> String {
    draft.source_text(&draft.scene.character.card.scenario)
}

pub fn post_history(draft: &mut Draft) -> String {
    draft.source_text(&draft.scene.character.card.post_history_instructions)
}

/// Who the reader plays. Where it places itself it says whom it speaks of.
pub fn persona_description(draft: &mut Draft) -> String {
    let scene = draft.scene;
    let told = match scene.plays_as {
        Some(persona) if persona.stands() == Stands::Nowhere => "",
        Some(persona) => &persona.description,
        None => scene.storyline.extra.get("user_persona").and_then(|text| text.as_str()).unwrap_or_default(),
    };
    let told = draft.source_text(told);
    if scene.preset.blocks.iter().any(|block| scene.tells(block) && is_place(block, "persona_description")) {
        return told;
    }
    let reader = scene.storyline.reader().told().plain;
    let title = match draft.language() {
        Language::Zh => format!("{reader}（用户扮演的人物）"),
        Language::En => format!("{reader}, whom the user plays"),
    };
    section(&title, &told)
}

/// Where that stands without a block.
pub fn persona_place(draft: &Draft) -> Place {
    match draft.scene.plays_as.map(ReaderPersona::stands) {
        Some(Stands::Chat(depth, role)) => Place::Chat(depth, role),
        Some(Stands::Nowhere) => Place::Nowhere,
        Some(Stands::Prompt) | None => Place::Prompt(Role::System),
    }
}

/// The example dialogues under a heading, which the first of them carries.
pub fn examples(draft: &mut Draft) -> Vec<String> {
    let title = match draft.language() {
        Language::Zh => "对话示例",
        Language::En => "Example dialogue",
    };
    let mut blocks = example_blocks(draft);
    if let Some(first) = blocks.first_mut() {
        *first = section(title, first);
    }
    blocks
}

/// The example dialogues, cut at each `<START>`.
pub fn example_blocks(draft: &mut Draft) -> Vec<String> {
    const START: &str = "<start>";
    let text = &draft.scene.character.card.mes_example;
    let lower = text.to_ascii_lowercase();
    let mut blocks = Vec::new();
    let mut from = 0;
    for (at, _) in lower.match_indices(START).chain([(text.len(), "")]) {
        blocks.push(draft.source_text(text[from..at].trim()));
        from = at + START.len();
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}
