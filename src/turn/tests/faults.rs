//! A store that fails, for a moment or for good, in the midst of everything that a reader does by hand: a failed act has
//! changed nothing and can be done again, and one that says it is done is done whole.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use serde_json::{Value, json};

use super::{features::directed, *};
use crate::{
    ports,
    story::{ids::MemoryId, persona::PersonaEdit, plot::PointStatus, tree::Head, world::WorldEdit},
    turn::{bin, memories},
};

/// An act on a story of three turns with a swipe, a branch, a save point and a memory; whether it was done.
type Act = for<'a> fn(&'a Play, &'a Seen) -> ports::Future<'a, bool>;

/// What an act may name of the story.
struct Seen {
    nodes: Vec<Node>,
    memory: MemoryId,
    save_point: String,
    /// The end of the branch that is not the head's.
    elsewhere: Head,
}

const ACTS: &[(&str, Act)] = &[
    ("reword the reader's words", |play, seen| done(play.conductor.edit_user(&seen.nodes[1].turn.id, "改"))),
    ("reword a reply", |play, seen| done(play.conductor.edit_reply(&reply(seen, 1).id, "改"))),
    ("reword the words beside", |play, seen| {
        done(play.conductor.edit_user_as_branch(&play.story.id, &seen.nodes[1].turn.id, "另"))
    }),
    ("reword a reply beside", |play, seen| done(play.conductor.edit_reply_as_branch(&reply(seen, 1).id, "另"))),
    ("choose another reply", |play, seen| {
        let node = &seen.nodes[2];
        let other = node.generations.iter().find(|one| Some(&one.id) != node.reply().map(|seen| &seen.id)).unwrap();
        done(play.conductor.choose(&play.story.id, &node.turn.id, &other.id))
    }),
    ("go to another branch", |play, seen| done(play.conductor.move_to(&play.story.id, &seen.elsewhere))),
    ("go back to a turn", |play, seen| {
        let to = Head { branch: seen.nodes[1].turn.branch.clone(), end: 2 };
        done(async move { play.conductor.move_to(&play.story.id, &to).await })
    }),
    ("delete a branch", |play, seen| done(play.conductor.discard_branch(&play.story.id, &seen.elsewhere))),
    ("name a turn", |play, seen| done(play.conductor.name_turn(&seen.nodes[1].turn.id, "桥上"))),
    ("begin a session", |play, _| done(play.conductor.begin_session(&play.story.id))),
    ("save a point", |play, _| done(play.conductor.save_point(&play.story.id, "此处", "雨"))),
    ("restore a point", |play, seen| done(play.conductor.restore_point(&play.story.id, &seen.save_point))),
    ("delete a point", |play, seen| done(play.conductor.delete_point(&play.story.id, &seen.save_point))),
    ("write a memory", |play, _| done(play.conductor.write_memory(&play.story.id, "钥匙", "花盆下"))),
    ("pin a memory", |play, seen| done(play.conductor.change_memory(&seen.memory, memories::Change::Pin(true)))),
    ("delete a memory", |play, seen| done(play.conductor.delete_memory(&seen.memory))),
    ("change the world", |play, _| {
        done(play.conductor.edit_world(&play.story.id, WorldEdit::Put { key: "gold".into(), value: json!(3) }))
    }),
    ("take back a change of the world", |play, _| done(play.conductor.undo_world(&play.story.id))),
    ("move the plot", |play, _| done(play.conductor.set_plot(&play.story.id, 3, PointStatus::Pending))),
    ("reword the evolved persona", |play, _| {
        done(play.conductor.edit_persona(&play.story.id, None, PersonaEdit::Evolve { text: "她学会了等。".into() }))
    }),
    ("read a reply anew", |play, seen| done(play.conductor.read_anew(&reply(seen, 3).id))),
    ("into the bin", |play, _| done(bin::discard::<Storyline>(&play.sim.ports, play.story.id.as_str()))),
    ("delete a character", |play, _| done(bin::delete_forever::<Character>(&*play.sim.ports.store, "gone"))),
    ("delete a story for ever", |play, _| done(bin::delete_storyline(&*play.sim.ports.store, &play.story.id))),
];

fn done<'a, T, E>(act: impl std::future::Future<Output = Result<T, E>> + 'a) -> ports::Future<'a, bool> {
    Box::pin(async { act.await.is_ok() })
}

fn reply(seen: &Seen, turn: usize) -> &Generation {
    seen.nodes[turn].reply().unwrap()
}

fn begun() -> (Play, Seen) {
    let set = "<state_update><set key=\"gold\" value=\"1\"></set></state_update>好。[PROGRESS:1:completed]";
    let play = directed((0..6).map(|_| Answer::text([set])));
    let (id, conductor) = (&play.story.id, &play.conductor);
    let gone = Character { id: "gone".into(), deleted: Some(1), ..Default::default() };
    block_on(play.sim.ports.store.save(&gone)).unwrap();
    play.say("一");
    play.say("二");
    play.ask(Ask::Again(play.nodes()[2].turn.id.clone())).unwrap();
    let memory = block_on(conductor.write_memory(id, "桥在城北", "")).unwrap().id;
    let save_point = block_on(conductor.save_point(id, "桥", "")).unwrap().id;
    play.say("三");
    let elsewhere = play.storyline().head;
    block_on(conductor.move_to(id, &Head { end: 2, ..elsewhere.clone() })).unwrap();
    play.say("四");
    play.say("五");
    block_on(conductor.edit_world(id, WorldEdit::Put { key: "place".into(), value: json!("桥") })).unwrap();
    block_on(conductor.move_to(id, &elsewhere)).unwrap();
    let here = play.storyline().head;
    let nodes = play.nodes();
    let elsewhere = play.branches().into_values().find(|one| one.id != here.branch).unwrap();
    let elsewhere = Head { branch: elsewhere.id.clone(), end: elsewhere.tip() };
    block_on(conductor.edit_world(id, WorldEdit::Put { key: "place".into(), value: json!("门") })).unwrap();
    let seen = Seen { nodes, memory, save_point, elsewhere };
    (play, seen)
}

/// How many records each table has.
fn counts(all: &BTreeMap<(Table, String), Value>) -> Vec<usize> {
    Table::ALL.iter().map(|table| all.keys().filter(|(of, _)| of == table).count()).collect()
}

/// What modules say of having failed.
fn notices(all: &BTreeMap<(Table, String), Value>) -> usize {
    let replies = all.iter().filter(|((table, _), _)| *table == Table::Generations);
    let read = |value: &Value| crate::store::decode::<Generation>(value.clone()).unwrap();
    replies.map(|(_, value)| read(value).notices().len()).sum()
}

#[test]
fn an_act_by_hand_is_done_whole_or_not_at_all() {
    for (name, act) in ACTS {
        let (good, seen) = begun();
        let operations = good.sim.store.operations();
        assert!(block_on(act(&good, &seen)), "{name}");
        let operations = good.sim.store.operations() - operations;
        let expected = good.all();
        for (nth, lasts) in (0..operations).flat_map(|nth| [(nth, false), (nth, true)]) {
            let (play, seen) = begun();
            let before = play.all();
            let error = "QuotaExceededError";
            if lasts {
                play.sim.store.break_down(nth, error)
            } else {
                play.sim.store.fail(nth, error)
            }
            let is_done = block_on(act(&play, &seen));
            play.sim.store.heal();
            let what = format!("{name}, operation {nth}, for good: {lasts}");
            if !is_done {
                assert_eq!(play.all(), before, "{what}: refused");
                assert!(block_on(act(&play, &seen)), "{what}: again");
            }
            let now = play.all();
            // What is made again has other ids; what was done at once has the very ones, but for a module that failed
            // alone and says so.
            let is_told = notices(&now) > notices(&expected);
            if is_done && !is_told {
                assert_eq!(now, expected, "{what}");
            }
            if !is_told {
                assert_eq!(counts(&now), counts(&expected), "{what}");
            }
        }
    }
}

/// While what other devices told is taken into a story, nothing is read to be written over it: it waits, and is done then.
#[test]
fn an_act_by_hand_waits_for_who_writes() {
    let of_the_library = ["into the bin", "delete a character", "delete a story for ever"];
    for (name, act) in ACTS.iter().filter(|(name, _)| !of_the_library.contains(name)) {
        let (play, seen) = begun();
        let held = block_on(play.conductor.recent.settling.lock());
        let before = play.all();
        let mut doing = act(&play, &seen);
        assert!(doing.as_mut().now_or_never().is_none(), "{name}");
        assert_eq!(play.all(), before, "{name}");
        drop(held);
        assert!(block_on(doing), "{name}");
    }
}

/// Whatever operation of the store fails: nothing shown is lost, the tree stays whole, and the turn can be done again.
#[test]
fn any_operation_of_the_store_may_fail() {
    let answers = || (0..3).map(|_| Answer::text(["一", "二", "三"]));
    let counting = play(answers());
    let before = counting.sim.store.operations();
    counting.say("走");
    let operations = counting.sim.store.operations() - before;
    assert!(operations > 8, "{operations}");
    let names = ["QuotaExceededError", "AbortError", "InvalidStateError", "UnknownError", "NotReadableError"];
    for nth in 0..operations {
        for (name, lasts) in names.into_iter().flat_map(|name| [(name, false), (name, true)]) {
            let play = play(answers());
            if lasts {
                play.sim.store.break_down(nth, name)
            } else {
                play.sim.store.fail(nth, name)
            }
            let shown = RefCell::new(String::new());
            let show = |now: Shown| {
                play.is_stored(&now);
                if let Shown::Reply(reply) = now {
                    *shown.borrow_mut() = reply.text.clone();
                }
            };
            let outcome = block_on(play.conductor.play(&play.story.id, Ask::New("走".into()), Stop::never(), &show));
            play.sim.store.heal();
            if let Err(fault) = &outcome {
                let expected =
                    if name == "QuotaExceededError" { FaultKind::StorageFull } else { FaultKind::StorageFailed };
                assert_eq!(fault.kind, expected, "operation {nth}");
            }
            block_on(recover::close_unfinished(&play.sim.ports, &play.story.id)).unwrap();
            let nodes = play.nodes();
            let kept = nodes.get(1).and_then(|node| node.reply()).map_or("", |reply| reply.text.as_str());
            assert!(kept.starts_with(shown.borrow().as_str()), "operation {nth}: shown {shown:?}, kept {kept:?}");
            let again = match nodes.get(1) {
                Some(node) => play.ask(Ask::Again(node.turn.id.clone())),
                None => play.ask(Ask::New("走".into())),
            };
            assert_eq!(again.unwrap().status, Status::Done, "operation {nth} {name}");
            assert_eq!(play.path()[1], "走 → 一二三");
        }
    }
}

/// A stream whose story another tab took writes nothing any more.
#[test]
fn a_taken_story_is_not_written() {
    let broken = Answer::unfinished(["一"]).then(Step::Wait(500));
    let play = play([broken.then(Step::Bytes(crate::sim::llm::openai_chunk("二")))]);
    let commits = RefCell::new(0);
    let show = |shown: Shown| {
        if matches!(&shown, Shown::Reply(reply) if reply.text == "一") {
            play.sim.tabs.lose();
            *commits.borrow_mut() = play.sim.store.commits().len();
        }
    };
    let lost = block_on(play.conductor.play(&play.story.id, Ask::New("走".into()), Stop::never(), &show)).unwrap_err();
    assert_eq!(lost.kind, FaultKind::TakenOver);
    assert_eq!(play.sim.store.commits().len(), *commits.borrow(), "nothing was written after the loss");
    assert_eq!(play.ask(Ask::New("再".into())).unwrap_err().kind, FaultKind::TakenOver);
}
