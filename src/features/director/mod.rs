//! The director: keeps the story on its outline (seed `000`, step 6).

mod sources;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Absorbed, Feature, Module, ModuleFault, Outcome, Played, TurnContext, Unfit, readable};
use crate::{
    ports::recall::Hit,
    prompt::{
        context::{Entry, Priority},
        draft::Draft,
        sources::{Give, Source, is_placed},
    },
    story::{
        Extra,
        background::OutlinePoint,
        damage::Part,
        features::Settings,
        memory::Kind,
        order,
        persona::Origin,
        plot::{Course, PointStatus},
        preset::{Preset, Section},
        state::{ByHand, Change, HandEdit, PlotState, State},
        storyline::{Language, Storyline},
        warning::{Cause, Notice},
    },
};

pub const NAME: &str = "director";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DirectorSettings {
    pub enabled: bool,
    #[serde(flatten)]
    pub extra: Extra,
}

impl Settings for DirectorSettings {
    const NAME: &'static str = NAME;
}

/// Seed `000`: memories of this storyline and of others that the reminder brings.
pub const EVENTS: u32 = 15;
pub const REFERENCES: u32 = 5;
/// Changes of the state among the former.
const CHANGES: u32 = 5;

/// The marker of the reminder.
pub const REMINDER: &str = "director_reminder";

/// Has no settings beyond its switch.
pub struct Director;

impl Feature for Director {
    fn name(&self) -> &'static str {
        NAME
    }

    fn sources(&self) -> &'static [Source] {
        &[
            Source { name: "outline", title: ["剧情大纲", "Outline"], give: Give::Text(sources::outline) },
            Source { name: "points", title: ["剧情要点", "Plot points"], give: Give::Text(sources::points) },
            Source { name: "plot", title: ["剧情所在", "Where the plot stands"], give: Give::Text(sources::plot) },
            Source { name: "progress", title: ["剧情进度", "Progress"], give: Give::Text(sources::progress) },
            Source {
                name: REMINDER,
                title: ["导演提醒", "Director's reminder"],
                give: Give::Turn(Priority::REMINDER, Section::Middle),
            },
        ]
    }

    fn asks(&self, draft: &Draft) -> &'static str {
        let has_outline = draft.scene.background.is_some_and(|background| !background.story_outline.is_empty());
        if !has_outline || !draft.scene.storyline.is_on(draft.scene.preset, NAME) {
            return "";
        }
        match draft.language() {
            Language::Zh => "剧情 N：进行中 或 已完成（要点N开始或完成时）",
            Language::En => "plot N: in_progress or completed (when point N begins or ends)",
        }
    }

    fn module(&self, played: &Played) -> Option<Box<dyn Module>> {
        let settings: DirectorSettings = played.storyline.settings(played.preset);
        settings.enabled.then(|| Box::new(Self) as _)
    }

    fn change_by_hand(&self, state: &mut State, edit: &HandEdit, origin: &Origin) -> Option<Result<(), Unfit>> {
        let HandEdit::Plot { index, status, content } = edit else { return None };
        move_to(&mut state.plot, *index, *status, content, origin.turn);
        state.mend(Part::Plot);
        Some(Ok(()))
    }
}

impl Module for Director {
    fn name(&self) -> &'static str {
        NAME
    }

    /// A marker moves the plot and zeroes the counter; a reply without one, broken off, empty or failed ones too,
    /// counts as no progress. A point that the outline does not have is no progress either, and is said. A point that
    /// was finished is taken: stories go back.
    fn absorb(&self, input: &Absorbed, context: &TurnContext, state: &mut State) -> Result<Outcome, ModuleFault> {
        let outline =
            context.outline.map_err(|detail| ModuleFault(Cause::DamagedBackground { detail: detail.to_owned() }))?;
        readable(state, Part::Plot)?;
        state.plot = state.plot.placed_in(outline);
        let plot = &mut state.plot;
        let mut outcome = Outcome::default();
        let points = outline.len() as u32;
        if points == 0 {
            return Ok(outcome);
        }
        match input.progress.filter(|_| !input.failed) {
            Some((index, status)) if (1..=points).contains(&index) => {
                let (from_index, from_status) = (plot.current_plot_index, plot.current_status.clone());
                let finished = plot.status_of(index) == PointStatus::Completed;
                let content = &outline[index as usize - 1].content;
                move_to(plot, index, status, content, context.position);
                if (from_index, from_status.as_str()) != (index, status.name()) {
                    outcome.changes.push(Change::Plot {
                        index,
                        status,
                        content: content.clone(),
                        from_index,
                        from_status,
                        jumped_back: index < from_index || (finished && status != PointStatus::Completed),
                    });
                }
            }
            Some((index, _)) => {
                plot.no_update_count = plot.no_update_count.saturating_add(1);
                outcome.notices.push(Notice { module: NAME.to_owned(), cause: Cause::OutOfOutline { index, points } });
            }
            None => plot.no_update_count = plot.no_update_count.saturating_add(1),
        }
        Ok(outcome)
    }
}

/// The points that a reply has finished, by itself or by the reader's hand, rising: those that it called so, and those
/// that it left behind on its way on.
pub fn finished(changes: &[Change], by_hand: &[ByHand]) -> Vec<u32> {
    let mut points = BTreeSet::new();
    for change in changes {
        let Change::Plot { index, status, from_index, from_status, .. } = change else { continue };
        let from = if from_status == PointStatus::Completed.name() { from_index + 1 } else { *from_index };
        points.extend(from.max(1)..*index);
        points.extend((*status == PointStatus::Completed).then_some(*index));
    }
    for by_hand in by_hand {
        match by_hand.edit {
            HandEdit::Plot { index, status: PointStatus::Completed, .. } => drop(points.insert(index)),
            HandEdit::Plot { index, .. } => drop(points.split_off(&index)),
            _ => {}
        }
    }
    points.into_iter().collect()
}

/// Makes a point the current one. That is progress.
pub fn move_to(plot: &mut PlotState, index: u32, status: PointStatus, content: &str, position: u32) {
    if plot.current_plot_index != index {
        plot.current_plot_index = index;
        plot.since = Some(position);
    }
    content.clone_into(&mut plot.current_content);
    plot.current_status = status.name().to_owned();
    plot.no_update_count = 0;
}

/// What the director does at the next turn. The prompt is made by it and the panel tells it, so that they agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// Switched off.
    Off,
    /// There is no outline to lead along.
    Free,
    /// Every point is completed: nothing is left to remind of.
    Finished,
    /// The story stands behind the last of these points.
    Beyond { points: u32 },
    /// The preset has no place for a reminder.
    Unplaced,
    /// Reminds once there was no progress for `threshold` turns; so far there were `turns`.
    Waits { turns: u32, threshold: u32 },
    /// Reminds of this point (1-based), after so many turns without progress. That zeroes nothing: only progress does.
    Reminds { point: u32, turns: u32 },
}

impl Stance {
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Free => "free",
            Self::Finished => "finished",
            Self::Beyond { .. } => "beyond",
            Self::Unplaced => "unplaced",
            Self::Waits { .. } => "waits",
            Self::Reminds { .. } => "reminds",
        }
    }
}

/// What the director of a storyline does at the turn after `plot` (C3), told with this preset.
pub fn stance(
    storyline: &Storyline,
    preset: &Preset,
    plot: &PlotState,
    outline: &[OutlinePoint],
    threshold: u32,
) -> Stance {
    let turns = plot.no_update_count;
    match plot.course(outline) {
        _ if !storyline.settings::<DirectorSettings>(preset).enabled => Stance::Off,
        Course::Free => Stance::Free,
        Course::Finished => Stance::Finished,
        Course::Beyond => Stance::Beyond { points: outline.len() as u32 },
        Course::To(_) if !is_placed(preset, REMINDER) => Stance::Unplaced,
        Course::To(_) if turns < threshold => Stance::Waits { turns, threshold },
        Course::To(point) => Stance::Reminds { point, turns },
    }
}

/// What the memory is asked when the reminder is due (seed `000`, `rag_fallback_query`).
pub fn question(index: u32, content: &str, language: Language) -> String {
    match language {
        Language::Zh => format!("故事大纲第{index}点：{content}"),
        Language::En => format!("Point {index} of the outline: {content}"),
    }
}

/// The reminder as the seed words it: where the story should be, what happened so far, and how it went elsewhere. What
/// happened here is no experience of others.
pub fn reminder(index: u32, content: &str, own: &[Hit], others: &[Hit], language: Language) -> Vec<Entry> {
    let (point, happened, elsewhere, event, reference) = match language {
        Language::Zh => (
            format!("你现在应该推进到故事大纲第{index}点：{content}"),
            "【当前剧情中已发生的事件】",
            "【剧情经验参考】（其他剧情线的类似情节，仅供参考）",
            "事件",
            "参考",
        ),
        Language::En => (
            format!("You should now move on to point {index} of the outline: {content}"),
            "[What has happened in this storyline]",
            "[How it went elsewhere] (similar scenes of other storylines, for reference only)",
            "Event ",
            "Reference ",
        ),
    };
    let colon = if language == Language::Zh { "：" } else { ": " };
    let mut entries = vec![Entry { text: point, reason: String::new() }];
    let is_own = |hit: &&Hit| own.iter().any(|own| own.text.trim() == hit.text.trim());
    let others = others.iter().filter(|hit| !is_own(hit)).take(REFERENCES as usize).collect();
    // What is the likeliest is chosen by then; told in the order in which it happened.
    // Changes of the state, which the prompt tells as they stand, only the likeliest.
    let mut changes = 0..CHANGES;
    let is_told = |hit: &&Hit| hit.kind != Some(Kind::Event) || changes.next().is_some();
    let mut happened_here: Vec<&Hit> = own.iter().filter(is_told).collect();
    order::by_key(&mut happened_here, |hit| hit.turns);
    for (title, name, hits) in [(happened, event, happened_here), (elsewhere, reference, others)] {
        for (number, hit) in (1..).zip(hits) {
            let title = if number == 1 { format!("\n{title}\n") } else { String::new() };
            let text = format!("{title}- {name}{number}{colon}{}", hit.text.trim());
            entries.push(Entry { text, reason: super::recall::reason(hit) });
        }
    }
    entries
}

#[cfg(test)]
mod tests;
