//! What stands in an account of a prompt as a code, in the reader's language.

use super::Language;
use crate::{
    features,
    prompt::{
        gather::{BEGUN, PREFILL},
        sources::{Give, HISTORY, INPUT, REGISTRY, Source},
    },
};

/// Why a block is in the prompt (`story::account`). Those of single entries: [`super::memory::because`],
/// [`super::lore::because`].
pub fn why(code: &str, language: Language) -> &str {
    let words = match code {
        "preset" => Some(["预设自己的文字", "the preset's own text"]),
        "card" => Some(["角色卡替换了预设的文字", "the character's card takes the place of the preset's text"]),
        "source" => Some(["预设在这里放了这个来源", "the preset places this source here"]),
        "left_out" => Some(["提示词里放不下", "there was no room"]),
        "store" => Some(["这一轮由模块放入", "put in by a module for this turn"]),
        "story" => Some(["由故事或角色卡放入", "placed by the story or the card"]),
        "prefill" => Some(["采样参数里替模型起的头", "the first words that the sampling gives every reply"]),
        "answered" => Some(["预设里没有它的位置，补上才能得到回复", "no block holds it, and a reply needs it"]),
        _ => None,
    };
    words.map_or(code, |[zh, en]| language.pick(zh, en))
}

/// How many turns are not told, for the speaker did not hear them or the reader has taken them out; the memory does not
/// find them either.
pub fn unheard(turns: u32, language: Language) -> String {
    let words = [
        "有 {} 轮没有告诉说话的人，也不会被想起：当时不在场、没听见，或被你抽走了",
        "{} {turn is|turns are} neither told nor recalled: who speaks did not hear them, or you have taken them out",
    ];
    super::fill(language.pick(words[0], words[1]), &[&turns.to_string()])
}

/// What is no source, or one to come: the name, and the same in both languages.
const OTHERS: &[(&str, [&str; 2])] = &[
    (HISTORY, ["对话历史", "Chat history"]),
    (INPUT, ["本轮的话", "The words to answer"]),
    ("depth_prompt", ["角色卡的深度注释", "The card's note at depth"]),
    (BEGUN, ["要续写的回复", "The reply to go on"]),
    (PREFILL, ["回复的开头", "The reply’s first words"]),
];

fn sources() -> impl Iterator<Item = &'static Source> {
    [REGISTRY].into_iter().chain(features::sources()).flatten()
}

/// The markers that a preset may hold.
pub fn markers() -> impl Iterator<Item = &'static str> {
    let whole = sources().filter(|source| !matches!(source.give, Give::Part(_)));
    [HISTORY, INPUT].into_iter().chain(whole.map(|source| source.name))
}

/// What a source is called; a name that nobody knows stays as it is.
pub fn source(name: &str, language: Language) -> &str {
    let title = || sources().find(|source| source.name == name).map(|source| source.title);
    let other = || OTHERS.iter().find(|(known, _)| *known == name).map(|(_, title)| *title);
    title().or_else(other).map_or(name, |[zh, en]| language.pick(zh, en))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marker_has_a_name_in_both_languages() {
        assert!(markers().count() > 40);
        for name in markers().chain(["depth_prompt", BEGUN, PREFILL]) {
            let [zh, en] = [Language::Zh, Language::En].map(|language| source(name, language));
            assert!(zh != name && zh != en && !zh.is_ascii(), "{name}: {zh}, {en}");
        }
        assert_eq!(source("unheard_of", Language::Zh), "unheard_of");
    }

    #[test]
    fn every_reason_has_words() {
        for code in ["preset", "card", "source", "store", "story", "answered", "prefill"] {
            assert_ne!(why(code, Language::Zh), why(code, Language::En));
        }
        assert_eq!(why("key: 雨", Language::Zh), "key: 雨");
    }
}
