//! The scribe: notes after the reply, late ones, missed ones, and those that are made up for.

use futures_util::{future::join, join};
use serde_json::json;

use super::{features::directed, *};
use crate::{
    features::{
        events::EventsSettings,
        reading::Said,
        scribe::{Cadence, ScribeSettings},
    },
    provider::Takes,
    reply::{notice::ReplyNotice, repair::Repair},
    story::{memory::Memory, noted::Noted, state::Change, tree::Head, warning::Notice},
    turn::scribe::{Miss, Progress, Task},
};

/// What a scribe that saw this feeling answers.
fn noting(feeling: &str) -> Answer {
    let note = json!({"current_state": {"emotions": [{"content": feeling, "context": ""}]}});
    Answer::text([note.to_string().as_str()])
}

fn prose(text: &str) -> Answer {
    Answer::text([text])
}

/// A story with all features on, and a scribe.
fn scribed(answers: impl IntoIterator<Item = Answer>, change: impl FnOnce(&mut ScribeSettings)) -> Play {
    let play = directed(answers);
    let mut story = play.storyline();
    let mut settings = ScribeSettings { enabled: true, ..Default::default() };
    change(&mut settings);
    story.features.set(&settings);
    block_on(play.sim.ports.store.save(&story)).unwrap();
    play
}

impl Play {
    fn scribe(&self, asked: bool) -> Result<bool, Miss> {
        block_on(self.conductor.scribe(&self.story.id, asked, Stop::never()))
    }

    fn feels(&self) -> Vec<String> {
        let emotions = self.state().persona(None).current_state.emotions.clone();
        emotions.iter().map(|item| item["content"].as_str().unwrap().to_owned()).collect()
    }

    /// What was noted at each turn of the path: from which turn to which.
    fn noted(&self) -> Vec<Option<(u32, u32)>> {
        self.nodes().iter().map(|node| node.reply()?.noted().map(|noted| noted.turns)).collect()
    }

    fn asked(&self, request: usize) -> String {
        self.messages(request).pop().unwrap().1
    }

    fn missed(&self, turn: usize) -> Vec<Notice> {
        let notices = self.nodes()[turn].reply().unwrap().notices();
        notices.into_iter().filter(|notice| notice.module == "scribe").collect()
    }
}

#[test]
fn a_note_is_taken_in_with_its_reply() {
    let note = json!({
        "current_state": {"emotions": [{"content": "疲惫", "context": "长路"}], "physical": {"condition": "左臂受伤"}, "immediate_goals": []},
        "growth_state": {"beliefs": [], "behavioral_patterns": [], "relationships": [{"entity": "玩家", "status": "盟友", "history": "他回来找她"}]},
        "major_event": "他回来找她",
        "progress": {"point": 2, "status": "completed"},
        "world": [{"key": "灯", "value": "亮"}],
    });
    let answer = Answer::text([note.to_string().as_str()]).counting(321);
    let play = scribed([prose("他推开门。"), answer, prose("好。")], |_| {});
    play.say("我回来了。");
    let before = play.state();
    assert_eq!(play.scribe(false), Ok(true));

    let asked = play.asked(1);
    assert!(
        asked.contains("我回来了。") && asked.contains("他推开门。") && asked.contains("2. 潜入 [pending]"),
        "{asked}"
    );
    let format = &play.body(1)["response_format"];
    assert_eq!((&format["type"], &format["json_schema"]["name"]), (&json!("json_schema"), &json!("note")));

    let state = play.state();
    assert_eq!(play.feels(), ["疲惫"]);
    assert_eq!((state.plot.current_plot_index, state.plot.current_status.as_str()), (2, "completed"));
    assert_eq!((&state.world["灯"], before.world.get("灯")), (&json!("亮"), None));
    assert_eq!(state.persona(None).growth_state.relationships[0]["status"], "盟友");
    let reply = play.nodes()[1].reply().unwrap().clone();
    let noted = reply.noted().unwrap();
    assert_eq!((noted.turns, noted.usage.unwrap().prompt_tokens, reply.text.as_str()), ((0, 1), 321, "他推开门。"));
    assert!(reply.changes().iter().any(|change| matches!(change, Change::Plot { index: 2, .. })));
    // Once is enough, and the event of it is remembered.
    assert_eq!((play.scribe(false), play.sim.llm.requests().len()), (Ok(false), 2));
    let memories = block_on(play.sim.ports.store.list::<Memory>(Query::all(Table::Memories))).unwrap();
    assert!(memories.iter().any(|memory| memory.text.contains("疲惫")), "{memories:?}");
    // The same reply, read anew, says the same.
    block_on(play.conductor.read_anew(&reply.id)).unwrap();
    assert!(play.state().says_the_same(&state));
}

/// What came whole is taken in, what is half-written is not; the reader is told of the note, not of the reply.
#[test]
fn a_note_that_was_cut_off() {
    let cut = r#"{"current_state": {"emotions": [{"content": "疲惫", "context": "长路"}, {"content": "害怕", "context": "她听见"#;
    let play = scribed([prose("他推开门。"), Answer::text([cut])], |_| {});
    play.say("我回来了。");
    assert_eq!(play.scribe(false), Ok(true));
    assert_eq!(play.feels(), ["疲惫"]);
    let reply = play.nodes()[1].reply().unwrap().clone();
    let what = vec![Repair::HalfItem];
    assert_eq!(Said::Note.notices_of(&reply), [ReplyNotice::RepairedJson { what }]);
    assert_eq!(Said::Reply.notices_of(&reply), []);
}

/// The form asks for a reason and a status with everything that grows: only what is said to be a turning point is one. What
/// a reply says of itself by seed `001` counts as ever.
#[test]
fn a_reason_alone_is_no_turning_point() {
    let growth = |event: &str| {
        let growth = json!({
            "beliefs": [{"content": "门不该锁", "formed_from": "他推开门"}],
            "relationships": [{"entity": "玩家", "status": "客人", "history": "他回来"}],
        });
        json!({"growth_state": growth, "major_event": event}).to_string()
    };
    let held = |reply: &str, note: &str| {
        let play = scribed([prose(reply), Answer::text([note])], |_| {});
        play.say("我回来了。");
        assert_eq!(play.scribe(false), Ok(true));
        let state = play.state();
        let persona = state.persona(None);
        (persona.growth_state.beliefs.len(), persona.pending_growth.len())
    };
    assert_eq!(held("他推开门。", &growth("")), (0, 1));
    assert_eq!(held("他推开门。", &growth("他回来找她")), (1, 0));
    let own = json!({"growth_state": {"beliefs": {"add": [{"content": "雨会停", "formed_from": "老人说过"}]}}});
    let reply = format!("他推开门。\n<state_update_json>{own}</state_update_json>");
    assert_eq!(held(&reply, &growth("")), (2, 0));
}

/// The note of a turn comes when two more have been told, and while a third is: all of them stand upon it.
#[test]
fn a_late_note_belongs_to_its_own_turn() {
    let mut late = noting("疲惫");
    late.steps.insert(0, Step::Wait(5_000));
    let mut slow = prose("三。");
    slow.steps.insert(0, Step::Wait(20_000));
    let answers = [prose("零。"), late, Answer::text([super::features::feeling("警觉").as_str()]), prose("二。"), slow];
    let play = scribed(answers, |_| {});
    play.say("a");
    let reader = async {
        for words in ["b", "c", "d"] {
            let ask = Ask::New(words.into());
            play.conductor.play(&play.story.id, ask, Stop::never(), &|shown| play.is_stored(&shown)).await.unwrap();
        }
    };
    let scribe = play.conductor.scribe(&play.story.id, false, Stop::never());
    let (noted, ()) = block_on(async { join!(scribe, reader) });
    assert_eq!(noted, Ok(true));
    assert_eq!(play.noted(), [None, Some((0, 1)), None, None, None]);
    assert_eq!(play.feels(), ["疲惫", "警觉"]);
    let at = |turn: usize| play.load_state(play.nodes()[turn].reply().unwrap().state.as_ref().unwrap());
    let counts: Vec<_> = (1..5).map(|turn| at(turn).plot.no_update_count).collect();
    assert_eq!(counts, [1, 2, 3, 4], "and nothing of the turns between is lost or done twice");
    let felt: Vec<_> = (1..5).map(|turn| at(turn).persona(None).current_state.emotions.len()).collect();
    assert_eq!(felt, [1, 2, 2, 2]);
}

/// A note is seen wherever its reply is, and nowhere else.
#[test]
fn swipes_and_branches() {
    let answers = [prose("一。"), prose("二。"), prose("三。"), prose("四。"), noting("疲惫"), noting("警觉")];
    let play = scribed(answers, |settings| (settings.cadence, settings.turns) = (Cadence::SomeTurns, 9));
    play.say("a");
    play.say("b");
    let first = play.nodes()[1].turn.clone();
    let old = first.chosen.clone().unwrap();
    // A branch that goes on from the first reply, and another reply beside it.
    block_on(play.conductor.move_to_reply(&play.story.id, &first.id, Some(&old))).unwrap();
    play.say("b2");
    let forked = play.storyline().head;
    play.ask(Ask::Again(first.id.clone())).unwrap();
    assert_eq!(play.scribe(true), Ok(true));
    assert_eq!(play.feels(), ["疲惫"], "of the other reply");
    let go = |head: &Head| {
        block_on(play.conductor.move_to(&play.story.id, head)).unwrap();
    };
    go(&forked);
    assert_eq!(play.feels(), [] as [&str; 0]);
    block_on(play.conductor.move_to_reply(&play.story.id, &first.id, Some(&old))).unwrap();
    assert_eq!(play.scribe(true), Ok(true));
    assert_eq!(play.feels(), ["警觉"]);
    go(&forked);
    assert_eq!(play.feels(), ["警觉"], "the branch that goes on from it");
    let root = play.nodes()[1].turn.branch.clone();
    go(&Head { branch: root, end: 3 });
    assert_eq!((play.path()[2].as_str(), play.feels()), ("b → 二。", vec!["警觉".to_owned()]));
}

#[test]
fn what_was_missed_is_said_and_made_up_for() {
    let refusal = prose("抱歉，我不能这样做。");
    let answers = [prose("一。"), Answer::error(500, "oops"), refusal, prose("二。"), noting("疲惫")];
    let play = scribed(answers, |_| {});
    play.say("a");
    let state = play.state();
    let Err(Miss::Fault(fault)) = play.scribe(false) else { panic!() };
    assert_eq!(fault.kind, FaultKind::ProviderDown);
    assert_eq!(play.missed(1)[0].cause, Cause::NotNoted { fault: Some(fault), whose: String::new() });
    assert_eq!((play.scribe(false), play.sim.llm.requests().len()), (Ok(false), 2), "not by itself, over and over");
    assert_eq!(play.scribe(true), Err(Miss::Unusable));
    assert_eq!(play.missed(1)[0].cause, Cause::NotNoted { fault: None, whose: String::new() });
    assert_eq!((play.state(), play.noted()), (state, vec![None, None]));
    // The next turn's note is of both.
    play.say("b");
    assert_eq!(play.scribe(false), Ok(true));
    assert_eq!((play.noted(), play.missed(1)), (vec![None, None, Some((0, 2))], vec![]));
    assert_eq!(play.feels(), ["疲惫"]);
}

#[test]
fn the_reader_stops_the_scribe() {
    let mut endless = noting("疲惫");
    endless.steps.insert(0, Step::Wait(50_000));
    let play = scribed([prose("一。"), endless, noting("警觉")], |_| {});
    play.say("a");
    let (mut stopper, stop) = stopper();
    let press = async {
        play.sim.ports.clock.sleep(1_000).await;
        stopper.stop(FaultKind::Stopped);
    };
    let (outcome, ()) = block_on(join(play.conductor.scribe(&play.story.id, false, stop), press));
    assert_eq!(outcome, Err(Miss::Fault(Fault::new(FaultKind::Stopped, ""))));
    assert_eq!((play.noted(), play.missed(1).len()), (vec![None, None], 1));
    assert_eq!((play.scribe(true), play.feels(), play.missed(1).len()), (Ok(true), vec!["警觉".to_owned()], 0));
}

/// What is due is known from the store: a page that closed amid a call asks again, one that has its note does not.
#[test]
fn a_closed_page_loses_nothing() {
    let mut endless = noting("疲惫");
    endless.steps.insert(0, Step::Wait(50_000));
    let play = scribed([prose("一。"), endless, noting("警觉")], |_| {});
    play.say("a");
    assert!(play.conductor.scribe(&play.story.id, false, Stop::never()).now_or_never().is_none(), "dropped");
    assert_eq!(play.noted(), [None, None]);
    let next = Conductor { ports: play.sim.ports.clone(), recent: Rc::default() };
    assert_eq!(block_on(next.scribe(&play.story.id, false, Stop::never())), Ok(true));
    assert_eq!(block_on(next.scribe(&play.story.id, false, Stop::never())), Ok(false));
    assert_eq!(play.feels(), ["警觉"]);
    // A story that another tab has taken is left alone.
    play.sim.tabs.lose();
    assert_eq!(play.scribe(true), Err(Miss::Fault(Fault::new(FaultKind::TakenOver, ""))));
}

#[test]
fn when_it_reads() {
    // Turns said, and after which of them it reads.
    let check = |cadence, turns: u32, said: &[&str], reads: &[usize]| {
        let answers = said.iter().flat_map(|text| [prose(text)]);
        let play = scribed(answers, |settings| (settings.cadence, settings.turns) = (cadence, turns));
        let mut read = Vec::new();
        for (at, text) in said.iter().enumerate() {
            play.sim.llm.replace([prose(text), noting("疲惫")]);
            play.say("嗯");
            if play.scribe(false).unwrap() {
                read.push(at + 1);
            }
        }
        assert_eq!(read, reads, "{cadence:?} {turns}");
    };
    check(Cadence::EveryTurn, 5, &["好。", "好。"], &[1, 2]);
    check(Cadence::SomeTurns, 2, &["好。"; 5], &[2, 4]);
    check(Cadence::SomeTurns, 0, &["好。"; 2], &[1, 2]);
    let long = "他沿着河岸一直走，".repeat(60);
    check(Cadence::Eventful, 5, &["好。", "好。", "她哭了。", "好。", &long, "It rains.", "He bled."], &[3, 5, 7]);
}

#[test]
fn off_it_leaves_no_trace() {
    let play = directed([prose("一。")]);
    let reply = play.say("a");
    assert_eq!((play.scribe(false), play.sim.llm.requests().len()), (Ok(false), 1));
    assert_eq!(play.nodes()[1].reply().unwrap().extra, reply.extra);
    // Where nothing is on that a note could change, no one is asked.
    let play = scribed([prose("一。")], |_| {});
    let mut story = play.storyline();
    let _ = ["director", "persona", "world"].map(|feature| story.features.switch(feature, false));
    block_on(play.sim.ports.store.save(&story)).unwrap();
    play.say("a");
    assert_eq!((play.scribe(true), play.sim.llm.requests().len()), (Ok(false), 1));
    assert_eq!(block_on(play.conductor.task(&play.story.id, 0)), Ok(None));
}

/// A story that was told without it is read from any turn on, piece by piece; what is done stays.
#[test]
fn it_catches_up() {
    let play = scribed((0..30).map(|_| prose("嗯。")), |settings| settings.enabled = false);
    (0..30).for_each(|turn| drop(play.say(&format!("第{turn}句"))));
    let task = |from| block_on(play.conductor.task(&play.story.id, from)).unwrap().unwrap();
    let Task { connection, first, turns, calls, prompt_tokens, answer_tokens } = task(4);
    assert_eq!((connection.as_str(), first, turns, calls), ("c", 4, 27, 3));
    assert!(prompt_tokens > 3 * 200 && answer_tokens > 0);

    let (mut one, mut two) = (noting("疲惫"), noting("警觉"));
    one.steps.insert(0, Step::Wait(100));
    two.steps.insert(0, Step::Wait(50_000));
    play.sim.llm.replace([one, two]);
    let (mut stopper, stop) = stopper();
    let heard = RefCell::new(Vec::new());
    let press = async {
        play.sim.ports.clock.sleep(5_000).await;
        stopper.stop(FaultKind::Stopped);
    };
    let progress = |Progress { part, parts }| heard.borrow_mut().push((part, parts));
    let work = play.conductor.catch_up(&play.story.id, 4, stop, &progress);
    let (outcome, ()) = block_on(join(work, press));
    assert_eq!(outcome.unwrap_err().fault().unwrap().kind, FaultKind::Stopped);
    assert_eq!(heard.take(), [(1, 3), (2, 3)]);
    assert_eq!((play.noted()[15], play.feels()), (Some((4, 15)), vec!["疲惫".to_owned()]), "at the end of the path");

    assert_eq!((task(0).first, task(0).turns, task(16).calls), (0, 19, 2), "what was read is left out");
    play.sim.llm.replace([noting("警觉"), Answer::error(401, "{}"), noting("惊讶")]);
    let again = || block_on(play.conductor.catch_up(&play.story.id, 16, Stop::never(), &|_| {}));
    assert_eq!(again().unwrap_err().fault().unwrap().kind, FaultKind::WrongKey);
    assert_eq!(again(), Ok(()));
    assert_eq!(play.feels(), ["惊讶"], "what is felt now");
    assert_eq!((task(4).turns, task(4).first), (0, 31));
    let asked = play.asked(play.sim.llm.requests().len() - 1);
    assert!(asked.contains("警觉"), "each part knows what was noted before: {asked}");
}

/// What a feature made that is off by now stays, when an earlier turn's note comes.
#[test]
fn what_rests_is_left_as_it_was() {
    let set = r#"<root><reply>好。</reply><state_update><set key="灯" value="亮"></set></state_update></root>"#;
    let play = scribed([prose("一。"), Answer::text([set]), prose("三。"), noting("疲惫")], |settings| {
        (settings.cadence, settings.turns) = (Cadence::SomeTurns, 99);
    });
    let _ = ["a", "b", "c"].map(|words| play.say(words));
    let mut story = play.storyline();
    let _ = ["director", "world"].map(|feature| story.features.switch(feature, false));
    let off = vec!["hunter".into(), "door".into()];
    story.features.set(&EventsSettings { off, ..Default::default() });
    block_on(play.sim.ports.store.save(&story)).unwrap();
    let before = play.state();
    let changes = play.nodes()[2].reply().unwrap().changes();
    let reply = play.nodes()[1].reply().unwrap().clone();
    block_on(play.conductor.move_to_reply(&play.story.id, &reply.turn, None)).unwrap();
    assert_eq!(play.scribe(true), Ok(true));
    let last = Head { branch: reply.branch.clone(), end: 4 };
    block_on(play.conductor.move_to(&play.story.id, &last)).unwrap();
    let after = play.state();
    assert_eq!((&after.world, &after.plot, play.feels()), (&before.world, &before.plot, vec!["疲惫".to_owned()]));
    assert_eq!(play.nodes()[2].reply().unwrap().changes(), changes);
}

/// Whatever the store fails at, a note is there with all its states, or not at all.
#[test]
fn a_note_is_stored_whole() {
    let make = || {
        let play = scribed([prose("一。"), prose("二。"), noting("疲惫")], |settings| {
            (settings.cadence, settings.turns) = (Cadence::SomeTurns, 9);
        });
        play.say("a");
        play.say("b");
        play
    };
    let play = make();
    let before = play.sim.store.operations();
    play.scribe(true).unwrap();
    for nth in 0..play.sim.store.operations() - before {
        let play = make();
        play.sim.store.fail(nth, "QuotaExceededError");
        let noted = play.scribe(true).is_ok();
        let is_there = play.noted()[2].is_some();
        assert_eq!(play.feels().is_empty(), !is_there, "operation {nth}");
        assert!(is_there || !noted, "operation {nth}");
    }
}

/// A server that refuses the schema is asked for less, and that is remembered; so it is for any other answer of a shape.
#[test]
fn what_a_server_takes_is_learnt() {
    let refused = || Answer::error(400, r#"{"error":{"message":"response_format is unavailable"}}"#);
    let answers = [prose("一。"), refused(), noting("疲惫"), prose("二。"), noting("警觉")];
    let play = scribed(answers, |_| {});
    play.say("a");
    play.scribe(false).unwrap();
    play.say("b");
    play.scribe(false).unwrap();
    let formats: Vec<_> = (0..5).map(|request| play.body(request)["response_format"]["type"].clone()).collect();
    assert_eq!(formats, [json!(null), json!("json_schema"), json!("json_object"), json!(null), json!("json_object")]);
    let connections = block_on(play.sim.ports.store.load::<Connections>(Connections::ID)).unwrap().unwrap();
    assert_eq!(Takes::of(&connections.list[0]), Takes::Object);
    assert_eq!(play.feels(), ["警觉"]);

    // Refused for another cause, it says so, and nothing is learnt.
    let play = scribed([prose("一。"), refused(), refused(), refused()], |_| {});
    play.say("a");
    assert_eq!(play.scribe(false).unwrap_err().fault().unwrap().kind, FaultKind::BadRequest);
    let connections = block_on(play.sim.ports.store.load::<Connections>(Connections::ID)).unwrap().unwrap();
    assert_eq!(Takes::of(&connections.list[0]), Takes::Schema);
}

/// A reply that goes on or is reworded says more than was read.
#[test]
fn a_reply_that_changed_is_read_again() {
    let answers = [Answer::unfinished(["他推开"]), noting("疲惫"), prose("门，哭了。"), noting("悲伤")];
    let play = scribed(answers, |_| {});
    let reply = play.say("a");
    play.scribe(false).unwrap();
    play.ask(Ask::Continue(reply.id)).unwrap();
    assert_eq!(play.scribe(false), Ok(true));
    assert!(play.asked(3).contains("他推开门，哭了。"));
    assert_eq!(play.feels(), ["悲伤"], "in the place of the first");
    let noted: Noted = play.nodes()[1].reply().unwrap().noted().unwrap();
    assert_eq!(noted.length, "他推开门，哭了。".len());
}

/// That nothing has changed is a note too: these turns are read.
#[test]
fn nothing_is_a_fine_answer() {
    let play = scribed([prose("一。"), noting("疲惫"), prose("二。"), prose("{}")], |_| {});
    play.say("a");
    play.scribe(false).unwrap();
    play.say("b");
    let state = play.state();
    assert_eq!(play.scribe(false), Ok(true));
    assert_eq!((play.noted(), play.state()), (vec![None, Some((0, 1)), Some((2, 2))], state));
    assert_eq!((play.scribe(false), play.missed(2)), (Ok(false), vec![]));
}

/// Whatever number of turns may be set is waited for, and no longer.
#[test]
fn it_reads_every_so_many_turns_however_many() {
    let replies = (0..31).map(|_| Answer::text(["嗯。"]));
    let play = scribed(replies.chain([Answer::text(["{}"])]), |settings| {
        settings.cadence = Cadence::SomeTurns;
        settings.turns = 30;
    });
    for turn in 1..30 {
        play.say("一");
        assert_eq!(play.scribe(false), Ok(false), "{turn}");
    }
    play.say("一");
    play.sim.llm.replace([Answer::text(["{}"])]);
    assert_eq!(play.scribe(false), Ok(true));
}

/// Other words of the same length are other words.
#[test]
fn a_reply_with_other_words_of_the_same_length_is_read_again() {
    let play = scribed([prose("他累了。"), noting("疲惫"), noting("欢喜")], |_| {});
    let reply = play.say("a");
    play.scribe(false).unwrap();
    block_on(play.conductor.edit_reply(&reply.id, "他笑了。")).unwrap();
    assert_eq!(play.scribe(false), Ok(true));
    assert_eq!(play.feels(), ["欢喜"]);
}

/// What was said in a turn that failed is read with the next.
#[test]
fn words_that_nobody_answered_are_read() {
    let silent = Answer::error(500, "");
    let play = scribed([prose("一。"), silent, prose("二。"), noting("疲惫")], |_| {});
    play.say("a");
    assert!(play.say("钥匙在井里。").fault.is_some());
    play.say("c");
    assert_eq!(play.scribe(true), Ok(true));
    let asked = play.asked(3);
    let at = |text: &str| asked.find(text).unwrap_or_else(|| panic!("{text}: {asked}"));
    assert!(at("一。") < at("钥匙在井里。") && at("钥匙在井里。") < at("二。"), "{asked}");
}
