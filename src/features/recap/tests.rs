//! When a conversation's middle is summarised, what is asked for it, and how a prompt tells it.

use super::{
    due::{Volume, is_due, kept},
    request::{answer, request},
};
use crate::{
    prompt::{
        builtin::builtin,
        framework::assemble,
        samples::{Sample, node, turn_42},
    },
    story::{
        reader::Reader,
        recap::{Recap, RecapSettings},
        storyline::{Language, Opened},
        tree::Head,
    },
};

#[test]
fn three_messages_stay_at_either_end() {
    let cases: &[(&[u32], usize)] = &[
        (&[1, 2, 2, 2], 2), // an opening, then a turn
        (&[2, 2, 2], 2),
        (&[1, 1, 1, 1], 3), // turns without an answer
        (&[3, 2], 1),
        (&[0, 1], 2),
        (&[], 0),
    ];
    for (turns, expected) in cases {
        assert_eq!(kept(turns.iter().copied()), *expected, "{turns:?}");
    }
}

#[test]
fn due_beyond_the_threshold() {
    let settings = RecapSettings { enabled: true, ..RecapSettings::default() };
    let cases = [
        (1_000, 5_000, false),
        (1_000, 5_001, true),
        (0, 6_001, true),
        (9_000, 0, false),
        (9_000, 2_999, false), // what stays is long by itself
        (9_000, 3_000, true),
    ];
    for (told, middle, expected) in cases {
        assert_eq!(is_due(&settings, Volume { told, middle }), expected, "{told} {middle}");
    }
    assert_eq!(
        [None, Some(200), Some(9_000)].map(|tokens| answer(&settings, tokens)),
        [None, Some(2_000), Some(9_000)]
    );
}

/// Read whole, with a name and without, the first and the next.
#[test]
fn what_is_asked() {
    let settings = RecapSettings::default();
    for language in [Language::Zh, Language::En] {
        let pair = |zh: &'static str, en: &'static str| language.pick(zh, en);
        let dialogue = pair("小雨: 灯还亮着吗？\nAda: 亮着。\n", "Lin: Is the lamp still lit?\nAda: It is.\n");
        let named = Reader::new(pair("小雨", "Lin"), language);
        let asked = |before, reader| request(&settings, before, dialogue, reader).remove(0).content;
        insta::assert_snapshot!(
            format!("next_{language:?}"),
            asked(pair("小雨到了灯塔。", "Lin came to the lighthouse."), named)
        );
        insta::assert_snapshot!(format!("first_{language:?}"), asked("  ", Reader::new("", language)));
    }
}

/// A story of `turns` turns, each with as many tokens as `words` asks for, and a summary of the third up to `to`.
fn long(language: Language, turns: u32, to: u32) -> Sample {
    let mut sample = turn_42(language);
    sample.history = (0..=turns)
        .map(|n| match n {
            0 => node(0, "", Some("opening")),
            n => node(n, &format!("said {n}"), (n < turns).then(|| format!("reply {n}")).as_deref()),
        })
        .collect();
    sample.character.recap.enabled = true;
    sample.state.recap = Some(Recap { text: "They met.".into(), from: 2, to, ..Recap::default() });
    sample
}

fn told(sample: &Sample, id: &str, room: u32) -> (Vec<String>, crate::story::account::AccountBlock) {
    let prompt = assemble(&sample.scene(&builtin(id, sample.storyline.language).unwrap()), room);
    let history = prompt.account.blocks.into_iter().find(|block| block.source == "history").unwrap();
    (prompt.messages.into_iter().map(|message| message.content).collect(), history)
}

const PLENTY: u32 = 100_000;

#[test]
fn it_stands_between_the_beginning_and_the_end() {
    let sample = long(Language::En, 12, 10);
    let (texts, history) = told(&sample, "plain", PLENTY);
    let at = texts.iter().position(|text| text == "opening").unwrap();
    let recap = "That was how it began. This is what happened between then and what follows:\nThey met.";
    let expected = ["opening", "said 1", "reply 1", recap, "said 10", "reply 10", "said 11", "reply 11", "said 12"];
    assert_eq!(texts[at..at + expected.len()], expected);
    let account = history.recap.clone().unwrap();
    assert_eq!((account.turns, account.text.as_str()), (Some((0, 1)), recap));
    assert_eq!((history.from, history.to, history.trimmed, history.text.as_str()), (Some(10), Some(12), 0, ""));

    // Where the newest turns alone were read, the beginning comes apart, and nothing is said to be left out.
    let mut apart = sample.clone();
    apart.head = apart.history.drain(..11).take(2).collect();
    apart.not_loaded = 11;
    let (texts_apart, history) = told(&apart, "plain", PLENTY);
    let expected: Vec<_> = texts.iter().filter(|text| !text.ends_with(" 10")).cloned().collect();
    assert_eq!((texts_apart, history.trimmed), (expected, 1));
}

#[test]
fn it_is_told_where_the_middle_would_be() {
    for language in [Language::Zh, Language::En] {
        for id in ["plain", "director", "framework", "sxml", "living"] {
            let all = told(&long(language, 12, 10), id, PLENTY).0.concat();
            let has = |text: &str| all.contains(text);
            assert!(has("They met.") && has("opening") && has("reply 1") && has("said 11"), "{id}");
            assert!(!has("said 2") && !has("reply 9"), "{id}");
            let mut off = long(language, 12, 10);
            off.character.recap.enabled = false;
            let all = told(&off, id, PLENTY).0.concat();
            assert!(!all.contains("They met.") && all.contains("reply 5"), "{id}: switched off");
        }
        // A preset that counts its turns goes on counting.
        let all = told(&long(language, 12, 10), "persona", PLENTY).0.concat();
        assert!(!all.contains("They met.") && all.contains("reply 5"));
    }
}

/// One that does not fit the place is not told: of another session, ahead of the turn, or blank.
#[test]
fn it_is_of_this_conversation() {
    let whole = |sample: &Sample| {
        let all = told(sample, "plain", PLENTY).0.concat();
        (all.contains("They met."), all.contains("reply 5"))
    };
    let sample = long(Language::En, 12, 10);
    assert_eq!(whole(&sample), (true, false));
    assert_eq!(whole(&long(Language::En, 12, 13)), (false, true), "ahead");
    let mut blank = sample.clone();
    blank.state.recap.as_mut().unwrap().text = " ".into();
    assert_eq!(whole(&blank), (false, true));
    let mut later = sample.clone();
    let at = Head { branch: "b".into(), end: 4 };
    later.opened = Some(Opened { at, carried: 2, summary: "Long ago.".into(), ..Opened::default() });
    assert_eq!(whole(&later), (false, true), "of the session before");
    // Of this one: what the session began with stands before it.
    later.state.recap = Some(Recap { text: "They met.".into(), from: 6, to: 10, ..Recap::default() });
    let (texts, history) = told(&later, "plain", PLENTY);
    let place = |text: &str| texts.iter().position(|told| told.contains(text));
    assert!(place("Long ago.") < place("said 2") && place("reply 5") < place("They met."));
    assert_eq!((place("reply 6"), texts.iter().position(|told| told == "reply 1")), (None, None));
    assert!(place("They met.") < place("said 10") && history.text.contains("Long ago."));
    assert_eq!(history.recap.unwrap().turns, Some((2, 5)));
}

/// What is between gives way before the beginning does, unless that is long.
#[test]
fn the_beginning_stays() {
    let cut = |words: usize| {
        let mut sample = long(Language::En, 60, 10);
        sample.history[1] = node(1, &"long ".repeat(words), Some("reply 1"));
        let room = told(&sample, "plain", PLENTY).1.tokens * 3 / 4;
        sample.room = Some(room);
        told(&sample, "plain", room)
    };
    let (texts, history) = cut(1);
    assert!(texts.concat().contains("opening") && texts.concat().contains("They met."));
    assert!(history.trimmed > 0 && history.from > Some(10), "{history:?}");
    let (texts, _) = cut(2_000);
    assert!(!texts.concat().contains("opening") && texts.concat().contains("They met."));
}
