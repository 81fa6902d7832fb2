//! World, events and planner in whole turns.

use serde_json::json;

use super::{
    features::{directed, replayed},
    *,
};
use crate::{
    features::{self, planner::PlannerSettings},
    story::{
        event::{Stage, stage},
        state::Change,
        warning::{Cause, Notice},
        world::{self, Refusal, WorldEdit},
    },
    turn::ByHandError,
};

/// Changes of the world by hand: typed, kept when the reply is read anew, and taken back as if they had not been made.
#[test]
fn the_world_by_hand() {
    let first = r#"<state_update><set key="gold" value="10"></set></state_update><reply>给你。</reply>"#;
    let second = r#"<state_update><add key="gold" value="1"></add></state_update><reply>走。</reply>"#;
    let play = directed([Answer::text([first]), Answer::text([second])]);
    let id = &play.story.id;
    let put = |key: &str, value| block_on(play.conductor.edit_world(id, WorldEdit::Put { key: key.into(), value }));
    let world = || serde_json::Value::from(play.state().world);
    assert_eq!(block_on(play.conductor.undo_world(id)), Err(ByHandError::NotThere(features::NotThere)));
    let reply = play.say("要");
    put(" place ", json!("桥")).unwrap();
    put("gold", json!("很多")).unwrap();
    assert_eq!(world(), json!({"gold": "很多", "place": "桥"}));
    assert_eq!(put("", json!(1)), Err(ByHandError::World(Refusal::BadKey)));
    assert_eq!(put("long", "字".repeat(5_000).into()), Err(ByHandError::World(Refusal::LongValue)));
    let reply = block_on(play.conductor.read_anew(&reply.id)).unwrap();
    assert_eq!(world(), json!({"gold": "很多", "place": "桥"}));
    let told: Vec<_> = world::steps(&reply, "gold").into_iter().map(|step| (step.to.unwrap(), step.by_hand)).collect();
    assert_eq!(told, [(json!(10), false), (json!("很多"), true)]);
    block_on(play.conductor.undo_world(id)).unwrap();
    assert_eq!(world(), json!({"gold": 10, "place": "桥"}));
    block_on(play.conductor.edit_world(id, WorldEdit::Remove { key: "place".into() })).unwrap();
    block_on(play.conductor.undo_world(id)).unwrap();
    block_on(play.conductor.undo_world(id)).unwrap();
    assert_eq!(world(), json!({"gold": 10}));
    assert!(block_on(play.conductor.undo_world(id)).is_err(), "what the reply said is no change by hand");
    play.say("走");
    assert_eq!(world(), json!({"gold": 11}));
    assert!(play.state().says_the_same(&replayed(&play)));
}

/// A change by hand that turns have followed is taken back at the head; what they were played with stays.
#[test]
fn the_world_by_hand_is_taken_back_later() {
    let answers = ["一。", "二。", r#"<state_update><set key="gold" value="7"></set></state_update>三。"#];
    let play = directed(answers.map(|text| Answer::text([text])));
    let mut story = play.storyline();
    story.preset = "sxml".into();
    block_on(play.sim.ports.store.save(&story)).unwrap();
    let id = &play.story.id;
    let edit = |edit: WorldEdit| block_on(play.conductor.edit_world(id, edit)).unwrap();
    let put = |key: &str, value| edit(WorldEdit::Put { key: key.into(), value });
    let undo = || block_on(play.conductor.undo_world(id));
    let undo_key = |key: &str| block_on(play.conductor.undo_world_key(id, key));
    let world = || serde_json::Value::from(play.state().world);
    play.say("一");
    put("gold", json!(1));
    put("place", json!("桥"));
    put("gold", json!(2));
    edit(WorldEdit::Remove { key: "place".into() });
    play.say("二");
    let then = play.nodes()[1].reply().unwrap().state.clone();
    assert_eq!(world(), json!({"gold": 2}));
    undo().unwrap();
    assert_eq!(world(), json!({"gold": 2, "place": "桥"}));
    undo_key("gold").unwrap();
    assert_eq!(world(), json!({"gold": 1, "place": "桥"}), "as it was before that change");
    assert_eq!(play.nodes()[1].reply().unwrap().state, then, "the turn before is as it was played");
    undo().unwrap();
    assert_eq!(world(), json!({"gold": 2, "place": "桥"}), "the undoing too");
    assert!(undo_key("nothing").is_err());
    play.say("三");
    assert_eq!(world(), json!({"gold": 7, "place": "桥"}));
    assert_eq!(undo_key("gold"), Err(ByHandError::NotThere(features::NotThere)), "the reply has changed it since");
    undo().unwrap();
    assert_eq!(world(), json!({"gold": 7}));
    assert!(play.state().says_the_same(&replayed(&play)));
}

/// Pending, active, settled; told in the prompt while it is active; another reply to the turn starts from before it.
#[test]
fn an_event_through_its_life() {
    let set = |gold: u32| format!(r#"<state_update><set key="gold" value="{gold}"></set></state_update>好。"#);
    let answers = [set(12), "走。".into(), "停。".into(), "夜里。".into(), set(10)];
    let play = directed(answers.iter().map(|text| Answer::text([text.as_str()])));
    let mut story = play.storyline();
    story.preset = "sxml".into();
    block_on(play.sim.ports.store.save(&story)).unwrap();
    let hunter = || stage(&play.state().events, "hunter");
    assert_eq!(hunter(), (Stage::Pending, None));
    let first = play.say("a");
    assert_eq!(hunter(), (Stage::Active, Some(1)));
    let begins = Change::Event { id: "hunter".into(), name: "猎人".into(), stage: Stage::Active };
    assert!(first.changes().contains(&begins));
    let told = |reply: &Generation| {
        let blocks = play.account(reply).blocks;
        blocks.into_iter().find(|block| block.identifier == "events").map(|block| block.text)
    };
    assert_eq!(told(&first), None);
    let second = play.say("b");
    assert_eq!(told(&second).as_deref(), Some("## 正在发生的事\n猎人：Alserqi听见猎人的脚步。"));
    let third = play.say("c");
    assert_eq!(hunter(), (Stage::Settled, Some(3)));
    let world = || serde_json::Value::from(play.state().world);
    assert_eq!(world(), json!({"gold": 2, "hunted": true}));
    assert!(third.changes().contains(&Change::World { key: "gold".into(), from: Some(json!(12)), to: Some(json!(2)) }));
    assert_eq!(told(&play.say("d")), None);
    play.say("e");
    assert_eq!(hunter(), (Stage::Active, Some(5)), "it repeats");
    assert!(play.state().says_the_same(&replayed(&play)));
}

/// A plan is told to the reply and kept with it; a continued reply has its own, and what goes wrong costs the plan alone.
#[test]
fn a_plan_before_the_reply() {
    let answers = [
        Answer::text(["<thought>嗯</thought>先让他犹豫。"]).counting(900),
        Answer::unfinished(["他看着"]),
        Answer::text(["门。"]),
        Answer::error(500, "oops"),
        Answer::text(["好。"]),
        Answer::unfinished(["慢"]).then(Step::Wait(50_000)),
        Answer::text(["好。"]),
        Answer::text([""]),
        Answer::text(["好。"]),
    ];
    let play = super::play(answers);
    let mut story = play.storyline();
    story.features.set(&PlannerSettings { enabled: true, ..Default::default() });
    block_on(play.sim.ports.store.save(&story)).unwrap();
    let asked = |request: usize| play.messages(request);
    let last = |request: usize| asked(request).last().unwrap().1.clone();
    let told = |request: usize| asked(request).iter().any(|(_, text)| text.contains("这一轮的计划"));

    let first = play.say("走吗？");
    assert!(last(0).contains("先不要写故事") && !told(0), "{:?}", asked(0));
    assert_eq!((first.plan(), first.text.as_str()), (Some("先让他犹豫。"), "他看着"));
    assert!(told(1) && !last(1).contains("先不要写故事"));
    let usage =
        Some(crate::story::generation::Usage { prompt_tokens: 900, completion_tokens: 1, ..Default::default() });
    let planning = first.planning().unwrap();
    assert_eq!((planning.model.is_empty(), planning.usage), (false, usage), "the call is accounted for");
    assert_ne!(first.usage, usage, "and not as the reply's");
    let whole = play.ask(Ask::Continue(first.id)).unwrap();
    assert_eq!((whole.plan(), whole.text.as_str(), told(2)), (Some("先让他犹豫。"), "他看着门。", true));

    let why = |reply: &Generation| match &reply.notices()[..] {
        [Notice { module, cause: Cause::NotPlanned { fault } }] if module == "planner" => {
            fault.as_ref().map(|fault| fault.kind)
        }
        other => panic!("{other:?}"),
    };
    for expected in [Some(FaultKind::ProviderDown), Some(FaultKind::Stalled), None] {
        let reply = play.say("走");
        assert_eq!((reply.status, reply.plan(), why(&reply)), (Status::Done, None, expected));
    }

    // Switched off, nothing is asked.
    let before = play.sim.llm.requests().len();
    story = play.storyline();
    story.features.forget("planner");
    block_on(play.sim.ports.store.save(&story)).unwrap();
    play.say("走");
    assert_eq!(play.sim.llm.requests().len(), before + 1);
}

/// What another reply to a turn is planned upon is what comes before it, not the reply that is to be another.
#[test]
fn no_plan_knows_of_the_reply_before() {
    let play = super::play(["先走。", "他走进了井里。", "先停。", "他停了下来。"].map(|text| Answer::text([text])));
    let mut story = play.storyline();
    story.features.set(&PlannerSettings { enabled: true, ..Default::default() });
    block_on(play.sim.ports.store.save(&story)).unwrap();
    let first = play.say("走吗？");
    play.ask(Ask::Again(first.turn)).unwrap();
    for request in 2..4 {
        let told = play.messages(request);
        assert!(told.iter().any(|(_, text)| text.contains("走吗？")));
        assert!(!told.iter().any(|(_, text)| text.contains("井里")), "{told:?}");
    }
}

/// Who stops while the plan is made stops the turn: no reply is asked for.
#[test]
fn the_reader_stops_the_plan() {
    let play = super::play([Answer::unfinished(["慢"]).then(Step::Wait(50_000))]);
    let mut story = play.storyline();
    story.features.set(&PlannerSettings { enabled: true, ..Default::default() });
    block_on(play.sim.ports.store.save(&story)).unwrap();
    let (mut stopper, stop) = crate::turn::stream::stopper();
    stopper.stop(FaultKind::Stopped);
    let shown = std::cell::RefCell::new(Vec::new());
    let show = |now: Shown| shown.borrow_mut().push(std::mem::discriminant(&now));
    let reply = block_on(play.conductor.play(&play.story.id, Ask::New("走".into()), stop, &show)).unwrap();
    let planning = std::mem::discriminant(&Shown::Planning("t".into()));
    assert_eq!(shown.borrow().iter().position(|now| *now == planning), Some(1), "right after the reader's words");
    assert_eq!((reply.status, reply.fault.unwrap().kind), (Status::Interrupted, FaultKind::Stopped));
    assert!(play.sim.llm.requests().len() <= 1);
    assert_eq!(play.path()[1], "走 → ");
}
