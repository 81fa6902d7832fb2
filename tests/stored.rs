//! The stored form of every record: a change here is a change of what lies in people's databases, and takes a
//! decision on migration. Fields that are not known survive.
#![cfg(not(target_arch = "wasm32"))]

use std::{fs, path::Path};

use fabula::{
    desk::shelves::{Shelves, Sort},
    features::{
        scribe::{Cadence, ScribeSettings},
        summary::Point,
    },
    provider::Takes,
    store::Record,
    story::{
        account::{Account, AccountBlock, Reckoned},
        background::{Background, outline_from_lines},
        blob::{Blob, address},
        budget::Budget,
        character::{Asset, Card, Character, Profile},
        company::Company,
        connection::{Connection, ProviderKind},
        event::{EventState, Stage, StoryEvent, effects_from_lines},
        fault::{Fault, FaultKind, Length},
        features::Features,
        generation::{Generation, Status, Usage},
        ids::CharacterId,
        lorebook::{Entry, Logic, Lorebook, Position},
        memory::{Kind, Memory},
        noted::Noted,
        post::{Comment, Like, Look, Post},
        preset::{Block, Preset, Role},
        price::Price,
        quick::{QuickReply, QuickSet},
        reader_persona::ReaderPersona,
        recap::{Recap, RecapSettings},
        sampling::{Effort, Parameter, Refused, Sampling},
        script::{Script, ScriptSet},
        settings::{Config, Connections, Preferences},
        spending::{self, Spending, Spent},
        state::{ByHand, Change, CoreIdentity, HandEdit, Persona, State},
        storyline::{Language, Opened, Session, Storyline},
        tree::{Branch, Cut, FinishedPoint, Fork, Head},
        turn::{Edit, Turn},
        typography::{Paragraphs, Theme, Typeface, Typography},
        warning::{Cause, LeftOut, Notice},
        world::{Refusal, WorldEdit},
        written::{Text, Written},
    },
    sync::{Elsewhere, Fact, Kind as Storage, Known, Mark, Me, Older, Says, Site, Stamp, Waiting},
    turn::{bin::LoosePictures, summarise::Draft, unsent::Unsent},
};
use serde_json::{Value, json};

/// The form, that it reads back as it was, and that an unknown field stays.
fn check<R: Record + PartialEq + std::fmt::Debug>(name: &str, record: R) {
    let mut newer = form(name, record);
    newer["from_a_newer_version"] = json!({ "kept": [1] });
    let read: R = serde_json::from_value(newer.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), newer, "{name} keeps what it does not know");
}

/// Of a record that no other version adds to: what it holds is passing, or named by its bytes.
fn form<R: Record + PartialEq + std::fmt::Debug>(name: &str, record: R) -> Value {
    let stored = serde_json::to_value(&record).unwrap();
    assert_eq!(serde_json::from_value::<R>(stored.clone()).unwrap(), record, "{name} reads back");
    insta::assert_json_snapshot!(name, stored);
    stored
}

#[test]
fn characters() {
    let profile = Profile {
        core_identity: CoreIdentity {
            archetype: "Vengeful Anti-hero".into(),
            core_traits: vec!["Cynical".into()],
            ..Default::default()
        },
        ..Default::default()
    };
    let card = Card { description: "废土黑帮老大".into(), tags: vec!["废土".into()], ..Default::default() };
    check(
        "character",
        Character {
            id: "c1".into(),
            name: "Alserqi".into(),
            card,
            initial_profile: profile,
            avatar: Some(address(b"picture")),
            assets: vec![Asset {
                kind: "emotion".into(),
                name: "joy".into(),
                path: "assets/emotion/images/joy.png".into(),
                blob: address(b"joy"),
            }],
            created: 1,
            updated: 2,
            imported: Some(json!({ "spec": "chara_card_v2" })),
            ..Default::default()
        },
    );
}

#[test]
fn a_characters_memory_summary() {
    let recap = RecapSettings { enabled: true, threshold: 3_000, length: 500 };
    check("character_recap", Character { id: "c1".into(), name: "Ada".into(), recap, ..Default::default() });
}

#[test]
fn backgrounds() {
    let story_outline = outline_from_lines("发现线索\n潜入据点");
    check("background", Background { id: "b1".into(), name: "废土".into(), story_outline, ..Default::default() });
}

/// Whom the reader plays: the record, and who says which.
#[test]
fn personas() {
    let persona = ReaderPersona {
        id: "me".into(),
        name: "小雨".into(),
        description: "信差。".into(),
        position: 4,
        depth: Some(2),
        role: Some(1),
        avatar: Some("a".into()),
        updated: 2,
        extra: json!({ "avatar_file": "me.png" }).as_object().unwrap().clone(),
        ..Default::default()
    };
    check("persona", persona);
    let plays_as = Some("me".into());
    let says = [
        serde_json::to_value(Character { plays_as: plays_as.clone(), ..Default::default() }),
        serde_json::to_value(Storyline { plays_as: plays_as.clone(), ..Default::default() }),
        serde_json::to_value(Preferences { plays_as, ..Default::default() }),
    ];
    assert!(says.into_iter().all(|record| record.unwrap()["plays_as"] == "me"));
}

/// Regex scripts and quick replies, by the names of the field.
#[test]
fn tools() {
    let script =
        Script { id: "1".into(), script_name: "Quotes".into(), find_regex: "/x/g".into(), ..Default::default() };
    check("scripts", ScriptSet { id: "s".into(), name: "Mine".into(), scripts: vec![script], ..Default::default() });
    let reply = QuickReply { label: "Look".into(), message: "I look around.".into(), ..Default::default() };
    check(
        "quick_replies",
        QuickSet { id: "q".into(), name: "Mine".into(), replies: vec![reply], ..Default::default() },
    );
}

#[test]
fn posts() {
    let comment = Comment {
        id: "1".into(),
        author: Some("c".into()),
        name: "Ada".into(),
        text: "Hello.".into(),
        at: 3,
        to: Some("0".into()),
    };
    let look = Look { who: "c".into(), seen: 2, times: 1, kept: vec!["It was said.".into()], forgotten: true };
    let like = Like { who: None, name: "Lin".into(), at: 2 };
    let whole = Post {
        id: "p".into(),
        author: Some("d".into()),
        name: "Bo".into(),
        text: "Fog.".into(),
        picture: Some("b".into()),
        thumbnail: Some("t".into()),
        caption: "the pier".into(),
        likes: vec![like],
        comments: vec![comment],
        looks: vec![look],
        created: 1,
        updated: 3,
        ..Post::default()
    };
    check("posts", whole);
}

#[test]
fn lorebooks() {
    let entry = Entry {
        id: "1".into(),
        name: "钟楼".into(),
        keys: vec!["钟楼".into(), "/bell ?tower/i".into()],
        secondary_keys: vec!["夜".into()],
        logic: Logic::NotAny,
        content: "钟楼在午夜敲十三下。".into(),
        position: Position::AtDepth,
        depth: Some(4),
        sticky: 2,
        by_meaning: true,
        extra: json!({ "automation": "q" }).as_object().unwrap().clone(),
        ..Default::default()
    };
    let entries = vec![entry, Entry { constant: true, ..Default::default() }];
    check("lorebook", Lorebook { id: "l1".into(), name: "雨城".into(), entries, updated: 2, ..Default::default() });
    let lorebooks = vec!["l1".into()];
    let hangs = [
        serde_json::to_value(Character { lorebooks: lorebooks.clone(), ..Default::default() }),
        serde_json::to_value(Background { lorebooks: lorebooks.clone(), ..Default::default() }),
        serde_json::to_value(Storyline { lorebooks: lorebooks.clone(), ..Default::default() }),
        serde_json::to_value(Preferences { lorebooks, ..Default::default() }),
    ];
    assert!(hangs.into_iter().all(|record| record.unwrap()["lorebooks"] == json!(["l1"])));
}

#[test]
fn status_bars() {
    let code = "<b id=\"hp\"></b><script>fabula.onState(() => {})</script>";
    let character = Character { id: "c1".into(), name: "林夕".into(), status_bar: code.into(), ..Default::default() };
    check("character_status_bar", character);
    let background =
        Background { id: "b1".into(), name: "边境".into(), status_bar: code.into(), ..Default::default() };
    check("background_status_bar", background);
    let allowed = vec![address(code.as_bytes()).0];
    check(
        "preferences_status_bar",
        Preferences { status_bars: allowed, status_bar_folded: true, ..Default::default() },
    );
}

#[test]
fn events_of_a_background() {
    let event = StoryEvent {
        id: "e1".into(),
        name: "猎人".into(),
        description: "有脚步声。".into(),
        when: "world.gold >= 10".into(),
        until: "world.safe".into(),
        turns: 3,
        effects: effects_from_lines("gold += -5\nplace = 桥\nplot = 2 completed").unwrap(),
        repeats: true,
        ..Default::default()
    };
    let events = vec![event];
    check("background_events", Background { id: "b1".into(), name: "废土".into(), events, ..Default::default() });
    let mut state = State { id: "st1".into(), storyline: "s1".into(), ..Default::default() };
    state.world = json!({ "gold": 10, "open": true, "place": "酒馆", "bag": ["剑", 2] }).as_object().unwrap().clone();
    state.events = vec![EventState { id: "e1".into(), stage: Stage::Active, since: 4, ..Default::default() }];
    check("state_world", state);
    let mut reply = Generation { id: "g1".into(), ..Default::default() };
    reply.set_changes(&[
        Change::World { key: "gold".into(), from: None, to: Some(json!(10)) },
        Change::Event { id: "e1".into(), name: "猎人".into(), stage: Stage::Active },
    ]);
    reply.set_notices(&[Notice {
        module: "world".into(),
        cause: Cause::WorldRefused { key: "place".into(), why: Refusal::NotAddable },
    }]);
    for edit in [WorldEdit::Put { key: "gold".into(), value: json!(3) }, WorldEdit::Remove { key: "open".into() }] {
        reply.add_by_hand(&ByHand { at: 1, edit: HandEdit::World { edit } });
    }
    check("generation_world", reply);
}

#[test]
fn notes_of_a_scribe() {
    let usage = Some(Usage { prompt_tokens: 900, completion_tokens: 60, ..Default::default() });
    let (text, model) = (r#"{"world": [{"key": "灯", "value": "亮"}]}"#.into(), "m".into());
    let mut reply = Generation { id: "g1".into(), text: "灯亮了。".into(), ..Default::default() };
    reply.set_noted(&Noted { text, model, usage, at: 9, millis: 1_200, turns: (3, 5), length: 12, print: 34 });
    let cause = Cause::NotNoted { fault: Some(Fault::new(FaultKind::ProviderDown, "oops")), whose: "Mei".into() };
    reply.say_of("scribe", Some(Notice { module: "scribe".into(), cause }));
    check("generation_noted", reply);
    let settings = ScribeSettings { cadence: Cadence::SomeTurns, connection: Some("c".into()), ..Default::default() };
    let storyline = Storyline { features: Features::default().with(settings), ..Default::default() };
    let stored = serde_json::to_value(storyline).unwrap();
    let scribe = json!({"enabled": false, "connection": "c", "cadence": "some_turns", "turns": 5});
    assert_eq!(stored["modules"]["scribe"], scribe);
    let mut connection = Connection { model: "m".into(), ..Default::default() };
    Takes::Prose.store(&mut connection);
    assert_eq!(serde_json::to_value(connection).unwrap()["shapes"], json!({"model": "m", "takes": "prose"}));
}

#[test]
fn sheets_of_several() {
    let mut reply = Generation { id: "g1".into(), text: "嗯。".into(), ..Default::default() };
    let written = |text: &str, whose: &str| Written {
        text: text.into(),
        at: 9,
        model: "m".into(),
        usage: None,
        millis: 40,
        from: 2,
        whose: whose.into(),
    };
    let mei = CharacterId::from("c2");
    reply.set_written(Text::Sheet, None, &written("## 心情\n累", ""));
    reply.set_written(Text::Sheet, Some(&mei), &written("## 心情\n安心", "美"));
    let by_hand = |whose| ByHand { at: 10, edit: HandEdit::Text { of: Text::Sheet, text: "好。".into(), whose } };
    reply.add_by_hand(&by_hand(None));
    reply.add_by_hand(&by_hand(Some(mei.clone())));
    reply.set_changes(&[Change::Text { of: Text::Sheet, whose: "美".into() }]);
    check("generation_sheets", reply);
    let mut state = State { id: "st1".into(), storyline: "s1".into(), ..Default::default() };
    Text::Sheet.hold(&mut state, Some(&mei), "## 心情\n安心");
    check("state_sheets", state);
}

#[test]
fn storylines() {
    check(
        "storyline",
        Storyline {
            id: "s1".into(),
            title: "盟友之路".into(),
            cast: vec!["c1".into(), "c2".into()],
            background: Some("b1".into()),
            preset: "plain".into(),
            language: Language::Zh,
            head: Head { branch: "r".into(), end: 3 },
            sessions: vec![Session { id: "se1".into(), created: 1, turns: 2, ..Default::default() }],
            current_session: "se1".into(),
            initial_state: "st1".into(),
            total_turns: 2,
            ..Default::default()
        },
    );
}

#[test]
fn sessions_after_a_summary() {
    let opened = Opened {
        before: "se1".into(),
        at: Head { branch: "r".into(), end: 3 },
        generation: Some("g2".into()),
        summary: "两人立约。".into(),
        carried: 5,
        ..Default::default()
    };
    let first = Session { id: "se1".into(), created: 1, turns: 2, ..Default::default() };
    let second = Session { id: "se2".into(), created: 2, opened: Some(opened), ..Default::default() };
    let mut storyline = Storyline {
        id: "s1".into(),
        sessions: vec![first, second],
        current_session: "se2".into(),
        ..Default::default()
    };
    let numbers = |storyline: &Storyline| -> Vec<u32> {
        storyline.sessions.iter().map(|session| storyline.session_number(session)).collect()
    };
    assert_eq!(numbers(&storyline), [1, 2]);
    check("storyline_summarised", storyline.clone());
    storyline.sessions[0].opened = Some(Opened { before: "se2".into(), ..Default::default() });
    assert!(numbers(&storyline).into_iter().all(|number| number <= 2), "a circle ends");
}

#[test]
fn the_tree() {
    let parent = Some(Fork { branch: "r".into(), position: 1, generation: Some("g1".into()) });
    check(
        "branch",
        Branch { id: "r2".into(), storyline: "s1".into(), parent, first: 2, length: 1, ..Default::default() },
    );
    let bead = FinishedPoint { position: 3, generation: "g3".into(), point: 2, content: "读完信".into() };
    check(
        "branch_landmarks",
        Branch {
            id: "r".into(),
            storyline: "s1".into(),
            length: 9,
            beads: vec![bead],
            swipes: vec![0, 4],
            cuts: vec![Cut { at: 6, deleted: 7 }],
            ..Default::default()
        },
    );
    check(
        "turn",
        Turn {
            id: "t1".into(),
            storyline: "s1".into(),
            branch: "r".into(),
            position: 1,
            session: "se1".into(),
            user: Some("你还记得吗？".into()),
            created: 1_760_610_600_000,
            chosen: Some("g1".into()),
            edits: vec![Edit { replaced: 5, text: "记得吗".into() }],
            ..Default::default()
        },
    );
}

#[test]
fn several_in_one_story() {
    let persona = Persona { base_persona: "卖花人".into(), ..Persona::default() };
    let mut story = Storyline { id: "s1".into(), cast: vec!["c1".into(), "c2".into()], ..Default::default() };
    story.comes_with(&"c2".into(), &persona);
    assert_eq!(story.came_with(&"c2".into()), persona);
    check("storyline_group", story);
    let left = Company { at: 4, heard: vec!["c1".into(), "c2".into()], present: vec!["c1".into()] };
    check("branch_group", Branch { id: "r".into(), length: 6, company: vec![left], ..Default::default() });
    check(
        "turn_whispered",
        Turn { id: "t1".into(), user: Some("嘘。".into()), heard_by: Some(vec!["c2".into()]), ..Default::default() },
    );
    check(
        "turn_stage",
        Turn {
            id: "t2".into(), user: Some("（阿青离开了房间。）".into()), is_stage: true, ..Default::default()
        },
    );
    let block = AccountBlock { identifier: "history".into(), unheard: vec![(2, 5)], ..Default::default() };
    check("account_group", Account { id: "g1".into(), blocks: vec![block], ..Default::default() });
}

#[test]
fn accounts() {
    let block = AccountBlock {
        identifier: "history".into(),
        source: "history".into(),
        role: Role::System,
        tokens: 42,
        trimmed: 1,
        ..Default::default()
    };
    let account = Account {
        id: "g1".into(),
        storyline: "s1".into(),
        made: 1,
        preset: "plain".into(),
        blocks: vec![block],
        total_tokens: 42,
        ..Default::default()
    };
    check("account", account);
}

#[test]
fn generations() {
    check(
        "generation_done",
        Generation {
            id: "g1".into(),
            turn: "t1".into(),
            storyline: "s1".into(),
            branch: "r".into(),
            position: 1,
            text: "我当然记得。[PROGRESS:3:in_progress]".into(),
            reasoning: "…".into(),
            status: Status::Done,
            model: "m".into(),
            connection: Some("k".into()),
            usage: Some(Usage {
                prompt_tokens: 10,
                completion_tokens: 5,
                cached_tokens: Some(8),
                ..Default::default()
            }),
            started: 1,
            first_text: Some(2),
            finished: Some(3),
            prompt: Some(Reckoned { tokens: 42, raw_tokens: 40, from: Some(3) }),
            state: Some("st1".into()),
            ..Default::default()
        },
    );
    let fault = Fault { kind: FaultKind::RateLimited, detail: "slow down".into(), retry_after: Some(20), length: None };
    check(
        "generation_failed",
        Generation { id: "g2".into(), status: Status::Error, fault: Some(fault), ..Default::default() },
    );
    let mut reply = Generation { id: "g4".into(), finish: Some("length".into()), ..Default::default() };
    reply.note_unread(2, "{\"n\":1e400}".into());
    check("generation_cut_off", reply);
    let length = Length { prompt: 12_345, reply: 1_024, takes: 8_192, bare: false };
    let fault = Fault { length: Some(length), ..Fault::new(FaultKind::OverContext, "") };
    check(
        "generation_too_long",
        Generation { id: "g4".into(), status: Status::Interrupted, fault: Some(fault), ..Default::default() },
    );
    check("generation_streaming", Generation { id: "g3".into(), open: Some(1), ..Default::default() });
}

#[test]
fn states() {
    let persona = Persona { base_persona: "废土黑帮老大".into(), ..Default::default() };
    check("state", State { id: "st1".into(), storyline: "s1".into(), ..State::of(persona) });
    let recap = Recap { text: "他们见过面。".into(), from: 2, to: 9, at: 3, model: "m".into() };
    check("state_recap", State { id: "st2".into(), recap: Some(recap.clone()), ..State::default() });
    let mut reply = Generation { id: "g1".into(), ..Default::default() };
    reply.set_recap(&recap);
    check("generation_recap", reply);
}

#[test]
fn settings_and_the_rest() {
    let list = vec![Connection {
        id: "k".into(),
        name: "DeepSeek".into(),
        kind: ProviderKind::Openai,
        url: "https://api.deepseek.com/v1".into(),
        model: "deepseek-chat".into(),
        sampling: Sampling { temperature: Some(0.8), ..Default::default() },
        context_tokens: 32_768,
        timeout_seconds: 120,
        ..Default::default()
    }];
    check("connections", Connections { list: list.clone(), ..Default::default() });
    let mut one = Connection {
        sampling: Sampling {
            min_p: Some(0.05),
            repetition_penalty: Some(1.1),
            logit_bias: serde_json::Map::from_iter([("50256".to_owned(), json!(-100.0))]),
            effort: Some(Effort::Off),
            ..Default::default()
        },
        body: json!({"top_a": 0.2}).as_object().unwrap().clone(),
        ..list[0].clone()
    };
    let mut refused = Refused::of(&one);
    refused.add(Parameter::MinP, json!(0.05));
    refused.keep(&mut one);
    check("connections_sampling", Connections { list: vec![one], ..Default::default() });
    let mut reply = Generation { id: "g1".into(), ..Default::default() };
    reply.note_left_out(vec![LeftOut { parameter: Parameter::TopK, words: "no".into() }]);
    check("generation_left_out", reply);
    check("account_left_out", Account { id: "g1".into(), left_out: vec![Parameter::MinP], ..Default::default() });
    check("preferences", Preferences { language: Some(Language::En), theme: Theme::Dark, ..Default::default() });
    let typography =
        Typography { typeface: Typeface::Kai, paragraphs: Paragraphs::Indented, portraits: true, ..Default::default() };
    check(
        "preferences_typography",
        Preferences { theme: Theme::Sepia, typography: typography.tokens(), ..Default::default() },
    );
    let block = Block { identifier: "main".into(), content: Some("…".into()), ..Default::default() };
    check("preset", Preset { id: "p".into(), blocks: vec![block], ..Default::default() });
    form("blob", Blob { id: address(b""), kind: "image/png".into(), size: 0 });
}

#[test]
fn what_was_spent_and_what_may_be() {
    let usage =
        Usage { prompt_tokens: 1_000, completion_tokens: 50, cached_tokens: Some(800), written_tokens: Some(100) };
    let mut connection = Connection { id: "c1".into(), model: "claude".into(), ..Default::default() };
    let price = Price {
        currency: "USD".into(),
        input: 3_000_000,
        output: 15_000_000,
        cached: Some(300_000),
        written: Some(3_750_000),
        listed: true,
    };
    connection.set_price(Some(price));
    let paid = Spent { session: Some("se1".into()), ..Spent::call(spending::Kind::Chat, &connection, usage, false) };
    let unpriced = Spent::call(spending::Kind::Embedding, &Connection::default(), usage, true);
    let lines = vec![paid.clone(), unpriced];
    let storyline = Some("s1".into());
    let id = Spending::id(20_377, storyline.as_ref());
    check("spending", Spending { id, day: 20_377, storyline, lines, ..Default::default() });
    check("connections_priced", Connections { list: vec![connection], ..Default::default() });
    let mut reply = Generation { id: "g1".into(), usage: Some(usage), ..Default::default() };
    reply.add_spent(&[paid]);
    check("generation_spent", reply);
    let budget = Some(Budget::Money { nanos: 2_500_000_000, currency: "USD".into() });
    check("preferences_budget", Preferences { budget, ..Default::default() });
    check("storyline_budget", Storyline { id: "s1".into(), budget: Some(Budget::Tokens(9)), ..Default::default() });
}

#[test]
fn what_the_program_notes_for_itself() {
    check("config", Config::default());
    check("shelves", Shelves { sorts: [("character".into(), Sort::Name)].into(), ..Shelves::default() });
    form(
        "unsent",
        Unsent {
            id: "unsent:s1".into(),
            text: "我想说……".into(),
            suggested: true,
            whisper: vec!["c1".into()],
            at: 1,
            added: false,
        },
    );
    let points = vec![Point { turns: (1, 4), text: "两人立约。".into(), detail: "雨夜。".into() }];
    let draft = Draft {
        id: "summarise:s1".into(),
        session: "se1".into(),
        from: 1,
        next: 5,
        print: "0a1b".into(),
        parts: 2,
        points,
        summary: "到第4轮为止的故事。".into(),
    };
    form("draft", draft);
    let since = [(address(b"picture"), 1_760_610_600_000)].into();
    form("loose_pictures", LoosePictures { id: "loose_pictures".into(), since });
}

/// A record that is new takes a snapshot of its form.
#[test]
fn no_record_is_without_its_snapshot() {
    /// Keys: their form is held in the browser, where alone they are (`tests/browser/stored.rs`).
    const ELSEWHERE: &[&str] = &["Lock", "Kept"];
    fn records(folder: &Path, found: &mut Vec<String>) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                records(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let calls = text.lines().filter_map(|line| line.strip_prefix("record!("));
                found.extend(calls.map(|call| call.split(',').next().unwrap().to_owned()));
            }
        }
    }
    let mut found = Vec::new();
    records(Path::new("src"), &mut found);
    assert!(found.len() > 15, "{found:?}");
    let here = include_str!("stored.rs");
    for record in found.iter().filter(|record| !ELSEWHERE.contains(&record.as_str())) {
        let is_made = [format!(" {record} {{"), format!("({record} {{"), format!(" {record}::default()")];
        assert!(is_made.iter().any(|made| here.contains(made)), "{record} has no snapshot");
    }
}

/// No record can hold a key: the type of a connection has no place for one.
#[test]
fn a_connection_has_no_key() {
    let form = serde_json::to_value(Connection::default()).unwrap();
    let Value::Object(fields) = form else { panic!() };
    assert!(!fields.keys().any(|field| field.contains("key") || field.contains("secret")), "{fields:?}");
}

#[test]
fn memories() {
    check(
        "memory",
        Memory {
            id: "m1".into(),
            storyline: "s1".into(),
            session: "sess".into(),
            kind: Kind::Event,
            branch: "r".into(),
            position: 30,
            generation: Some("g30".into()),
            owner: Some("c2".into()),
            turns: (30, 30),
            text: "用户展示证据，Alserqi从怀疑转为信任".into(),
            detail: "用户：“我有证据”".into(),
            event_id: Some("evt_s1_sess_30".into()),
            state_changes: json!({ "relationships": "Stranger → Potential_Ally" }),
            pinned: true,
            created: 1,
            updated: 2,
            ..Default::default()
        },
    );
}

/// What a device knows of the others, and a line of what they tell each other, which another version reads.
#[test]
fn synced() {
    let stamp = Stamp { at: 7, by: "0a0b0c0d0e".into() };
    let text = str::to_owned;
    let site = Site {
        id: Site::ID.into(),
        kind: Storage::S3,
        address: text("https://s3.example"),
        bucket: text("b"),
        region: text("eu"),
        folder: text("stories"),
        user: text("AKIA"),
        done: 9,
        ..Site::default()
    };
    check("sync_site", site);
    form("sync_mark", Mark { id: "!turns/t1".into(), at: 7 });
    let marks = vec![Mark { id: "!turns/t1".into(), at: 7 }];
    let heard = [("0f0f0f0f0f".to_owned(), 12)].into();
    let device = stamp.by.clone();
    check("sync_me", Me { id: "=".into(), device, last: 4, heard, telling: marks, tries: 1, ..Me::default() });
    let fields = [("title".to_owned(), (stamp.clone(), "00ff".to_owned()))].into();
    form("sync_known", Known { id: "storylines/s1".into(), stamp: stamp.clone(), gone: true, buried: None, fields });
    let value = json!({ "title": "废土" });
    form(
        "sync_older",
        Older { id: "~storylines/s1/7".into(), of: "storylines/s1".into(), stamp: stamp.clone(), value },
    );
    let fact = |of: &str, says| Fact { of: of.into(), story: "s1".into(), says };
    let whole = fact("turns/t1", Says::Whole(stamp.clone(), json!({ "id": "t1" })));
    form("sync_whole", Waiting { id: "?turns/t1".into(), fact: whole });
    let fields = [("title".to_owned(), (stamp.clone(), json!("废土")))].into();
    form("sync_fields", Waiting::new(fact("storylines/s1", Says::Fields(fields))));
    form(
        "sync_elsewhere",
        Elsewhere {
            id: "@blobs/b1".into(),
            fact: fact("blobs/b1", Says::Whole(stamp.clone(), json!({ "id": "b1", "kind": "image/png" }))),
        },
    );
    form("sync_gone", Waiting::new(fact("memories/m1", Says::Gone(stamp))));
}
