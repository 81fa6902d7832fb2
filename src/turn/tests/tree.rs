//! Going about in the tree, names, deletions and save points.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::*;
use crate::{
    store::due,
    story::{
        ids::{BranchId, GenerationId},
        tree::{Branch, Head},
    },
    turn::bin,
};

impl Play {
    pub(super) fn branches(&self) -> HashMap<BranchId, Branch> {
        block_on(scene::tree(&*self.sim.ports.store, &self.story.id)).unwrap().alive.clone()
    }

    fn move_to(&self, branch: &str, end: u32) -> Result<Storyline, Fault> {
        block_on(self.conductor.move_to(&self.story.id, &Head { branch: branch.into(), end }))
    }

    fn head(&self) -> (String, u32) {
        let head = self.storyline().head;
        (head.branch.0, head.end)
    }

    /// All that is stored, the storyline's clock aside.
    pub(super) fn all(&self) -> BTreeMap<(Table, String), serde_json::Value> {
        let mut all = BTreeMap::new();
        for table in Table::ALL {
            for doc in block_on(self.sim.store.query(Query::all(table))).unwrap() {
                all.insert((table, doc.value["id"].as_str().unwrap().to_owned()), doc.value);
            }
        }
        all
    }
}

fn said(texts: &[&str]) -> Play {
    let play = play((0..texts.len() * 3).map(|at| Answer::text([format!("r{at}").as_str()])));
    for text in texts {
        play.say(text);
    }
    play
}

#[test]
fn what_is_said_after_going_back_begins_a_branch() {
    let play = said(&["a", "b", "c"]);
    let root = play.head().0;
    play.move_to(&root, 2).unwrap();
    assert_eq!((play.path().len(), play.storyline().total_turns), (2, 1));
    play.say("d");
    assert_eq!(play.path()[1..], ["a → r0", "d → r3"]);
    let (branch, end) = play.head();
    assert_eq!((branch != root, end), (true, 3));
    play.move_to(&root, 4).unwrap();
    assert_eq!(play.path()[1..], ["a → r0", "b → r1", "c → r2"], "what was there stays");
    // A place right at the fork may be named by either branch.
    play.move_to(&branch, 1).unwrap();
    assert_eq!(play.head(), (root.clone(), 1));
    for (branch, end) in [(root.as_str(), 0), (root.as_str(), 5), ("nowhere", 1)] {
        assert!(play.move_to(branch, end).is_err());
    }
    assert_eq!(play.head(), (root, 1), "the head is as before");
}

#[test]
fn any_reply_of_any_turn_may_be_gone_on_from() {
    let play = said(&["a", "b"]);
    let turn = play.nodes()[1].turn.clone();
    play.ask(Ask::Again(turn.id.clone())).unwrap();
    play.say("c");
    assert_eq!(play.path()[1..], ["a → r2", "c → r3"]);
    let go = |reply: Option<&GenerationId>| {
        block_on(play.conductor.move_to_reply(&play.story.id, &turn.id, reply)).unwrap();
        play.path()[1..].to_vec()
    };
    let replies: Vec<_> = play.nodes()[1].generations.iter().map(|reply| reply.id.clone()).collect();
    let branches = play.branches().len();
    assert_eq!(go(Some(&replies[0])), ["a → r0"]);
    assert_eq!(go(Some(&replies[1])), ["a → r2"]);
    assert_eq!(go(None), ["a → r0"]);
    assert_eq!(play.branches().len(), branches, "nothing was made for it");
}

#[test]
fn rewording_beside_keeps_both() {
    let play = said(&["a", "b"]);
    let first = play.nodes()[1].clone();
    let turn = block_on(play.conductor.edit_user_as_branch(&play.story.id, &first.turn.id, "A")).unwrap();
    assert_eq!(play.path()[1..], ["A → "]);
    play.ask(Ask::Again(turn)).unwrap();
    assert_eq!(play.path()[1..], ["A → r2"]);
    block_on(play.conductor.go_to(&play.story.id, &first.turn.id)).unwrap();
    assert_eq!(play.path()[1..], ["a → r0", "b → r1"]);

    // A reply amid the story becomes a swipe with a future of its own, at the tip a swipe.
    block_on(play.conductor.edit_reply_as_branch(&first.reply().unwrap().id, "R")).unwrap();
    assert_eq!(play.path()[1..], ["a → R"]);
    play.say("c");
    let tip = play.nodes()[2].clone();
    let branches = play.branches().len();
    block_on(play.conductor.edit_reply_as_branch(&tip.reply().unwrap().id, "T")).unwrap();
    assert_eq!((play.path()[1..].to_vec(), play.branches().len()), (vec!["a → R".into(), "c → T".into()], branches));
    assert_eq!(play.nodes()[2].generations.len(), 2);
}

#[test]
fn a_named_turn_is_found_by_its_branch() {
    let play = said(&["a"]);
    let turn = play.nodes()[1].turn.clone();
    let name = |name: &str| block_on(play.conductor.name_turn(&turn.id, name)).unwrap().name;
    assert_eq!(name(" 雨夜 ").as_deref(), Some("雨夜"));
    assert_eq!(name("雨后").as_deref(), Some("雨后"));
    assert_eq!(play.branches()[&turn.branch].named, std::slice::from_ref(&turn.id));
    assert_eq!(name("  "), None);
    assert_eq!(play.branches()[&turn.branch].named, []);
}

#[test]
fn a_deleted_branch_comes_back_as_it_was_or_goes_for_good() {
    let play = said(&["a", "b", "c"]);
    let root = play.head().0;
    play.move_to(&root, 2).unwrap();
    play.say("d");
    play.say("e");
    play.ask(Ask::Again(play.nodes()[2].turn.id.clone())).unwrap();
    let sub = play.head().0;
    let branch = play.branches()[&sub.as_str().into()].parent.clone().unwrap().branch;
    block_on(play.conductor.write_memory(&play.story.id, "note", "")).unwrap();
    let before = play.all();
    let place = |branch: &str, end| Head { branch: branch.into(), end };
    let discard = |at: &Head| block_on(play.conductor.discard_branch(&play.story.id, at));
    let at = place(branch.as_str(), 3);
    assert!(discard(&place(&root, 2)).is_err(), "before all forks");
    let gone = discard(&at).unwrap();
    assert_eq!((play.head(), play.branches().len()), ((root.clone(), 2), 1), "with what hangs on it");
    assert!(play.move_to(&sub, 3).is_err());
    assert_eq!(block_on(play.conductor.discarded_branches(&play.story.id)).unwrap(), std::slice::from_ref(&gone.gone));
    block_on(play.conductor.restore_branch(&gone)).unwrap();
    assert_eq!(play.all(), before, "nothing is lost");

    // Who went elsewhere stays there.
    let gone = discard(&at).unwrap();
    play.move_to(&root, 4).unwrap();
    block_on(play.conductor.restore_branch(&gone)).unwrap();
    assert_eq!(play.head(), (root.clone(), 4));

    discard(&at).unwrap();
    let clock = crate::sim::ports::MemoryClock::at(play.sim.ports.clock.now() + bin::KEPT_FOR + 1);
    let later = crate::ports::Ports { clock: Rc::new(clock), ..play.sim.ports.clone() };
    // Cut short anywhere, the next attempt does the rest.
    for nth in 1..8 {
        play.sim.store.fail(nth, "QuotaExceededError");
        assert!(block_on(bin::purge(&later)).is_err());
        assert_eq!(block_on(play.conductor.discarded_branches(&play.story.id)).unwrap().len(), 1);
    }
    block_on(bin::purge(&later)).unwrap();
    let left = play.all();
    let count = |table| left.keys().filter(|(of, _)| *of == table).count();
    assert_eq!(
        [Table::Branches, Table::Turns, Table::Generations, Table::Accounts, Table::Memories].map(count),
        [1, 4, 5, 3, 0],
        "the root with its four turns and the two openings"
    );
    let noted = |(table, note): &(Table, String)| {
        due::record(note).filter(|_| *table == Table::Due).map(|(table, id)| (table, id.to_owned()))
    };
    let notes: HashSet<_> = left.keys().filter_map(noted).collect();
    let is_due = |key: &(Table, String)| notes.contains(key);
    let told = [Table::Turns, Table::Generations, Table::Memories];
    assert!(
        before.keys().filter(|key| told.contains(&key.0) && !left.contains_key(key)).all(is_due),
        "the index knows"
    );
    assert_eq!(play.path()[1..], ["a → r0", "b → r1", "c → r2"]);
}

#[test]
fn the_older_future_of_a_fork_can_be_deleted_too() {
    let play = said(&["a", "b", "c"]);
    let root = play.head().0;
    block_on(play.conductor.write_memory(&play.story.id, "of the older future", "")).unwrap();
    play.move_to(&root, 3).unwrap();
    play.say("beside c");
    play.move_to(&root, 2).unwrap();
    play.say("d");
    let newer = play.head();
    let older = Head { branch: root.as_str().into(), end: 4 };
    play.move_to(&root, 4).unwrap();
    let before = play.all();

    // First what lies after the later fork, then all after the earlier one.
    let discard = |end| {
        let at = Head { end, ..older.clone() };
        block_on(play.conductor.discard_branch(&play.story.id, &at)).unwrap()
    };
    let inner = discard(4);
    assert_eq!((inner.gone.first, inner.gone.length, play.head()), (3, 1, (root.clone(), 3)));
    let outer = discard(3);
    assert_eq!((outer.gone.first, outer.gone.length, play.head()), (2, 1, (root.clone(), 2)));
    assert_eq!(play.branches().len(), 2, "with what leaves it, and not with what leaves before it");
    let in_bin = || block_on(play.conductor.discarded_branches(&play.story.id)).unwrap();
    assert_eq!(in_bin(), std::slice::from_ref(&outer.gone), "the inner one hangs on it");
    for end in [3, 4] {
        assert!(play.move_to(&root, end).is_err());
    }
    let turn = |end: u32| {
        let place = Query::equal(Table::Turns, "place", (root.as_str(), end - 1));
        block_on(play.sim.ports.store.list::<Turn>(place)).unwrap().pop().unwrap()
    };
    assert!(block_on(play.conductor.go_to(&play.story.id, &turn(4).id)).is_err());
    let memory = before.iter().find(|((table, _), _)| *table == Table::Memories).unwrap().1;
    let lies_at = |play: &Play| {
        let path = block_on(play.conductor.path(&play.storyline())).unwrap();
        path.contains(&root.as_str().into(), memory["position"].as_u64().unwrap() as u32)
    };
    assert!(!lies_at(&play));
    // What is said at the turn before begins a branch, for the deleted turns may come back.
    play.say("e");
    assert_eq!((play.path()[1..].to_vec(), play.branches().len()), (vec!["a → r0".into(), "e → r5".into()], 3));
    let third = play.head();
    play.move_to(&newer.0, newer.1).unwrap();
    assert_eq!(play.path()[1..], ["a → r0", "d → r4"]);
    play.move_to(&root, 2).unwrap();

    block_on(play.conductor.restore_branch(&outer)).unwrap();
    block_on(play.conductor.restore_branch(&inner)).unwrap();
    assert_eq!(
        (play.path()[1..].to_vec(), lies_at(&play)),
        (vec!["a → r0".into(), "b → r1".into(), "c → r2".into()], true)
    );
    let mut now = play.all();
    now.retain(|key, _| before.contains_key(key));
    for (key, value) in &before {
        let is_clock = matches!(key.0, Table::Storylines | Table::Due | Table::Postings | Table::Spending);
        assert!(is_clock || now[key] == *value, "{key:?}");
    }

    // After a week it is gone, with what left it, and the branch goes on where it ends.
    discard(4);
    discard(3);
    let clock = crate::sim::ports::MemoryClock::at(play.sim.ports.clock.now() + bin::KEPT_FOR + 1);
    let later = crate::ports::Ports { clock: Rc::new(clock), ..play.sim.ports.clone() };
    for nth in 1..8 {
        play.sim.store.fail(nth, "QuotaExceededError");
        assert!(block_on(bin::purge(&later)).is_err());
        assert_eq!(in_bin().len(), 1);
    }
    block_on(bin::purge(&later)).unwrap();
    assert_eq!((in_bin(), play.branches()[&older.branch].end()), (vec![], 2));
    let left = play.all();
    let count = |table| left.keys().filter(|(of, _)| *of == table).count();
    assert_eq!(
        [Table::Branches, Table::Turns, Table::Generations, Table::Accounts, Table::Memories].map(count),
        [3, 4, 5, 3, 0],
        "the root, and the two that leave at its end"
    );
    play.move_to(&third.0, third.1).unwrap();
    assert_eq!(play.path()[1..], ["a → r0", "e → r5"]);
    play.move_to(&root, 2).unwrap();
    play.say("f");
    assert_eq!(play.head(), (root, 3), "the root goes on");
}

#[test]
fn a_save_point_brings_back_the_place_and_what_it_was_played_with() {
    let play = said(&["a", "b"]);
    let saved = block_on(play.conductor.save_point(&play.story.id, " 此处 ", "")).unwrap();
    assert_eq!((saved.name.as_str(), saved.position), ("此处", 2));
    play.ask(Ask::Again(play.nodes()[2].turn.id.clone())).unwrap();
    play.say("c");
    let mut story = play.storyline();
    story.preset = "persona".into();
    block_on(play.sim.ports.store.save(&story)).unwrap();
    let restore = || block_on(play.conductor.restore_point(&play.story.id, &saved.id)).unwrap();
    // Taken back, all is as before.
    let stood = |play: &Play| (play.storyline().head, play.storyline().preset, play.storyline().features, play.path());
    let stands = stood(&play);
    let before = restore();
    assert_ne!(stood(&play), stands);
    block_on(play.conductor.leave_point(&play.story.id, before)).unwrap();
    assert_eq!(stood(&play), stands);
    for _ in 0..3 {
        restore();
        assert_eq!(play.storyline().preset.as_str(), "plain");
        assert_eq!(play.path()[1..], ["a → r0", "b → r1"]);
    }
    let counts = |play: &Play| (play.all().len(), play.branches().len());
    let before = counts(&play);
    restore();
    assert_eq!(counts(&play), before, "no duplicates");
    play.say("d");
    assert_eq!(play.path()[1..], ["a → r0", "b → r1", "d → r4"]);
    let gone = block_on(play.conductor.delete_point(&play.story.id, &saved.id)).unwrap();
    assert_eq!(play.storyline().savepoints, []);
    block_on(play.conductor.put_back_point(&play.story.id, gone)).unwrap();
    assert_eq!(play.storyline().savepoints, [saved]);
}

/// The numbers of a stored tree may be wrong. A turn comes to its end all the same, and tells what was said before.
#[test]
fn a_line_is_taken_however_long_a_branch_says_it_is() {
    for (length, end) in [(4_000_000_000, 4_000_000_000), (u32::MAX, u32::MAX), (u32::MAX, 2), (2, u32::MAX)] {
        let play = play((0..2).map(|_| Answer::text(["嗯。"])));
        play.say("一");
        let mut story = play.storyline();
        let mut branch: Branch = block_on(play.sim.ports.store.load(story.head.branch.as_str())).unwrap().unwrap();
        (branch.length, story.head.end) = (length, end);
        block_on(play.sim.ports.store.commit(Batch::new().put(&branch).put(&story))).unwrap();
        let reply = play.say("二");
        assert_eq!(reply.status, Status::Done, "{length} {end}");
        assert!(play.messages(1).iter().any(|(_, text)| text == "一"), "{length} {end}: {:?}", play.messages(1));
    }
}

/// Found by a random history.
#[test]
fn a_branch_that_was_cut_comes_back_as_long_as_it_was() {
    let play = said(&["a", "b"]);
    let root = play.head().0;
    play.move_to(&root, 2).unwrap();
    play.say("c");
    play.say("d");
    let beside = play.head().0;
    play.move_to(&beside, 3).unwrap();
    play.say("e");
    let discard = |end| {
        let at = Head { branch: beside.as_str().into(), end };
        block_on(play.conductor.discard_branch(&play.story.id, &at)).unwrap().gone
    };
    let cut = discard(4);
    assert_eq!((cut.first, cut.length, cut.is_cut), (3, 1, true));
    let whole = discard(3);
    assert_eq!((whole.first, whole.length, whole.is_cut), (2, 1, false));
    assert_eq!(block_on(play.conductor.discarded_branches(&play.story.id)).unwrap(), [whole]);
}

/// A second press, before the page shows what the first has done.
#[test]
fn what_is_deleted_twice_is_deleted_once() {
    let play = said(&["a", "b", "c"]);
    let last = play.nodes()[3].turn.id.clone();
    let gone = block_on(play.conductor.discard_from(&last)).unwrap();
    assert!(block_on(play.conductor.discard_from(&last)).is_err());
    let cuts = |play: &Play| play.branches().values().map(|branch| branch.cuts.len()).sum::<usize>();
    assert_eq!((cuts(&play), play.head().1), (1, 3));
    block_on(play.conductor.restore_branch(&gone)).unwrap();
    assert_eq!((cuts(&play), play.head().1), (0, 4));
    assert_eq!(play.path()[1..], ["a → r0", "b → r1", "c → r2"]);
    // What is deleted within what was deleted before does not lead back into the bin.
    let inner = block_on(play.conductor.discard_from(&last)).unwrap();
    let outer = block_on(play.conductor.discard_from(&play.nodes()[2].turn.id)).unwrap();
    block_on(play.conductor.restore_branch(&inner)).unwrap();
    let root = &play.branches()[&play.storyline().head.branch];
    assert!(play.head().1 <= root.tip(), "the head is at a turn that is there");
    block_on(play.conductor.restore_branch(&outer)).unwrap();
    assert!(play.move_to(&play.head().0, 4).is_ok());
}

/// A branch may be no more than the choice of a reply: its first turn goes, and the choice stays.
#[test]
fn the_reply_that_was_chosen_stays_when_the_turn_after_it_goes() {
    let play = play(["一", "二", "三", "四"].map(|text| Answer::text([text])));
    play.say("a");
    play.say("b");
    play.ask(Ask::Again(play.nodes()[1].turn.id.clone())).unwrap();
    play.say("c");
    assert_eq!(play.path()[1..], ["a → 三", "c → 四"]);
    let gone = block_on(play.conductor.discard_from(&play.nodes()[2].turn.id)).unwrap();
    assert_eq!(play.path()[1..], ["a → 三"]);
    assert_eq!((play.branches()[&play.storyline().head.branch].length, play.head().1), (0, 2));
    block_on(play.conductor.restore_branch(&gone)).unwrap();
    assert_eq!(play.path()[1..], ["a → 三", "c → 四"]);
}

/// A session that is begun while words wait for their reply begins with them.
#[test]
fn a_session_begun_at_words_without_a_reply_goes_on() {
    let play = play([Answer::text(["一"]), Answer::error(500, ""), Answer::text(["二"]), Answer::text(["三"])]);
    play.say("a");
    let failed = play.say("b");
    assert!(failed.fault.is_some());
    let story = block_on(play.conductor.begin_session(&play.story.id)).unwrap();
    assert_eq!(block_on(play.conductor.begin_session(&play.story.id)).unwrap(), story, "once is enough");
    play.ask(Ask::Again(failed.turn)).unwrap();
    play.say("c");
    let session = story.current_session.clone();
    let of = |node: &Node| node.turn.session == session;
    assert_eq!(play.nodes().iter().map(of).collect::<Vec<_>>(), [false, false, true, true]);
    assert_eq!(play.storyline().session(&session).unwrap().turns, 2);
}
