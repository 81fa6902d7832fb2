//! The editor of a background: the world, its rules, how it opens, its outline.

use leptos::prelude::*;

use super::{
    features::status_bar::preview,
    library::{self, Group, Text, line_order},
};
use crate::{
    locales::T,
    story::{
        background::Background,
        ids::BackgroundId,
        lines::{from_outline_lines, to_outline_lines},
    },
};

#[component]
pub fn BackgroundEditor(id: Option<BackgroundId>) -> impl IntoView {
    library::editor::<Background>(id.map(|id| id.0))
}

/// A text of the background.
macro_rules! text {
    ($label:ident, $testid:literal, $rows:literal, $place:ident, $hint:expr) => {
        Text {
            label: T::$label,
            hint: $hint,
            aid: None,
            testid: $testid,
            rows: $rows,
            get: |background| background.$place.clone(),
            set: |background, text| background.$place = text.to_owned(),
        }
    };
}

pub const FIELDS: &[Group<Background>] = &[
    Group {
        heading: None,
        hint: None,
        texts: &[
            text!(Name, "background-name", 1, name, None),
            text!(Description, "background-description", 2, description, None),
            text!(WorldSetting, "background-world", 4, world_setting, None),
            text!(WorldRules, "background-rules", 3, world_rules, None),
            text!(InitialContext, "background-initial", 3, initial_context, Some(T::InitialContextHint)),
            Text {
                label: T::OutlinePoints,
                hint: None,
                aid: Some(line_order),
                testid: "background-outline",
                rows: 5,
                get: |background| to_outline_lines(&background.story_outline),
                set: |background, text| background.story_outline = from_outline_lines(text, &background.story_outline),
            },
        ],
    },
    Group {
        heading: Some(T::StatusBar),
        hint: Some(T::StatusBarHint),
        texts: &[Text {
            label: T::StatusBarCode,
            hint: None,
            aid: Some(preview),
            testid: "background-status-bar",
            rows: 8,
            get: |background| background.status_bar.clone(),
            set: |background, text| background.status_bar = text.to_owned(),
        }],
    },
];
