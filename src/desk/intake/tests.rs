//! A folder of SillyTavern, file by file.

mod backup;

use futures_executor::block_on;
use serde_json::{Value, json};

use super::*;
use crate::{
    desk::Lists,
    exchange::{
        character::{self, Form},
        folder::role,
        personas::FILE,
    },
    features::group::{GroupSettings, Mode},
    sim::ports::{Heads, Sim},
    store::{Query, Table},
    story::{
        lorebook::Lorebook, picture::samples, preset::Preset, settings::Preferences, storyline::Storyline, tree::Branch,
    },
};

/// A chat, or a branch of the main one.
fn chat(main: Option<&str>, lines: &[(&str, &str)]) -> Vec<u8> {
    let line = |name: &str, text: &str| json!({"name": name, "is_user": name == "Reader", "is_system": false, "mes": text, "extra": {"gen_id": 1}});
    let head = json!({"user_name": "unused", "character_name": "unused", "chat_metadata": {"main_chat": main, "world_info": "Guild"}});
    let lines = lines.iter().map(|(name, text)| line(name, text));
    std::iter::once(head).chain(lines).map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}

fn folder() -> Vec<(&'static str, Vec<u8>)> {
    let json = |value: Value| value.to_string().into_bytes();
    let card = json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Ada", "description": "A smith.",
        "first_mes": "Hi.", "creator_notes": "", "tags": ["x"], "odd": 1,
        "character_book": {"name": "Eldoria", "entries": [{"id": 0, "keys": ["forge"], "content": "Cold.", "enabled": true, "insertion_order": 1, "extensions": {}}], "extensions": {}},
        "extensions": {"world": "Eldoria", "fav": true, "chub": {"id": 1}, "depth_prompt": {"prompt": ""}}}});
    let elf = Character { name: "Elf".into(), ..Character::default() };
    vec![
        ("secrets.json", json(json!({"api_key_openai": "sk-secret"}))),
        (
            "settings.json",
            json(
                json!({"power_user": {"personas": {"me.png": "Lin"}, "persona_descriptions": {"me.png": {"description": "A courier.", "position": 0}},
                "default_persona": "me.png"},
                "extension_settings": {"regex": [{"scriptName": "x", "findRegex": "/a/", "replaceString": "", "placement": [2]}]},
                "world_info_settings": {"world_info": {"globalSelect": ["Everywhere", "Gone"], "charLore": [{"name": "Ada", "extraBooks": ["Guild"]}]}}}),
            ),
        ),
        ("characters/Ada.json", json(card)),
        ("characters/broken.png", samples::png(1, 1)),
        ("worlds/Eldoria.json", json(json!({"entries": {"0": {"uid": 0, "key": ["forge"], "content": "Hot."}}}))),
        ("worlds/Guild.json", json(json!({"entries": {"0": {"uid": 0, "key": ["oath"], "content": "Sworn."}}}))),
        ("characters/Fantasy/plain.png", samples::png(2, 3)),
        ("characters/Fantasy/Elf.png", character::pack(&elf, None, &[], Form::Png, &samples::png(4, 4))),
        ("worlds/Everywhere.json", json(json!({"entries": {"0": {"uid": 0, "key": ["sky"], "content": "Blue."}}}))),
        (
            "OpenAI Settings/Mine.json",
            json(json!({"prompts": [{"identifier": "main", "content": "Write."}], "prompt_order": [], "odd": 2})),
        ),
        (
            "QuickReplies/Set.json",
            json(json!({"version": 2, "name": "Set", "qrList": [{"label": "a", "message": "b"}]})),
        ),
        ("User Avatars/me.png", samples::png(2, 2)),
        ("User Avatars/other.png", samples::png(3, 3)),
        ("chats/Ada/One.jsonl", chat(None, &[("Ada", "Hi."), ("Reader", "So?"), ("Ada", "Yes.")])),
        ("chats/Ada/One - Branch #1.jsonl", chat(Some("One"), &[("Ada", "Hi."), ("Reader", "No.")])),
        ("chats/Ada/Bad.jsonl", b"no chat".to_vec()),
        ("notes/other.json", json(json!({"a": 1}))),
    ]
}

fn take(desk: &Desk) -> Vec<(String, String)> {
    take_all(desk, folder().into_iter().map(|(path, bytes)| (path.to_owned(), role(path), bytes)).collect())
}

/// Takes all of it; what became of each file.
fn take_all(desk: &Desk, mut files: Vec<(String, Role, Vec<u8>)>) -> Vec<(String, String)> {
    block_on(async {
        let mut intake = Intake::begin(desk, &Heads).await.unwrap();
        files.sort_by(|(one, role, _), (other, another, _)| (role, one).cmp(&(another, other)));
        let mut chats = Vec::new();
        for (path, role, bytes) in files {
            match role {
                Role::Left(why) => intake.leave(&path, why),
                Role::Chat => chats.push(ChatFile { path, text: String::from_utf8(bytes).unwrap() }),
                _ => intake.take(&path, role, open(role, bytes, &Heads).await).await.unwrap(),
            }
        }
        intake.take_chats(chats).await.unwrap();
        intake.finish().await.unwrap();
        let said = |fate: Fate| match fate {
            Fate::Taken { what, name, kept, .. } => {
                format!("taken {what:?} {name} {}", kept.join(",")).trim_end().to_owned()
            }
            Fate::Known { what, name } => format!("known {what:?} {name}"),
            Fate::Left(why) => format!("left {why:?}"),
            Fate::Refused(why) => format!("refused {}", why.to_string().split(':').next().unwrap_or_default()),
        };
        intake.rows.into_iter().map(|row| (row.path, said(row.fate))).collect()
    })
}

#[test]
fn a_folder_comes_in_once() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    let rows = take(&desk);
    let rows: Vec<_> = rows.iter().map(|(path, fate)| (path.as_str(), fate.as_str())).collect();
    assert_eq!(
        rows,
        [
            ("settings.json", "taken Personas Lin avatar_file"),
            ("settings.json", "taken Scripts SillyTavern"),
            ("User Avatars/me.png", "taken Personas Lin"),
            ("User Avatars/other.png", "left Media"),
            ("worlds/Eldoria.json", "taken Lorebook Eldoria"),
            ("worlds/Everywhere.json", "taken Lorebook Everywhere"),
            ("worlds/Guild.json", "taken Lorebook Guild"),
            ("characters/Ada.json", "taken Character Ada odd,extensions.fav,extensions.chub"),
            ("characters/broken.png", "refused no card in this Png"),
            ("characters/Fantasy/Elf.png", "taken Character Elf"),
            ("characters/Fantasy/plain.png", "left Media"),
            ("OpenAI Settings/Mine.json", "taken Preset Mine odd"),
            ("QuickReplies/Set.json", "taken QuickReplies Set version"),
            ("notes/other.json", "left Unknown"),
            ("secrets.json", "left Secret"),
            ("chats/Ada/Bad.jsonl", "refused not a Chat but Unknown"),
            ("chats/Ada/One.jsonl", "taken Chat One extra.gen_id"),
            ("chats/Ada/One - Branch #1.jsonl", "taken Chat One - Branch #1 extra.gen_id"),
        ]
    );
    block_on(async {
        let store = &*sim.ports.store;
        let Lists { characters, storylines, .. } = desk.lists().await.unwrap();
        let personas = desk.personas().await.unwrap();
        let books: Vec<Lorebook> = store.list(Query::all(Table::Lorebooks)).await.unwrap();
        let book = |name: &str| books.iter().find(|book| book.name == name).unwrap().id.clone();
        // What hangs together hangs together here, too.
        let ada = characters.iter().find(|one| one.name == "Ada").unwrap();
        assert_eq!(ada.lorebooks, [book("Eldoria"), book("Guild")]);
        let preferences = store.load::<Preferences>(Preferences::ID).await.unwrap().unwrap();
        assert_eq!(
            (preferences.lorebooks, preferences.plays_as),
            (vec![book("Everywhere")], Some(personas[0].id.clone()))
        );
        assert!(personas[0].avatar.is_some() && personas[0].extra[FILE] == "me.png");
        // Both chats are one story, with her.
        let [story]: [Storyline; 1] = storylines.try_into().unwrap();
        assert_eq!((story.character(), story.title.as_str()), (&ada.id, "One"));
        assert_eq!(story.lorebooks, [book("Guild")]);
        assert_eq!(store.list::<Branch>(Query::all(Table::Branches)).await.unwrap().len(), 2);
        for (table, count) in [(Table::Presets, 1), (Table::Scripts, 1), (Table::QuickReplies, 1)] {
            assert_eq!(store.count(Query::all(table)).await.unwrap(), count, "{table:?}");
        }
    });
    // Again: nothing is there twice.
    let again = take(&desk);
    let new: Vec<_> = again.iter().filter(|(_, fate)| fate.starts_with("taken")).collect();
    assert_eq!(new, Vec::<&(String, String)>::new());
    assert_eq!(again.iter().filter(|(_, fate)| fate.starts_with("known")).count(), 11);
}

/// What is called "already there" stays as it is, also where another chat of the folder is new.
#[test]
fn a_new_chat_moves_no_other() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    take(&desk);
    let stories = || block_on(sim.ports.store.list::<Storyline>(Query::all(Table::Storylines))).unwrap();
    let [mut story]: [Storyline; 1] = stories().try_into().unwrap();
    story.deleted = Some(5);
    story.title = "Mine".into();
    block_on(sim.ports.store.save(&story)).unwrap();
    let more = ("chats/Ada/Two.jsonl", chat(None, &[("Ada", "Hello."), ("Reader", "You?"), ("Ada", "Me.")]));
    let all = folder().into_iter().chain([more]).map(|(path, bytes)| (path.to_owned(), role(path), bytes));
    let rows = take_all(&desk, all.collect());
    assert!(rows.contains(&("chats/Ada/One.jsonl".to_owned(), "known Chat One".to_owned())), "{rows:?}");
    let all = stories();
    assert_eq!(all.len(), 2);
    let was = all.iter().find(|one| one.id == story.id).unwrap();
    assert_eq!((was.deleted, was.title.as_str()), (Some(5), "Mine"));
}

/// A file beside its own copy.
#[test]
fn the_same_chat_twice_is_one_story() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    let twin = || chat(None, &[("Ada", "Hi."), ("Reader", "So?"), ("Ada", "Yes.")]);
    let all = ["chats/Ada/One.jsonl", "chats/Ada/One (1).jsonl"].map(|path| (path.to_owned(), role(path), twin()));
    let rows = take_all(&desk, all.to_vec());
    let fates: Vec<_> = rows.iter().map(|(_, fate)| fate.split(' ').next().unwrap()).collect();
    assert_eq!(fates, ["taken", "known"], "{rows:?}");
    assert_eq!(block_on(sim.ports.store.list::<Storyline>(Query::all(Table::Storylines))).unwrap().len(), 1);
}

/// Somebody goes on where they came from, and takes the folder in once more.
#[test]
fn a_branch_that_is_newer_than_its_story_comes_in_as_a_story() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    let chats = |branches: &[(&'static str, Vec<u8>)]| {
        let root = ("chats/Ada/One.jsonl", chat(None, &[("Ada", "Hi."), ("Reader", "So?"), ("Ada", "Yes.")]));
        let all = std::iter::once(root).chain(branches.iter().cloned());
        take_all(&desk, all.map(|(path, bytes)| (path.to_owned(), role(path), bytes)).collect())
    };
    let old = ("chats/Ada/Old.jsonl", chat(Some("One"), &[("Ada", "Hi."), ("Reader", "No.")]));
    let new = ("chats/Ada/New.jsonl", chat(Some("One"), &[("Ada", "Hi."), ("Reader", "Why?"), ("Ada", "Because.")]));
    chats(std::slice::from_ref(&old));
    for fate in ["taken Chat New extra.gen_id", "known Chat New"] {
        let rows = chats(&[old.clone(), new.clone()]);
        let fates: Vec<_> = rows.iter().map(|(_, fate)| fate.as_str()).collect();
        assert_eq!(fates, ["known Chat One", "known Chat Old", fate]);
        let stories = block_on(sim.ports.store.list::<Storyline>(Query::all(Table::Storylines))).unwrap();
        assert_eq!(stories.len(), 2);
    }
}

#[test]
fn what_the_store_refuses_ends_it() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    block_on(async {
        let mut intake = Intake::begin(&desk, &Heads).await.unwrap();
        sim.store.break_down(0, "QuotaExceededError");
        let book = br#"{"entries":{"0":{"uid":0,"key":["a"],"content":"b"}}}"#.to_vec();
        assert!(intake.take("worlds/a.json", Role::Lorebook, Opened::Bytes(book)).await.is_err());
        assert_eq!(intake.rows, []);
    });
}

/// They are files of the card, and go out with it in every form that holds files.
#[test]
fn sprites_come_in_once_with_the_card_that_they_lie_beside() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    let card = json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Ada"}});
    let files = |joy: Vec<u8>| {
        [
            ("data/characters/Ada1.json", card.to_string().into_bytes()),
            ("data/characters/Ada1/joy.png", joy),
            ("data/characters/Ada1/anger-1.png", samples::png(2, 2)),
            ("data/characters/Ada1/winter/joy.png", samples::png(3, 3)),
            ("data/characters/Ada1/fear.png", b"no picture".to_vec()),
            ("data/characters/Nobody/joy.png", samples::png(5, 5)),
            // Of another reader, whose card is another's; and a card that is here already under another name.
            ("other/characters/Ada1.json", json!({"name": "Bo", "first_mes": "Hm."}).to_string().into_bytes()),
            ("other/characters/Ada1/joy.png", samples::png(6, 6)),
            ("other/characters/Ada2.json", card.to_string().into_bytes()),
            ("other/characters/Ada2/joy.png", samples::png(7, 7)),
            ("other/characters/Ada1/joy:x.png", samples::png(8, 8)),
        ]
        .map(|(path, bytes)| (path.to_owned(), role(path), bytes))
        .to_vec()
    };
    let fates = |joy| take_all(&desk, files(joy)).into_iter().map(|(_, fate)| fate).collect::<Vec<_>>();
    let first = [
        "taken Character Ada",
        "taken Character Bo",
        "known Character Ada",
        "taken Character Ada · anger-1",
        "refused not a picture",
        "taken Character Ada · joy",
        "left Media",
        "taken Character Bo · joy",
        "taken Character Bo · joy:x",
        "left Media",
        "left Media",
    ];
    assert_eq!(fates(samples::png(1, 1)), first);
    let again = first.map(|fate| fate.replace("taken", "known"));
    assert_eq!(fates(samples::png(1, 1)), again);
    // Drawn anew, it takes the place of the one before.
    let mut anew = again;
    anew[5] = first[5].to_owned();
    assert_eq!(fates(samples::png(9, 9)), anew);

    let all = block_on(desk.lists()).unwrap().characters;
    let of = |name: &str| all.iter().find(|one| one.name == name).unwrap();
    let (ada, bo) = (of("Ada"), of("Bo"));
    let paths: Vec<_> = bo.assets.iter().map(|asset| asset.path.as_str()).collect();
    assert_eq!((all.len(), paths), (2, vec!["assets/emotion/sprites/joy.png", "assets/emotion/sprites/joy_x.png"]));
    let names = |who: &Character| who.assets.iter().map(|asset| asset.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(ada), ["anger-1", "joy"]);
    let with: Vec<_> = ada.assets.iter().cloned().zip([samples::png(2, 2), samples::png(9, 9)]).collect();
    for form in [Form::V2, Form::V3, Form::Png, Form::Charx] {
        let packed = character::pack(ada, None, &with, form, &samples::png(1, 1));
        let (read, _) = character::open(packed).unwrap();
        let read = (names(&read.character), read.files.into_iter().map(|(_, bytes)| bytes).collect::<Vec<_>>());
        assert_eq!(read, (names(ada), with.iter().map(|(_, bytes)| bytes.clone()).collect()), "{form:?}");
    }
}

/// Also who has said nothing yet; and it is called as the group is.
#[test]
fn a_group_comes_with_all_who_are_in_it() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    let json = |value: Value| value.to_string().into_bytes();
    let card = |name: &str| json(json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": name}}));
    let said = |name: &str, text: &str| json!({"name": name, "is_user": false, "mes": text}).to_string();
    let head = json!({"user_name": "unused", "character_name": "unused", "chat_metadata": {}}).to_string();
    let chat = [head, said("Ada", "Hi."), said("Ada", "So?")].join("\n").into_bytes();
    let group = json!({"id": "9", "name": "At the quay", "members": ["Bo1.png", "Ada.png", "Gone.png", "Dee.png"], "chats": ["c"], "chat_id": "c", "activation_strategy": 1, "disabled_members": ["Dee.png"]});
    let files = [
        ("characters/Ada.json", card("Ada")),
        ("characters/Bo1.json", card("Bo")),
        ("characters/Dee.json", card("Dee")),
        ("groups/9.json", json(group)),
        ("group chats/c.jsonl", chat),
    ];
    let files = files.map(|(path, bytes)| (path.to_owned(), role(path), bytes));
    let rows = take_all(&desk, files.to_vec());
    assert!(rows.contains(&("groups/9.json".into(), "left Members".into())), "{rows:?}");
    block_on(async {
        let Lists { characters, storylines, .. } = desk.lists().await.unwrap();
        let name = |id: &_| characters.iter().find(|one| one.id == *id).unwrap().name.as_str();
        let told: Vec<_> = storylines
            .iter()
            .map(|story| (story.title.as_str(), story.cast.iter().map(name).collect::<Vec<_>>()))
            .collect();
        assert_eq!(told, [("At the quay", vec!["Bo", "Ada"])]);
        // All of them answered each time.
        let group: GroupSettings = storylines[0].settings(&Preset::default());
        assert_eq!((group.mode, group.most), (Mode::All, 8));
        assert_eq!(characters.len(), 3, "who is not here and says nothing is not made up");
    });
}

/// The run before broke off amid the folder, or one of its books was there already.
#[test]
fn what_hangs_on_what_is_there_is_hung() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    let first = |path: &str| path.starts_with("worlds/") || path.starts_with("characters/");
    block_on(async {
        let mut intake = Intake::begin(&desk, &Heads).await.unwrap();
        for (path, bytes) in folder().into_iter().filter(|(path, _)| first(path)) {
            intake.take(path, role(path), open(role(path), bytes, &Heads).await).await.unwrap();
        }
    });
    let hung = || {
        let characters: Vec<Character> = block_on(sim.ports.store.list(Query::all(Table::Characters))).unwrap();
        let preferences = block_on(sim.ports.store.load::<Preferences>(Preferences::ID)).unwrap().unwrap_or_default();
        let ada = characters.iter().find(|one| one.name == "Ada").unwrap();
        (ada.lorebooks.len(), preferences.lorebooks.len())
    };
    assert_eq!(hung(), (0, 0));
    take(&desk);
    assert_eq!(hung(), (2, 1));
}

#[test]
fn chats_are_with_the_one_of_their_folder() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    let card = |description: &str| {
        let data = json!({"name": "Ada", "description": description, "first_mes": "Hi."});
        json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}).to_string().into_bytes()
    };
    let chat = |text: &str| {
        let lines = [
            json!({"user_name": "Reader", "character_name": "Ada", "chat_metadata": {}}),
            json!({"name": "Ada", "is_user": false, "is_system": false, "mes": "Hi."}),
            json!({"name": "Reader", "is_user": true, "is_system": false, "mes": text}),
        ];
        lines.map(|line| format!("{line}\n")).concat().into_bytes()
    };
    let files = [
        ("characters/Ada.json", card("A smith.")),
        ("characters/Ada1.json", card("A queen.")),
        ("chats/Ada/One.jsonl", chat("To the smith.")),
        ("chats/Ada1/Two.jsonl", chat("To the queen.")),
    ];
    take_all(&desk, files.map(|(path, bytes)| (path.to_owned(), role(path), bytes)).into());
    let stories: Vec<Storyline> = block_on(sim.ports.store.list(Query::all(Table::Storylines))).unwrap();
    let with = |title: &str| {
        let story = stories.iter().find(|story| story.title == title).unwrap();
        let character = block_on(sim.ports.store.load::<Character>(story.character().as_str())).unwrap().unwrap();
        character.card.description
    };
    assert_eq!((with("One"), with("Two")), ("A smith.".into(), "A queen.".into()));
}

/// Who was renamed there has another name in the head of the older chats, and in their lines where that was wanted so.
#[test]
fn a_chat_is_with_the_one_of_its_folder_whatever_its_lines_call_them() {
    let chat = |head: &str, name: &str| {
        let lines = [
            json!({"user_name": "Reader", "character_name": head, "chat_metadata": {}}),
            json!({"name": name, "is_user": false, "is_system": false, "mes": "Hi."}),
            json!({"name": "Reader", "is_user": true, "is_system": false, "mes": "Hello."}),
            json!({"name": name, "is_user": false, "is_system": false, "mes": "Yes."}),
        ];
        lines.map(|line| format!("{line}\n")).concat().into_bytes()
    };
    for (head, name) in [("Old", "New"), ("unused", "Old"), ("Old", "Old"), ("New", "New")] {
        let sim = Sim::new([]);
        let desk = Desk::new(sim.ports.clone());
        let card =
            json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "New", "description": "A smith."}});
        let files = [("characters/New.json", card.to_string().into_bytes()), ("chats/New/One.jsonl", chat(head, name))];
        take_all(&desk, files.map(|(path, bytes)| (path.to_owned(), role(path), bytes)).into());
        let Lists { characters, storylines, .. } = block_on(desk.lists()).unwrap();
        let [new]: [Character; 1] = characters.try_into().unwrap();
        assert_eq!((new.name.as_str(), &storylines[0].cast[..]), ("New", &[new.id.clone()][..]), "{head} {name}");
        let replies: Vec<crate::story::generation::Generation> =
            block_on(sim.ports.store.list(Query::all(Table::Generations))).unwrap();
        assert!(replies.len() == 2 && replies.iter().all(|reply| reply.speaker.is_none()), "{head} {name}");
    }
}
