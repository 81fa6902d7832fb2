//! Lorebooks go where what they hang on goes.

use super::*;

fn ids(store: &dyn Store) -> Vec<String> {
    library(store).into_keys().filter(|(part, _)| *part == Part::Lorebooks).map(|(_, id)| id).collect()
}

/// A story with four lorebooks on what it is made of, and one on nothing of it.
fn with_books() -> Vec<Entry> {
    let mut all = samples::library(&["a"], "x");
    for (part, books) in [
        (Part::Characters, json!(["of-ada"])),
        (Part::Backgrounds, json!(["of-moor", "shared"])),
        (Part::Storylines, json!(["of-a", "shared"])),
    ] {
        all.iter_mut().find(|entry| entry.part == part).unwrap().doc.value["lorebooks"] = books;
    }
    let book = |id: &str| {
        entry(
            Part::Lorebooks,
            json!({ "id": id, "name": id, "created": 1, "updated": 2, "entries": [{ "keys": ["x"], "content": "of-ada" }] }),
        )
    };
    all.extend(["of-ada", "of-moor", "shared", "of-a", "loose"].map(book));
    all.sort_by_key(|entry| entry.part);
    all
}

#[test]
fn a_storyline_takes_along_those_that_hang_on_it() {
    let from = sim_with(&with_books());
    let (text, outcome) = exported(&from.ports, Scope::Storyline("a".into()));
    assert_eq!(outcome.unwrap().left_out, []);
    let to = Sim::new([]);
    imported(&to.ports, Mode::Merge, &text).unwrap();
    assert_eq!(ids(&*to.store), ["of-a", "of-ada", "of-moor", "shared"]);
    let (text, _) = exported(&from.ports, Scope::Library);
    let to = Sim::new([]);
    imported(&to.ports, Mode::Merge, &text).unwrap();
    assert_eq!(library(&*to.store), library(&*from.store));
}

/// Where another of the same id is there, whatever names it names the copy.
#[test]
fn a_copy_names_its_own() {
    let sim = sim_with(&with_books());
    let (text, _) = exported(&sim.ports, Scope::Storyline("a".into()));
    for id in ["of-ada", "shared"] {
        let mut there = library(&*sim.store)[&(Part::Lorebooks, id.to_owned())].value.clone();
        there["name"] = json!("edited here");
        put(&*sim.store, &[entry(Part::Lorebooks, there)]);
    }
    let done = imported(&sim.ports, Mode::Copy, &text).unwrap();
    let there = library(&*sim.store);
    let copy = &there[&(Part::Storylines, done.storyline.unwrap().0)].value;
    let named = |record: &Value| -> Vec<String> { serde_json::from_value(record["lorebooks"].clone()).unwrap() };
    let [own, shared] = &named(copy)[..] else { panic!("{copy}") };
    assert_eq!(own, "of-a", "an equal one is there");
    assert_eq!(there[&(Part::Lorebooks, shared.clone())].value["name"], "shared");
    let background = &there[&(Part::Backgrounds, copy["background"].as_str().unwrap().to_owned())].value;
    assert_eq!(there.keys().filter(|(part, _)| *part == Part::Lorebooks).count(), 5 + 2);
    assert!(named(background).iter().all(|id| there.contains_key(&(Part::Lorebooks, id.clone()))), "{background}");
    let character = &there[&(Part::Characters, copy["cast"][0].as_str().unwrap().to_owned())].value;
    assert!(named(character).iter().all(|id| there.contains_key(&(Part::Lorebooks, id.clone()))), "{character}");
}
