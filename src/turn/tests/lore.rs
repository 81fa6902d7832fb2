//! Lore in turns: whole prompts as they are drawn in seed `004`, and what lasts beyond a turn.

use serde_json::json;

use super::*;
use crate::{
    features::lore::{LoreSettings, NAME, tell::Reason, wake::Why},
    prompt::builtin,
    sim::llm::Step,
    story::{
        lorebook::{Entry, Lorebook, Position},
        preset::{Block, Preset, Role},
        print::print,
        settings::Preferences,
        spending::Kind as Spending,
        state::State,
    },
    turn::{embed, lore::meaning, meter},
};

fn entry(id: &str, keys: &[&str], content: &str) -> Entry {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    Entry { id: id.into(), name: id.into(), keys, content: content.into(), ..Entry::default() }
}

fn book(id: &str, entries: Vec<Entry>) -> Lorebook {
    Lorebook { id: id.into(), name: format!("Book {id}"), entries, ..Lorebook::default() }
}

impl Play {
    fn put(&self, batch: Batch) {
        block_on(self.sim.ports.store.commit(batch)).unwrap();
    }

    /// Hangs a book on the story.
    fn hang(&self, book: &Lorebook) {
        let mut story = self.storyline();
        story.lorebooks.push(book.id.clone());
        self.put(Batch::new().put(book).put(&story));
    }

    /// What a prompt says, as one text.
    fn told_whole(&self, request: usize) -> String {
        self.messages(request).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n")
    }
}

fn answers(count: usize) -> impl Iterator<Item = Answer> {
    (0..count).map(|_| Answer::text(["嗯。"]))
}

/// Each position of the drawing, with the preset's own entry at a depth among them.
#[test]
fn as_it_is_drawn() {
    for (language, name) in [(Language::Zh, "zh"), (Language::En, "en")] {
        for preset in ["framework", "living", "plain", "persona"] {
            let play = play(answers(3));
            let at = |id: &str, position, order| Entry {
                position,
                order,
                constant: true,
                ..entry(id, &[], &format!("[{id}]"))
            };
            let deep =
                |id: &str, depth, role, order| Entry { depth: Some(depth), role, ..at(id, Position::AtDepth, order) };
            play.hang(&book(
                "all",
                vec![
                    at("0 before the character", Position::BeforeCharacter, 10),
                    at("0 before that", Position::BeforeCharacter, 5),
                    at("1 after the character", Position::AfterCharacter, 10),
                    at("2 before the note", Position::BeforeNote, 10),
                    at("3 after the note", Position::AfterNote, 10),
                    at("before the examples", Position::BeforeExamples, 10),
                    deep("4 at depth 0", 0, Role::System, 10),
                    deep("4 at depth 1 of the model", 1, Role::Assistant, 10),
                    deep("4 at depth 1 of the reader", 1, Role::User, 20),
                    deep("4 at depth 3", 3, Role::System, 10),
                    Entry { constant: false, ..entry("no key", &["ghost"], "[not here]") },
                ],
            ));
            let mut own = Preset { id: "own".into(), ..builtin::builtin(preset, language).unwrap() };
            own.blocks.push(Block {
                identifier: "injected".into(),
                content: Some("[the preset's at depth 2]".into()),
                depth: Some(2),
                ..Block::default()
            });
            let mut story = play.storyline();
            story.preset = own.id.clone();
            story.language = language;
            story.extra.insert("author_note".into(), json!({"text": "[the note]", "depth": 2, "role": "system"}));
            play.put(Batch::new().put(&own).put(&story));
            play.say("一");
            play.say("二");
            let told = play.messages(1).into_iter().map(|(role, text)| format!("--- {role}\n{text}\n"));
            insta::assert_snapshot!(format!("drawn_{preset}_{name}"), told.collect::<String>());
            let prompt = play.told_whole(1);
            for entry in ["0 before that", "1 after", "2 before", "3 after", "4 at depth 3", "before the examples"] {
                assert_eq!(prompt.matches(&format!("[{entry}")).count(), 1, "{preset}, {name}: {entry}");
            }
        }
    }
}

#[test]
fn around_a_note_there_is_something_only_where_there_is_one() {
    let play = play(answers(2));
    let note = |position| Entry { position, constant: true, ..entry("n", &[], "[beside the note]") };
    play.hang(&book("b", vec![note(Position::BeforeNote)]));
    play.say("一");
    assert!(!play.told_whole(0).contains("[beside"));
    let mut story = play.storyline();
    story.extra.insert("author_note".into(), json!({"text": "[the note]"}));
    play.put(Batch::new().put(&story));
    play.say("二");
    assert!(play.told_whole(1).contains("[beside the note]\n[the note]"));
}

/// A card that is linked with a book carries a copy of it, as it was when the card was saved last.
#[test]
fn a_cards_copy_of_a_book_that_hangs_is_not_told() {
    let play = play(answers(2));
    let mut character: Character = block_on(play.sim.ports.store.load("alserqi")).unwrap().unwrap();
    character.card.extensions.insert("world".into(), "Eldoria".into());
    let old =
        json!({"id": 0, "keys": ["灯"], "content": "[old]", "enabled": true, "insertion_order": 1, "extensions": {}});
    character.card.character_book = Some(json!({"name": "Eldoria", "entries": [old], "extensions": {}}));
    play.put(Batch::new().put(&character));
    play.say("灯");
    assert!(play.told_whole(0).contains("[old]"), "alone it is told");
    let mut book = book("b", vec![entry("new", &["灯"], "[new]")]);
    book.name = "Eldoria".into();
    play.hang(&book);
    play.say("灯");
    assert!(play.told_whole(1).contains("[new]") && !play.told_whole(1).contains("[old]"));
}

/// Books hang on the story, on the character, on the background, on all stories, and lie in a card: each is told once.
#[test]
fn wherever_a_book_hangs() {
    let play = play(answers(5));
    let says = |id: &str| entry(id, &["灯"], &format!("[{id}]"));
    let mut character: Character = block_on(play.sim.ports.store.load("alserqi")).unwrap().unwrap();
    let mut background: Background = block_on(play.sim.ports.store.load("waste")).unwrap().unwrap();
    character.lorebooks = vec!["ada".into(), "shared".into()];
    character.card.character_book =
        Some(json!({"entries": [{"keys": ["灯"], "content": "[of the card]", "enabled": true, "insertion_order": 1}]}));
    background.lorebooks = vec!["waste".into(), "shared".into()];
    let preferences = Preferences { lorebooks: vec!["all".into(), "gone".into()], ..Preferences::default() };
    let mut books = ["ada", "shared", "waste", "all"].map(|id| book(id, vec![says(id)]));
    play.put(books.iter().fold(Batch::new().put(&character).put(&background).put(&preferences), Batch::put));
    play.hang(&book("story", vec![says("story")]));
    play.say("没有。");
    play.say("点灯。");
    assert!(!play.told_whole(0).contains("[ada]"));
    for id in ["ada", "shared", "waste", "all", "story", "of the card"] {
        assert_eq!(play.told_whole(1).matches(&format!("[{id}]")).count(), 1, "{id}");
    }
    // What is changed is told as it is; what lies in the bin is not told.
    books[0].entries[0].content = "[ada, anew]".into();
    books[1].deleted = Some(1);
    play.put(Batch::new().put(&books[0]).put(&books[1]));
    play.say("灯。");
    let prompt = play.told_whole(2);
    assert!(prompt.contains("[ada, anew]") && !prompt.contains("[ada]") && !prompt.contains("[shared]"), "{prompt}");
    // One that cannot be read costs itself alone.
    let broken = json!({"id": "waste", "entries": 7}).into();
    play.put(Batch { ops: vec![crate::store::Op::Put(Table::Lorebooks, broken)], ..Batch::new() });
    play.say("灯。");
    assert!(play.told_whole(3).contains("[all]") && !play.told_whole(3).contains("[waste]"));
    // Off: no trace.
    let mut story = play.storyline();
    story.features.set(&LoreSettings { enabled: false, ..LoreSettings::default() });
    play.put(Batch::new().put(&story));
    play.say("灯。");
    assert!(!play.told_whole(4).contains('['), "{}", play.told_whole(4));
}

#[test]
fn what_came_up_is_accounted_for() {
    let play = play(answers(2));
    let long = Entry { order: 1, ..entry("long", &["灯"], &"很长的设定。".repeat(3_000)) };
    play.hang(&book("b", vec![entry("lamp", &["灯"], "[{{char}}的灯]"), long]));
    let reply = play.say("点灯。");
    assert!(play.told_whole(0).contains("[Alserqi的灯]"));
    let account = play.account(&reply);
    let reasons = |source: &str| {
        let block = account.blocks.iter().find(|block| block.source == source).unwrap();
        (block.reason.lines().filter_map(Reason::read).collect::<Vec<_>>(), block.trimmed)
    };
    let reason = |entry: &str, why| Reason { book: "Book b".into(), entry: entry.into(), why };
    let by_key = Why::Message { key: "灯".into(), message: 1 };
    assert_eq!(reasons("lore_before"), (vec![reason("lamp", by_key)], 0));
    assert_eq!(reasons(NAME), (vec![reason("long", Why::NoRoom)], 1));
}

/// What stays and what rests is the branch's own: another reply begins where the first one began.
#[test]
fn what_lasts_belongs_to_the_branch() {
    let play = play(answers(12));
    let lamp = Entry { sticky: 4, cooldown: 3, ..entry("lamp", &["灯"], "[lamp]") };
    play.hang(&book("b", vec![lamp]));
    let told = |request: usize| play.told_whole(request).contains("[lamp]");
    let timers = |reply: &Generation| {
        let state: State =
            block_on(play.sim.ports.store.load(reply.state.as_ref().unwrap().as_str())).unwrap().unwrap();
        state.extra.get(NAME).cloned()
    };
    let first = play.say("点灯。");
    assert_eq!(timers(&first), Some(json!([{"entry": "b/lamp", "stays": 6, "rests": 9}])));
    let again = play.ask(Ask::Again(first.turn.clone())).unwrap();
    assert_eq!(timers(&again), timers(&first), "another reply to the turn is told the same");
    // Turns 2 to 5: it stays, it rests though its key comes up, and then comes up again.
    let said = ["走。", "灯。", "灯。", "灯。"].map(|words| play.say(words));
    assert_eq!((0..6).map(told).collect::<Vec<_>>(), [true, true, true, false, false, true]);
    assert_eq!(timers(&said[2]), Some(json!([{"entry": "b/lamp", "stays": 6, "rests": 9}])));
    // Another branch from the beginning knows nothing of that.
    let nodes = play.nodes();
    let from = nodes.iter().find(|node| node.turn.id == first.turn).unwrap();
    assert_eq!(from.turn.position, 1);
    let mut story = play.storyline();
    story.head.end = 1;
    play.put(Batch::new().put(&story));
    let elsewhere = play.say("没有。");
    assert_eq!((told(6), timers(&elsewhere)), (false, None));
}

#[test]
fn a_reply_that_failed_starts_nothing() {
    let play = play([Answer::error(500, "{}"), Answer::text(["嗯。"])]);
    let lamp = Entry { sticky: 4, scan_depth: Some(1), ..entry("lamp", &["灯"], "[lamp]") };
    play.hang(&book("b", vec![lamp]));
    assert_eq!(play.say("点灯。").status, Status::Error);
    play.say("走。");
    assert!(play.told_whole(0).contains("[lamp]"));
    assert!(!play.told_whole(1).contains("[lamp]"));
}

fn embeddings(vectors: &[[f32; 2]]) -> Answer {
    let data: Vec<_> =
        vectors.iter().enumerate().map(|(index, vector)| json!({"index": index, "embedding": vector})).collect();
    Answer {
        status: 200,
        headers: vec![("content-type".into(), "application/json".into())],
        steps: vec![Step::Bytes(json!({ "data": data }).to_string().into_bytes())],
    }
}

/// What an entry is found by is made behind a turn; a turn asks for the vector of what was said, and no more than once.
#[test]
fn what_is_like_what_was_said() {
    let mut made = [("tide\n[tide]", [2.0, 0.0]), ("bell\n[bell]", [0.0, 2.0])];
    made.sort_by_key(|(text, _)| print(text));
    let play = play([
        embeddings(&[[3.0, 4.0]]),
        Answer::text(["嗯。"]),
        embeddings(&made.map(|(_, vector)| vector)),
        embeddings(&[[3.0, 4.0]]),
        Answer::text(["嗯。"]),
        Answer::error(500, "down"),
        Answer::text(["嗯。"]),
    ]);
    let alike = |id: &str| Entry { by_meaning: true, ..entry(id, &["never"], &format!("[{id}]")) };
    play.hang(&book("b", vec![alike("tide"), alike("bell"), entry("plain", &[], "[plain]")]));
    let mut story = play.storyline();
    story.features.set(&LoreSettings { likeness: 70, ..LoreSettings::default() });
    let preferences = Preferences { embedding_connection: Some("c".into()), ..Preferences::default() };
    play.put(Batch::new().put(&story).put(&preferences));

    play.say("钟声。");
    assert!(!play.told_whole(1).contains('['), "nothing has a vector yet");
    let ports = &play.sim.ports;
    let connection = block_on(embed::embedder(&*ports.store)).unwrap();
    let paid = meter::purpose(Spending::Embedding, &story);
    for _ in 0..2 {
        let story = play.storyline();
        block_on(meaning::embed_due(ports, &story, &connection, &|| false, &paid)).unwrap();
    }
    let reply = play.say("钟声。");
    let prompt = play.told_whole(4);
    assert!(prompt.contains("[bell]") && !prompt.contains("[tide]") && !prompt.contains("[plain]"), "{prompt}");
    let account = play.account(&reply);
    let reason = account.blocks.iter().flat_map(|block| block.reason.lines()).find_map(Reason::read);
    assert_eq!(reason.map(|reason| reason.why), Some(Why::Meaning { likeness: 80 }));
    // A server that is down costs the likeness alone.
    let reply = play.say("钟声。");
    assert_eq!((reply.status, reply.notices().len()), (Status::Done, 1));
    assert!(!play.told_whole(6).contains('['));
}
