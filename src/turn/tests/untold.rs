//! Turns that the reader takes out of what a model is told.

use super::*;
use crate::turn::{Ahead, untold::Telling};

impl Play {
    fn tell_to(&self, position: u32, telling: Telling) {
        let turn = self.nodes()[position as usize].turn.id.clone();
        block_on(self.conductor.tell_to(&turn, telling)).unwrap();
    }

    /// What the next words are told with.
    fn told(&self, words: &str) -> String {
        self.sim.llm.replace([Answer::text(["她听着。"])]);
        self.say(words);
        self.sim.llm.requests().pop().unwrap().body.unwrap()
    }
}

fn story() -> Play {
    let play = play(["她收起了铜钥匙。", "雨停了。", "她看着窗外。"].map(|reply| Answer::text([reply])));
    for words in ["给你铜钥匙。", "听，雨。", "天亮了吗？"] {
        play.say(words);
    }
    play
}

#[test]
fn it_is_neither_told_nor_suggested_from_until_it_is_put_back() {
    let play = story();
    for telling in [Telling::Reader, Telling::Nobody] {
        play.tell_to(1, telling);
        let told = play.told("你还记得吗？");
        assert!(!told.contains("铜钥匙") && told.contains("雨停了。") && told.contains("她看着窗外。"), "{told}");
        play.sim.llm.replace([Answer::text(["我走了。"])]);
        block_on(play.conductor.impersonate(&play.story.id, "", Stop::never())).unwrap();
        let told = play.sim.llm.requests().pop().unwrap().body.unwrap();
        assert!(!told.contains("铜钥匙") && told.contains("雨停了。"), "{told}");
    }
    play.tell_to(1, Telling::All);
    assert!(play.told("现在呢？").contains("她收起了铜钥匙。"));
}

/// Another reply to it is asked for: the words that are answered are told.
#[test]
fn the_turn_that_is_answered_is_told() {
    let play = story();
    play.tell_to(3, Telling::Reader);
    let turn = play.nodes()[3].turn.id.clone();
    play.sim.llm.replace([Answer::text(["快了。"])]);
    play.ask(Ask::Again(turn)).unwrap();
    let told = play.sim.llm.requests().pop().unwrap().body.unwrap();
    assert!(told.contains("天亮了吗？"), "{told}");
    assert!(!play.told("走吧。").contains("天亮了吗？"));
}

/// It hangs on the turn: a branch that leaves before it knows nothing of it, one that leaves after it does.
#[test]
fn each_branch_that_goes_through_it_goes_without_it() {
    let play = story();
    play.tell_to(2, Telling::Reader);
    let nodes = play.nodes();
    block_on(play.conductor.go_to(&play.story.id, &nodes[2].turn.id)).unwrap();
    assert!(!play.told("另一条路。").contains("雨停了。"));
    block_on(play.conductor.go_to(&play.story.id, &nodes[1].turn.id)).unwrap();
    let told = play.told("又一条路。");
    assert!(told.contains("她收起了铜钥匙。") && !told.contains("雨停了。"));
}

#[test]
fn the_last_turn_is_deleted_and_comes_back() {
    let play = story();
    let before = play.nodes();
    let gone = block_on(play.conductor.discard_from(&before[3].turn.id)).unwrap();
    assert_eq!(play.nodes(), before[..3]);
    block_on(play.conductor.restore_branch(&gone)).unwrap();
    assert_eq!(play.nodes(), before);
    assert!(block_on(play.conductor.discard_from(&before[0].turn.id)).is_err(), "a story has its opening");
    // What is told instead of it is no less.
    block_on(play.conductor.discard_from(&before[3].turn.id)).unwrap();
    let told = play.told("天黑了。");
    assert!(told.contains("雨停了。") && !told.contains("天亮了吗？"), "{told}");
    assert_eq!(play.nodes().len(), 4);
}

/// Several at once, over the branches that the path goes through; those that are out already are none of it.
#[test]
fn a_stretch_is_taken_out_and_put_back() {
    let play = story();
    let (turn, reply) = {
        let nodes = play.nodes();
        (nodes[2].turn.id.clone(), nodes[2].reply().unwrap().id.clone())
    };
    block_on(play.conductor.move_to_reply(&play.story.id, &turn, Some(&reply))).unwrap();
    play.sim.llm.replace([Answer::text(["天黑了。"])]);
    play.say("还早。");
    play.tell_to(2, Telling::Nobody);
    let tell = |turns: std::ops::RangeInclusive<u32>, telling| {
        let places = block_on(play.conductor.tell_all_to(&play.story.id, turns, telling)).unwrap();
        places.into_iter().map(|(_, at)| at).collect::<Vec<_>>()
    };
    assert_eq!(tell(1..=90, Telling::Reader), [1, 3]);
    let told = play.told("你还记得吗？");
    assert!(!["铜钥匙", "雨停了。", "天黑了。"].iter().any(|said| told.contains(said)), "{told}");
    assert_eq!(tell(1..=3, Telling::Reader), [0; 0], "they are out");
    assert_eq!(tell(0..=2, Telling::All), [1, 2]);
    let told = play.told("现在呢？");
    assert!(told.contains("铜钥匙") && told.contains("雨停了。") && !told.contains("天黑了。"), "{told}");
}

/// The reader may stand on another branch by then, where other turns have those places.
#[test]
fn what_was_taken_out_is_put_back_where_it_was() {
    let play = play(["一", "二", "三"].map(|text| Answer::text([text])));
    for words in ["甲", "乙", "丙"] {
        play.say(words);
    }
    let places = block_on(play.conductor.tell_all_to(&play.story.id, 2..=3, Telling::Reader)).unwrap();
    let turn = play.nodes()[2].turn.id.clone();
    block_on(play.conductor.edit_user_as_branch(&play.story.id, &turn, "丁")).unwrap();
    let untold = |play: &Play| {
        let path = block_on(play.conductor.path(&play.storyline())).unwrap();
        (0..path.end).filter(|at| !path.is_told(*at)).collect::<Vec<_>>()
    };
    block_on(play.conductor.tell_to(&play.nodes()[2].turn.id, Telling::Reader)).unwrap();
    block_on(play.conductor.tell_places_to(&play.story.id, &places, Telling::All)).unwrap();
    assert_eq!(untold(&play), [2], "of the branch where the reader is, nothing changed");
    block_on(play.conductor.go_to(&play.story.id, &turn)).unwrap();
    assert_eq!(untold(&play), [0; 0]);
}

/// What it changed stays, also where the turns before the next are at hand without it.
#[test]
fn the_next_turn_goes_on_from_what_it_changed() {
    let play = features::directed([
        Answer::text([features::feeling("Weary").as_str()]),
        Answer::text(["嗯。"]),
        Answer::text([features::feeling("Calm").as_str()]),
        Answer::text(["走吧。"]),
    ]);
    for words in ["一", "二", "三"] {
        play.say(words);
    }
    let before = play.state();
    play.tell_to(3, Telling::Reader);
    block_on(play.conductor.get_ready(&play.story.id, Ahead::Read)).unwrap();
    play.say("四");
    let told = play.sim.llm.requests().pop().unwrap().body.unwrap();
    assert!(told.contains("Calm"), "{told}");
    assert_eq!(play.state().personas, before.personas);
}
