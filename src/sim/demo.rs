//! The stories that play without a key: recorded, and said to be so on the page.
//!
//! Each is a file beside this one: the card, the background, and the replies in order, each written to follow
//! whatever the reader typed.

use serde::Deserialize;

use crate::{
    store::from_value,
    story::{background::Background, character::Character, storyline::Language},
};

/// A story to play. Its records have no ids yet.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Demo {
    pub title: String,
    pub character: Character,
    pub background: Background,
    /// In order; the last one says that the recording ends.
    pub replies: Vec<Beat>,
}

/// One reply, and what a reader may type to get it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Beat {
    pub suggestions: Vec<String>,
    pub reply: String,
}

pub fn demo(language: Language) -> Demo {
    let text = match language {
        Language::Zh => include_str!("demo/zh.json"),
        Language::En => include_str!("demo/en.json"),
    };
    from_value(serde_json::from_str(text).expect("the tests read both")).expect("the tests read both")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::{
        markup::{Block, Inline, parse},
        parser::parse as parse_reply,
    };

    fn has(text: &str, wanted: fn(&Inline) -> bool) -> bool {
        fn within(inlines: &[Inline], wanted: fn(&Inline) -> bool) -> bool {
            inlines.iter().any(|inline| {
                wanted(inline)
                    || match inline {
                        Inline::Speech(children) | Inline::Emphasis(children) => within(children, wanted),
                        _ => false,
                    }
            })
        }
        parse(text).iter().any(|block| matches!(block, Block::Paragraph(inlines) if within(inlines, wanted)))
    }

    #[test]
    fn both_stories_are_whole() {
        for language in [Language::Zh, Language::En] {
            let demo = demo(language);
            let Demo { character, background, .. } = &demo;
            let card = &character.card;
            let profile = &character.initial_profile;
            for text in [
                &demo.title,
                &character.name,
                &card.description,
                &card.personality,
                &card.scenario,
                &card.first_mes,
                &card.mes_example,
                &card.creator_notes,
                &profile.core_identity.archetype,
                &profile.core_identity.core_goal,
                &profile.core_identity.background_story,
                &background.name,
                &background.description,
                &background.world_setting,
                &background.world_rules,
                &background.initial_context,
            ] {
                assert!(!text.trim().is_empty(), "{language:?}");
            }
            assert!(character.extra.is_empty() && background.extra.is_empty(), "a misspelt field");
            assert_eq!(card.alternate_greetings.len(), 1);
            assert_eq!(background.story_outline.len(), 5);
            assert!(background.story_outline.iter().zip(1..).all(|(point, index)| point.index == index));
            assert!(profile.core_identity.core_traits.len() >= 3 && !profile.current_state.emotions.is_empty());

            let (closing, beats) = demo.replies.split_last().unwrap();
            assert!(beats.len() >= 8);
            assert_eq!(closing.suggestions.len(), 3);
            for (number, beat) in beats.iter().enumerate() {
                let read = parse_reply(&beat.reply);
                assert_eq!(read.notices, [], "{language:?} {number}");
                assert!(read.update.is_some(), "the story moves its mind: {language:?} {number}");
                let prose = read.shown(&beat.reply);
                let (length, bounds) = match language {
                    Language::Zh => (prose.chars().filter(|c| c.is_alphanumeric()).count(), 200..=400),
                    Language::En => (prose.split_whitespace().count(), 120..=260),
                };
                println!("{language:?} {number}: {length}");
                assert!(bounds.contains(&length), "{language:?} {number}: {length}");
                assert_eq!(beat.suggestions.len(), 3);
                assert!(beat.suggestions.iter().all(|text| !text.is_empty() && text.chars().count() <= 48));
                assert!(has(&prose, |inline| matches!(inline, Inline::Speech(_))), "{language:?} {number}");
                let closed = beat.reply.matches('“').count() == beat.reply.matches('”').count();
                assert!(closed && !beat.reply.contains('"'), "{language:?} {number}: quotes");
            }
            let all: String = beats.iter().map(|beat| beat.reply.as_str()).collect::<Vec<_>>().join("\n\n");
            assert!(has(&all, |inline| matches!(inline, Inline::Emphasis(_))));
        }
    }
}
