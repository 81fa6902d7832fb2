//! The planner: what a first call of a model is asked before the reply (seed `003`).

use serde::{Deserialize, Serialize};

use crate::{
    prompt::{
        context::Priority,
        sources::{Give, Source},
    },
    story::{
        Extra,
        features::{Features, Settings},
        ids::ConnectionId,
        preset::Section,
        storyline::Language,
    },
};

pub const NAME: &str = "planner";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlannerSettings {
    pub enabled: bool,
    /// `None`: the story's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<ConnectionId>,
    /// What the planner is told; empty: as the program words it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub instruction: String,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Settings for PlannerSettings {
    const NAME: &'static str = NAME;
}

/// The marker of the plan.
pub const MARKER: &str = "plan";

pub struct Feature;

impl super::Feature for Feature {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sources(&self) -> &'static [Source] {
        &[Source { name: MARKER, title: ["计划", "Plan"], give: Give::Turn(Priority::FIXED, Section::Head) }]
    }

    fn works_apart(&self) -> bool {
        true
    }

    fn leave_home(&self, settings: &mut Features) {
        settings.forget_field(NAME, "connection");
    }
}

/// Characters of a plan that are kept.
pub const LENGTH: usize = 4_000;

/// What the planner is told after the prompt of the reply.
pub fn instruction(settings: &PlannerSettings, language: Language) -> &str {
    match (settings.instruction.trim(), language) {
        ("", Language::Zh) => {
            "（先不要写故事。用三到五个短句写下一条回复的计划：各人此刻想要什么，接下来发生什么，停在哪里。只写计划，不用任何标签，不写正文。）"
        }
        ("", Language::En) => {
            "(Do not write the story yet. Plan the next reply in three to five short sentences: what each one wants now, what happens next, where to stop. Only the plan: no tags, no prose.)"
        }
        (own, _) => own,
    }
}
