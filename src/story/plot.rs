//! Where a story stands in its outline (seed `000`).

use serde::{Deserialize, Serialize};

use super::{background::OutlinePoint, state::PlotState};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointStatus {
    Completed,
    InProgress,
    Pending,
}

impl PointStatus {
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::InProgress => "in_progress",
            Self::Pending => "pending",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Completed, Self::InProgress, Self::Pending].into_iter().find(|status| status.name() == name)
    }
}

/// Where a story goes from where it stands in an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// There is no outline: wherever it likes.
    Free,
    /// To this point (1-based), the first that is not completed.
    To(u32),
    /// All points are completed.
    Finished,
    /// It stands at a point that the outline does not have: this one is shorter than the one before it.
    Beyond,
}

impl PlotState {
    /// The same plot in an outline that may have been put in another order since: the current point is the one with its
    /// text. Where no point has it (any more), the number holds.
    pub fn placed_in(&self, outline: &[OutlinePoint]) -> Self {
        let is_it = |point: &OutlinePoint| !self.current_content.is_empty() && point.content == self.current_content;
        let at = (self.current_plot_index as usize).checked_sub(1).and_then(|at| outline.get(at));
        let moved = match at {
            Some(point) if is_it(point) => None,
            _ => outline.iter().position(is_it),
        };
        let current_plot_index = moved.map_or(self.current_plot_index, |at| at as u32 + 1);
        Self { current_plot_index, ..self.clone() }
    }

    /// Where the story goes from here in an outline.
    pub fn course(&self, outline: &[OutlinePoint]) -> Course {
        let points = outline.len() as u32;
        let placed = self.placed_in(outline);
        let next = (1..=points).find(|index| placed.status_of(*index) != PointStatus::Completed);
        match next {
            _ if points == 0 => Course::Free,
            Some(index) => Course::To(index),
            None if points < placed.current_plot_index => Course::Beyond,
            None => Course::Finished,
        }
    }

    /// The status of the point `index` (1-based): what lies before the current point is completed, what lies after it
    /// is pending.
    pub fn status_of(&self, index: u32) -> PointStatus {
        match index.cmp(&self.current_plot_index) {
            std::cmp::Ordering::Less => PointStatus::Completed,
            std::cmp::Ordering::Equal => PointStatus::from_name(&self.current_status).unwrap_or(PointStatus::Pending),
            std::cmp::Ordering::Greater => PointStatus::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::background::outline_from_lines;

    #[test]
    fn the_current_point_follows_its_text() {
        let plot = |index, content: &str| PlotState {
            current_plot_index: index,
            current_content: content.into(),
            ..Default::default()
        };
        let check = |index, content, lines: &str, expected| {
            let placed = plot(index, content).placed_in(&outline_from_lines(lines));
            assert_eq!(placed.current_plot_index, expected, "{index} {content:?} in {lines:?}");
        };
        check(2, "潜入", "线索\n潜入\n对峙", 2);
        check(2, "潜入", "潜入\n线索\n对峙", 1);
        check(1, "潜入", "线索\n对峙\n潜入", 3);
        check(3, "对峙", "对峙\n线索\n对峙", 3);
        check(2, "换了说法", "线索\n潜入", 2);
        check(2, "", "潜入\n线索", 2);
        check(9, "线索", "潜入\n线索", 2);
        check(0, "", "", 0);
    }

    #[test]
    fn the_story_goes_to_the_first_point_that_is_not_completed() {
        let check = |index, status: &str, content: &str, lines: &str, expected| {
            let plot = PlotState {
                current_plot_index: index,
                current_status: status.into(),
                current_content: content.into(),
                ..Default::default()
            };
            let course = plot.course(&outline_from_lines(lines));
            assert_eq!(course, expected, "{index} {status} {content:?} in {lines:?}");
        };
        let three = "线索\n潜入\n对峙";
        for (index, status, expected) in [
            (0, "pending", Course::To(1)),
            (1, "pending", Course::To(1)),
            (1, "completed", Course::To(2)),
            (2, "in_progress", Course::To(2)),
            (2, "pending", Course::To(2)),
            (2, "somehow", Course::To(2)),
            (3, "in_progress", Course::To(3)),
            (3, "completed", Course::Finished),
            (4, "pending", Course::Beyond),
            (u32::MAX, "completed", Course::Beyond),
        ] {
            check(index, status, "", three, expected);
            check(index, status, "", "", Course::Free);
        }
        // In another order: the current point is the one with its text.
        check(1, "completed", "线索", "潜入\n线索\n对峙", Course::To(3));
        check(1, "completed", "线索", "潜入\n对峙\n线索", Course::Finished);
        check(9, "completed", "潜入", three, Course::To(3));
        // One point more.
        check(3, "completed", "对峙", "线索\n潜入\n对峙\n后果", Course::To(4));
    }

    #[test]
    fn statuses_follow_the_current_point() {
        let plot = PlotState { current_plot_index: 3, current_status: "in_progress".into(), ..Default::default() };
        let names: Vec<_> = (1..=5).map(|index| plot.status_of(index).name()).collect();
        assert_eq!(names, ["completed", "completed", "in_progress", "pending", "pending"]);
    }
}
