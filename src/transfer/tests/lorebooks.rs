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
    let named = |part: Part, id: &Value| -> Vec<&Value> {
        let books = there[&(part, id.as_str().unwrap().to_owned())].value["lorebooks"].as_array().unwrap();
        books.iter().map(|id| &there[&(Part::Lorebooks, id.as_str().unwrap().to_owned())].value).collect()
    };
    let names = |part, id| named(part, id).into_iter().map(|book| &book["name"]).collect::<Vec<_>>();
    assert_eq!(named(Part::Storylines, &copy["id"])[0]["id"], "of-a", "an equal one is there");
    assert_eq!(names(Part::Storylines, &copy["id"]), ["of-a", "shared"]);
    assert_eq!(names(Part::Backgrounds, &copy["background"]), ["of-moor", "shared"]);
    assert_eq!(names(Part::Characters, &copy["cast"][0]), ["of-ada"]);
    // What was edited here stays with what names it here.
    assert_eq!(names(Part::Characters, &json!("ada")), ["edited here"]);
    let count = |there: &BTreeMap<(Part, String), Doc>, part: Part| there.keys().filter(|key| key.0 == part).count();
    assert_eq!(count(&there, Part::Lorebooks), 5 + 2);
    // Once it is there, it is an equal one.
    imported(&sim.ports, Mode::Copy, &text).unwrap();
    let again = library(&*sim.store);
    for part in [Part::Characters, Part::Backgrounds, Part::Lorebooks] {
        assert_eq!(count(&again, part), count(&there, part), "{part:?}");
    }
}
