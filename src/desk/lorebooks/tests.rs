use std::collections::HashSet;

use futures_executor::block_on;
use serde_json::json;

use super::*;
use crate::{
    desk::shelves::{View, shown},
    sim::ports::Sim,
    story::lorebook::Position,
};

fn entry(id: &str, keys: &[&str], content: &str) -> Entry {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    Entry { id: id.into(), keys, content: content.into(), ..Entry::default() }
}

fn book() -> Lorebook {
    let named = Entry { name: "Quay".into(), order: 5, ..entry("1", &["dock"], "long long long long text") };
    let entries = vec![entry("0", &["Ship", "/sa+il/i"], "A ship."), named, entry("x", &[], "\nNo keys at all")];
    Lorebook { id: "b".into(), name: "Harbour".into(), entries, created: 1, updated: 1, ..Lorebook::default() }
}

fn ids(ids: &[&str]) -> HashSet<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

#[test]
fn rows_are_found_and_put_in_order() {
    let draft = Draft::of(book());
    for (words, sort, shown) in [
        ("", Sort::Book, vec!["0", "1", "x"]),
        ("", Sort::Order, vec!["1", "0", "x"]),
        ("", Sort::Name, vec!["x", "1", "0"]),
        ("", Sort::Tokens, vec!["1", "x", "0"]),
        (" SHIP ", Sort::Book, vec!["0"]),
        ("quay", Sort::Book, vec!["1"]),
        ("long", Sort::Book, vec!["1"]),
        ("nowhere", Sort::Tokens, vec![]),
    ] {
        assert_eq!(draft.shown(words, sort), shown, "{words} {sort:?}");
    }
    let titles = |id: &str| draft.row(id).map(|row| (row.title, row.keys)).unwrap();
    assert_eq!(titles("0"), ("Ship · /sa+il/i".into(), String::new()));
    assert_eq!(titles("1"), ("Quay".into(), "dock".into()));
    assert_eq!(titles("x"), ("No keys at all".into(), String::new()));
    assert_eq!((draft.row("gone"), draft.sums().0), (None, 3));
}

#[test]
fn only_what_is_otherwise_is_a_change() {
    let mut draft = Draft::of(book());
    assert!(!draft.is_changed());
    draft.edit("0", |entry| entry.content = "Two ships.".into());
    assert!(draft.is_changed());
    draft.edit("0", |entry| entry.content = "A ship.".into());
    assert!(!draft.is_changed(), "it is as it was");
    draft.edit_all(&ids(&["0", "x"]), |entry| entry.position = Position::AtDepth);
    assert_eq!(draft.row("x").unwrap().depth, Some(draft::DEPTH));
    draft.edit_all(&ids(&["0", "x"]), |entry| entry.position = Position::BeforeCharacter);
    assert!(!draft.is_changed());
    let new = draft.add();
    assert_eq!(new, "2");
    draft.remove(&ids(&["2"]));
    assert!(!draft.is_changed());
    draft.edit("0", |entry| entry.order = 1);
    draft.add();
    draft.remove(&ids(&["1"]));
    assert!(draft.is_changed());
    // What is put back is where it was, with what was changed of it.
    let before = draft.whole();
    let removed = draft.remove(&ids(&["0", "x"]));
    assert_eq!((removed.count(), draft.sums().0), (2, before.entries.len() - 2));
    draft.put_back(removed);
    assert_eq!(draft.whole(), before);
    let new = draft.add();
    let removed = draft.remove(&ids(&[new.as_str()]));
    assert_eq!(draft.add(), new);
    draft.put_back(removed);
    let all: HashSet<_> = draft.whole().entries.into_iter().map(|entry| entry.id).collect();
    assert_eq!(all.len(), before.entries.len() + 2, "no two of one id");
    draft.remove(&all.iter().filter(|id| before.entries.iter().all(|entry| entry.id != **id)).cloned().collect());
    draft.head.name = "Port".into();
    let tokens = draft.sums().1;
    draft.edit_all(&ids(&["0"]), |entry| entry.enabled = false);
    assert!(draft.sums() == (2, tokens - draft.row("0").unwrap().tokens));
}

/// Another tab has changed one entry, added one and thrown one away meanwhile.
#[test]
fn what_another_tab_wrote_stays() {
    let mut draft = Draft::of(book());
    draft.edit("0", |entry| entry.content = "mine".into());
    draft.remove(&ids(&["x"]));
    let new = draft.add();
    draft.edit(&new, |entry| entry.content = "my new one".into());
    draft.head.description = "mine".into();
    let mut stored = book();
    stored.name = "Theirs".into();
    stored.entries[1].content = "theirs".into();
    stored.entries.push(entry("2", &[], "their new one"));
    stored.deleted = Some(3);
    let written = draft.over(Some(stored), 9);
    let told: Vec<(&str, &str)> =
        written.entries.iter().map(|entry| (entry.id.as_str(), entry.content.as_str())).collect();
    assert_eq!(told, [("0", "mine"), ("1", "theirs"), ("2", "their new one"), ("3", "my new one")]);
    assert_eq!((written.name.as_str(), written.description.as_str()), ("Theirs", "mine"));
    assert_eq!((written.updated, written.deleted), (9, None));
    // Gone for ever there, it is all here.
    let written = draft.over(None, 9);
    assert_eq!(written.entries.len(), 3);
    assert_eq!((written.name.as_str(), written.id.as_str()), ("Harbour", "b"));
}

#[test]
fn keys_that_cannot_be_looked_for() {
    let long = "k".repeat(KEY_CHARS + 1);
    for (key, is_fault) in [
        ("plain", false),
        ("/ga+te/i", false),
        ("/ga(te/", true),
        ("/(?<=a)b/", true),
        ("/path/to/", false),
        ("//", false),
        ("/a/x", false),
        (long.as_str(), true),
    ] {
        assert_eq!(!key_faults(&[key.to_owned()]).is_empty(), is_fault, "{key}");
    }
    let mut draft = Draft::of(book());
    assert!(!draft.row("0").unwrap().is_faulty);
    draft.edit("0", |entry| entry.secondary_keys = vec!["/[/".into()]);
    assert!(draft.row("0").unwrap().is_faulty);
}

#[test]
fn numbers_as_they_are_typed() {
    let mut entry = Entry::default();
    for number in Number::ALL {
        let typed = number.get(&entry);
        number.set(&mut entry, &typed).unwrap_or_else(|_| panic!("{number:?}: {typed}"));
        assert!(number.set(&mut entry, "x").is_err(), "{number:?}");
        assert!(number.set(&mut entry, "99999999999").is_err(), "{number:?}");
    }
    assert_eq!(entry, Entry { depth: Some(draft::DEPTH), ..Entry::default() });
    for (number, typed, is_good) in [
        (Number::Order, "-5", true),
        (Number::Depth, "-1", false),
        (Number::Depth, "", false),
        (Number::Probability, "101", false),
        (Number::ScanDepth, "", true),
        (Number::ScanDepth, "1001", false),
        (Number::Priority, "-3", true),
        (Number::Sticky, "1.5", false),
        (Number::GroupWeight, "0", false),
    ] {
        assert_eq!(number.set(&mut entry, typed).is_ok(), is_good, "{number:?} {typed}");
    }
    assert_eq!((entry.order, entry.priority, entry.scan_depth), (-5, Some(-3), None));
}

#[test]
fn a_book_hangs_where_it_is_hung() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    let ada = Character { id: "ada".into(), name: "Ada".into(), ..Default::default() };
    block_on(desk.save(&ada)).unwrap();
    block_on(desk.save(&book())).unwrap();
    for _ in 0..2 {
        block_on(desk.hang::<Character>("ada", &"b".into(), true)).unwrap();
    }
    let ada: Character = block_on(desk.load("ada")).unwrap().unwrap();
    assert_eq!(ada.lorebooks, ["b".into()]);
    block_on(desk.hang::<Character>("gone", &"b".into(), true)).unwrap();
    // The first that is there goes out with its card.
    let (out, left) = block_on(desk.with_book(ada.clone())).unwrap();
    assert_eq!(left, [""; 0]);
    assert_eq!(book_of(&out.card.character_book.unwrap(), "").entries.len(), 3);
    block_on(desk.discard::<Lorebook>("b")).unwrap();
    assert_eq!(block_on(desk.with_book(ada)).unwrap().0.card.character_book, None);
    assert_eq!(block_on(desk.lorebooks()).unwrap(), []);
    assert_eq!(block_on(desk.lorebooks_in_bin()).unwrap().len(), 1);
    block_on(desk.restore::<Lorebook>("b")).unwrap();
    let shelf = block_on(desk.lorebooks()).unwrap();
    let found = |words: &str| {
        let view = View { words: words.into(), ..View::default() };
        shown(&[shelf[0].glance(None)], &view, |a, b| a.cmp(&b)).len()
    };
    assert_eq!((shelf[0].entries, found(" SHIP "), found("nowhere")), (3, 1, 0));
    block_on(desk.hang::<Character>("ada", &"b".into(), false)).unwrap();
    assert_eq!(block_on(desk.load::<Character>("ada")).unwrap().unwrap().lorebooks, []);
}

#[test]
fn a_cards_book_becomes_one_of_the_library() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    let mut ada = Character { id: "ada".into(), name: "Ada".into(), ..Default::default() };
    ada.card.character_book = Some(json!({"entries": [{"keys": ["x"], "content": "y", "insertion_order": 1}]}));
    block_on(desk.save(&ada)).unwrap();
    let id = block_on(desk.take_card_book(&"ada".into(), "Ada")).unwrap().unwrap();
    let book: Lorebook = block_on(desk.load(id.as_str())).unwrap().unwrap();
    assert_eq!((book.name.as_str(), book.entries[0].content.as_str()), ("Ada", "y"));
    let ada: Character = block_on(desk.load("ada")).unwrap().unwrap();
    assert_eq!((ada.card.character_book.clone(), ada.lorebooks.clone()), (None, vec![id.clone()]));
    assert_eq!(block_on(desk.take_card_book(&"ada".into(), "Ada")).unwrap(), None);
    // What a card has no place for is said.
    let other = Lorebook { id: "other".into(), name: "Ports".into(), ..Default::default() };
    block_on(desk.save(&other)).unwrap();
    block_on(desk.hang::<Character>("ada", &other.id, true)).unwrap();
    let ada: Character = block_on(desk.load("ada")).unwrap().unwrap();
    let (out, left) = block_on(desk.with_book(ada)).unwrap();
    assert_eq!(out.card.character_book.unwrap()["entries"][0]["keys"], json!(["x"]));
    assert_eq!(left, ["Ports"]);
}

#[test]
fn entries_are_copied_and_written() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    let other = Lorebook { id: "c".into(), entries: vec![entry("0", &["z"], "zzz")], ..Lorebook::default() };
    block_on(desk.save(&other)).unwrap();
    let mut draft = Draft::of(book());
    assert!(block_on(desk.copy_entries(draft.entries(&ids(&["1", "x"])), &"c".into())).unwrap());
    assert!(!block_on(desk.copy_entries(vec![], &"gone".into())).unwrap());
    let other: Lorebook = block_on(desk.load("c")).unwrap().unwrap();
    let told: Vec<&str> = other.entries.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(told, ["0", "1", "2"]);
    draft.head.name = "Port".into();
    block_on(desk.write_lorebook(&draft)).unwrap();
    let written: Lorebook = block_on(desk.load("b")).unwrap().unwrap();
    assert_eq!((written.name.as_str(), written.entries.len()), ("Port", 3));
}

#[test]
fn what_is_offered_for_a_text() {
    let chosen = Chosen::of("  Mira waits at the Old Harbour for Ada. \n", &["Ada Lovelace", "you"]);
    assert_eq!(chosen.keys, ["Old Harbour"], "who is always there is no key");
    assert_eq!(
        (chosen.name.as_str(), chosen.content.as_str()),
        ("Old Harbour", "Mira waits at the Old Harbour for Ada.")
    );
    assert_eq!(Chosen::of("渡船从雨城出发。阿达在雨城等渡船。", &["阿达"]).keys, ["渡船", "雨城"]);
    let many = Chosen::of("to Alba, to Brno, to Cork, to Dole, to Enna", &[]);
    assert_eq!(many.keys.len(), 4);
    let new = |name: &str| Target::New(name.into());
    assert_eq!(Chosen::of("…", &[]).faults(&new(" ")), [ChosenFault::NoKeys, ChosenFault::NoBookName]);
    let broken = Chosen { keys: vec!["/(/".into()], ..Chosen::default() };
    let faults = broken.faults(&Target::Book("b".into()));
    assert!(matches!(faults[..], [ChosenFault::NoContent, ChosenFault::Key(KeyFault::Pattern { .. })]), "{faults:?}");
    assert_eq!(chosen.faults(&new("Harbour")), []);
}

#[test]
fn what_is_chosen_goes_into_a_book_as_it_is_by_now() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    let chosen = || Chosen { name: " Bell ".into(), keys: vec!["bell".into()], content: "It rings.".into() };
    block_on(desk.save(&book())).unwrap();
    // What another tab has added meanwhile stays.
    block_on(desk.copy_entries(vec![entry("0", &["z"], "zzz")], &"b".into())).unwrap();
    assert_eq!(block_on(desk.keep_chosen(chosen(), Target::Book("b".into()))).unwrap(), Some("b".into()));
    let stored: Lorebook = block_on(desk.load("b")).unwrap().unwrap();
    let last = stored.entries.last().unwrap();
    assert_eq!((stored.entries.len(), last.id.as_str(), last.name.as_str()), (5, "3", "Bell"));

    let new = block_on(desk.keep_chosen(chosen(), Target::New(" Sounds ".into()))).unwrap().unwrap();
    let made: Lorebook = block_on(desk.load(new.as_str())).unwrap().unwrap();
    assert_eq!((made.name.as_str(), made.entries.len(), made.entries[0].keys[0].as_str()), ("Sounds", 1, "bell"));

    let story =
        Storyline { id: "s".into(), cast: vec!["ada".into()], lorebooks: vec![new.clone()], ..Default::default() };
    let ada =
        Character { id: "ada".into(), lorebooks: vec!["b".into(), new.clone(), "gone".into()], ..Default::default() };
    block_on(desk.save(&story)).unwrap();
    block_on(desk.save(&ada)).unwrap();
    let names = || block_on(desk.books_of(&"s".into())).unwrap().into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    assert_eq!(names(), ["Sounds", "Harbour"]);
    block_on(desk.discard::<Lorebook>("b")).unwrap();
    assert_eq!(names(), ["Sounds"]);
    for id in ["b", "nowhere"] {
        assert_eq!(block_on(desk.keep_chosen(chosen(), Target::Book(id.into()))).unwrap(), None, "{id}");
    }
}
