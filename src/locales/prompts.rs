//! What stands in an account of a prompt as a code, in the reader's language.

use super::Language;

/// Why a block is in the prompt (`story::account`). Those of single entries: [`super::memory::because`].
pub fn why(code: &str, language: Language) -> &str {
    let words = match code {
        "preset" => Some(["预设自己的文字", "the preset's own text"]),
        "card" => Some(["角色卡替换了预设的文字", "the character's card takes the place of the preset's text"]),
        "source" => Some(["预设在这里放了这个来源", "the preset places this source here"]),
        "store" => Some(["这一轮由模块放入", "put in by a module for this turn"]),
        "story" => Some(["由故事或角色卡放入", "placed by the story or the card"]),
        "answered" => Some(["预设里没有它的位置，补上才能得到回复", "no block holds it, and a reply needs it"]),
        _ => None,
    };
    words.map_or(code, |[zh, en]| language.pick(zh, en))
}

/// Markers that a preset may hold: their names, and the same in both languages.
pub const SOURCES: &[(&str, [&str; 2])] = &[
    ("history", ["对话历史", "Chat history"]),
    ("input", ["本轮的话", "The words to answer"]),
    ("character", ["角色（全部）", "Character (all of it)"]),
    ("description", ["角色描述", "Character description"]),
    ("personality", ["性格", "Personality"]),
    ("scenario", ["情境", "Scenario"]),
    ("examples", ["对话示例", "Example dialogue"]),
    ("mes_example", ["对话示例（原样）", "Example dialogue (as written)"]),
    ("post_history", ["角色卡的历史后指令", "The card's post-history instructions"]),
    ("reader", ["读者是谁", "Who the reader is"]),
    ("persona_description", ["读者的角色", "The reader's persona"]),
    ("base_persona", ["基础人格", "Base persona"]),
    ("evolved_persona", ["演化人格", "Evolved persona"]),
    ("core_identity", ["核心层", "Core layer"]),
    ("archetype", ["原型", "Archetype"]),
    ("core_goal", ["核心目标", "Core goal"]),
    ("core_traits", ["核心特质", "Core traits"]),
    ("background_story", ["背景故事", "Background story"]),
    ("growth_state", ["成长层", "Growth layer"]),
    ("beliefs", ["信念", "Beliefs"]),
    ("behavioral_patterns", ["行为模式", "Behavioural patterns"]),
    ("relationships", ["关系", "Relationships"]),
    ("current_state", ["当前层", "Current layer"]),
    ("emotions", ["情绪", "Emotions"]),
    ("physical", ["身体状况", "Physical condition"]),
    ("immediate_goals", ["眼前目标", "Immediate goals"]),
    ("background", ["背景（全部）", "Background (all of it)"]),
    ("world", ["世界（设定与规则）", "World (setting and rules)"]),
    ("world_description", ["世界描述", "World description"]),
    ("world_setting", ["世界设定", "World setting"]),
    ("world_rules", ["世界规则", "World rules"]),
    ("initial_context", ["初始情境", "Initial context"]),
    ("world_state", ["世界状态", "World state"]),
    ("outline", ["剧情大纲", "Outline"]),
    ("progress", ["剧情进度", "Progress"]),
    ("author_note", ["作者注", "Author's note"]),
    ("recall", ["回忆", "Recalled events"]),
    ("director_reminder", ["导演提醒", "Director's reminder"]),
    ("events", ["事件", "Events"]),
    ("plan", ["计划", "Plan"]),
    ("summary", ["摘要", "Summary"]),
    ("sheet", ["状态表", "Sheet"]),
    ("lore_before", ["世界书（前）", "Lore (before)"]),
    ("lore_after", ["世界书（后）", "Lore (after)"]),
];

/// What a source is called; a name that nobody knows stays as it is.
pub fn source(name: &str, language: Language) -> &str {
    let beyond = [
        ("depth_prompt", ["角色卡的深度注释", "The card's note at depth"]),
        ("reply", ["要续写的回复", "The reply to go on"]),
    ];
    let names = SOURCES.iter().chain(&beyond).find(|(known, _)| *known == name).map(|(_, names)| *names);
    names.map_or(name, |[zh, en]| language.pick(zh, en))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::sources;

    #[test]
    fn every_source_has_a_name() {
        let known =
            crate::features::sources().into_iter().chain([sources::REGISTRY]).flatten().map(|source| source.name);
        let known = known.chain([sources::HISTORY, sources::INPUT]).chain(sources::RESERVED.iter().copied());
        // The made-up feature of the tests is never seen.
        for name in known.filter(|name| *name != "lantern") {
            assert!(SOURCES.iter().any(|(here, _)| *here == name), "{name}");
        }
    }

    #[test]
    fn every_reason_has_words() {
        for code in ["preset", "card", "source", "store", "story", "answered"] {
            assert_ne!(why(code, Language::Zh), why(code, Language::En));
        }
        assert_eq!(why("key: 雨", Language::Zh), "key: 雨");
    }
}
