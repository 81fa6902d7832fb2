//! The director on his own, with the example of the seed.

mod stance;

use super::*;
use crate::{
    features::{
        settle,
        tests::{OUTLINE, at_point, director, reply, settled},
    },
    story::{background::outline_from_lines, generation::Status},
};

/// Turns 42 to 45 of seed `000`, and what follows the reminder of turn 46.
#[test]
fn the_walk_of_seed_000() {
    let said = "我当然记得。（沉默片刻）我答应过你，不会冲动送死。但Victor必须付出代价，这是我活下去的唯一理由。我会等，等到最安全的时机。[PROGRESS:3:in_progress]";
    let mut state = at_point(3, "in_progress", 2);
    let turns = [(42, said, 0), (43, "嗯。", 1), (44, "再等等。", 2), (45, "[PROGRESS:3]", 3), (46, "走。", 4)];
    for (turn, text, count) in turns {
        let (generation, after) = settled(&director(), &state, reply(turn, text));
        assert_eq!((after.plot.current_plot_index, after.plot.current_status.as_str()), (3, "in_progress"));
        assert_eq!(after.plot.no_update_count, count, "turn {turn}");
        assert!(generation.changes().is_empty() && generation.notices().is_empty());
        let next = stance::of(&after.plot, OUTLINE);
        let turns = after.plot.no_update_count;
        let expected =
            if turn >= 45 { Stance::Reminds { point: 3, turns } } else { Stance::Waits { turns, threshold: 3 } };
        assert_eq!(next, expected, "turn {turn}");
        state = after;
    }
    let (_, after) = settled(&director(), &state, reply(47, "是时候了。[PROGRESS:4:in_progress]"));
    assert_eq!((after.plot.no_update_count, after.plot.since), (0, Some(47)));
}

#[test]
fn what_counts_as_progress() {
    let check = |text: &str, status: Status, expected: (u32, &str, u32)| {
        let mut generation = reply(42, text);
        generation.status = status;
        let (generation, after) = settled(&director(), &at_point(3, "in_progress", 2), generation);
        let plot = &after.plot;
        assert_eq!(
            (plot.current_plot_index, plot.current_status.as_str(), plot.no_update_count),
            expected,
            "{text:?} {status:?}"
        );
        generation
    };
    use Status::*;
    // Broken off, empty and failed replies count; of a failed one nothing is read (case 4 of the seed).
    check("我当然记得。（沉默片刻）我答应过你，不会", Interrupted, (3, "in_progress", 3));
    check("好。[PROGRESS:3:completed] 我答应过", Interrupted, (3, "completed", 0));
    check("", Empty, (3, "in_progress", 3));
    check("半句[PROGRESS:4:in_progress]", Error, (3, "in_progress", 3));
    // The first marker counts; one with another status is none.
    check("[PROGRESS:4:in_progress][PROGRESS:5:completed]", Done, (4, "in_progress", 0));
    check("[PROGRESS:4:perhaps][PROGRESS:5:pending]", Done, (5, "pending", 0));
    check("[PROGRESS::pending] [PROGRESS:三:pending] PROGRESS:4:pending", Done, (3, "in_progress", 3));
    // Beyond the outline.
    for (text, index) in [("[PROGRESS:0:completed]", 0), ("[PROGRESS:6:pending]", 6)] {
        let generation = check(text, Done, (3, "in_progress", 3));
        let cause = Cause::OutOfOutline { index, points: 5 };
        assert_eq!(generation.notices(), [Notice { module: "director".into(), cause }]);
    }
    // Back to what was finished.
    let generation = check("[PROGRESS:2:in_progress]", Done, (2, "in_progress", 0));
    let [Change::Plot { jumped_back: true, from_index: 3, content, .. }] = &generation.changes()[..] else {
        panic!("{:?}", generation.changes())
    };
    assert_eq!(content, "潜入敌人据点");
    let on = check("[PROGRESS:4:in_progress]", Done, (4, "in_progress", 0));
    assert!(matches!(on.changes()[..], [Change::Plot { jumped_back: false, index: 4, .. }]));
}

/// The points that a reply has finished: those it says, those it leaves behind, those the reader says.
#[test]
fn what_finishes_a_point() {
    let check = |status: &str, text: &str, by_hand: &[(u32, PointStatus)], expected: &[u32]| {
        let (generation, _) = settled(&director(), &at_point(3, status, 0), reply(42, text));
        let edit = |&(index, status)| HandEdit::Plot { index, status, content: String::new() };
        let by_hand: Vec<_> = by_hand.iter().map(|one| ByHand { at: 1, edit: edit(one) }).collect();
        assert_eq!(finished(&generation.changes(), &by_hand), expected, "{status} {text} {by_hand:?}");
    };
    use PointStatus::*;
    check("in_progress", "[PROGRESS:3:completed]", &[], &[3]);
    check("in_progress", "[PROGRESS:4:in_progress]", &[], &[3]);
    check("completed", "[PROGRESS:4:in_progress]", &[], &[]);
    check("pending", "[PROGRESS:5:completed]", &[], &[3, 4, 5]);
    check("in_progress", "[PROGRESS:2:in_progress]", &[], &[]);
    check("in_progress", "嗯。", &[], &[]);
    check("in_progress", "嗯。", &[(4, InProgress)], &[]);
    check("in_progress", "嗯。", &[(4, Completed)], &[4]);
    check("in_progress", "[PROGRESS:3:completed]", &[(3, Completed), (3, InProgress)], &[]);
}

#[test]
fn without_an_outline_the_director_rests() {
    let before = at_point(3, "in_progress", 2);
    let mut generation = reply(42, "[PROGRESS:4:in_progress]");
    assert_eq!(settle(&director(), Ok(&[]), &before, &mut generation, "n".into()), None);
    assert_eq!((generation.state, generation.extra.len()), (Some("s".into()), 0));
}

/// C1: an outline that is put in another order takes the current point with it, and the next marker counts in it.
#[test]
fn a_point_that_was_moved_stays_the_current_one() {
    let (_, before) = settled(&director(), &at_point(1, "pending", 0), reply(41, "[PROGRESS:3:in_progress]"));
    let moved = outline_from_lines("与仇人对峙\n发现背叛者的线索\n潜入敌人据点\n做出关键选择\n应对选择的后果");
    let mut generation = reply(42, "没有标记。");
    let after = settle(&director(), Ok(&moved), &before, &mut generation, "n".into()).unwrap();
    let plot = &after.plot;
    assert_eq!((plot.current_plot_index, plot.current_status.as_str(), plot.since), (1, "in_progress", Some(41)));
    assert!(generation.changes().is_empty(), "the reader moved it, not the reply");
    let mut generation = reply(43, "[PROGRESS:2:in_progress]");
    settle(&director(), Ok(&moved), &after, &mut generation, "m".into()).unwrap();
    assert!(matches!(generation.changes()[..], [Change::Plot { from_index: 1, index: 2, jumped_back: false, .. }]));
}
