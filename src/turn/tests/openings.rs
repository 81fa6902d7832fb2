//! How a story begins: its greetings, and what stands in them.

use super::*;

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
