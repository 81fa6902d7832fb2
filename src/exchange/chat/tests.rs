//! Conversations in and out.

use futures_executor::block_on;
use proptest::prelude::*;
use serde_json::json;

use super::{
    story::{Given, made, write},
    *,
};
use crate::{
    exchange::{
        archive::{Entry, Reader},
        character::tests::odd_text as odd,
        limits::Limits,
    },
    store::{Part, from_value},
    story::{
        character::Character,
        generation::{Generation, Status},
        storyline::{Language, Storyline},
        tree::{Branch, Node, Path, nodes},
        turn::Turn,
    },
};

fn read(text: &str) -> Result<Chat, Refusal> {
    block_on(super::read(text, at_a_stretch))
}

fn given(characters: &[Character]) -> Given<'_> {
    Given { characters, own: None, file: "A file", reader: "Reader", group: None, now: 1_760_000_000_000 }
}

/// What comes in, and the nodes of its one branch.
struct Taken {
    storyline: Storyline,
    characters: Vec<Character>,
    nodes: Vec<Node>,
    path: Path,
}

fn taken(text: &str, characters: &[Character]) -> Taken {
    let chat = read(text).unwrap();
    let given = given(characters);
    let made = block_on(made(&chat, text, &[], &given, at_a_stretch)).unwrap();
    let archive = block_on(write(&[made], given.now, at_a_stretch)).unwrap();
    let mut reader = Reader::new(Limits::default());
    let entries: Vec<Entry> = reader.push(archive.as_bytes()).unwrap();
    let summary = reader.finish().unwrap();
    assert_eq!((summary.mends, summary.broken), (Default::default(), vec![]), "it can be played as it is");
    fn all<R: serde::de::DeserializeOwned>(entries: &[Entry], part: Part) -> Vec<R> {
        let of = entries.iter().filter(|entry| entry.part == part);
        of.map(|entry| from_value(entry.doc.value.clone()).unwrap()).collect()
    }
    let storyline: Storyline = all(&entries, Part::Storylines).remove(0);
    let branches: Vec<Branch> = all(&entries, Part::Branches);
    assert_eq!(branches[0].length, all::<Turn>(&entries, Part::Turns).len() as u32);
    let path = Path::of(&branches.iter().map(|one| (one.id.clone(), one.clone())).collect(), &storyline.head);
    let path = path.unwrap();
    let nodes = nodes(&path, all(&entries, Part::Turns), all(&entries, Part::Generations));
    Taken { storyline, characters: all(&entries, Part::Characters), nodes, path }
}

/// What is seen, turn by turn.
fn seen(nodes: &[Node]) -> Vec<(Option<&str>, Option<&str>)> {
    nodes.iter().map(|node| (node.turn.user.as_deref(), node.reply().map(|reply| reply.text.as_str()))).collect()
}

fn jsonl(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn tavern() -> Vec<Value> {
    vec![
        json!({"user_name": "Reader", "character_name": "Ada", "create_date": "2023-6-19 @14h 20m 30s 123ms",
            "chat_metadata": {"note_prompt": "Rain.", "note_interval": 1, "note_position": 1, "note_depth": 2, "variables": {"x": 1}}}),
        json!({"name": "Ada", "is_user": false, "is_system": false, "send_date": "June 19, 2023 2:20pm", "mes": "Hello.",
            "swipe_id": 1, "swipes": ["Hi.", "Hello."], "swipe_info": [
                {"send_date": "June 19, 2023 2:20pm", "gen_started": null, "gen_finished": null, "extra": {"model": "old"}},
                {"send_date": "June 19, 2023 2:20pm", "extra": {}}], "extra": {}}),
        json!({"name": "Reader", "is_user": true, "is_system": false, "send_date": "2023-06-19T14:21:00.000Z", "mes": "你好", "extra": {"bias": "x"}, "force_avatar": "u.png"}),
        json!({"name": "Reader", "is_user": true, "is_system": false, "send_date": "2023-06-19T14:21:05.000Z", "mes": "Still there?", "extra": {}}),
        json!({"name": "Ada", "is_user": false, "is_system": false, "send_date": "2023-06-19T14:21:30.000Z",
            "gen_started": "2023-06-19T14:21:10.000Z", "gen_finished": "2023-06-19T14:21:29.000Z", "title": "t",
            "mes": "Yes.", "swipe_id": 0, "swipes": ["Yes."], "swipe_info": [{"send_date": "2023-06-19T14:21:30.000Z", "extra": {"unheard": [1]}}],
            "extra": {"api": "openai", "model": "m", "reasoning": "She waits.", "token_count": 2, "memory": "- She waited."}}),
        json!({"name": "Brock", "is_user": false, "is_system": false, "send_date": "2023-06-19T14:22:00.000Z", "mes": "So do I.", "original_avatar": "b.png", "extra": {}}),
    ]
}

#[test]
fn a_chat_of_sillytavern() {
    let ada = Character { id: "ada".into(), name: "Ada".into(), ..Character::default() };
    let taken = taken(&jsonl(&tavern()), &[ada]);
    assert_eq!(
        seen(&taken.nodes),
        [(None, Some("Hello.")), (Some("你好\n\nStill there?"), Some("Yes.")), (None, Some("So do I."))]
    );
    let opening = &taken.nodes[0];
    assert_eq!((opening.generations.len(), opening.seen, opening.generations[0].model.as_str()), (2, Some(1), "old"));
    let reply = taken.nodes[1].reply().unwrap();
    assert_eq!((reply.model.as_str(), reply.reasoning.as_str()), ("m", "She waits."));
    assert_eq!(
        (reply.started, reply.finished),
        (1_687_184_490_000, Some(1_687_184_490_000)),
        "after what was said before"
    );
    assert_eq!(reply.extra["memory"], "- She waited.");
    // One is of the library, the other is not; who speaks where it is not her.
    let Taken { storyline, characters, nodes, .. } = taken;
    assert_eq!(characters.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["Brock"]);
    assert_eq!(storyline.cast, ["ada".into(), characters[0].id.clone()]);
    let own: Vec<_> = storyline.personas.keys().collect();
    assert_eq!(own, [characters[0].id.as_str()], "what the others come with");
    assert_eq!(nodes[2].reply().unwrap().speaker, Some(characters[0].id.clone()));
    assert_eq!((storyline.title.as_str(), storyline.user_name.as_str()), ("A file", "Reader"));
    assert_eq!((storyline.language, storyline.total_turns), (Language::En, 2));
    assert_eq!(storyline.extra["author_note"], json!({"text": "Rain.", "depth": 2, "role": "system", "enabled": true}));
}

/// SillyTavern puts the names into the greeting that is shown, and into no other.
#[test]
fn greetings_that_were_not_chosen_have_their_names() {
    let lines = [
        json!({"user_name": "Lin", "character_name": "Ada", "chat_metadata": {"variables": {"hp": "40", "n": 2}}}),
        json!({"name": "Ada", "is_user": false, "mes": "Hi Lin.", "swipe_id": 0,
            "swipes": ["Hi Lin.", "Rain, {{user}}. <BOT> waits."], "extra": {}}),
        json!({"name": "Lin", "is_user": true, "mes": "Hello, {{char}}.", "extra": {}}),
    ];
    let taken = taken(&jsonl(&lines), &[]);
    let greetings: Vec<_> = taken.nodes[0].generations.iter().map(|reply| reply.text.as_str()).collect();
    assert_eq!(greetings, ["Hi Lin.", "Rain, Lin. Ada waits."]);
    assert_eq!(taken.nodes[1].turn.user.as_deref(), Some("Hello, {{char}}."), "what was said is as it was said");
    assert_eq!(taken.storyline.variables().get("hp").map(String::as_str), Some("40"));
}

/// Line by line, whatever the fields; what is one in a line stays one in a line.
#[test]
fn it_goes_out_as_it_came() {
    let lines = tavern();
    let Taken { storyline, nodes, .. } = taken(&jsonl(&lines), &[]);
    let out = sillytavern::write(&storyline, &nodes, |_| "Ada".to_owned(), |_| true);
    let written: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(written.len(), lines.len(), "{out}");
    for (written, line) in written.iter().zip(&lines) {
        for (field, value) in line.as_object().unwrap() {
            // Of one swipe there is no list, unless its message had one.
            assert_eq!(&written[field], value, "{field} of {line}");
        }
    }
    // And again the same.
    let again = taken(&out, &[]);
    assert_eq!(sillytavern::write(&again.storyline, &again.nodes, |_| "Ada".to_owned(), |_| true), out);
}

#[test]
fn a_branch_of_ours_goes_out() {
    let turn = |position, user: Option<&str>| Turn {
        position,
        user: user.map(Into::into),
        created: 1_687_184_430_000,
        ..Turn::default()
    };
    let reply = |text: &str| Generation {
        text: text.into(),
        status: Status::Done,
        model: "m".into(),
        started: 1_687_184_440_000,
        ..Generation::default()
    };
    let nodes = [
        Node { turn: turn(0, None), generations: vec![reply("Hello.")], seen: Some(0) },
        Node {
            turn: turn(1, Some("Hi.")),
            generations: vec![reply("No."), reply("<thought>wait</thought>Yes.")],
            seen: Some(1),
        },
    ];
    let storyline = Storyline { user_name: "Reader".into(), created: 1_687_184_430_000, ..Storyline::default() };
    let out = sillytavern::write(&storyline, &nodes, |_| "Ada".to_owned(), |_| true);
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        lines[0],
        json!({"user_name": "Reader", "character_name": "Ada", "create_date": "2023-06-19T14:20:30Z", "chat_metadata": {}})
    );
    let said: Vec<_> = lines[1..].iter().map(|line| (&line["name"], &line["is_user"], &line["mes"])).collect();
    let (ada, user) = (&json!("Ada"), &json!("Reader"));
    assert_eq!(
        said,
        [
            (ada, &json!(false), &json!("Hello.")),
            (user, &json!(true), &json!("Hi.")),
            (ada, &json!(false), &json!("Yes."))
        ]
    );
    assert_eq!((&lines[3]["swipes"], &lines[3]["swipe_id"]), (&json!(["No.", "Yes."]), &json!(1)));
    assert_eq!(lines[3]["extra"]["model"], "m");
    // The whole text comes back.
    let Taken { nodes, .. } = taken(&out, &[]);
    assert_eq!(nodes[1].reply().unwrap().text, "<thought>wait</thought>Yes.");
    let again = sillytavern::write(&storyline, &nodes, |_| "Ada".to_owned(), |_| true);
    let again: Vec<Value> = again.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(again, lines);
}

#[test]
fn a_bad_line_hides_none_of_the_others() {
    let mut text = jsonl(&tavern());
    text.insert_str(text.find('\n').unwrap() + 1, "{\"mes\": \"half\n\nnot JSON\n{\"name\": \"no words\"}\n");
    let chat = read(&text).unwrap();
    assert_eq!((chat.messages.len(), chat.skipped), (5, 3));
    let hidden = json!({"name": "System", "is_user": false, "is_system": true, "mes": "aside", "extra": {}});
    let text = text + &hidden.to_string();
    assert_eq!(read(&text).unwrap().hidden, 1);
    assert_eq!(taken(&text, &[]).storyline.cast.len(), 2, "Ada and Brock, and no System");
}

/// Recent chats name nobody in their head, and may begin with what nobody of the story says.
#[test]
fn who_only_narrates_is_nobody_of_the_story() {
    let lines = [
        json!({"user_name": "unused", "character_name": "unused", "chat_metadata": {}}),
        json!({"name": "System", "is_user": false, "is_system": false, "mes": "Night fell.", "extra": {"type": "narrator"}}),
        json!({"name": "Note", "is_user": false, "is_system": true, "mes": "For me.", "extra": {"type": "comment"}}),
        json!({"name": "Ada", "is_user": false, "is_system": false, "mes": "Hello."}),
    ];
    let text = jsonl(&lines);
    assert_eq!(read(&text).unwrap().character, "Ada");
    assert_eq!(taken(&text, &[]).storyline.cast.len(), 1);
}

/// A turn of which nothing was told stays out here, too, and goes out hidden; one of which a part was is told.
#[test]
fn what_is_hidden_is_taken_out() {
    let say = |name: &str, text: &str, is_system: bool, extra: Value| json!({"name": name, "is_user": name == "Reader", "is_system": is_system, "mes": text, "extra": extra});
    let lines = [
        say("Ada", "Hello.", true, json!({})),
        say("Reader", "Hi.", true, json!({})),
        say("Ada", "Yes?", true, json!({})),
        say("Reader", "Well.", true, json!({})),
        say("Ada", "Well?", false, json!({})),
        say("Ada", "Night fell.", true, json!({"type": "narrator"})),
    ];
    let head = json!({"user_name": "Reader", "character_name": "Ada", "chat_metadata": {}});
    let text = jsonl(&[&[head], &lines[..]].concat());
    assert_eq!(read(&text).unwrap().hidden, 4);
    let Taken { storyline, nodes, path, .. } = taken(&text, &[]);
    let told = |position| path.is_told(position);
    assert_eq!((0..path.end).map(told).collect::<Vec<_>>(), [false, false, true, true]);
    let written = |is_told: &dyn Fn(u32) -> bool| -> Vec<bool> {
        let out = sillytavern::write(&storyline, &nodes, |_| "Ada".to_owned(), is_told);
        out.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap()["is_system"] == true).collect()
    };
    assert_eq!(written(&told), lines.iter().map(|line| line["is_system"] == true).collect::<Vec<_>>());
    // Put back, and taken out, since then.
    assert_eq!(written(&|position| position == 1), [true, false, false, true, true, true]);
}

/// RisuAI leaves a message out alone, or with all before it.
#[test]
fn what_risu_leaves_out_is_taken_out() {
    let say = |role: &str, text: &str, disabled: Value| json!({"role": role, "data": text, "disabled": disabled});
    let chat = |messages: Vec<Value>| {
        json!({"type": "risuChat", "ver": 1, "data": {"name": "A chat", "message": messages}}).to_string()
    };
    let one = [say("char", "Hello.", false.into()), say("user", "Hm.", true.into()), say("char", "Hm?", true.into())];
    let all =
        [say("char", "Hello.", json!(null)), say("user", "Hm.", json!(null)), say("char", "Hm?", "allBefore".into())];
    let then = [say("user", "So.", false.into()), say("char", "Yes.", json!(null))];
    for (lines, hidden, told) in [(one, 2, [true, false, true]), (all, 3, [false, false, true])] {
        let text = chat([&lines[..], &then].concat());
        assert_eq!(read(&text).unwrap().hidden, hidden);
        let Taken { path, .. } = taken(&text, &[]);
        assert_eq!((0..path.end).map(|position| path.is_told(position)).collect::<Vec<_>>(), told);
    }
}

#[test]
fn of_other_programs() {
    let said = |text: &str| -> Vec<(bool, String)> {
        read(text).unwrap().messages.iter().map(|message| (message.is_reader, message.text().to_owned())).collect()
    };
    let expected = [(false, "Hello.".to_owned()), (true, "Hi.\nThere.".to_owned()), (false, "Yes.".to_owned())];
    let openai = json!([{"role": "system", "content": "Be."}, {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": [{"type": "text", "text": "Hi.\nThere."}]}, {"role": "assistant", "content": "Yes."}]);
    let kobold = |actions: Value, settings: Value| json!({"gamestarted": true, "prompt": actions[0], "actions": actions.as_array().unwrap()[1..], "savedsettings": settings, "memory": ""});
    let files = [
        openai.to_string(),
        json!({"messages": openai, "model": "m"}).to_string(),
        jsonl(&[
            json!({"type": "metadata", "session_id": "s", "storyline_id": "t", "started_at": "2025-10-01T10:00:00Z"}),
            json!({"role": "assistant", "content": "Hello.", "turn": 0, "timestamp": "2025-10-01T10:00:05Z"}),
            json!({"role": "user", "content": "Hi.\nThere.", "turn": 1}),
            json!({"role": "assistant", "content": "Y", "turn": 1, "raw": "Yes."}),
        ]),
        json!({"type": "risuChat", "ver": 1, "data": {"name": "A chat", "message": [{"role": "char", "data": "Hello."},
            {"role": "user", "data": "Hi.\nThere."}, {"role": "char", "data": "Yes.", "time": 1_687_184_430_123_u64}]}}).to_string(),
        json!({"kind": "chat", "messages": [{"msg": "Hello.", "handle": "Ada", "characterId": "c"},
            {"msg": "Hi.\nThere.", "userId": "u", "handle": "Me"}, {"msg": "Yes.", "handle": "Ada"}]}).to_string(),
        json!({"histories": {"histories": [{"msgs": []}, {"msgs": [{"src": {"is_human": false, "name": "Ada"}, "text": "Hello."},
            {"src": {"is_human": true}, "text": "Hi.\nThere."}, {"src": {"is_human": false}, "text": "Yes."}]}]}}).to_string(),
        json!({"data_visible": [["", "Hello."], ["Hi.\nThere.", "Yes."]], "data": []}).to_string(),
        kobold(json!(["Hello.", "\n{{[INPUT]}}\nHi.\nThere.\n{{[OUTPUT]}}\n", "Yes."]), json!({})).to_string(),
        kobold(json!(["Ada: Hello.", "\nMe: Hi.\nThere.", "\nAda: Yes."]), json!({"chatname": "Me", "chatopponent": "Ada"})).to_string(),
        kobold(json!(["Hello.", "> Hi.\nThere.", "Yes."]), json!({})).to_string().replace("> Hi", ">Hi"),
        "# A chat\n\n**Ada:** Hello.\n\n**You:** Hi.\nThere.\n\n**Ada:** Yes.\n".to_owned(),
        "艾达：Hello.\n我：Hi.\nThere.\n艾达：Yes.".to_owned(),
    ];
    for file in &files {
        let mut said = said(file);
        said.iter_mut().for_each(|(_, text)| *text = text.trim_start_matches('>').to_owned());
        assert_eq!(said, expected, "{file}");
        let taken = taken(file, &[]);
        assert_eq!(taken.nodes.len(), 2, "{file}");
    }
    assert_eq!(taken(&files[11], &[]).characters[0].name, "艾达");
    assert_eq!(taken(&files[3], &[]).storyline.title, "A chat");
}

/// What other programs say beside the words goes out with the message that it is of, under their names.
#[test]
fn what_other_programs_say_beside_the_words() {
    let agnai = json!({"name": "N", "treeLeafId": "l", "messages": [{"msg": "Hello.", "handle": "Ada", "_id": "1", "ooc": false},
        {"msg": "Hi.", "userId": "u", "handle": "Me", "_id": "2", "retries": ["Hm."]}, {"msg": "Yes.", "handle": "Ada", "_id": "3"}]});
    let risu = json!({"type": "risuChat", "ver": 2, "data": {"name": "N", "localLore": [{"key": "k"}], "fmIndex": -1, "message": [
        {"role": "char", "data": "Hello.", "chatId": "1"}, {"role": "user", "data": "Hi.", "time": 5}, {"role": "char", "data": "Yes.", "generationInfo": {"model": "m"}}]}});
    let openai = json!({"messages": [{"role": "assistant", "content": "Hello.", "id": "1"}, {"role": "user", "content": "Hi.", "extra": {"seen": 1}},
        {"role": "assistant", "content": "Yes.", "tool_calls": []}]});
    let cai = json!({"histories": {"histories": [{"msgs": [{"src": {"is_human": false, "name": "Ada"}, "text": "Hello.", "uuid": "1"},
        {"src": {"is_human": true}, "text": "Hi."}, {"src": {"is_human": false}, "text": "Yes.", "image_rel_path": ""}]}]}});
    let kobold = json!({"gamestarted": true, "prompt": "Hello.", "actions": ["> Hi.", "Yes."], "memory": "m", "worldinfo": [{"key": "k"}], "authorsnote": "",
        "savedsettings": {"my_key": "sk-1"}, "later": 1});
    for (program, file, list, words) in [
        ("agnai", &agnai, "/messages", "msg"),
        ("risu", &risu, "/data/message", "data"),
        ("message", &openai, "/messages", "content"),
        ("cai", &cai, "/histories/histories/0/msgs", "text"),
        ("koboldai", &kobold, "/none", ""),
    ] {
        let Taken { storyline, nodes, .. } = taken(&file.to_string(), &[]);
        let out = sillytavern::write(&storyline, &nodes, |_| "Ada".to_owned(), |_| true);
        let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for (said, line) in file.pointer(list).and_then(Value::as_array).into_iter().flatten().zip(&lines[1..]) {
            let rest =
                said.as_object().unwrap().iter().filter(|(key, _)| ![words, "role", "extra"].contains(&key.as_str()));
            rest.for_each(|(key, value)| assert_eq!(line["extra"][program].get(key), Some(value), "{program}: {key}"));
            assert_eq!(line["mes"], said[words]);
        }
        let head = &lines[0][program];
        match program {
            "agnai" => assert_eq!(head, &json!({"name": "N", "treeLeafId": "l"})),
            "risu" => assert_eq!(head, &json!({"name": "N", "localLore": [{"key": "k"}], "fmIndex": -1})),
            "koboldai" => {
                let expected = json!({"gamestarted": true, "memory": "m", "worldinfo": [{"key": "k"}], "authorsnote": "", "later": 1});
                assert_eq!(head, &expected);
                assert!(!out.contains("sk-1"));
            }
            _ => {}
        }
    }
}

/// How a story of NovelAI begins; the book in it is read among the lorebooks.
#[test]
fn a_scenario_of_novelai() {
    let book = json!({"lorebookVersion": 4, "entries": [{"text": "Shut.", "displayName": "Gate", "keys": ["gate"], "enabled": true}]});
    let file =
        json!({"scenarioVersion": 1, "title": "The moor", "prompt": "It rains.", "tags": ["t"], "lorebook": book,
        "context": [{"text": "A memory."}, {"text": ""}, {"text": "A note."}]})
        .to_string();
    let Taken { storyline, nodes, .. } = taken(&file, &[]);
    assert_eq!((storyline.title.as_str(), seen(&nodes)), ("The moor", vec![(None, Some("It rains."))]));
    assert_eq!(storyline.extra["author_note"]["text"], "A memory.\n\nA note.");
    assert_eq!(storyline.extra["imported"]["head"]["novelai"]["tags"], json!(["t"]));
    let (book, _) = crate::exchange::lorebook::read(&file).unwrap();
    assert_eq!((book.entries[0].name.as_str(), book.entries.len()), ("Gate", 1));
}

#[test]
fn what_was_changed_elsewhere_is_taken() {
    let line = |mes: &str| json!({"name": "Ada", "is_user": false, "mes": mes, "extra": {"fabula_text": "<thought>no</thought>Yes."}});
    let text = |mes: &str| read(&jsonl(&[line(mes)])).unwrap().messages[0].text().to_owned();
    assert_eq!(text("Yes."), "<thought>no</thought>Yes.");
    assert_eq!(text("Perhaps."), "Perhaps.");
    // Swipes that nobody says which of is seen.
    let swipes = |id: Value, mes: &str| {
        let line =
            json!({"name": "Ada", "is_user": false, "mes": mes, "swipes": ["a", "b"], "swipe_id": id, "extra": {}});
        let message = read(&jsonl(&[line])).unwrap().messages.remove(0);
        let texts: Vec<_> = message.swipes.iter().map(|swipe| swipe.text.clone()).collect();
        (texts.concat(), message.seen)
    };
    let of = |texts: &str, seen| (texts.to_owned(), seen);
    assert_eq!(swipes(json!(1), "b"), of("ab", 1));
    assert_eq!(swipes(json!(null), "b"), of("ab", 1));
    assert_eq!(swipes(json!(2), "c"), of("abc", 2));
    assert_eq!(swipes(json!(0), "edited"), of("editedb", 0));
}

#[test]
fn marks_in_a_transcript() {
    let said = |text: &str| -> Vec<String> {
        read(text).unwrap().messages.iter().map(|message| message.text().to_owned()).collect()
    };
    assert_eq!(said("小雨：*微笑* 你好\n我：好\n小雨：*点头*"), ["*微笑* 你好", "好", "*点头*"]);
    assert_eq!(said("**Ada:** *waves* Hi.\n**You**: Yes.\n**Ada:** Go."), ["*waves* Hi.", "Yes.", "Go."]);
    let log: String = (0..100).flat_map(|day| [format!("day {day}: up\n"), format!("day {day}: down\n")]).collect();
    assert!(read(&log).is_err(), "a log is no company");
    let group = json!({"gamestarted": true, "prompt": "Rain.", "actions": ["\nMe: Hi.", "\nBob: Yes.", "\nAda: No."],
        "authorsnote": "Slow.", "savedsettings": {"chatname": "Me", "chatopponent": "Ada||$||Bob"}});
    let chat = read(&group.to_string()).unwrap();
    let names: Vec<_> = chat.messages.iter().map(|message| (message.name.as_str(), message.text())).collect();
    assert_eq!(names, [("", "Rain."), ("Me", "Hi."), ("Bob", "Yes."), ("Ada", "No.")]);
    assert_eq!(taken(&group.to_string(), &[]).storyline.extra["author_note"]["text"], "Slow.");
    let webui = json!({"internal": [["<|BEGIN-VISIBLE-CHAT|>", "Don't."]], "visible": [["", "Don&#x27;t."]]});
    assert_eq!(said(&webui.to_string()), ["Don't."]);
    assert_eq!(said(&json!({"visible": [["a", "Don&#x27;t."]]}).to_string()), ["a", "Don't."]);
}

#[test]
fn what_is_no_conversation() {
    let none = |found| Err(Refusal::Unrecognised { wanted: Content::Chat, found });
    for (text, expected) in [
        ("", none(Content::Unknown)),
        ("Once upon a time there was a mill.\nIt stood still.", none(Content::Unknown)),
        ("Note: buy milk\nAda: Hello.", none(Content::Unknown)),
        (r#"{"entries": {}}"#, none(Content::Lorebook)),
        (r#"[{"a": 1}]"#, none(Content::Unknown)),
        (r#"{"messages": []}"#, none(Content::Unknown)),
        (r#"{"user_name": "a", "character_name": "b"}"#, none(Content::Unknown)),
        ("{\"messages\":[", Err(Refusal::Truncated)),
    ] {
        assert_eq!(read(text).map(|_| ()), expected, "{text}");
    }
    assert!(matches!(read(&"[".repeat(10_000)), Err(Refusal::TooDeep)));
}

/// The same file has the same ids; another one has others.
#[test]
fn a_file_is_known_again() {
    let (one, other) = (jsonl(&tavern()), jsonl(&tavern()[..4]));
    let id = |text: &str| taken(text, &[]).storyline.id;
    assert_eq!(id(&one), id(&one));
    assert_ne!(id(&one), id(&other));
    assert_eq!(taken(&one, &[]).characters[0].id, taken(&other, &[]).characters[0].id, "and the same character");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    /// Whatever was said, in whatever order: it can be played, and goes out with every word and field.
    #[test]
    fn any_chat_comes_in_and_goes_out(messages in prop::collection::vec((any::<bool>(), odd(), prop::collection::vec(odd(), 0..3), 0usize..4, any::<bool>()), 1..12)) {
        let mut lines = vec![json!({"user_name": "R", "character_name": "A", "create_date": "2023-06-19T14:20:30Z", "chat_metadata": {"x": null}})];
        for (index, (is_user, text, others, seen, has_extra)) in messages.iter().enumerate() {
            let mut line = json!({"name": if *is_user { "R" } else { "A" }, "is_user": is_user, "is_system": false,
                "send_date": "2023-06-19T14:20:30Z", "mes": text, "extra": {}, format!("x{index}"): [index, null]});
            if *has_extra { line["extra"] = json!({"model": "m", "odd": {"a": text}}); }
            if !is_user && !others.is_empty() {
                let mut swipes = others.clone();
                let seen = (*seen).min(swipes.len());
                swipes.insert(seen, text.clone());
                line["swipe_id"] = seen.into();
                line["swipe_info"] = swipes.iter().enumerate().map(|(at, _)| if at == seen { json!({"extra": line["extra"], "send_date": line["send_date"]}) } else { json!({"extra": {"at": at}}) }).collect();
                line["swipes"] = json!(swipes);
            }
            lines.push(line);
        }
        let Taken { storyline, nodes, .. } = taken(&jsonl(&lines), &[]);
            let out = sillytavern::write(&storyline, &nodes, |_| "A".to_owned(), |_| true);
        let written: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(written.len(), lines.len(), "{}", out);
        for (written, line) in written.iter().zip(&lines) {
            for (field, value) in line.as_object().unwrap() {
                prop_assert_eq!(&written[field], value, "{}", field);
            }
        }
    }

    #[test]
    fn noise_is_no_panic(text in ".{0,80}|[\\[\\]{}\",:a-z0-9]{0,60}") {
        let _ = read(&text);
    }
}
