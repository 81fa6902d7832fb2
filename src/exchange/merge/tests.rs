use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    exchange::archive::{Entry, Kind, samples::*},
    store::Part,
    story::ids::uuid,
};

/// A library in memory: what a store and a caller do.
#[derive(Clone, Default, PartialEq, Debug)]
struct Shelf(BTreeMap<(Part, String), Value>);

impl Shelf {
    fn of(entries: &[Entry]) -> Self {
        Self(entries.iter().map(|entry| ((entry.part, entry.id().to_owned()), entry.doc.value.clone())).collect())
    }

    fn inventory(&self) -> Inventory {
        let mut inventory = Inventory::default();
        self.0.iter().for_each(|((part, _), value)| inventory.add(*part, value));
        inventory
    }

    fn import(&mut self, mode: Mode, file: &[Entry], make: &mut dyn FnMut() -> String) -> Plan {
        let plan = Plan::new(mode, &Self::of(file).inventory(), &self.inventory(), &[]);
        let mut renamer = Renamer::new(&plan, make);
        for entry in file {
            let mut value = entry.doc.value.clone();
            if renamer.rewrite(entry.part, &mut value) {
                let key = (entry.part, value["id"].as_str().unwrap().to_owned());
                if let Some(value) = settle(entry.part, value, self.0.get(&key)) {
                    self.0.insert(key, value);
                }
            }
        }
        plan
    }

    /// As an archive, which checks that everything hangs together.
    fn check(&self) -> usize {
        let mut entries: Vec<_> = self.0.iter().map(|((part, _), value)| entry(*part, value.clone())).collect();
        for entry in entries.iter_mut().filter(|entry| entry.part == Part::Blobs) {
            *entry = picture(&crate::story::picture::samples::gif(1, 1));
        }
        write(Kind::Library, &entries);
        entries.len()
    }

    fn get(&self, part: Part, id: &str) -> &Value {
        &self.0[&(part, id.to_owned())]
    }
}

fn numbers() -> impl FnMut() -> String {
    let mut last = 0;
    move || {
        last += 1;
        format!("new{last}")
    }
}

#[test]
fn merging_what_is_there_changes_nothing() {
    let file = library(&["a", "b"], "x");
    let mut shelf = Shelf::default();
    shelf.import(Mode::Merge, &file, &mut numbers());
    assert_eq!(shelf, Shelf::of(&file));
    let plan = shelf.import(Mode::Merge, &file, &mut numbers());
    assert_eq!(shelf, Shelf::of(&file));
    assert_eq!(plan.storylines["a"], Fate::Merge);
}

/// Where a session opens, in the tree of the copy.
#[test]
fn a_session_after_a_summary_is_copied_with_its_place() {
    let mut file = library(&["a"], "x");
    let storyline = &mut file.iter_mut().find(|entry| entry.part == Part::Storylines).unwrap().doc.value;
    let opened = json!({"before": "a-sess", "at": {"branch": "a-root", "end": 2}, "generation": "a-g1",
        "summary": "a-sess", "carried": 5});
    let next = json!({"id": "a-next", "created": 2, "turns": 0, "opened": opened});
    storyline["sessions"].as_array_mut().unwrap().push(next);
    let mut shelf = Shelf::of(&file);
    shelf.import(Mode::Copy, &file, &mut numbers());
    let copied = shelf.0.iter().find(|((part, id), _)| *part == Part::Storylines && id.starts_with("new"));
    let (_, storyline) = copied.unwrap();
    let opened = &storyline["sessions"][1]["opened"];
    let id = |pointer: &str| opened.pointer(pointer).unwrap().as_str().unwrap();
    assert_eq!(opened["before"], storyline["sessions"][0]["id"]);
    assert_eq!((opened["summary"].as_str(), &opened["carried"]), (Some("a-sess"), &json!(5)));
    let branch = shelf.get(Part::Branches, id("/at/branch"));
    let reply = shelf.get(Part::Generations, id("/generation"));
    assert_eq!((&branch["storyline"], &reply["branch"]), (&storyline["id"], &opened["at"]["branch"]));
    assert!(id("/generation").starts_with("new"));
}

#[test]
fn a_copy_beside_the_original() {
    // Prose and world hold the id of a turn: it is text there.
    let file = library(&["a"], "as a-t0 said");
    let mut shelf = Shelf::of(&file);
    let before = shelf.clone();
    shelf.import(Mode::Copy, &file, &mut numbers());
    assert_eq!(shelf.check(), file.len() + 14, "character, background, preset and picture are reused");
    assert!(before.0.iter().all(|(key, value)| shelf.0[key] == *value), "the original is untouched");

    let copied: HashMap<_, _> =
        shelf.0.keys().filter(|(_, id)| id.starts_with("new")).map(|(part, id)| (*part, id)).collect();
    let storyline = shelf.get(Part::Storylines, copied[&Part::Storylines]);
    assert_eq!((&storyline["cast"], &storyline["preset"]), (&json!(["ada"]), &json!("plain")));
    assert_eq!(storyline["sessions"][0]["id"], storyline["current_session"]);
    assert_eq!(storyline["initial_state"], copied[&Part::States].as_str());
    let head = shelf.get(Part::Branches, storyline["head"]["branch"].as_str().unwrap());
    let at = head["parent"]["generation"].as_str().unwrap();
    assert_eq!(shelf.get(Part::Generations, at)["text"], "as a-t0 said a-t0", "prose stays as it is");
    assert_eq!(shelf.get(Part::States, copied[&Part::States])["world"]["glass"]["id"], "a-t0");
    for ((part, id), value) in shelf.0.iter().filter(|((part, id), _)| *part == Part::Turns && id.starts_with("new")) {
        let chosen = shelf.get(Part::Generations, value["chosen"].as_str().unwrap());
        assert_eq!((&chosen["turn"], *part), (&json!(id), Part::Turns));
        assert_eq!(value["session"], storyline["current_session"]);
    }
}

#[test]
fn a_copy_takes_its_character_along_unless_an_equal_one_is_there() {
    let file = library(&["a"], "x");
    let mut shelf = Shelf::of(&file);
    let ada = shelf.0.get_mut(&(Part::Characters, "ada".into())).unwrap();
    ada["description"] = "edited here".into();
    let mut moor = shelf.0.remove(&(Part::Backgrounds, "moor".into())).unwrap();
    moor["id"] = "heath".into();
    moor["updated"] = 99.into();
    shelf.0.insert((Part::Backgrounds, "heath".into()), moor);
    shelf.0.retain(|(part, _), _| *part < Part::Storylines);

    shelf.import(Mode::Copy, &file, &mut numbers());
    let storyline = shelf.0.iter().find(|((part, _), _)| *part == Part::Storylines).unwrap().1;
    assert_eq!(storyline["background"], "heath", "an equal one under another id");
    let character = storyline["cast"][0].as_str().unwrap();
    assert!(character.starts_with("new"));
    assert_eq!(shelf.get(Part::Characters, character)["description"], "x");
    assert_eq!(shelf.get(Part::Characters, "ada")["description"], "edited here");
}

/// Whoever speaks in a story is its own, by the id that they have here.
#[test]
fn a_copy_has_its_own_cast() {
    let mut file = library(&["a"], "x");
    let eve = json!({"id": "eve", "name": "Eve", "created": 1, "updated": 1});
    file.insert(1, entry(Part::Characters, eve));
    for entry in &mut file {
        let value = &mut entry.doc.value;
        match entry.part {
            Part::Storylines => value["cast"] = json!(["ada", "eve"]),
            Part::States => value["personas"] = json!({"": {"base_persona": "eve"}, "eve": {"base_persona": "eve"}}),
            Part::Generations if value["id"] == "a-g3" => value["speaker"] = json!("eve"),
            _ => {}
        }
    }
    let mut shelf = Shelf::of(&file);
    shelf.0.get_mut(&(Part::Characters, "eve".into())).unwrap()["name"] = "edited here".into();
    shelf.import(Mode::Copy, &file, &mut numbers());
    shelf.check();
    let copied = |part: Part| shelf.0.iter().filter(move |((of, id), _)| *of == part && id.starts_with("new"));
    let eve = copied(Part::Characters).next().unwrap().0.1.as_str();
    assert_eq!(copied(Part::Storylines).next().unwrap().1["cast"], json!(["ada", eve]));
    let personas = json!({"": {"base_persona": "eve"}, eve: {"base_persona": "eve"}});
    assert_eq!(copied(Part::States).next().unwrap().1["personas"], personas);
    assert!(copied(Part::Generations).any(|(_, reply)| reply["speaker"] == eve));
    assert!(shelf.0.iter().all(|((_, id), value)| id.starts_with("new") || value["speaker"] != eve));
}

#[test]
fn two_ways_on_from_one_place_are_two_stories() {
    let file = library(&["a"], "x");
    let mut shelf = Shelf::of(&file);
    // Here the second turn was played anew.
    let mut turn = shelf.0.remove(&(Part::Turns, "a-t2".into())).unwrap();
    turn["id"] = "mine".into();
    shelf.0.insert((Part::Turns, "mine".into()), turn);
    for part in [Part::Generations, Part::Accounts] {
        shelf.0.remove(&(part, "a-g3".into()));
    }
    let before = shelf.clone();

    let plan = shelf.import(Mode::Merge, &file, &mut numbers());
    assert_eq!((plan.storylines["a"], plan.diverged), (Fate::Copy, vec!["a".into()]));
    assert!(before.0.iter().all(|(key, value)| shelf.0[key] == *value));
    assert_eq!(shelf.check(), before.0.len() + 14);
}

#[test]
fn a_story_that_went_on_elsewhere_goes_on_here() {
    let file = library(&["a"], "x");
    let mut shelf = Shelf::of(&file);
    for (part, id) in [(Part::Branches, "a-fork"), (Part::Turns, "a-t2"), (Part::Generations, "a-g3")] {
        shelf.0.remove(&(part, id.into()));
    }
    let storyline = shelf.0.get_mut(&(Part::Storylines, "a".into())).unwrap();
    storyline["last_active"] = 1.into();
    storyline["head"] = json!({"branch": "a-root", "end": 2});
    storyline["sessions"] = json!([{"id": "only here"}]);
    shelf.import(Mode::Merge, &file, &mut numbers());
    shelf.check();
    let storyline = shelf.get(Part::Storylines, "a");
    assert_eq!(storyline["head"]["branch"], "a-fork");
    assert_eq!(storyline["sessions"][1]["id"], "only here");
    assert_eq!(shelf.0.len(), file.len());
}

#[test]
fn settled() {
    let (some, none) = (true, false);
    for (part, file, stored, written) in [
        (Part::Characters, json!({"updated": 2}), json!({"updated": 1}), some),
        (Part::Characters, json!({"updated": 2, "name": "x"}), json!({"updated": 2}), none),
        (Part::Presets, json!({}), json!({"updated": 2}), none),
        (Part::Storylines, json!({"last_active": 2, "total_turns": 9}), json!({"last_active": 3}), none),
        (
            Part::Storylines,
            json!({"last_active": 3, "total_turns": 9}),
            json!({"last_active": 3, "total_turns": 8}),
            some,
        ),
        (Part::Branches, json!({"length": 3}), json!({"length": 2}), some),
        (Part::Branches, json!({"length": 2}), json!({"length": 3}), none),
        (Part::Turns, json!({"chosen": "g"}), json!({"chosen": null}), some),
        (Part::Turns, json!({"chosen": "g"}), json!({"chosen": "h", "edits": [1]}), none),
        (
            Part::Generations,
            json!({"status": "done", "text": ""}),
            json!({"status": "streaming", "text": "long"}),
            some,
        ),
        (
            Part::Generations,
            json!({"status": "done", "text": "longer"}),
            json!({"status": "done", "text": "long"}),
            some,
        ),
        (
            Part::Generations,
            json!({"status": "done", "text": "longer"}),
            json!({"status": "done", "edits": [1], "text": ""}),
            none,
        ),
        (Part::States, json!({"sheet": "x"}), json!({}), none),
    ] {
        let expected = written.then(|| file.clone());
        assert_eq!(settle(part, file.clone(), Some(&stored)), expected, "{part:?} {file} {stored}");
        assert_eq!(settle(part, file.clone(), None), Some(file));
    }
}

/// What the reader took out of what models are told stays so, whichever side has gone further.
#[test]
fn what_is_not_told_stays_untold() {
    let untold = |at: u32, folded: bool| json!({"at": at, "folded": folded});
    let file = json!({"length": 3, "untold": [untold(1, true)]});
    let stored = json!({"length": 2, "untold": [untold(0, false), untold(1, false)]});
    let both = |winner: &Value, other: &Value| settle(Part::Branches, winner.clone(), Some(other)).unwrap();
    assert_eq!(both(&file, &stored), json!({"length": 3, "untold": [untold(1, true), untold(0, false)]}));
    let stored = json!({"length": 4, "untold": []});
    assert_eq!(both(&file, &stored), json!({"length": 4, "untold": [untold(1, true)]}));
}

#[test]
fn a_copied_id_keeps_its_time() {
    let old: Vec<_> = (0..3u8).map(|n| uuid(1_000 + u64::from(n), [n; 10])).collect();
    let file = [
        entry(Part::Storylines, json!({"id": "s"})),
        // Named first, made last.
        entry(Part::Turns, json!({"id": "t", "storyline": "s", "chosen": old[2]})),
        entry(Part::Generations, json!({"id": old[0], "storyline": "s"})),
        entry(Part::Generations, json!({"id": old[1], "storyline": "s"})),
        entry(Part::Generations, json!({"id": old[2], "storyline": "s"})),
    ];
    let mut made = 200u8;
    let mut shelf = Shelf::default();
    shelf.import(Mode::Copy, &file, &mut || {
        made -= 1;
        uuid(9_999, [made; 10])
    });
    let ids: Vec<_> = shelf.0.keys().filter(|(part, _)| *part == Part::Generations).map(|(_, id)| id.clone()).collect();
    for (new, old) in ids.iter().zip(&old) {
        assert_eq!(new[..14], old[..14]);
        assert_ne!(new, old);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    /// Two copies of a copy: no id twice, everything hangs together, and all prose is the same.
    #[test]
    fn copies_are_whole(file in any_library()) {
        let mut shelf = Shelf::of(&file);
        let mut make = numbers();
        shelf.import(Mode::Copy, &file, &mut make);
        shelf.import(Mode::Copy, &file, &mut make);
        let stories = file.iter().filter(|entry| entry.part == Part::Storylines).count();
        prop_assert_eq!(shelf.check(), file.len() + 2 * 14 * stories);
        let said = |value: &Value| value["text"].as_str().is_some_and(|text| text.ends_with("a-t0"));
        prop_assert_eq!(shelf.0.values().filter(|value| said(value)).count(), 4 * 3);
    }
}

/// What a persona or a prompt's account says of replies follows them into the copy.
#[test]
fn a_copy_points_at_its_own_replies() {
    let mut file = Inventory::default();
    let storyline = json!({"id": "s", "cast": ["c"], "head": {"branch": "b", "end": 1}, "initial_state": "st"});
    file.add(Part::Storylines, &storyline);
    let plan = Plan::new(Mode::Copy, &file, &file, &[]);
    let mut make = numbers();
    let mut renamer = Renamer::new(&plan, &mut make);
    let mut reply = json!({
        "id": "g2", "storyline": "s", "turn": "t", "branch": "b",
        "by_hand": [{"edit": {"old": {"content": "x", "generation": "g1"}}}],
    });
    let mut account = json!({"id": "g2", "storyline": "s", "blocks": [{"identifier": "world", "text_in": "g1"}]});
    let mut state = json!({"id": "st", "storyline": "s", "personas": {"": {"growth_state": {"beliefs": [{"content": "g1", "generation": "g1"}]}}}});
    let mut first = json!({"id": "g1", "storyline": "s", "turn": "t", "branch": "b"});
    assert!(renamer.rewrite(Part::Generations, &mut reply));
    assert!(renamer.rewrite(Part::Accounts, &mut account));
    assert!(renamer.rewrite(Part::States, &mut state));
    assert!(renamer.rewrite(Part::Generations, &mut first));
    let id = &first["id"];
    assert_ne!(id, "g1");
    assert_eq!(&account["blocks"][0]["text_in"], id);
    assert_eq!(account["id"], reply["id"], "it goes with its reply");
    assert_eq!(&reply["by_hand"][0]["edit"]["old"]["generation"], id);
    let belief = &state["personas"][""]["growth_state"]["beliefs"][0];
    assert_eq!((&belief["content"], &belief["generation"]), (&json!("g1"), id), "prose stays as it is");
}
