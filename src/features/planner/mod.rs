//! The planner: what a first call of a model is asked before the reply (seed `003`).

use crate::story::storyline::{Language, PlannerSettings};

pub const NAME: &str = "planner";

/// The marker of the plan.
pub const MARKER: &str = "plan";

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
