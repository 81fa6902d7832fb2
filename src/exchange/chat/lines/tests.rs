use std::collections::HashMap;

use futures_executor::block_on;
use proptest::prelude::*;

use super::*;
use crate::{
    exchange::{
        archive::Reader,
        chat::{
            at_a_stretch,
            story::{Given, made, write},
        },
        limits::Limits,
    },
    store::{Part, from_value},
    story::tree::{Head, Path, nodes},
};

fn chat(messages: Vec<Message>) -> Chat {
    Chat { reader: "R".into(), character: "A".into(), messages, ..Chat::default() }
}

fn says(text: &str, is_reader: bool) -> Message {
    Message::said(is_reader, if is_reader { "R" } else { "A" }, text)
}

/// `hello`: she says it; `>hello`: the reader does; `a|*b`: of two wordings the second is seen.
fn told(lines: &[&str]) -> Chat {
    let message = |line: &&str| match line.strip_prefix('>') {
        Some(text) => says(text, true),
        None => {
            let wordings: Vec<&str> = line.split('|').collect();
            let seen = wordings.iter().position(|text| text.starts_with('*')).unwrap_or_default();
            let swipe = |text: &&str| Swipe { text: text.trim_start_matches('*').to_owned(), ..Swipe::default() };
            Message { seen, swipes: wordings.iter().map(swipe).collect(), ..says("", false) }
        }
    };
    chat(lines.iter().map(message).collect())
}

/// A branch by its name, and what is read along it.
type Read = (String, Vec<String>);

/// A story as it comes in: by the name of each branch (of the root: nothing) what is read along it; and the names of all
/// turns.
fn read(main: &Chat, others: &[(&str, &Chat)]) -> (Vec<Read>, Vec<String>, Vec<bool>) {
    let given = Given { characters: &[], own: None, file: "F", reader: "R", group: None, now: 1_760_000_000_000 };
    let story = block_on(made(main, "text", others, &given, at_a_stretch)).unwrap();
    let text = block_on(write(std::slice::from_ref(&story), 1, at_a_stretch)).unwrap();
    let mut reader = Reader::new(Limits::default());
    let entries = reader.push(text.as_bytes()).unwrap();
    let summary = reader.finish().unwrap();
    assert_eq!((summary.mends, summary.broken), (Default::default(), vec![]), "it can be played as it is");
    let all = |part: Part| entries.iter().filter(move |entry| entry.part == part).map(|entry| entry.doc.value.clone());
    let branches: Vec<Branch> = all(Part::Branches).map(|value| from_value(value).unwrap()).collect();
    let turns: Vec<Turn> = all(Part::Turns).map(|value| from_value(value).unwrap()).collect();
    let generations: Vec<Generation> = all(Part::Generations).map(|value| from_value(value).unwrap()).collect();
    let by_id: HashMap<_, _> = branches.iter().map(|branch| (branch.id.clone(), branch.clone())).collect();
    let along = |branch: &Branch| {
        let path = Path::of(&by_id, &Head { branch: branch.id.clone(), end: branch.end() }).unwrap();
        let on_path = |turn: &&Turn| {
            path.spans
                .iter()
                .any(|span| span.branch == turn.branch && (span.first..=span.last).contains(&turn.position))
        };
        let turns: Vec<Turn> = turns.iter().filter(on_path).cloned().collect();
        let fork = branch.parent.as_ref().filter(|_| branch.length == 0);
        nodes(&path, turns, generations.clone())
            .into_iter()
            .flat_map(|node| {
                // A branch without turns is the reply that it leaves by.
                let reply = fork
                    .filter(|fork| fork.position == node.turn.position)
                    .and_then(|fork| node.generations.iter().find(|reply| Some(&reply.id) == fork.generation.as_ref()));
                let reply = reply.or(node.reply()).map(|reply| reply.text.clone());
                [node.turn.user.map(|text| format!(">{text}")), reply]
            })
            .flatten()
            .collect::<Vec<String>>()
    };
    let name = |branch: &Branch| {
        let named = branch.named.first().and_then(|id| turns.iter().find(|turn| turn.id == *id));
        named.filter(|_| branch.parent.is_some()).and_then(|turn| turn.name.clone()).unwrap_or_default()
    };
    let names = turns.iter().filter_map(|turn| turn.name.clone()).collect();
    (branches.iter().map(|branch| (name(branch), along(branch))).collect(), names, story.joined)
}

#[test]
fn branches_of_one_chat() {
    let main = told(&["hello", ">a", "b|*c", ">d", "e"]);
    // Goes on otherwise; from the other wording; from a branch; is a checkpoint; begins otherwise.
    let other = told(&["hello", ">a", "c", ">x", "y"]);
    let swiped = told(&["hello", ">a", "b", ">z", "w"]);
    let deeper = told(&["hello", ">a", "c", ">x", "y", ">u", "v"]);
    let mark = told(&["hello", ">a", "c"]);
    let none = told(&["good day", ">a", "c"]);
    let others = [("O", &other), ("S", &swiped), ("D", &deeper), ("M", &mark), ("N", &none)];
    let (branches, names, joined) = read(&main, &others);
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        branches,
        [
            (String::new(), lines(&["hello", ">a", "c", ">d", "e"])),
            ("O".into(), lines(&["hello", ">a", "c", ">x", "y"])),
            ("S".into(), lines(&["hello", ">a", "b", ">z", "w"])),
            ("D".into(), lines(&["hello", ">a", "c", ">x", "y", ">u", "v"])),
        ]
    );
    assert_eq!((names, joined), (lines(&["M", "O", "S", "D"]), vec![true, true, true, true, false]));
}

#[test]
fn a_reply_without_a_future_and_words_without_a_reply() {
    let main = told(&["hello|*good day", ">a", "b"]);
    let greeting = told(&["hello"]);
    let unanswered = told(&["good day", ">a", "b", ">c"]);
    let reworded = told(&["good day", ">a", ">a, again", "b"]);
    let others = [("G", &greeting), ("U", &unanswered), ("R", &reworded)];
    let (branches, _, joined) = read(&main, &others);
    assert_eq!(joined, [true, true, true]);
    assert_eq!(branches[1].1, ["hello"]);
    assert_eq!(branches[2].1, ["good day", ">a", "b", ">c"]);
    assert_eq!(branches[3].1, ["good day", &format!(">a{JOINED}a, again"), "b"]);
}

#[test]
fn wordings_that_only_a_branch_has() {
    let main = told(&["hello", ">a", "b|*c", ">d", "e"]);
    // It was asked for others where both are; it goes on from one of them; a branch goes on from that.
    let more = told(&["hello|hi", ">a", "b|*c|q", ">d", "e", ">f", "g"]);
    let from = told(&["hello", ">a", "b|c|*n", ">x", "y"]);
    let deeper = told(&["hello", ">a", "b|c|*n", ">z", "w"]);
    let last = told(&["hello", ">a", "c", ">d", "e|*o"]);
    let (branches, names, joined) = read(&main, &[("M", &more), ("F", &from), ("D", &deeper), ("L", &last)]);
    assert_eq!(joined, [true; 4]);
    let lines: Vec<String> = branches.iter().map(|(name, line)| format!("{name}: {}", line.join(" "))).collect();
    assert_eq!(
        lines,
        [
            ": hello >a c >d e",
            "M: hello >a c >d e >f g",
            "F: hello >a n >x y",
            "D: hello >a n >z w",
            ": hello >a c >d o"
        ]
    );
    assert_eq!(names, ["L", "M", "F", "D"]);
    let given = Given { characters: &[], own: None, file: "F", reader: "R", group: None, now: 1_760_000_000_000 };
    let others = [("M", &more), ("F", &from), ("D", &deeper), ("L", &last)];
    let story = block_on(made(&main, "text", &others, &given, at_a_stretch)).unwrap();
    let mut said: Vec<&str> = story.texts().collect();
    said.sort_unstable();
    let once = ["a", "b", "c", "d", "e", "f", "g", "hello", "hi", "n", "o", "q", "w", "x", "y", "z"];
    assert_eq!(said, once, "each once");
}

/// What a message that leaves by another wording says beside its words.
#[test]
fn what_is_kept_of_a_wording_stays_with_it() {
    let main = told(&["hello", ">a", "b", ">c", "d"]);
    let mut other = told(&["hello", ">a", "n", ">x", "y"]);
    other.messages[2].rest.insert("force_avatar".into(), "a.png".into());
    let given = Given { characters: &[], own: None, file: "F", reader: "R", group: None, now: 1_760_000_000_000 };
    let story = block_on(made(&main, "text", &[("O", &other)], &given, at_a_stretch)).unwrap();
    let text = block_on(write(std::slice::from_ref(&story), 1, at_a_stretch)).unwrap();
    let kept: Vec<&str> = text.lines().filter(|line| line.contains("force_avatar")).collect();
    assert!(kept.len() == 1 && kept[0].contains("\"text\":\"n\""), "{kept:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// However they part: each is read along its own branch as its file says it.
    #[test]
    fn each_is_read_as_it_was(
        main in prop::collection::vec((any::<bool>(), 0..3_u8), 1..8),
        others in prop::collection::vec((0..8_usize, prop::collection::vec((any::<bool>(), 0..3_u8), 0..5)), 0..5),
    ) {
        let say = |(is_reader, text): &(bool, u8)| says(&text.to_string(), *is_reader);
        let main = chat(main.iter().map(say).collect());
        let others: Vec<Chat> = others
            .iter()
            .map(|(shared, rest)| {
                let shared = main.messages.iter().take(*shared).cloned();
                chat(shared.chain(rest.iter().map(say)).collect())
            })
            .filter(|other| !other.messages.is_empty())
            .collect();
        let names: Vec<String> = (0..others.len()).map(|at| format!("n{at}")).collect();
        let named: Vec<(&str, &Chat)> = names.iter().map(String::as_str).zip(&others).collect();
        let (branches, _, joined) = read(&main, &named);
        let flat = |chat: &Chat| {
            let said = chat.messages.iter().map(|message| (message.is_reader, message.text()));
            said.map(|(is_reader, text)| format!("{}{text}", if is_reader { ">" } else { "" })).collect::<Vec<_>>()
        };
        let apart = |line: &Vec<String>| {
            let words = line.iter().flat_map(|words| match words.strip_prefix('>') {
                Some(words) => words.split(JOINED).map(|words| format!(">{words}")).collect(),
                None => vec![words.clone()],
            });
            words.collect::<Vec<_>>()
        };
        let lines: Vec<Vec<String>> = branches.iter().map(|(_, line)| apart(line)).collect();
        for (other, _) in others.iter().zip(&joined).filter(|(_, joined)| **joined) {
            let wanted = flat(other);
            prop_assert!(lines.iter().any(|line| line.starts_with(&wanted)), "{wanted:?} in {lines:?}");
        }
    }
}
