//! How a story begins, and how a reply does: its greetings, what stands in them, and what was there in a reply's place.

use super::{features::directed, *};
use crate::story::{state::HandEdit, world::WorldEdit};

#[test]
fn the_opening_has_a_swipe_for_each_greeting() {
    let play = play([]);
    let opening = &play.nodes()[0];
    let texts: Vec<_> = opening.generations.iter().map(|generation| generation.text.as_str()).collect();
    assert_eq!(texts, ["玩家，你来了。", "坐。"]);
    let other = opening.generations[1].id.clone();
    block_on(play.conductor.choose(&play.story.id, &opening.turn.id, &other)).unwrap();
    assert_eq!(play.path(), ["– → 坐。"]);
}

/// An opening speaks to a reader without a name as the story does.
#[test]
fn an_opening_reads_right_without_a_name() {
    for (language, greeting, expected) in [
        (Language::Zh, "{{user}}推开门。{{char}}看着{{user}}的伞。", "你推开门。Ada看着你的伞。"),
        (Language::En, "“{{user}}?” {{char}} takes {{user}}'s coat.", "“You?” Ada takes your coat."),
        (Language::En, "{{// a note}}{{random::Ada}} has {{roll:1d1}} lamp.{{unknown}}", "Ada has 1 lamp.{{unknown}}"),
    ] {
        let play = play([]);
        let card = crate::story::character::Card { first_mes: greeting.into(), ..Default::default() };
        let character = Character { id: "ada".into(), name: "Ada".into(), card, ..Default::default() };
        let new = NewStoryline {
            title: String::new(),
            character: &character,
            background: None,
            preset: "plain".into(),
            connection: None,
            user_name: String::new(),
            plays_as: None,
            language,
            demo: false,
        };
        let story = block_on(open_storyline(&play.sim.ports, new)).unwrap();
        let opening = &Play { story, ..play }.nodes()[0];
        assert_eq!(opening.reply().unwrap().text, expected);
    }
}

/// What the reader changes while a reply waits for room, to make room, holds when it is asked for again.
#[test]
fn what_is_changed_while_a_reply_waits_holds() {
    let play = directed([Answer::error(500, ""), Answer::text(["好。"])]);
    for is_held in [true, false] {
        let takes = |all: &mut Connections| all.list[0].context_tokens = if is_held { 600 } else { 0 };
        block_on(play.sim.ports.store.change(Connections::ID, takes)).unwrap();
        let waiting = match is_held {
            true => play.say(&"雨。".repeat(1_000)),
            false => play.say("走。"),
        };
        assert_eq!(waiting.fault.as_ref().unwrap().kind.is_too_long(), is_held);
        let gold = WorldEdit::Put { key: "金子".into(), value: serde_json::json!(is_held) };
        block_on(play.conductor.change(&play.story.id, HandEdit::World { edit: gold })).unwrap();
        let again = play.ask(Ask::Again(waiting.turn)).unwrap();
        let kept = play.state().world.get("金子").map(|value| value.to_string());
        assert!(kept.is_some_and(|kept| kept.contains(&is_held.to_string())), "{:?}", again.status);
    }
}

/// The same where the turn has a future, and the second reply to it failed.
#[test]
fn what_is_changed_at_another_reply_that_failed_holds() {
    let answers = [Answer::text(["一"]), Answer::text(["二"]), Answer::error(500, ""), Answer::text(["三"])];
    let play = directed(answers);
    let first = play.say("a");
    play.say("b");
    assert!(play.ask(Ask::Again(first.turn.clone())).unwrap().fault.is_some());
    let gold = WorldEdit::Put { key: "金子".into(), value: serde_json::json!(3) };
    block_on(play.conductor.change(&play.story.id, HandEdit::World { edit: gold })).unwrap();
    play.ask(Ask::Again(first.turn)).unwrap();
    assert_eq!(play.path()[1..], ["a → 三"]);
    assert!(play.state().world.contains_key("金子"));
}
