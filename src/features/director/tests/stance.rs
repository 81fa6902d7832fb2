//! What the director does next (seed `000`; C3, C7).

use super::*;
use crate::{prompt::builtin::builtin, story::preset::Block};

/// What the director of seed `000` does next.
pub(super) fn of(plot: &PlotState, outline: &str) -> Stance {
    let story = Storyline::default();
    let preset = builtin("director", story.language).unwrap();
    stance(&story, &preset, plot, &outline_from_lines(outline), 3)
}

/// Whatever the outline and wherever the story stands: it is reminded of the first point that is not completed, or not.
#[test]
fn what_the_director_does_next() {
    let plot = |index, status: &str, content: &str, turns| PlotState {
        current_content: content.into(),
        ..at_point(index, status, turns).plot
    };
    let reminds = |point| Stance::Reminds { point, turns: 4 };
    for (at, outline, expected) in [
        (plot(3, "in_progress", "", 4), OUTLINE, reminds(3)),
        (plot(3, "pending", "", 4), OUTLINE, reminds(3)),
        (plot(3, "completed", "", 4), OUTLINE, reminds(4)),
        (plot(3, "completed", "", 2), OUTLINE, Stance::Waits { turns: 2, threshold: 3 }),
        (plot(1, "pending", "", 4), OUTLINE, reminds(1)),
        (plot(0, "", "", 4), OUTLINE, reminds(1)),
        (plot(5, "in_progress", "", 4), OUTLINE, reminds(5)),
        (plot(5, "completed", "", 4), OUTLINE, Stance::Finished),
        (plot(6, "pending", "", 4), OUTLINE, Stance::Beyond { points: 5 }),
        (plot(3, "in_progress", "", 4), "启航\n风暴", Stance::Beyond { points: 2 }),
        (plot(3, "in_progress", "", 4), "", Stance::Free),
        // In another order the story stands at the same point.
        (plot(2, "completed", "潜入", 4), "潜入\n线索\n对峙", reminds(2)),
        (plot(1, "completed", "线索", 4), "潜入\n对峙\n线索", Stance::Finished),
    ] {
        assert_eq!(of(&at, outline), expected, "{at:?} in {outline:?}");
    }
    // Switched off, or told with a preset that has no place for it.
    let due = plot(3, "completed", "", 4);
    let outline = outline_from_lines(OUTLINE);
    let mut story = Storyline::default();
    let plain = builtin("plain", story.language).unwrap();
    assert_eq!(stance(&story, &plain, &due, &outline, 3), Stance::Off);
    story.features.switch("director", true);
    assert_eq!(stance(&story, &plain, &due, &outline, 3), Stance::Unplaced);
    let block = Block { content: Some("{{director_reminder}}".into()), ..Default::default() };
    let own = Preset { blocks: vec![block], ..Default::default() };
    assert_eq!(stance(&story, &own, &due, &outline, 3), reminds(4));
}
