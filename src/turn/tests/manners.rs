//! A server that does not take what its protocol allows, or answers otherwise than that says: the turn comes all the same, and
//! what was learnt of the connection is not asked again.

use futures_executor::block_on;
use serde_json::json;

use super::{Stop, play};
use crate::{
    provider::{Message, Shape},
    sim::llm::{Answer, Step},
    story::{
        fault::{Fault, FaultKind},
        preset::Role,
        sampling::{Effort, Sampling},
        settings::Connections,
        spending::Kind,
    },
    turn::{embed::patiently, meter, stream::shaped},
};

#[test]
fn messages_that_a_template_refuses_are_sent_in_turns() {
    let refusal = json!({"error": {"message": "System message must be at the beginning."}}).to_string();
    let play = play([Answer::error(400, &refusal), Answer::text(["好。"]), Answer::text(["嗯。"])]);
    play.set(|story| story.preset = "living".into());
    let roles = |request: usize| -> String {
        let body = play.body(request);
        let roles =
            body["messages"].as_array().unwrap().iter().map(|one| one["role"].as_str().unwrap()[..1].to_owned());
        roles.collect()
    };
    assert_eq!(play.say("走吧").text, "好。");
    assert!(roles(0).trim_start_matches('s').contains('s'), "{}", roles(0));
    assert!(!roles(1).trim_start_matches('s').contains('s'), "{}", roles(1));
    assert_eq!((play.say("再走").text.as_str(), play.sim.llm.requests().len()), ("嗯。", 3), "it is known now");
    assert_eq!(roles(2).find("aa").or(roles(2).find("uu")), None, "{}", roles(2));
}

/// The model's template has written the opening tag; first words are put before the reply, not before what was thought.
#[test]
fn what_was_said_before_a_closing_tag_alone_was_thought() {
    let play = play([Answer::text(["她该", "去吗？</th", "ink>\n\n好", "。"]), Answer::text(["想。</think>是的。"])]);
    let reply = play.say("走吧");
    assert_eq!((reply.reasoning.as_str(), reply.text.as_str()), ("她该去吗？", "好。"));
    let begins =
        |all: &mut Connections| all.list[0].sampling = Sampling { prefill: "她说：".into(), ..Sampling::default() };
    block_on(play.sim.ports.store.change(Connections::ID, begins)).unwrap();
    let reply = play.say("真的？");
    assert_eq!((reply.reasoning.as_str(), reply.text.as_str()), ("想。", "她说：是的。"));
}

/// The words name the thinking, and it is the shape that was not taken: the story goes on thinking.
#[test]
fn a_shape_that_is_refused_leaves_the_sampling_alone() {
    let refusal = json!({"error": {"message": "Json mode response is not supported when enable_thinking is true"}});
    let note = Answer::text([r#"{"persona": {}}"#]);
    let play = play([
        Answer::text(["好。"]),
        Answer::error(400, &refusal.to_string()),
        note.clone(),
        note,
        Answer::text(["嗯。"]),
    ]);
    let thinks = |all: &mut Connections| {
        all.list[0].url = "https://dashscope.aliyuncs.com/compatible-mode/v1".into();
        all.list[0].sampling.effort = Some(Effort::Low);
    };
    block_on(play.sim.ports.store.change(Connections::ID, thinks)).unwrap();
    play.sim.vault.0.borrow_mut().insert("c".into(), Some("sk-1".into()));
    play.say("走吧");
    let shape = Shape { name: "note", schema: json!({"type": "object"}) };
    let connection =
        block_on(play.sim.ports.store.load::<Connections>(Connections::ID)).unwrap().unwrap().list[0].clone();
    let messages = [Message::new(Role::User, "?")];
    let purpose = meter::purpose(Kind::Scribe, &play.storyline());
    let said = block_on(shaped(&play.sim.ports, &connection, &messages, &shape, &purpose, Stop::never()));
    assert!(said.is_ok(), "{said:?}");
    let body = |request: usize| play.body(request);
    assert_eq!((&body(1)["enable_thinking"], &body(2)["enable_thinking"]), (&json!(true), &json!(true)));
    assert_ne!(body(1)["response_format"], body(2)["response_format"]);
}

/// A server that takes few texts at a time gets few; one that says nothing is not waited for without end.
#[test]
fn vectors_are_asked_for_as_the_server_takes_them() {
    let vectors = |count: usize| {
        let data: Vec<_> = (0..count).map(|index| json!({"index": index, "embedding": [1.0, 0.0]})).collect();
        Answer {
            status: 200,
            headers: vec![("content-type".into(), "application/json".into())],
            steps: vec![Step::Bytes(json!({ "data": data }).to_string().into_bytes())],
        }
    };
    let few =
        || Answer::error(400, r#"{"error":{"message":"batch size is invalid, it should not be larger than 10"}}"#);
    let play_it = play([few(), few(), vectors(6), vectors(6), few(), vectors(6), vectors(7)]);
    let purpose = meter::purpose(Kind::Embedding, &play_it.storyline());
    let connection =
        block_on(play_it.sim.ports.store.load::<Connections>(Connections::ID)).unwrap().unwrap().list[0].clone();
    let texts: Vec<String> = (0..25).map(|nth| format!("text {nth}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let made = block_on(patiently(&play_it.sim.ports, &connection, &texts, &purpose)).unwrap();
    assert_eq!((made.len(), play_it.sim.llm.requests().len()), (25, 7));

    let silent = || Answer { steps: vec![Step::Wait(10_000_000)], ..vectors(0) };
    let play_it = play((0..4).map(|_| silent()));
    let missed = block_on(patiently(&play_it.sim.ports, &connection, &texts[..1], &purpose));
    assert_eq!(missed.map_err(|fault: Fault| fault.kind), Err(FaultKind::Stalled));
}
