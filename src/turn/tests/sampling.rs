//! A model that does not take what is set: the turn goes on without it, says so, and does not ask again.

use futures_executor::block_on;
use serde_json::json;

use super::{Play, play};
use crate::{
    sim::llm::Answer,
    story::{
        fault::FaultKind,
        preset::Preset,
        sampling::{Effort, Parameter, Sampling},
        settings::Connections,
        warning::{Cause, LeftOut, Notice},
    },
    turn::{Ask, scene},
};

const TEMPERATURE: &str = r#"{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","param":"temperature"}}"#;
const TOP_K: &str = r#"{"error":{"message":"property 'top_k' is unsupported"}}"#;

fn set(play: &Play, sampling: Sampling) {
    let change = |all: &mut Connections| all.list[0].sampling = sampling.clone();
    block_on(play.sim.ports.store.change(Connections::ID, change)).unwrap();
}

fn sent(play: &Play, request: usize) -> [serde_json::Value; 2] {
    let body = play.body(request);
    [body["temperature"].clone(), body["top_k"].clone()]
}

#[test]
fn what_is_refused_is_left_out_and_said() {
    let refusals = [TEMPERATURE, TOP_K].map(|body| Answer::error(400, body));
    let replies = (0..4).map(|_| Answer::text(["嗯。"]));
    let play = play(refusals.into_iter().chain(replies));
    let sampling = Sampling { temperature: Some(0.7), top_k: Some(40), ..Sampling::default() };
    set(&play, sampling.clone());

    let reply = play.say("一");
    assert_eq!(reply.text, "嗯。");
    let tried: Vec<_> = (0..3).map(|request| sent(&play, request)).collect();
    assert_eq!(json!(tried), json!([[0.7, 40], [null, 40], [null, null]]));
    let notices = reply.notices();
    let [Notice { module, cause: Cause::LeftOut { all } }] = notices.as_slice() else { panic!("{notices:?}") };
    assert_eq!(module, Notice::STREAM);
    assert_eq!(all.iter().map(|one| one.parameter).collect::<Vec<_>>(), [Parameter::Temperature, Parameter::TopK]);
    assert!(all[0].words.contains("'temperature' is not supported"));
    assert_eq!(reply.spent().iter().map(|line| line.calls).sum::<u32>(), 1, "what was refused cost nothing");

    // It is known from then on, and told with the prompt.
    let reply = play.say("二");
    assert_eq!((sent(&play, 3), reply.notices()), ([json!(null), json!(null)], Vec::new()));
    assert_eq!(play.account(&reply).left_out, [Parameter::Temperature, Parameter::TopK]);
    assert_eq!(play.sim.llm.requests().len(), 4);

    // Another value is tried again.
    set(&play, Sampling { temperature: Some(1.0), ..sampling.clone() });
    play.say("三");
    assert_eq!(sent(&play, 4), [json!(1.0), json!(null)]);

    // So is another model.
    set(&play, sampling);
    block_on(play.sim.ports.store.change(Connections::ID, |all: &mut Connections| all.list[0].model = "n".into()))
        .unwrap();
    play.say("四");
    assert_eq!(sent(&play, 5), [json!(0.7), json!(40)]);
}

/// A refusal for another cause is told as it is, and nothing is learnt; nor is it where leaving out did not help.
#[test]
fn nothing_is_learnt_of_another_refusal() {
    let other = || Answer::error(400, r#"{"error":{"message":"messages: at least one is required"}}"#);
    for answers in [vec![other()], vec![Answer::error(400, TEMPERATURE), other()]] {
        let play = play(answers);
        set(&play, Sampling { temperature: Some(0.7), ..Sampling::default() });
        let reply = play.say("一");
        assert_eq!(reply.fault.map(|fault| fault.kind), Some(FaultKind::BadRequest));
        play.sim.llm.replace([Answer::text(["嗯。"])]);
        play.say("二");
        let last = play.sim.llm.requests().len() - 1;
        assert_eq!(sent(&play, last)[0], json!(0.7));
    }
}

/// A preset's own value is asked for in its place, and refused in its place.
#[test]
fn a_preset_goes_before_the_connection() {
    let play = play([Answer::error(400, TEMPERATURE), Answer::text(["嗯。"]), Answer::text(["好。"])]);
    set(&play, Sampling { temperature: Some(0.7), ..Sampling::default() });
    let own = Sampling { temperature: Some(1.2), min_p: Some(0.1), ..Sampling::default() };
    let preset = Preset {
        id: "own".into(),
        sampling: own,
        ..crate::prompt::builtin::builtin("plain", crate::story::storyline::Language::Zh).unwrap()
    };
    let mut story = play.storyline();
    story.preset = preset.id.clone();
    block_on(play.sim.ports.store.commit(crate::store::Batch::new().put(&preset).put(&story))).unwrap();
    let reply = play.say("一");
    assert_eq!([0, 1].map(|request| sent(&play, request)[0].clone()), [json!(1.2), json!(null)]);
    assert_eq!(play.body(1)["min_p"], 0.1);
    assert!(
        matches!(&reply.notices()[0].cause, Cause::LeftOut { all } if matches!(&all[..], [LeftOut { parameter: Parameter::Temperature, .. }]))
    );
    story = play.storyline();
    story.preset = "plain".into();
    block_on(play.sim.ports.store.commit(crate::store::Batch::new().put(&story))).unwrap();
    play.say("二");
    assert_eq!(sent(&play, 2)[0], json!(0.7), "the connection's own was not refused");
}

/// The model goes on from the reply's first words, which are told once and stand in the prompt's account; another reply
/// begins with them again, one that goes on does not.
#[test]
fn a_reply_is_begun_for_its_model() {
    let play = play([
        Answer::unfinished(["“进", "来", "吧"]),
        Answer::text(["。”"]),
        Answer::text(["来。"]),
        Answer::text(["“Alserqi：好。”"]),
        Answer::text(["\n"]),
    ]);
    let name = "{{char}}：".to_owned();
    set(&play, Sampling { prefill: format!("“{name} "), ..Sampling::default() });
    let last = |request: usize| play.body(request)["messages"].as_array().unwrap().last().unwrap().clone();

    let reply = play.say("一");
    assert_eq!(last(0), json!({"role": "assistant", "content": "“Alserqi："}));
    assert_eq!(reply.text, "“Alserqi：“进来吧");
    let account = play.account(&reply);
    let block = account.blocks.last().unwrap();
    assert_eq!((block.source.as_str(), block.text.as_str(), account.left_out.len()), ("prefill", "“Alserqi：", 0));
    assert_eq!(account.blocks.iter().map(|block| block.tokens).sum::<u32>(), account.total_tokens);

    let reply = play.ask(Ask::Continue(reply.id.clone())).unwrap();
    assert_eq!((last(1)["role"].as_str(), reply.text.as_str()), (Some("user"), "“Alserqi：“进来吧。”"));
    assert_eq!(play.say("二").text, "“Alserqi：来。");
    assert_eq!(play.say("三").text, "“Alserqi：好。”", "it said them itself");
    assert_eq!(play.say("四").status, crate::story::generation::Status::Empty);
}

/// Where the model refuses to go on from words of its own, it begins anew, and that is said.
#[test]
fn what_cannot_be_begun_begins_anew() {
    let words = "This model does not support assistant message prefill. The conversation must end with a user message.";
    let refusal = Answer::error(400, &json!({"error": {"message": words}}).to_string());
    let play = play([refusal, Answer::text(["嗯。"]), Answer::text(["好。"])]);
    set(&play, Sampling { prefill: "“".into(), ..Sampling::default() });
    let reply = play.say("一");
    assert_eq!(reply.text, "嗯。");
    assert!(matches!(&reply.notices()[0].cause, Cause::LeftOut { all } if all[0].parameter == Parameter::Prefill));
    assert_eq!(play.say("二").text, "好。");
    let roles = |request: usize| play.body(request)["messages"].as_array().unwrap().last().unwrap()["role"].clone();
    assert_eq!([0, 1, 2].map(roles), ["assistant", "user", "user"]);
}

/// Servers that reckon prompt and answer together refuse both where more is asked for than was kept free.
#[test]
fn no_more_is_asked_for_than_there_is_room_for() {
    for (context, most, effort, want) in [
        (8_192, 6_000, None, 4_096),
        (8_192, 600, None, 600),
        (32_768, 4_000, Some(Effort::High), 4_000 + 16_384),
        (32_768, 8_000, Some(Effort::High), 4_096 + 16_384),
        // Of a model whose length is not known nothing is.
        (0, 60_000, None, 60_000),
    ] {
        let play = play([Answer::text(["嗯。"])]);
        set(&play, Sampling { max_tokens: Some(most), effort, ..Sampling::default() });
        let takes = |all: &mut Connections| all.list[0].context_tokens = context;
        block_on(play.sim.ports.store.change(Connections::ID, takes)).unwrap();
        play.say("一");
        assert_eq!(play.body(0)["max_tokens"], want, "{context} {most} {effort:?}");
        let connection = block_on(play.sim.ports.store.load::<Connections>(Connections::ID)).unwrap().unwrap();
        let room = scene::budget(&connection.list[0]);
        assert!(context == 0 || room + want <= context, "{context} {most} {effort:?}: {room}");
    }
}
