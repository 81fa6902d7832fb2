//! Sessions summarised: what becomes of the story, of the prompt, and of an attempt that breaks off.

use serde_json::{Value, json};

use super::*;
use crate::{
    store::Doc,
    story::{
        memory::{Kind, Memory},
        settings::{Config, SummaryOrder},
        storyline::Opened,
    },
    turn::{SummariseError, bin, summarise::Progress},
};

/// An answer that tells of turns.
fn told(turns: [u32; 2], text: &str, summary: &str) -> Answer {
    let points = json!([{"turns": turns, "text": text, "detail": format!("{text}的经过")}]);
    Answer::text([json!({"summary": summary, "points": points}).to_string().as_str()])
}

fn replies(count: usize) -> impl Iterator<Item = Answer> {
    (1..=count).map(|n| Answer::text([format!("第{n}答。").as_str()]))
}

/// A story of `turns` turns with the director's preset, then these answers.
fn story(turns: usize, then: impl IntoIterator<Item = Answer>) -> Play {
    let play = play(replies(turns).chain(then));
    let mut story = play.storyline();
    story.preset = "director".into();
    block_on(play.sim.ports.store.save(&story)).unwrap();
    for n in 1..=turns {
        play.say(&format!("第{n}问。"));
    }
    play
}

impl Play {
    fn small_model(&self) {
        let mut connections = block_on(self.sim.ports.store.load::<Connections>(Connections::ID)).unwrap().unwrap();
        connections.list[0].context_tokens = 1_100;
        block_on(self.sim.ports.store.save(&connections)).unwrap();
    }

    fn summarise(&self) -> Result<Storyline, SummariseError> {
        block_on(self.conductor.summarise(&self.story.id, Stop::never(), &|_| {}))
    }

    fn kept_memories(&self) -> Vec<Memory> {
        let query = Query::equal(Table::Memories, "storyline", self.story.id.as_str());
        block_on(self.sim.ports.store.list::<Memory>(query)).unwrap()
    }

    fn transcript(&self, request: usize) -> String {
        let (_, system) = self.messages(request).swap_remove(0);
        system.split_once("=== 当前会话完整对话 ===\n").unwrap().1.to_owned()
    }

    fn requests(&self) -> usize {
        self.sim.llm.requests().len()
    }

    fn has_draft(&self) -> bool {
        self.sim.store.peek(Table::Settings, &format!("summarise:{}", self.story.id)).is_some()
    }

    /// Everything that is stored of the story, none of its drafts, and not what it has cost.
    fn library(&self) -> Vec<(Table, Vec<Doc>)> {
        let tables = Table::ALL.into_iter().filter(|table| !matches!(table, Table::Settings | Table::Spending));
        let all = |table| block_on(self.sim.ports.store.query(Query::all(table))).unwrap();
        tables.map(|table| (table, all(table))).collect()
    }

    /// The same without what differs from run to run: ids and times.
    fn outcome(&self) -> (Vec<Value>, Opened, usize) {
        let memories = self.kept_memories().into_iter().map(|memory| {
            json!([memory.kind, memory.turns, memory.text, memory.detail, memory.position, memory.session])
        });
        let mut memories: Vec<_> = memories.collect();
        memories.sort_by_key(Value::to_string);
        let storyline = self.storyline();
        let session = storyline.session(&storyline.current_session).unwrap();
        (memories, session.opened.clone().unwrap(), storyline.sessions.len())
    }
}

#[test]
fn a_session_becomes_memories_and_the_next_one_opens() {
    let play = story(7, [told([1, 7], "约定", "两人立约。"), Answer::text(["第8答。"]), Answer::text(["第9答。"])]);
    let before = play.storyline();
    let after = play.summarise().unwrap();
    assert_eq!(after, play.storyline());
    let [(role, asked)] = &play.messages(7)[..] else { panic!() };
    assert!(role == "user" && asked.contains("第0轮（开场）\nAlserqi: 玩家，你来了。"), "{asked}");
    assert!(asked.contains("第7轮\n玩家: 第7问。\nAlserqi: 第7答。"), "{asked}");

    let last = play.nodes().pop().unwrap();
    let reply = last.reply().unwrap().id.clone();
    let memories = play.kept_memories();
    let layers: Vec<_> = memories.iter().map(|m| (m.kind, m.turns, m.text.as_str(), m.detail.as_str())).collect();
    assert_eq!(layers, [(Kind::Summary, (1, 7), "约定", ""), (Kind::Plot, (1, 7), "约定", "约定的经过")]);
    for memory in &memories {
        assert_eq!((&memory.branch, memory.position), (&last.turn.branch, 7));
        assert_eq!((&memory.session, &memory.generation), (&before.current_session, &Some(reply.clone())));
    }
    let session = after.session(&after.current_session).unwrap();
    let opened = session.opened.clone().unwrap();
    assert_eq!((opened.before, opened.at.end, opened.carried), (before.current_session, 8, 5));
    assert_eq!((opened.summary.as_str(), after.session_number(session)), ("两人立约。", 2));
    assert!(!play.has_draft());
    let commits = play.sim.store.commits();
    assert_eq!(commits.last().unwrap().durability, crate::store::Durability::Strict);

    // Said at once once more: there is nothing new.
    assert_eq!(play.summarise(), Err(SummariseError::Nothing));
    play.say("第8问。");
    let turns = |from: u32, to: u32| {
        (from..=to)
            .map(|n| format!("第{n}轮：\nUser: 第{n}问。\nAssistant: 第{n}答。"))
            .collect::<Vec<_>>()
            .join("\n\n")
    };
    assert_eq!(play.transcript(8), format!("前情提要：\n两人立约。\n\n{}", turns(3, 7)));
    let config = |order| {
        let mut config = Config::default();
        config.preferences.summary_order = order;
        block_on(play.sim.ports.store.save(&config)).unwrap();
    };
    config(SummaryOrder::LastNFirst);
    play.say("第9问。");
    let expected = format!("{}\n\n前情提要：\n两人立约。\n\n{}", turns(3, 7), turns(8, 8));
    assert_eq!(play.transcript(9), expected);
    assert_eq!(play.storyline().sessions.iter().map(|session| session.turns).collect::<Vec<_>>(), [7, 2]);
}

/// What the new session leaves out of the prompt may be recalled: its points, and the words themselves; what is carried
/// along is told once.
/// It is asked for in its shape where the model takes one; where not, that is found out once, and the answer read as it comes.
#[test]
fn a_summary_is_asked_for_in_its_shape() {
    let refused = Answer::error(400, r#"{"error":{"message":"response_format is unavailable"}}"#);
    let once = [refused, told([1, 3], "约定", "两人立约。")];
    let play = story(3, once.into_iter().chain(replies(1)).chain([told([4, 4], "别离", "两人别离。")]));
    play.summarise().unwrap();
    play.say("走吧。");
    play.summarise().unwrap();
    let format = |request: usize| play.body(request)["response_format"].clone();
    assert_eq!(format(3)["json_schema"]["name"], "summary");
    let object = json!({"type": "json_object"});
    assert_eq!((format(4), format(5), format(6)), (object.clone(), Value::Null, object));
}

#[test]
fn what_was_summarised_is_recalled() {
    for preset in ["director", "plain"] {
        let mut answers: Vec<_> = replies(7).collect();
        answers.extend([told([1, 2], "林夕把钥匙藏进陶罐", "两人藏钥匙。"), Answer::text(["在井边。"])]);
        let play = play(answers);
        let mut story = play.storyline();
        story.preset = preset.into();
        block_on(play.sim.ports.store.save(&story)).unwrap();
        play.say("钥匙藏在井边的陶罐里。");
        for n in 2..=6 {
            play.say(&format!("第{n}问。"));
        }
        play.say("钥匙的事别说出去。");
        play.summarise().unwrap();
        play.say("你还记得钥匙藏在哪里吗？");
        let told: String = play.messages(8).into_iter().map(|(_, text)| text + "\n\n").collect();
        // Of a few memories only, it depends on their rank.
        assert!(preset == "plain" || told.contains("- 第1–2轮：林夕把钥匙藏进陶罐"), "{told}");
        assert!(told.contains("- 第1轮，玩家：钥匙藏在井边的陶罐里。"), "{preset}: {told}");
        assert_eq!(told.matches("钥匙的事别说出去。").count(), 1, "{preset}: {told}");
    }
}

/// Going back to before the summary brings back the session before it; coming again, the one after it.
#[test]
fn the_session_follows_the_tree() {
    let answers = [told([1, 3], "约定", "两人立约。")].into_iter().chain(replies(6));
    let play = story(3, answers);
    play.summarise().unwrap();
    play.say("后来。");
    let turns: Vec<_> = play.nodes();
    let opened = |request| play.transcript(request).contains("两人立约。");
    assert!(opened(4));
    let second = play.storyline().current_session;

    // Another reply to a turn before it, and the story goes on from there.
    play.ask(Ask::Again(turns[2].turn.id.clone())).unwrap();
    assert!(!opened(5));
    play.say("另一条路。");
    assert!(!opened(6));
    let story = play.storyline();
    assert_eq!(story.current_session, play.story.current_session, "the first one goes on");
    assert_eq!(play.nodes().last().unwrap().turn.session, story.current_session);

    // Another reply to the very turn that it was opened after.
    let choose = |node: &Node| {
        block_on(play.conductor.choose(&play.story.id, &node.turn.id, &node.reply().unwrap().id)).unwrap();
    };
    choose(&turns[2]);
    assert_eq!(play.nodes().len(), 5);
    play.ask(Ask::Again(turns[3].turn.id.clone())).unwrap();
    assert!(!opened(7));
    play.say("改口。");
    assert!(!opened(8));

    // Back to the first future.
    choose(&turns[3]);
    play.say("接着。");
    assert!(opened(9));
    let story = play.storyline();
    assert_eq!((&story.current_session, &play.nodes().last().unwrap().turn.session), (&second, &second));
    assert!(!play.transcript(9).contains("另一条路"));
}

/// A second summary knows the first, and its memories are of its own turns.
#[test]
fn summary_upon_summary() {
    let answers = [told([1, 2], "约定", "两人立约。"), Answer::text(["第3答。"]), told([1, 9], "潜入", "立约，潜入。")];
    let play = story(2, answers);
    play.summarise().unwrap();
    play.say("第3问。");
    let after = play.summarise().unwrap();
    let asked = &play.messages(4)[0].1;
    assert!(asked.contains("【此前的概要】\n两人立约。") && !asked.contains("第2问。"), "{asked}");
    let session = after.session(&after.current_session).unwrap();
    assert_eq!((after.session_number(session), session.opened.as_ref().unwrap().summary.as_str()), (3, "立约，潜入。"));
    let turns: Vec<_> = play.kept_memories().into_iter().map(|memory| memory.turns).collect();
    assert_eq!(turns, [(1, 2), (1, 2), (3, 3), (3, 3)], "only turns that were told of");
}

/// A6: a turn that was refused for its length is answered in the new session.
#[test]
fn a_turn_that_was_over_the_limit_comes_after_the_summary() {
    let long = "很久以前的事情，大家都记得。".repeat(1_000);
    let play = story(0, [Answer::text([long.as_str()]), told([1, 1], "往事", "从前的事。"), Answer::text(["好。"])]);
    play.say("说吧。");
    let mut config = Config::default();
    config.limits.max_total_tokens = 10_000;
    config.thresholds.summary_last_n_turns = 1;
    block_on(play.sim.ports.store.save(&config)).unwrap();
    let refused = play.say("然后呢？");
    assert_eq!(refused.fault.unwrap().kind, FaultKind::OverLimit);
    let after = play.summarise().unwrap();
    assert_eq!(after.sessions.last().unwrap().opened.as_ref().unwrap().at.end, 2);
    let node = play.nodes().pop().unwrap();
    assert_eq!(node.turn.session, after.current_session);
    assert_eq!(after.sessions.iter().map(|session| session.turns).collect::<Vec<_>>(), [1, 1]);

    // The last turn is long itself: carried along it would be too much again.
    let mut storyline = play.storyline();
    storyline.sessions.last_mut().unwrap().opened.as_mut().unwrap().carried = 0;
    block_on(play.sim.ports.store.save(&storyline)).unwrap();
    let reply = play.ask(Ask::Again(node.turn.id)).unwrap();
    assert_eq!(reply.status, Status::Done, "{:?}", reply.fault);
    assert_eq!(play.transcript(2), "前情提要：\n从前的事。");
}

#[test]
fn refused_where_it_cannot_be() {
    let check = |play: &Play, expected: SummariseError| {
        let before = play.library();
        assert_eq!(play.summarise(), Err(expected));
        assert_eq!(play.library(), before);
    };
    check(&story(0, []), SummariseError::Nothing);
    let play = story(1, [Answer::text(["对不起，我不能这样做。"]), Answer::text([""])]);
    check(&play, SummariseError::Unusable { excerpt: "对不起，我不能这样做。".into() });
    check(&play, SummariseError::Unusable { excerpt: String::new() });
    let mut reply = play.nodes()[1].reply().unwrap().clone();
    (reply.status, reply.open) = (Status::Streaming, Some(1));
    block_on(play.sim.ports.store.save(&reply)).unwrap();
    check(&play, SummariseError::Streaming);
    play.sim.tabs.lose();
    check(&play, SummariseError::Fault(Fault::new(FaultKind::TakenOver, "")));
}

/// What happens while the model writes.
#[derive(Clone, Copy, PartialEq)]
enum Meanwhile {
    TabLost,
    Elsewhere,
    Said,
}

/// What the reader does while the model writes wins.
#[test]
fn a_story_that_moved_on_is_left_alone() {
    let check = |meanwhile: Meanwhile, expected: SummariseError| {
        let mut slow = told([1, 2], "约定", "两人立约。");
        slow.steps.insert(0, Step::Wait(500));
        let play = story(2, [slow, Answer::text(["第3答。"]), told([3, 3], "续", "之后。")]);
        let opening = play.nodes()[0].clone();
        let id = &play.story.id;
        let outcome = block_on(async {
            let summarise = play.conductor.summarise(id, Stop::never(), &|_| {});
            let act = async {
                play.sim.ports.clock.sleep(50).await;
                match meanwhile {
                    Meanwhile::TabLost => play.sim.tabs.lose(),
                    Meanwhile::Elsewhere => {
                        let other = &opening.generations[1].id;
                        play.conductor.choose(id, &opening.turn.id, other).await.unwrap();
                    }
                    Meanwhile::Said => {
                        let ask = Ask::New("第3问。".into());
                        play.conductor.play(id, ask, Stop::never(), &|_| {}).await.unwrap();
                    }
                }
            };
            futures_util::join!(summarise, act).0
        });
        assert_eq!(outcome.unwrap_err(), expected);
        assert_eq!((play.kept_memories(), play.storyline().sessions.len()), (vec![], 1));
        assert_eq!(play.has_draft(), meanwhile != Meanwhile::TabLost);
        play
    };
    check(Meanwhile::TabLost, SummariseError::Fault(Fault::new(FaultKind::TakenOver, "")));
    let play = check(Meanwhile::Elsewhere, SummariseError::Moved);
    assert_eq!(play.summarise(), Err(SummariseError::Nothing), "nothing was said on this branch");

    // Where the story only went on, what was told is kept.
    let play = check(Meanwhile::Said, SummariseError::Moved);
    play.summarise().unwrap();
    let asked = &play.messages(4)[0].1;
    assert!(asked.contains("两人立约。") && asked.contains("第3问。") && !asked.contains("第2问。"), "{asked}");
    assert_eq!(play.kept_memories().len(), 4);
}

/// A story of which a small model hears in three parts: up to turn 2, 4 and 6.
fn long(then: impl IntoIterator<Item = Answer>) -> Play {
    let play = story(0, (1..=6).map(|n| Answer::text([format!("第{n}答。{}", "雨".repeat(120)).as_str()])).chain(then));
    for n in 1..=6 {
        play.say(&format!("第{n}问。"));
    }
    play.small_model();
    play
}

fn parts() -> [Answer; 3] {
    [told([0, 2], "一", "甲。"), told([3, 4], "二", "甲乙。"), told([5, 6], "三", "甲乙丙。")]
}

#[test]
fn a_long_session_is_told_in_parts() {
    let play = long(parts());
    let seen = RefCell::new(Vec::new());
    let progress = |progress: Progress| seen.borrow_mut().push((progress.part, progress.parts));
    block_on(play.conductor.summarise(&play.story.id, Stop::never(), &progress)).unwrap();
    assert_eq!(*seen.borrow(), [(1, 3), (2, 3), (3, 3)]);
    let asked: Vec<_> = (6..9).map(|request| play.messages(request).swap_remove(0).1).collect();
    assert!(asked[1].contains("【此前的概要】\n甲。\n") && asked[2].contains("【此前的概要】\n甲乙。\n"));
    for n in 1..=6 {
        let count = asked.iter().filter(|asked| asked.contains(&format!("第{n}问。"))).count();
        assert_eq!(count, 1, "turn {n}");
    }
    let (memories, opened, _) = play.outcome();
    assert_eq!((memories.len(), opened.summary.as_str()), (6, "甲乙丙。"));
}

/// Whatever part fails, in whatever way: nothing changes but the draft, and the next attempt goes on with that part.
#[test]
fn a_part_that_fails_costs_itself_alone() {
    let expected = {
        let play = long(parts());
        play.summarise().unwrap();
        play.outcome()
    };
    let failures = || {
        [
            Answer::error(500, "oops"),
            Answer::unfinished([r#"{"summary": "半"#]),
            Answer::text(["对不起。"]),
            Answer::unfinished(["{"]).then(Step::Wait(70_000)),
        ]
    };
    for nth in 0..3 {
        for failure in failures() {
            let mut answers = parts().to_vec();
            answers.insert(nth, failure);
            let play = long(answers);
            let before = play.library();
            assert!(play.summarise().is_err());
            assert_eq!(play.library(), before, "part {nth}");
            assert_eq!((play.requests(), play.has_draft()), (6 + nth + 1, nth > 0));
            play.summarise().unwrap();
            assert_eq!(play.requests(), 6 + 4, "only the parts that were missing");
            assert_eq!(same_but_ids(play.outcome(), &expected), expected);
            assert!(!play.has_draft());
        }
    }
}

/// Ids are counted from the same start, so only that of the moment of opening may differ.
fn same_but_ids(
    mut outcome: (Vec<Value>, Opened, usize),
    expected: &(Vec<Value>, Opened, usize),
) -> (Vec<Value>, Opened, usize) {
    outcome.1.before = expected.1.before.clone();
    outcome
}

/// Whatever operation of the store fails: the library is as before, and an attempt that follows ends as one that
/// nothing had befallen.
#[test]
fn any_operation_of_the_store_may_fail_while_summarising() {
    let counting = long(parts());
    let before = counting.sim.store.operations();
    counting.summarise().unwrap();
    let (operations, expected) = (counting.sim.store.operations() - before, counting.outcome());
    assert!(operations > 15, "{operations}");
    let (paid, mut went_on) = (counting.total(), 0);
    for nth in 0..operations {
        for name in ["QuotaExceededError", "AbortError", "UnknownError"] {
            let play = long(parts().into_iter().chain(parts()));
            let before = play.library();
            play.sim.store.fail(nth, name);
            let fault = match play.summarise() {
                Err(SummariseError::Fault(fault)) => fault,
                // What the ledger did not take costs nothing else, and is booked the next time.
                Ok(_) => {
                    assert_eq!(same_but_ids(play.outcome(), &expected), expected, "operation {nth}");
                    assert_eq!(play.total(), paid, "operation {nth}");
                    went_on += 1;
                    continue;
                }
                Err(error) => panic!("operation {nth} {name}: {error}"),
            };
            let full = name == "QuotaExceededError";
            assert_eq!(fault.kind, if full { FaultKind::StorageFull } else { FaultKind::StorageFailed });
            assert_eq!(play.library(), before, "operation {nth}");
            let asked = play.requests() - 6;
            // A part whose draft could not be stored is told again.
            let left = parts().into_iter().skip(play.drafted() as usize);
            play.sim.llm.replace(left);
            play.summarise().unwrap();
            assert_eq!(same_but_ids(play.outcome(), &expected), expected, "operation {nth}, {asked} asked");
            assert!(!play.has_draft());
        }
    }
    assert_eq!(went_on, 3 * parts().len(), "one booking a part");
}

impl Play {
    /// The parts that the draft has.
    fn drafted(&self) -> u64 {
        let draft = self.sim.store.peek(Table::Settings, &format!("summarise:{}", self.story.id));
        draft.and_then(|draft| draft.value["parts"].as_u64()).unwrap_or(0)
    }
}

/// The reader stops: at once, with what was told so far kept.
#[test]
fn the_reader_stops_a_summary() {
    let mut answers = parts().to_vec();
    answers.insert(1, Answer::unfinished(["{"]).then(Step::Wait(50_000)));
    let play = long(answers);
    let before = play.library();
    let (stopper, stop) = stopper();
    let stopper = RefCell::new(stopper);
    let progress = |progress: Progress| {
        if progress.part == 2 {
            stopper.borrow_mut().stop(FaultKind::Stopped);
        }
    };
    let outcome = block_on(play.conductor.summarise(&play.story.id, stop, &progress));
    assert_eq!(outcome, Err(SummariseError::Fault(Fault::new(FaultKind::Stopped, ""))));
    assert_eq!((play.library(), play.drafted()), (before, 1));
    block_on(bin::delete_storyline(&*play.sim.ports.store, &play.story.id)).unwrap();
    assert!(!play.has_draft(), "it goes with its story");
}

/// A draft says nothing of turns that were reworded since.
#[test]
fn a_reworded_turn_is_told_anew() {
    let answers = [told([0, 2], "一", "甲。"), Answer::error(500, "oops")].into_iter().chain(parts());
    let play = long(answers);
    play.summarise().unwrap_err();
    assert_eq!(play.drafted(), 1);
    let first = play.nodes()[1].reply().unwrap().id.clone();
    block_on(play.conductor.edit_reply(&first, "改过的答。")).unwrap();
    play.summarise().unwrap();
    assert_eq!(play.requests(), 6 + 2 + 3);
    assert!(play.messages(8)[0].1.contains("改过的答。"));
}

/// An answer that is cut is asked for again, of fewer turns.
#[test]
fn an_answer_that_is_cut_is_asked_again_of_fewer() {
    let cut = Answer::text([r#"{"summary": "甲", "points": [{"turns": [1, 2], "text": "一"}, {"tur"#]);
    let rest = [told([0, 1], "一", "甲。"), told([2, 3], "二", "乙。"), told([4, 4], "三", "丙。")];
    let play = story(4, [cut].into_iter().chain(rest));
    play.summarise().unwrap();
    assert!(play.messages(5)[0].1.contains("第1问。") && !play.messages(5)[0].1.contains("第3问。"));
    let texts: Vec<_> = play.kept_memories().into_iter().filter(|memory| memory.kind == Kind::Summary).collect();
    assert_eq!(texts.iter().map(|memory| memory.text.as_str()).collect::<Vec<_>>(), ["一", "二", "三"]);
}
