//! The summary of a conversation's middle: written after a turn, told in its place, on the tree.

use super::*;
use crate::{
    story::{
        recap::{Recap, RecapSettings},
        spending::Kind,
    },
    turn::recap::Outcome,
};

/// Some three hundred characters, which begin with these words.
fn long(words: &str) -> String {
    format!("{words}{}", "他们沿着海岸走，谁也没有说话。".repeat(20))
}

/// A story whose character has it on, with the least threshold.
fn kept(answers: impl IntoIterator<Item = String>) -> Play {
    let play = play(answers.into_iter().map(|text| Answer::text([text.as_str()])));
    play.of_character(|recap| *recap = RecapSettings { enabled: true, threshold: 3_000, length: 500 });
    play
}

impl Play {
    fn of_character(&self, change: impl FnOnce(&mut RecapSettings)) {
        let mut character = block_on(self.sim.ports.store.load::<Character>("alserqi")).unwrap().unwrap();
        change(&mut character.recap);
        block_on(self.sim.ports.store.save(&character)).unwrap();
    }

    fn recap(&self, asked: bool) -> Outcome {
        block_on(self.conductor.write_recap(&self.story.id, asked, Stop::never())).unwrap()
    }

    /// The turns that it stands for, and what it says.
    fn held(&self) -> Option<(u32, u32, String)> {
        self.state().recap.map(|Recap { from, to, text, .. }| (from, to, text))
    }

    /// Whether a message of the chat begins so: what the memory brings back stands elsewhere.
    fn is_told(&self, number: usize, words: &str) -> bool {
        self.messages(number).iter().any(|(_, text)| text.starts_with(words))
    }

    fn request(&self, number: usize) -> String {
        self.messages(number).iter().map(|(_, text)| format!("{text}\n")).collect()
    }
}

fn replies(turns: std::ops::RangeInclusive<u32>) -> Vec<String> {
    turns.map(|turn| long(&format!("第{turn}次。"))).collect()
}

#[test]
fn a_long_middle_is_told_in_short() {
    let mut answers = replies(1..=10);
    answers.push("小结一。".into());
    answers.extend(replies(11..=17));
    answers.push("小结二。".into());
    answers.push("好。".into());
    let play = kept(answers);
    for turn in 1..=9 {
        play.say(&format!("问{turn}"));
        assert_eq!(play.recap(false), Outcome::Nothing, "{turn}");
    }
    play.say("问10");
    assert_eq!(play.recap(false), Outcome::Written);
    // The opening and the first turn stay, and so do the last two.
    assert_eq!(play.held(), Some((2, 9, "小结一。".into())));
    assert_eq!(play.recap(false), Outcome::Nothing, "once is enough");
    let asked = play.request(10);
    assert!(asked.contains("问2") && asked.contains("第8次。") && !asked.contains("问9") && !asked.contains("第1次"));
    let spent = play.nodes().pop().unwrap().reply().unwrap().spent();
    assert_eq!(spent.iter().filter(|spent| spent.kind == Kind::Summary).map(|spent| spent.calls).sum::<u32>(), 1);

    play.say("问11");
    for (text, is_told) in [("玩家，你来了", true), ("第1次", true), ("第8次", false), ("问9", true), ("第10次", true)]
    {
        assert_eq!(play.is_told(11, text), is_told, "{text}");
    }
    assert!(play.is_told(11, "以上是开头。从那以后到下文之前，发生了这些：\n小结一。"));
    // What was said is there as it was.
    assert_eq!(play.nodes().len(), 12);
    for turn in 12..=17 {
        assert_eq!(play.recap(false), Outcome::Nothing, "{turn}");
        play.say(&format!("问{turn}"));
    }
    assert_eq!(play.recap(false), Outcome::Written);
    let asked = play.request(18);
    assert!(asked.contains("小结一。") && asked.contains("第9次") && asked.contains("第15次"));
    assert!(!asked.contains("第8次") && !asked.contains("第16次"));
    assert_eq!(play.held(), Some((2, 16, "小结二。".into())));

    // Switched off, all is told again; the summary is kept.
    play.of_character(|recap| recap.enabled = false);
    assert_eq!(play.recap(true), Outcome::Nothing);
    play.say("问18");
    assert!(play.is_told(19, "第8次") && !play.request(19).contains("小结"));
    assert_eq!(play.held().map(|held| held.1), Some(16));
}

/// D8 of its kind: a failed one changes nothing, is said at the reply, and is not asked for over and over.
#[test]
fn one_that_fails() {
    let mut answers = replies(1..=10);
    answers.extend([String::new(), "长".repeat(9_000), "小结。".into(), "好。".into()]);
    let play = kept(answers);
    (1..=10).for_each(|turn| drop(play.say(&format!("问{turn}"))));
    assert_eq!(play.recap(false), Outcome::Missed(None));
    let notices = || play.nodes().pop().unwrap().reply().unwrap().notices();
    assert_eq!(notices()[0].cause, Cause::NotNoted { fault: None, whose: String::new() });
    assert_eq!((play.held(), play.recap(false)), (None, Outcome::Nothing));
    assert_eq!(play.recap(true), Outcome::Missed(None), "longer than what it stands for");
    assert_eq!(play.recap(true), Outcome::Written);
    assert!(notices().is_empty());
    play.say("问11");
    assert!(play.request(13).contains("小结。"));
}

#[test]
fn another_branch_has_its_own() {
    let mut answers = replies(1..=10);
    answers.extend(["小结。".into(), long("又一次。"), long("第11次。"), "另一个小结。".into()]);
    let play = kept(answers);
    (1..=9).for_each(|turn| drop(play.say(&format!("问{turn}"))));
    let turn = play.say("问10").turn;
    assert_eq!(play.recap(false), Outcome::Written);
    play.ask(Ask::Again(turn)).unwrap();
    assert_eq!(play.held(), None, "another reply was not told of");
    assert!(play.is_told(11, "第8次"));
    play.say("问11");
    assert_eq!(play.recap(false), Outcome::Written);
    assert_eq!(play.held(), Some((2, 10, "另一个小结。".into())));
}

#[test]
fn in_the_readers_own_words() {
    let mut answers = replies(1..=10);
    answers.extend(["小结。".into(), "好。".into(), "又好。".into()]);
    let play = kept(answers);
    (1..=10).for_each(|turn| drop(play.say(&format!("问{turn}"))));
    play.recap(false);
    let word = |to, text: &str| block_on(play.conductor.word_recap(&play.story.id, to, text));
    assert!(word(8, "别的").is_err(), "of another one");
    word(9, " 她记得的是这样。 ").unwrap();
    let reply = play.nodes().pop().unwrap().reply().unwrap().id.clone();
    block_on(play.conductor.read_anew(&reply)).unwrap();
    assert_eq!(play.held(), Some((2, 9, "她记得的是这样。".into())));
    play.say("问11");
    assert!(play.request(11).contains("她记得的是这样。"));
    word(9, "").unwrap();
    assert_eq!(play.held(), None);
    play.say("问12");
    assert!(play.is_told(12, "第5次"));
}

/// A story that was played without one: in parts that fit, the earliest first, each of which holds.
#[test]
fn a_story_of_many_turns_is_caught_up_on() {
    let words = |turn: u32| format!("第{turn}次。{}", "海".repeat(1_500));
    let mut answers: Vec<String> = (1..=30).map(words).collect();
    answers.extend(["小结一。", "小结二。", "小结三。", "小结四。", "好。"].map(String::from));
    let play = kept(answers);
    play.of_character(|recap| recap.enabled = false);
    (1..=30).for_each(|turn| drop(play.say(&format!("问{turn}"))));
    play.of_character(|recap| recap.enabled = true);
    assert_eq!(play.recap(false), Outcome::Written);
    let (from, first, _) = play.held().unwrap();
    assert!(from == 2 && (5..20).contains(&first), "{first}");
    assert_eq!(play.recap(true), Outcome::Written);
    assert_eq!(play.held().map(|held| (held.0, held.1)), Some((2, 29)));
    let parts: Vec<_> =
        (30..).take_while(|number| play.sim.llm.requests().len() > *number).map(|n| play.request(n)).collect();
    for turn in 2..29 {
        let told = parts.iter().filter(|part| part.contains(&format!("第{turn}次。"))).count();
        assert_eq!(told, 1, "{turn}");
    }
    play.say("问31");
    let is_told = |turn: u32| play.is_told(30 + parts.len(), &format!("第{turn}次。"));
    assert!(is_told(1) && is_told(29) && is_told(30) && (2..29).all(|turn| !is_told(turn)));
}
