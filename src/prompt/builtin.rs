//! The presets that come with the program, each written in both languages: `builtin/<id>.<language>.txt`.
//!
//! Such a file begins with the preset's fields in one line of JSON; every line that begins with `@@` holds a block's,
//! and what follows is its text.
//!
//! How the seeds' single texts became messages:
//!
//! - `director` (seed `000`, step 4): head and middle are one system message to the letter, the whole session as a
//!   transcript in it, since its headings refer to each other and its turns are numbered, and events are recalled by
//!   those numbers. The reader's last words, which end the seed's transcript, are the user message instead: providers
//!   want one, and nothing is said twice. Before all else stands what the seed leaves to its persona's text: who plays
//!   whom. (Regions, `【头部4K区域】`, and remarks in brackets are the seed's words to its own reader.) Who prefers
//!   messages sets the history block's form to `messages` and switches `input` off.
//! - `persona` (seed `001`): the ten sections in their order, and before the core what the card says of the character;
//!   the last two, input and task, are the user message, so that nothing is said twice.
//! - `living` is ours: all features in one story. What stays comes first, then the history, then, before the words to
//!   answer, what changes with each turn, so that a provider's cache holds all but the end; the instructions that matter
//!   most stand last. Its replies are prose, with a short block of changes where there are any
//!   ([`crate::features::changes`]). A block of a feature that is off is not told.
//! - `plain`, `sxml` and `framework` send the history as messages.
//!
//! `living`, `persona` and `sxml` ask for state updates, and tell their history without them (`shown_only`): the state
//! is in the prompt already. `director` tells replies as they came, markers and all, as the seed shows; of a reply in the
//! form of another of ours the prose and the markers.
//!
//! Each names the character in a text that no card replaces, and describes them once. `{{user}}` must read well as a name
//! and as “the reader” ([`crate::story::reader`]); [`crate::prompt::sources::reader`] says who that is.
//!
//! Places between the seeds' sections for what an imported card may have (personality, scenario, examples) fall away
//! where it has none.

use crate::{
    store::from_value,
    story::{
        preset::{Block, Preset},
        storyline::Language,
    },
};

/// The preset of a new story: in it the whole engine plays.
pub const DEFAULT: &str = "living";

/// Id, and the name in Chinese and English.
pub const BUILTIN: &[(&str, [&str; 2])] = &[
    (DEFAULT, ["活的故事", "Living story"]),
    ("plain", ["普通对话", "Plain chat"]),
    ("director", ["导演模式", "Director"]),
    ("persona", ["三层人格", "Three-layer persona"]),
    ("sxml", ["SXML 状态模式", "SXML with world state"]),
    ("framework", ["预设框架", "Preset framework"]),
];

/// The built-in preset of this id.
pub fn builtin(id: &str, language: Language) -> Option<Preset> {
    macro_rules! texts {
        ($($id:literal),*) => {
            match (id, language) {
                $(($id, Language::Zh) => include_str!(concat!("builtin/", $id, ".zh.txt")),
                ($id, Language::En) => include_str!(concat!("builtin/", $id, ".en.txt")),)*
                _ => return None,
            }
        };
    }
    let text = texts!("living", "plain", "director", "persona", "sxml", "framework");
    Some(Preset { id: id.into(), ..read(text) })
}

/// Plain chat: who the character is, where the story stands, and nothing that changes the reply's form.
pub fn plain(language: Language) -> Preset {
    builtin("plain", language).expect("it is one of them")
}

fn read(text: &str) -> Preset {
    let (preset, blocks) = text.split_once("\n@@ ").unwrap_or((text, ""));
    let mut preset: Preset = read_fields(preset);
    for part in blocks.split("\n@@ ").filter(|part| !part.is_empty()) {
        let (fields, content) = part.split_once('\n').unwrap_or((part, ""));
        let block: Block = read_fields(fields);
        let content = Some(content.trim_end()).filter(|content| !content.is_empty()).map(str::to_owned);
        preset.blocks.push(Block { content, ..block });
    }
    preset
}

fn read_fields<T: serde::de::DeserializeOwned>(text: &str) -> T {
    const IS_OURS: &str = "a built-in preset is well formed";
    from_value(serde_json::from_str(text).expect(IS_OURS)).expect(IS_OURS)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::sources;

    #[test]
    fn snapshot() {
        for language in [Language::Zh, Language::En] {
            insta::assert_json_snapshot!(format!("plain_{language:?}"), plain(language));
            insta::assert_snapshot!(format!("continue_{language:?}"), continue_nudge(language));
        }
    }

    #[test]
    fn both_languages_have_the_same_shape() {
        for (id, names) in BUILTIN {
            let [zh, en] = [Language::Zh, Language::En].map(|language| builtin(id, language).unwrap());
            assert_eq!([zh.name.as_str(), en.name.as_str()], *names);
            assert_eq!(zh.id.as_str(), *id);
            for line in [&zh.description, &en.description] {
                assert!((10..=90).contains(&line.chars().count()) && !line.contains('\n'), "{id}: {line:?}");
            }
            let shape = |preset: Preset| {
                let blocks = preset.blocks.into_iter().map(|block| Block {
                    name: String::new(),
                    content: block.content.map(|text| text.matches("{{content}}").count().to_string()),
                    empty: block.empty.map(|_| String::new()),
                    ..block
                });
                blocks.collect::<Vec<_>>()
            };
            assert_eq!(shape(zh), shape(en), "{id}");
        }
        assert_eq!(builtin("none", Language::Zh), None);
    }

    /// Fields that serde would not know land in `extra`; a marker that nothing fills is a slip of the pen.
    #[test]
    fn every_field_and_marker_is_known() {
        for (id, _) in BUILTIN {
            for block in builtin(id, Language::Zh).unwrap().blocks {
                let is_feature = |name: &String| crate::features::ALL.iter().any(|feature| feature.name() == name);
                assert!(block.feature.as_ref().is_none_or(is_feature), "{id}: {:?}", block.feature);
                assert!(block.extra.is_empty(), "{id}: {:?}", block.extra);
                assert!(block.content.as_deref().is_none_or(|text| text == text.trim()), "{id}: {}", block.identifier);
                let Some(marker) = block.marker else { continue };
                let known = crate::features::sources().into_iter().chain([sources::REGISTRY]).flatten();
                let known = known.map(|source| source.name).any(|name| name == marker)
                    || [sources::HISTORY, sources::INPUT].contains(&marker.as_str());
                assert!(known, "{id}: {marker}");
            }
        }
    }
}
