//! Where a story stands in its outline (seed `000`).

use serde::{Deserialize, Serialize};

use super::state::PlotState;

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

impl PlotState {
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

    #[test]
    fn statuses_follow_the_current_point() {
        let plot = PlotState { current_plot_index: 3, current_status: "in_progress".into(), ..Default::default() };
        let names: Vec<_> = (1..=5).map(|index| plot.status_of(index).name()).collect();
        assert_eq!(names, ["completed", "completed", "in_progress", "pending", "pending"]);
    }
}
