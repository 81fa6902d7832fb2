//! The editor of a character: every field of a V2 card and of seed `001`.

use leptos::prelude::*;
use serde_json::Value;

use super::{
    features::status_bar::preview,
    library::{self, Group, Text},
};
use crate::{
    locales::T,
    story::{
        character::Character,
        ids::CharacterId,
        lines::{Shape, from_blocks, from_commas, from_lines, line_of, to_blocks, to_commas, to_lines, with_line},
    },
};

#[component]
pub fn CharacterEditor(id: Option<CharacterId>) -> impl IntoView {
    library::editor::<Character>(id.map(|id| id.0))
}

/// A text at a place of the character.
macro_rules! text {
    ($label:ident, $testid:literal, $rows:literal, $($place:ident).+ $(, $hint:ident)?) => {
        Text {
            label: T::$label,
            hint: hint!($($hint)?),
            aid: None,
            testid: $testid,
            rows: $rows,
            get: |character| character.$($place).+.clone(),
            set: |character, text| character.$($place).+ = text.to_owned(),
        }
    };
}

macro_rules! hint {
    () => {
        None
    };
    ($hint:ident) => {
        Some(T::$hint)
    };
}

/// A list at a place of the character, by a pair of functions.
macro_rules! list {
    ($label:ident, $testid:literal, $rows:literal, $($place:ident).+, $to:ident, $from:ident $(, $hint:ident)?) => {
        Text {
            label: T::$label,
            hint: hint!($($hint)?),
            aid: None,
            testid: $testid,
            rows: $rows,
            get: |character| $to(&character.$($place).+),
            set: |character, text| character.$($place).+ = $from(text),
        }
    };
}

/// Entries one a line; those that are not touched keep what else they carry.
macro_rules! entries {
    ($label:ident, $testid:literal, $($place:ident).+, $shape:ident) => {
        Text {
            label: T::$label,
            hint: None,
            aid: None,
            testid: $testid,
            rows: 3,
            get: |character| to_lines(&character.$($place).+),
            set: |character, text| {
                let entries: &mut Vec<Value> = &mut character.$($place).+;
                *entries = from_lines(text, entries, Shape::$shape);
            },
        }
    };
}

pub const FIELDS: &[Group<Character>] = &[
    Group {
        heading: None,
        hint: None,
        texts: &[
            text!(Name, "character-name", 1, name),
            text!(Description, "character-description", 4, card.description),
            text!(Personality, "character-personality", 2, card.personality),
            text!(Scenario, "character-scenario", 2, card.scenario),
            text!(FirstMessage, "character-first-mes", 4, card.first_mes, FirstMessageHint),
        ],
    },
    Group {
        heading: Some(T::OpeningsAndExamples),
        hint: None,
        texts: &[
            list!(
                AlternateGreetings,
                "character-alternate-greetings",
                4,
                card.alternate_greetings,
                to_blocks,
                from_blocks,
                AlternateGreetingsHint
            ),
            text!(ExampleMessages, "character-mes-example", 4, card.mes_example),
        ],
    },
    Group {
        heading: Some(T::CoreIdentity),
        hint: Some(T::CoreIdentityHint),
        texts: &[
            text!(Archetype, "character-archetype", 1, initial_profile.core_identity.archetype),
            text!(CoreGoal, "character-core-goal", 1, initial_profile.core_identity.core_goal),
            list!(
                CoreTraits,
                "character-core-traits",
                1,
                initial_profile.core_identity.core_traits,
                to_commas,
                from_commas
            ),
            text!(BackgroundStory, "character-background-story", 3, initial_profile.core_identity.background_story),
        ],
    },
    Group {
        heading: Some(T::GrowthState),
        hint: None,
        texts: &[
            entries!(Beliefs, "character-beliefs", initial_profile.growth_state.beliefs, Text),
            entries!(Patterns, "character-patterns", initial_profile.growth_state.behavioral_patterns, Text),
            entries!(Relationships, "character-relationships", initial_profile.growth_state.relationships, Relation),
        ],
    },
    Group {
        heading: Some(T::CurrentState),
        hint: None,
        texts: &[
            entries!(Emotions, "character-emotions", initial_profile.current_state.emotions, Text),
            Text {
                label: T::Physical,
                hint: None,
                aid: None,
                testid: "character-physical",
                rows: 1,
                get: |character| line_of(&character.initial_profile.current_state.physical),
                set: |character, text| {
                    let physical = &mut character.initial_profile.current_state.physical;
                    *physical = with_line(physical, text, Shape::Text);
                },
            },
            entries!(Goals, "character-goals", initial_profile.current_state.immediate_goals, Text),
        ],
    },
    Group {
        heading: Some(T::Instructions),
        hint: None,
        texts: &[
            text!(SystemPrompt, "character-system-prompt", 3, card.system_prompt),
            text!(PostHistory, "character-post-history", 3, card.post_history_instructions),
        ],
    },
    Group {
        heading: Some(T::StatusBar),
        hint: Some(T::StatusBarHint),
        texts: &[Text {
            label: T::StatusBarCode,
            hint: None,
            aid: Some(preview),
            testid: "character-status-bar",
            rows: 8,
            get: |character| character.status_bar.clone(),
            set: |character, text| character.status_bar = text.to_owned(),
        }],
    },
    Group {
        heading: Some(T::AboutCard),
        hint: None,
        texts: &[
            list!(Tags, "character-tags", 1, card.tags, to_commas, from_commas),
            text!(Creator, "character-creator", 1, card.creator),
            text!(CardVersion, "character-version", 1, card.character_version),
            text!(CreatorNotes, "character-creator-notes", 3, card.creator_notes),
        ],
    },
];
