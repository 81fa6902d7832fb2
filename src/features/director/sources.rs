//! The outline and how to report progress (seed `000`, step 4). A director who is switched off silences both.

use crate::{
    prompt::{draft::Draft, sources::of},
    story::{plot::Course, storyline::Language},
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

/// The points alone, which stay as they are while the story moves: a provider's cache holds them.
pub fn points(draft: &mut Draft) -> String {
    let points = draft.scene.background.map_or(&[][..], |background| &background.story_outline);
    let lines: Vec<_> =
        points.iter().map(|point| format!("{}. {}", point.index, draft.source_text(&point.content))).collect();
    lines.join("\n")
}

/// Where the plot stands in them, in words.
pub fn plot(draft: &mut Draft) -> String {
    let points = draft.scene.background.map_or(&[][..], |background| &background.story_outline);
    let course = draft.scene.state.plot.course(points);
    let mut said = |index: u32| {
        let point = points.get(index as usize - 1)?;
        Some(format!("{index}. {}", draft.source_text(&point.content)))
    };
    let (now, next) = match course {
        Course::To(index) => (said(index), said(index + 1)),
        Course::Free | Course::Finished | Course::Beyond => (None, None),
    };
    let is_finished = course == Course::Finished;
    let [now_is, next_is, finished] = match draft.language() {
        Language::Zh => ["现在：", "之后：", "大纲已经走完：故事自由向前。"],
        Language::En => ["Now: ", "After that: ", "The outline is finished: the story goes on freely."],
    };
    let lines = [now.map(|point| format!("{now_is}{point}")), next.map(|point| format!("{next_is}{point}"))];
    let lines = lines.into_iter().flatten().chain(is_finished.then(|| finished.to_owned()));
    lines.collect::<Vec<_>>().join("\n")
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
