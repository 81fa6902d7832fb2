//! A model that writes notes and no prose is asked for the prose, once and in the same turn.

use super::*;
use crate::{
    features::reading::Said,
    reply::notice::ReplyNotice,
    story::{generation::Usage, warning::Notice},
};

const NOTES: &str = "<changes>\nworld gold: 1\n</changes>";
const PROSE: &str = "她数出一枚金币。";

/// A story by the default preset, which asks for prose and a block of changes.
fn living(answers: impl IntoIterator<Item = Answer>) -> Play {
    let play = play(answers);
    let mut story = play.storyline();
    story.preset = "living".into();
    block_on(play.sim.ports.store.save(&story)).unwrap();
    play
}

fn asked(reply: &Generation) -> usize {
    reply.notices().iter().filter(|notice| matches!(notice.cause, Cause::ProseAskedFor { .. })).count()
}

fn world(play: &Play) -> String {
    serde_json::Value::from(play.state().world).to_string()
}

#[test]
fn prose_is_asked_for_once() {
    let play = living([Answer::text([NOTES]).counting(500), Answer::text([PROSE]).counting(400)]);
    let reply = play.say("给我一枚。");
    assert_eq!((reply.status, reply.text.as_str(), asked(&reply)), (Status::Done, PROSE, 1));
    assert_eq!(world(&play), "{}", "what was not told did not happen");
    assert_eq!(Said::Reply.notices_of(&reply), []);
    let calls = reply.spent().iter().map(|line| (line.calls, line.prompt)).collect::<Vec<_>>();
    assert_eq!(calls, [(2, 900)]);
    assert_eq!(reply.usage.map(|Usage { prompt_tokens, .. }| prompt_tokens), Some(500), "the prompt in the account");

    // There is no form that could be filled in again. All else is the same, so that the provider's cache holds it.
    let [first, second] = [0, 1].map(|request| play.messages(request));
    let form = first.iter().position(|(_, text)| text.contains("<changes>")).unwrap();
    assert!(!second[form].1.contains("<changes>"));
    assert_eq!((&second[..form], &second[form + 1..]), (&first[..form], &first[form + 1..]));
    assert!(!block_on(play.conductor.storyline(&play.story.id)).unwrap().features.has("scribe"), "for this call alone");
}

#[test]
fn notes_that_come_with_the_prose_count() {
    let play = living([Answer::text([NOTES]), Answer::text([PROSE, "\n\n", NOTES])]);
    let reply = play.say("给我一枚。");
    assert_eq!(reply.text, format!("{PROSE}\n\n{NOTES}"));
    assert_eq!(world(&play), r#"{"gold":1}"#);
}

#[test]
fn where_none_comes_the_notes_stand_alone() {
    let play = living([Answer::text([NOTES]), Answer::text([NOTES])]);
    let reply = play.say("给我一枚。");
    assert_eq!((reply.status, reply.text.as_str(), asked(&reply)), (Status::Done, NOTES, 1));
    assert_eq!((world(&play).as_str(), play.sim.llm.requests().len()), (r#"{"gold":1}"#, 2));
    assert_eq!(Said::Reply.notices_of(&reply), [ReplyNotice::NothingShown]);
}

#[test]
fn a_refusal_or_a_break_keeps_what_came() {
    let play = living([Answer::text([NOTES]), Answer::error(429, "{}")]);
    let reply = play.say("给我一枚。");
    assert_eq!((reply.status, reply.text.as_str()), (Status::Done, NOTES));
    assert_eq!(world(&play), r#"{"gold":1}"#, "as where no prose came");
    let notices = reply.notices();
    let [Notice { cause: Cause::ProseAskedFor { fault: Some(fault) }, .. }] = &notices[..] else {
        panic!("{notices:?}")
    };
    assert_eq!(fault.kind, FaultKind::RateLimited);

    let play = living([Answer::text([NOTES]), Answer::unfinished([PROSE]), Answer::text(["又一枚。"])]);
    let reply = play.say("给我一枚。");
    assert_eq!((reply.status, reply.text.as_str()), (Status::Interrupted, PROSE));
    let whole = play.ask(Ask::Continue(reply.id)).unwrap();
    assert_eq!((whole.status, whole.text), (Status::Done, format!("{PROSE}又一枚。")));
}

/// Prose of whatever length is enough.
#[test]
fn nothing_else_is_asked_for_again() {
    let answers = [Answer::text(["嗯。", NOTES]), Answer::text(["<thought>想一想。</thought>"]), Answer::text([""])];
    for answer in answers {
        let play = living([answer]);
        let reply = play.say("给我一枚。");
        assert_eq!((asked(&reply), play.sim.llm.requests().len()), (0, 1), "{}", reply.text);
    }
    // What another preset asks for in its own words is not known.
    let play = play([Answer::ended(["<changes>\nworld gold: "], "length"), Answer::text(["1\n</changes>"])]);
    let cut = play.say("给我一枚。");
    assert_eq!(asked(&cut), 0);
    assert_eq!(asked(&play.ask(Ask::Continue(cut.id)).unwrap()), 0);
}

/// Notes that were cut off at the limit are none to go on with.
#[test]
fn notes_that_fill_a_reply_bring_its_prose() {
    let play = living([Answer::ended(["<changes>\nworld gold: "], "length"), Answer::text([PROSE])]);
    let reply = play.say("给我一枚。");
    assert_eq!((reply.text.as_str(), reply.is_cut_off(), asked(&reply)), (PROSE, false, 1));
}

/// What stands there from before is none of it: the prose is asked for as if nothing had been written.
#[test]
fn a_reply_that_went_on_is_asked_for_its_prose() {
    let answers =
        [Answer::unfinished(["<changes>\nworld gold: "]), Answer::text(["1\n</changes>"]), Answer::text([PROSE])];
    let play = living(answers);
    let reply = play.say("给我一枚。");
    let reply = play.ask(Ask::Continue(reply.id)).unwrap();
    assert_eq!((reply.text.as_str(), asked(&reply)), (PROSE, 1));
    let [first, third] = [0, 2].map(|request| play.messages(request));
    assert_eq!((third.last(), third.len()), (first.last(), first.len()));
}
