//! The outline and how to report progress (seed `000`, step 4). A director who is switched off silences both.

use crate::{
    prompt::{draft::Draft, sources::of},
    story::storyline::Language,
};

/// The outline with its statuses, in the form of the seed to the letter.
pub fn outline(draft: &mut Draft) -> String {
    let points = draft.scene.background.map_or(&[][..], |background| &background.story_outline);
    let plot = draft.scene.state.plot.placed_in(points);
    let lines: Vec<_> = points
        .iter()
        .map(|point| {
            let content = serde_json::Value::from(draft.source_text(&point.content));
            let status = plot.status_of(point.index).name();
            format!("    {{\"index\": {}, \"content\": {content}, \"status\": \"{status}\"}}", point.index)
        })
        .collect();
    match lines.is_empty() {
        true => String::new(),
        false => format!("{{\n  \"story_outline\": [\n{}\n  ]\n}}", lines.join(",\n")),
    }
}

/// Only where there is an outline to make progress in.
pub fn progress(draft: &mut Draft) -> String {
    if of(draft, "outline").is_empty() {
        return String::new();
    }
    match draft.language() {
        Language::Zh => "如果剧情推进，请在回复中输出标记：[PROGRESS:X:status]",
        Language::En => "If the plot moves on, put this marker in your reply: [PROGRESS:X:status]",
    }
    .to_owned()
}
