//! The fields of the character's card, and the reader's own description.

use super::{is_place, join, note::Place, of, section};
use crate::{
    prompt::draft::Draft,
    story::{
        preset::{Block, Role},
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
    draft.about_text(&draft.scene.character.card.post_history_instructions)
}

/// Who the reader plays, as they wrote it.
pub fn persona(draft: &mut Draft) -> String {
    let scene = draft.scene;
    let own = || scene.storyline.extra.get("user_persona").and_then(|text| text.as_str());
    draft.source_text(scene.plays_as.map(|persona| persona.description.as_str()).or_else(own).unwrap_or_default())
}

/// The same for the marker of a preset; a persona that stands elsewhere does not stand there.
pub fn persona_in_prompt(draft: &mut Draft) -> String {
    if stands(draft) == Stands::Prompt { persona(draft) } else { String::new() }
}

/// The same where nothing of the preset tells it, and it has to say whom it speaks of.
pub fn persona_by_itself(draft: &mut Draft) -> String {
    let is_told = |block: &Block| is_place(block, "persona_description") || is_place(block, "persona");
    if stands(draft) == Stands::Prompt && draft.scene.preset.blocks.iter().any(is_told) {
        return String::new();
    }
    let reader = draft.scene.storyline.reader().told().opening;
    let title = match draft.language() {
        Language::Zh => format!("{reader}（用户扮演的人物）"),
        Language::En => format!("{reader}, whom the user plays"),
    };
    section(&title, &persona(draft))
}

/// Where that stands.
pub fn persona_place(draft: &Draft) -> Place {
    match stands(draft) {
        Stands::Chat(depth, role) => Place::Chat(depth, role),
        Stands::Nowhere => Place::Nowhere,
        Stands::Prompt => Place::Prompt(Role::System),
    }
}

fn stands(draft: &Draft) -> Stands {
    draft.scene.plays_as.map_or(Stands::Prompt, ReaderPersona::stands)
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
