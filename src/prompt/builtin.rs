//! The presets that come with the program, each written in both languages.

use crate::story::{
    preset::{Block, Preset},
    storyline::Language,
};

/// Plain chat: who the character is, where the story stands, and nothing that changes the reply's form.
///
/// The markers name sources, which bring their own headings; a source with nothing to say leaves its place empty.
pub fn plain(language: Language) -> Preset {
    let (title, text, names) = match language {
        Language::Zh => (
            "普通对话",
            include_str!("builtin/plain.zh.md"),
            ["写作要求", "背景设定", "角色", "开场情境", "示例对话", "对话历史", "历史之后的指令"],
        ),
        Language::En => (
            "Plain chat",
            include_str!("builtin/plain.en.md"),
            ["Instructions", "Background", "Character", "Scenario", "Example dialogue", "History", "After the history"],
        ),
    };
    let [main, background, character, scenario, examples, history, post_history] = names;
    Preset {
        id: "plain".into(),
        name: title.into(),
        blocks: vec![
            Block { content: Some(text.trim_end().into()), ..block("main", main) },
            marker("background", background),
            marker("character", character),
            marker("scenario", scenario),
            marker("examples", examples),
            marker("history", history),
            marker("post_history", post_history),
        ],
        ..Preset::default()
    }
}

/// Said by the reader's side to have a reply that broke off go on.
pub fn continue_nudge(language: Language) -> &'static str {
    match language {
        Language::Zh => {
            "（请从你上一条消息中断的那个字之后接着往下写，直接续写正文：不要重复已经写过的内容，不要重新开头，也不要做任何说明。）"
        }
        Language::En => {
            "(Go on from exactly where your last message broke off, in mid-sentence if need be. Write only the continuation: repeat nothing that is already there, do not begin again, and add no comment.)"
        }
    }
}

fn block(identifier: &str, name: &str) -> Block {
    Block { identifier: identifier.into(), name: name.into(), ..Block::default() }
}

fn marker(source: &str, name: &str) -> Block {
    Block { marker: Some(source.into()), ..block(source, name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshot() {
        for language in [Language::Zh, Language::En] {
            insta::assert_json_snapshot!(format!("plain_{language:?}"), plain(language));
            insta::assert_snapshot!(format!("continue_{language:?}"), continue_nudge(language));
        }
    }

    #[test]
    fn both_languages_have_the_same_shape() {
        let shape = |language| {
            let blocks = plain(language).blocks.into_iter();
            blocks
                .map(|block| (block.identifier, block.role, block.marker, block.content.is_some()))
                .collect::<Vec<_>>()
        };
        assert_eq!(shape(Language::Zh), shape(Language::En));
    }
}
