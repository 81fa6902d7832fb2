//! A model that writes notes and no prose is asked for the prose, once and in the same turn.

use serde_json::json;

use super::{features::directed, *};
use crate::{features::reading::Said, prompt::builtin, reply::notice::ReplyNotice, story::generation::Usage};

const NOTES: &str = "<state_update><add key=\"gold\" value=\"1\"></add></state_update>";
const PROSE: &str = "她数出一枚金币。";

fn asked(reply: &Generation) -> usize {
    reply.notices().iter().filter(|notice| notice.cause == Cause::ProseAskedFor).count()
}

fn gold(play: &Play) -> serde_json::Value {
    serde_json::Value::from(play.state().world)["gold"].clone()
}

#[test]
fn prose_is_asked_for_once() {
    let notes = Answer::text([NOTES]).counting(500);
    let again = Answer::text([PROSE, "\n\n", NOTES]).counting(600);
    let play = directed([notes, again]);
    let reply = play.say("给我一枚。");
    assert_eq!((reply.status, reply.text.as_str()), (Status::Done, &*format!("{PROSE}\n\n{NOTES}")));
    assert_eq!(gold(&play), json!(1), "notes that come again count once");
    assert_eq!(asked(&reply), 1);
    assert_eq!(Said::Reply.notices_of(&reply), []);
    let calls = reply.spent().iter().map(|line| (line.calls, line.prompt)).collect::<Vec<_>>();
    assert_eq!(calls, [(2, 1_100)]);
    assert_eq!(reply.usage.map(|Usage { prompt_tokens, .. }| prompt_tokens), Some(500), "the prompt in the account");

    // The same prompt, so that the provider's cache holds it, with two messages more.
    let (first, second) = (play.messages(0), play.messages(1));
    assert_eq!(second[..first.len()], first[..]);
    let more = [("assistant", NOTES), ("user", builtin::prose_nudge(Language::Zh))];
    assert_eq!(second[first.len()..], more.map(|(role, text)| (role.to_owned(), text.to_owned())));
}

#[test]
fn where_none_comes_the_notes_stand_alone() {
    let play = directed([Answer::text([NOTES]), Answer::text([NOTES])]);
    let reply = play.say("给我一枚。");
    assert_eq!((reply.status, reply.text.as_str()), (Status::Done, NOTES));
    assert_eq!((gold(&play), asked(&reply), play.sim.llm.requests().len()), (json!(1), 1, 2));
    assert_eq!(Said::Reply.notices_of(&reply), [ReplyNotice::NothingShown]);
}

#[test]
fn a_refusal_or_a_break_keeps_what_came() {
    let play = directed([Answer::text([NOTES]), Answer::error(429, "{}")]);
    let reply = play.say("给我一枚。");
    let fault = reply.fault.as_ref().map(|fault| fault.kind);
    assert_eq!((fault, reply.text.as_str()), (Some(FaultKind::RateLimited), NOTES));

    let play = directed([Answer::text([NOTES]), Answer::unfinished([PROSE]), Answer::text(["又一枚。"])]);
    let reply = play.say("给我一枚。");
    assert_eq!((reply.status, reply.text.as_str()), (Status::Interrupted, &*format!("{NOTES}\n\n{PROSE}")));
    assert_eq!(gold(&play), json!(1));
    let whole = play.ask(Ask::Continue(reply.id)).unwrap();
    assert_eq!((whole.status, whole.text), (Status::Done, format!("{NOTES}\n\n{PROSE}又一枚。")));
    assert_eq!((gold(&play), play.sim.llm.requests().len()), (json!(1), 3));
}

/// Prose of whatever length is enough; notes that were cut off at the limit of tokens are none that the model meant to end.
#[test]
fn nothing_else_is_asked_for_again() {
    let answers = [
        Answer::text(["嗯。", NOTES]),
        Answer::text(["<thought>想一想。</thought>"]),
        Answer::text([""]),
        Answer::ended([NOTES], "length"),
    ];
    for answer in answers {
        let play = directed([answer]);
        let reply = play.say("给我一枚。");
        assert_eq!((asked(&reply), play.sim.llm.requests().len()), (0, 1), "{}", reply.text);
    }
}
