//! Turns against the store in memory and a scripted model.

mod accounts;
mod cache;
mod calibration;
mod circle;
mod company;
mod costs;
mod cradle;
mod dilution;
mod faults;
mod features;
mod groups;
mod histories;
mod impersonate;
mod keys;
mod lantern;
mod lengths;
mod living;
mod lore;
mod manners;
mod memories;
mod openings;
mod order;
mod presets;
mod prose;
mod recall;
mod recap;
mod replay;
mod sampling;
mod scribe;
mod scripts;
mod sheet;
mod summarise;
mod synced;
mod told;
mod tree;
mod unsent;
mod untold;
mod world;

use std::{cell::RefCell, rc::Rc};

use futures_executor::block_on;
use futures_util::FutureExt;

use super::{
    Ask, Conductor, NewStoryline, Shown,
    open::open_storyline,
    recover, scene,
    stream::{Stop, stopper},
};
use crate::{
    ports::{Future, Llm, Store, WireRequest, WireResponse},
    sim::{
        llm::{Answer, Step},
        ports::{MemoryClock, Sim},
        store::MemoryStore,
    },
    store::{Batch, Query, Table},
    story::{
        account::Account,
        background::Background,
        character::Character,
        connection::Connection,
        fault::{Fault, FaultKind},
        generation::{Generation, Status},
        settings::Connections,
        storyline::{Language, Storyline},
        tree::Node,
        turn::Turn,
        warning::Cause,
    },
};

/// A story of Alserqi (seed `000`) with one connection, and a model that gives these answers.
struct Play {
    sim: Sim,
    conductor: Conductor,
    story: Storyline,
}

fn play(answers: impl IntoIterator<Item = Answer>) -> Play {
    let sim = Sim::new(answers);
    let character = Character {
        id: "alserqi".into(),
        name: "Alserqi".into(),
        card: crate::story::character::Card {
            description: "废土黑帮老大".into(),
            first_mes: "{{user}}，你来了。".into(),
            alternate_greetings: vec!["坐。".into()],
            ..Default::default()
        },
        ..Default::default()
    };
    let background = Background {
        id: "waste".into(),
        name: "废土".into(),
        world_setting: "2087年，核战后50年".into(),
        ..Default::default()
    };
    let connection = Connection {
        id: "c".into(),
        url: "http://localhost:9/v1".into(),
        model: "m".into(),
        timeout_seconds: 60,
        ..Default::default()
    };
    let connections = Connections { list: vec![connection], ..Default::default() };
    let story = block_on(async {
        let batch = Batch::new().put(&character).put(&background).put(&connections);
        sim.ports.store.commit(batch).await.unwrap();
        let new = NewStoryline {
            title: "废土复仇记".into(),
            character: &character,
            background: Some(&background),
            preset: "plain".into(),
            connection: None,
            user_name: "玩家".into(),
            plays_as: None,
            language: Language::Zh,
            demo: false,
        };
        open_storyline(&sim.ports, new).await.unwrap()
    });
    Play { conductor: Conductor { ports: sim.ports.clone(), recent: sim.recent.clone() }, sim, story }
}

impl Play {
    fn ask(&self, ask: Ask) -> Result<Generation, Fault> {
        block_on(self.conductor.play(&self.story.id, ask, Stop::never(), &|shown| self.is_stored(&shown)))
    }

    fn say(&self, input: &str) -> Generation {
        self.ask(Ask::New(input.into())).unwrap()
    }

    /// Shown means stored: what is shown is in the store at that moment.
    fn is_stored(&self, shown: &Shown) {
        if let Shown::Reply(reply) = shown {
            let stored = self.sim.store.peek(Table::Generations, reply.id.as_str()).unwrap();
            assert_eq!(stored.value["text"], reply.text, "shown but not stored");
            let is_told = self.sim.store.peek(Table::Accounts, reply.id.as_str()).is_some();
            assert_eq!(is_told, reply.prompt.is_some(), "a reply and the account of its prompt");
        }
    }

    fn account(&self, reply: &Generation) -> Account {
        block_on(self.sim.ports.store.load(reply.id.as_str())).unwrap().unwrap()
    }

    fn storyline(&self) -> Storyline {
        block_on(self.sim.ports.store.load::<Storyline>(self.story.id.as_str())).unwrap().unwrap()
    }

    fn nodes(&self) -> Vec<Node> {
        let storyline = self.storyline();
        block_on(async {
            let path = scene::path(&*self.sim.ports.store, &storyline).await.unwrap();
            scene::window(&*self.sim.ports.store, &path, 0, path.end).await.unwrap()
        })
    }

    /// The path as one line a turn: what was said, what was answered.
    fn path(&self) -> Vec<String> {
        self.nodes()
            .iter()
            .map(|node| {
                let user = node.turn.user.as_deref().unwrap_or("–");
                format!("{user} → {}", node.reply().map_or("", |reply| reply.text.as_str()))
            })
            .collect()
    }

    fn body(&self, request: usize) -> serde_json::Value {
        serde_json::from_str(self.sim.llm.requests()[request].body.as_deref().unwrap()).unwrap()
    }

    fn messages(&self, request: usize) -> Vec<(String, String)> {
        let body = self.body(request);
        let messages = body["messages"].as_array().unwrap();
        messages.iter().map(|m| (m["role"].as_str().unwrap().into(), m["content"].as_str().unwrap().into())).collect()
    }
}

/// A prompt tells the story as the store has it, whatever of it was at hand from the turn before.
#[test]
fn what_was_changed_is_told_as_it_is() {
    let play = play((0..9).map(|_| Answer::text(["嗯。"])));
    play.say("一");
    play.say("二");
    assert_eq!(play.messages(1).len(), play.messages(0).len() + 2, "a turn more");
    let nodes = play.nodes();
    let told = |request: usize| play.messages(request).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("|");
    block_on(play.conductor.edit_user(&nodes[1].turn.id, "壹")).unwrap();
    block_on(play.conductor.edit_reply(&nodes[2].reply().unwrap().id, "好。")).unwrap();
    play.say("三");
    assert!(told(2).contains("壹") && told(2).contains("好。") && !told(2).contains("|一|"), "{}", told(2));
    play.ask(Ask::Again(play.nodes()[3].turn.id.clone())).unwrap();
    let swipes = play.nodes()[3].clone();
    assert_eq!(swipes.generations.len(), 2);
    block_on(play.conductor.edit_reply(&swipes.generations[0].id, "不。")).unwrap();
    block_on(play.conductor.choose(&play.story.id, &swipes.turn.id, &swipes.generations[0].id)).unwrap();
    play.say("四");
    assert!(told(4).contains("不。"), "{}", told(4));
    play.say("五");
    assert!(told(5).contains("四") && told(5).contains("不。"), "{}", told(5));
    // Somebody else may have written: what they say is heard from the store.
    let mut turn = play.nodes()[1].turn.clone();
    turn.user = Some("肆".into());
    block_on(play.sim.store.commit(Batch::new().put(&turn))).unwrap();
    play.sim.recent.forget();
    play.say("六");
    assert!(told(6).contains("肆"), "{}", told(6));
}

/// The sim's clock stands at 2025-10-16, 10:30 in Greenwich.
#[test]
fn a_prompt_tells_the_time_on_the_readers_clock() {
    for (utc_offset, told) in [(0, "10-16 10:30"), (480, "10-16 18:30"), (840, "10-17 00:30"), (-660, "10-15 23:30")] {
        let mut play = play((0..2).map(|_| Answer::text(["嗯。"])));
        let clock = MemoryClock::at(play.sim.ports.clock.now()).ahead_of_utc(utc_offset);
        play.conductor.ports.clock = Rc::new(clock);
        let store = play.sim.ports.store.clone();
        let mut character: Character = block_on(store.load("alserqi")).unwrap().unwrap();
        character.card.description = "现在是 {{isodate}} {{isotime}}。".into();
        block_on(store.commit(Batch::new().put(&character))).unwrap();
        let reply = play.say("几点了？");
        play.ask(Ask::Again(reply.turn)).unwrap();
        for request in [0, 1] {
            let whole: String = play.messages(request).into_iter().map(|(_, text)| text).collect();
            assert!(whole.contains(told), "{whole}");
        }
    }
}

#[test]
fn a_turn_is_appended_streamed_and_kept() {
    let play = play([Answer::text(["我当", "然记得", "。"])]);
    let reply = play.say("你还记得吗？");
    assert_eq!((reply.text.as_str(), reply.status, reply.open), ("我当然记得。", Status::Done, None));
    assert_eq!(play.path(), ["– → 玩家，你来了。", "你还记得吗？ → 我当然记得。"]);
    let storyline = play.storyline();
    assert_eq!((storyline.total_turns, storyline.head.end, storyline.sessions[0].turns), (1, 2, 1));
    let messages = play.messages(0);
    let roles: Vec<_> = messages.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["system", "assistant", "user"]);
    assert!(messages[0].1.contains("2087年") && messages[0].1.contains("废土黑帮老大"), "{}", messages[0].1);
    assert_eq!(messages[2].1, "你还记得吗？");
    let account = play.account(&reply);
    assert!(account.blocks.iter().any(|block| block.source == "history" && block.tokens > 0));
}

/// How each way of ending leaves the reply (A4), and that the input can be retried after it.
#[test]
fn endings() {
    let broken = |kind| Step::Fault(Fault::new(kind, "why"));
    let check = |answer: Answer, text: &str, status: Status, fault: Option<FaultKind>| {
        let play = play([answer, Answer::text(["好。"])]);
        let reply = play.say("走吧");
        assert_eq!((reply.text.as_str(), reply.status, reply.fault.map(|fault| fault.kind)), (text, status, fault));
        let turn = play.nodes()[1].turn.id.clone();
        play.ask(Ask::Again(turn)).unwrap();
        assert_eq!(play.path()[1], "走吧 → 好。", "retried");
        assert_eq!(play.nodes()[1].generations.len(), 2, "the first reply is kept");
        assert_eq!(block_on(recover::unfinished(&play.sim.ports)).unwrap(), []);
    };
    use FaultKind::*;
    use Status::*;
    check(Answer::text(["", " \n"]), " \n", Empty, None);
    check(Answer::unfinished(["半", "句"]), "半句", Interrupted, Some(ConnectionLost));
    check(Answer::unfinished(["半"]).then(broken(ConnectionLost)), "半", Interrupted, Some(ConnectionLost));
    check(Answer::unfinished(["半"]).then(Step::Wait(70_000)), "半", Interrupted, Some(Stalled));
    // Whole by its end sign, whatever becomes of the line.
    let done = |step: Step| {
        let end = br#"data: {"choices":[{"delta":{},"finish_reason":"length"}]}"#;
        let answer = Answer::unfinished(["整句"]).then(Step::Bytes([end, &b"\n\n"[..]].concat()));
        let reply = play([answer.then(step)]).say("走吧");
        assert_eq!((reply.text.as_str(), reply.status, reply.finish.as_deref()), ("整句", Done, Some("length")));
    };
    done(Step::Wait(70_000));
    done(broken(ConnectionLost));
    check(Answer::error(401, r#"{"error":{"message":"Incorrect API key"}}"#), "", Error, Some(WrongKey));
    check(Answer::error(500, "oops"), "", Error, Some(ProviderDown));
    let amid = Step::Bytes(b"data: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\n".to_vec());
    check(Answer::unfinished(["半"]).then(amid), "半", Error, Some(ProviderDown));
    let page = Answer { steps: vec![Step::Bytes(b"<!doctype html><p>hi".to_vec())], ..Answer::text([]) };
    check(page, "", Error, Some(NotTheProtocol));
}

/// Why a reply ended is kept with it, and gone once it goes on or is written by hand.
#[test]
fn a_reply_at_the_limit_is_known_as_cut_off() {
    let cut = || Answer::ended(["他推开"], "length");
    let play = play([cut(), cut(), Answer::text(["门。"]), cut()]);
    let first = play.say("进去");
    let check = |cut_off, text: &str| {
        let stored = play.nodes()[1].reply().unwrap().clone();
        assert_eq!((stored.is_cut_off(), stored.status, stored.text.as_str()), (cut_off, Status::Done, text));
    };
    check(true, "他推开");
    play.ask(Ask::Continue(first.id.clone())).unwrap();
    check(true, "他推开他推开");
    play.ask(Ask::Continue(first.id.clone())).unwrap();
    check(false, "他推开他推开门。");
    let again = play.ask(Ask::Again(first.turn)).unwrap();
    check(true, "他推开");
    let beside = block_on(play.conductor.edit_reply_as_branch(&again.id, "他推开窗。")).unwrap();
    check(false, "他推开窗。");
    let beside = block_on(play.sim.ports.store.load::<Generation>(beside.as_str())).unwrap().unwrap();
    assert_eq!((beside.spent().len(), again.spent().len()), (0, 1), "nobody was asked for it");
    block_on(play.conductor.edit_reply(&again.id, "他推开门。")).unwrap();
    block_on(play.conductor.choose(&play.story.id, &again.turn, &again.id)).unwrap();
    check(false, "他推开门。");
}

/// A reply without words says why it has none.
#[test]
fn an_empty_reply_has_its_cause() {
    let check = |answer: Answer, finish: &str| {
        let reply = play([answer]).say("掷骰子");
        assert_eq!((reply.status, reply.finish.as_deref(), reply.is_cut_off()), (Status::Empty, Some(finish), false));
    };
    check(Answer::text([]), "stop");
    check(Answer::ended([], "length"), "length");
    let call = b"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0}]}}]}\n\n".to_vec();
    let mut calls = Answer::text([]);
    calls.steps.insert(0, Step::Bytes(call));
    check(calls, "tool_calls");
}

/// What of a stream cannot be read is noted on the reply, also when it goes on or the modules see it again.
#[test]
fn events_that_cannot_be_read_are_noted_with_the_turn() {
    let odd = || Step::Bytes(b"data: {\"n\":1e400}\n\n".to_vec());
    let mut answer = Answer::text(["雨", "停了。"]);
    answer.steps.insert(1, odd());
    answer.steps.insert(2, odd());
    let mut more = Answer::text(["天", "晴了。"]);
    more.steps.insert(1, odd());
    let play = play([answer, more, Answer::text(["好。"])]);
    let noted = |reply: &Generation| {
        reply.notices().into_iter().map(|notice| (notice.module, notice.cause)).collect::<Vec<_>>()
    };
    let unread = |events| vec![("stream".to_owned(), Cause::UnreadEvents { events, excerpt: "{\"n\":1e400}".into() })];
    let first = play.say("看");
    assert_eq!((first.text.as_str(), first.status, noted(&first)), ("雨停了。", Status::Done, unread(2)));
    let whole = play.ask(Ask::Continue(first.id.clone())).unwrap();
    assert_eq!((whole.text.as_str(), noted(&whole)), ("雨停了。天晴了。", unread(3)));
    block_on(play.conductor.read_anew(&first.id)).unwrap();
    assert_eq!(noted(play.nodes()[1].reply().unwrap()), unread(3));
    assert_eq!(noted(&play.ask(Ask::Again(first.turn)).unwrap()), []);
}

/// The time to wait is told, whether it came in a header or in the body.
#[test]
fn a_refusal_tells_when_to_try_again() {
    let check = |headers: &[(&str, &str)], body, wait| {
        let mut answer = Answer::error(429, body);
        answer.headers.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        assert_eq!(play([answer]).say("快").fault.unwrap().retry_after, wait);
    };
    check(&[("retry-after", "12")], "{}", Some(12));
    // The sim's clock stands at 2025-10-16, 10:30.
    check(&[("retry-after", "Thu, 16 Oct 2025 10:31:00 GMT")], "{}", Some(60));
    check(&[], r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"34s"}]}}"#, Some(34));
    check(&[], "{}", None);
}

#[test]
fn a_slow_answer_is_not_a_stalled_one() {
    let pieces = (0..5).flat_map(|_| [Step::Wait(50_000), Step::Bytes(crate::sim::llm::openai_chunk("慢"))]);
    let mut answer = Answer::text([]);
    answer.steps.splice(0..0, pieces);
    let reply = play([answer]).say("等");
    assert_eq!((reply.text.as_str(), reply.status), ("慢慢慢慢慢", Status::Done));
}

#[test]
fn the_reader_stops() {
    let play = play([Answer::unfinished(["一", "二"]).then(Step::Wait(50_000)).then(Step::Bytes(b"never".to_vec()))]);
    let (stopper, stop) = stopper();
    let stopper = RefCell::new(stopper);
    let show = |shown: Shown| {
        play.is_stored(&shown);
        if matches!(&shown, Shown::Reply(reply) if reply.text == "一二") {
            stopper.borrow_mut().stop(FaultKind::Stopped);
        }
    };
    let reply = block_on(play.conductor.play(&play.story.id, Ask::New("数".into()), stop, &show)).unwrap();
    assert_eq!((reply.text.as_str(), reply.status), ("一二", Status::Interrupted));
    assert_eq!(play.path()[1], "数 → 一二");
}

#[test]
fn a_broken_reply_goes_on_where_it_was() {
    let play = play([Answer::unfinished(["他推开"]), Answer::text(["门。"])]);
    let first = play.say("进去");
    let whole = play.ask(Ask::Continue(first.id.clone())).unwrap();
    assert_eq!((whole.id, whole.text.as_str(), whole.status), (first.id, "他推开门。", Status::Done));
    let messages = play.messages(1);
    let [.., (role, partial), (nudge, _)] = messages.as_slice() else { panic!("{messages:?}") };
    assert_eq!((role.as_str(), partial.as_str(), nudge.as_str()), ("assistant", "他推开", "user"));
}

#[test]
fn another_reply_amid_the_story_is_a_branch_beside_it() {
    let play = play(["一", "二", "三", "四"].map(|text| Answer::text([text])));
    play.say("a");
    play.say("b");
    let first = play.nodes()[1].turn.id.clone();
    play.ask(Ask::Again(first.clone())).unwrap();
    assert_eq!(play.path(), ["– → 玩家，你来了。", "a → 三"], "the path ends at the new reply");
    assert!(!play.messages(2).iter().any(|(_, text)| text == "一" || text == "b"), "the model sees nothing after it");
    play.say("c");
    assert_eq!(play.path()[1..], ["a → 三", "c → 四"]);

    let node = play.nodes()[1].clone();
    let old = node.generations.iter().find(|generation| generation.text == "一").unwrap().id.clone();
    let choose = |generation: &_| block_on(play.conductor.choose(&play.story.id, &first, generation)).unwrap();
    choose(&old);
    assert_eq!(play.path()[1..], ["a → 一", "b → 二"], "back, with its own future");
    let new = node.reply().unwrap().id.clone();
    choose(&new);
    assert_eq!(play.path()[1..], ["a → 三", "c → 四"]);
}

#[test]
fn rewording_keeps_what_was_there() {
    let play = play([Answer::text(["旧"])]);
    let reply = play.say("问");
    block_on(play.conductor.edit_reply(&reply.id, "新")).unwrap();
    let turn = play.nodes()[1].turn.id.clone();
    block_on(play.conductor.edit_user(&turn, "再问")).unwrap();
    assert_eq!(play.path()[1], "再问 → 新");
    let node = &play.nodes()[1];
    assert_eq!(node.turn.edits[0].text, "问");
    assert_eq!(node.reply().unwrap().edits[0].text, "旧");
}

/// A2: what is missing ends the turn with a clear fault; the words stay.
#[test]
fn missing_parts() {
    let check = |table: Table, id: &str, expected: Option<FaultKind>| {
        let play = play([Answer::text(["好"])]);
        let id = if id == "state" { play.story.initial_state.as_str() } else { id };
        block_on(play.sim.ports.store.commit(Batch::new().delete(table, id))).unwrap();
        let reply = play.say("在吗");
        assert_eq!(reply.fault.map(|fault| fault.kind), expected);
        assert_eq!(play.nodes()[1].turn.user.as_deref(), Some("在吗"));
    };
    check(Table::Characters, "alserqi", Some(FaultKind::NoCharacter));
    check(Table::States, "state", Some(FaultKind::NoState));
    check(Table::Settings, Connections::ID, Some(FaultKind::NoConnection));
    check(Table::Backgrounds, "waste", None);

    let play = play([]);
    block_on(play.sim.ports.store.commit(Batch::new().delete(Table::Storylines, play.story.id.as_str()))).unwrap();
    assert_eq!(play.ask(Ask::New("在吗".into())).unwrap_err().kind, FaultKind::NoStoryline);
}

/// A5, and that it closes the given story only.
#[test]
fn an_unfinished_stream_is_closed_at_start() {
    let play = play([Answer::text(["半"])]);
    let mut reply = play.say("走");
    (reply.status, reply.open) = (Status::Streaming, Some(1));
    block_on(play.sim.ports.store.save(&reply)).unwrap();
    assert_eq!(block_on(recover::close_unfinished(&play.sim.ports, &"other".into())).unwrap(), 0);
    assert_eq!(block_on(recover::close_unfinished(&play.sim.ports, &play.story.id)).unwrap(), 1);
    let reply = play.nodes()[1].reply().unwrap().clone();
    assert_eq!((reply.text.as_str(), reply.status, reply.open), ("半", Status::Interrupted, None));
    assert_eq!(reply.fault.unwrap().kind, FaultKind::TabClosed);
}
