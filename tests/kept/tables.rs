//! Each table is in the bin, in archives, in merges, copies and excerpts, or says why not; on a database with everything
//! in it. A table that has no records there gets some.

use std::collections::BTreeSet;

use fabula::{
    exchange::{
        archive::{Entry, Reader},
        limits::Limits,
        merge::Mode,
    },
    ports::Store,
    sim::{ports::Sim, store::MemoryStore},
    store::{Batch, Belongs, Doc, Hangs, Id, Joins, Of, Op, Part, Query, Table, field},
    story::{
        background::Background,
        character::Character,
        ids::StorylineId,
        lorebook::Lorebook,
        reader_persona::ReaderPersona,
        storyline::{SavePoint, Storyline},
    },
    transfer::Scope,
    turn::bin::{self, Binned},
};
use futures_executor::block_on;
use serde_json::{Value, json};

use super::{fixtures, transfers};

fn id(doc: &Doc) -> String {
    doc.value["id"].as_str().unwrap().to_owned()
}

fn all(store: &MemoryStore, table: Table) -> Vec<Doc> {
    block_on(store.query(Query::all(table))).unwrap()
}

/// A database with records in every table.
fn full() -> Sim {
    let sim = fixtures::all().pop().unwrap().opened();
    let mut ops = Vec::new();
    let stories: Vec<String> = all(&sim.store, Table::Storylines).iter().map(id).collect();
    for table in Table::ALL {
        let bytes = table.has_bytes().then(|| [1, 2, 3].into());
        for story in &stories {
            if all(&sim.store, table).is_empty() {
                let value = json!({ "id": format!("{}-{story}", table.name()), "storyline": story });
                ops.push(Op::Put(table, Doc { value, bytes: bytes.clone() }));
            }
            for start in table.describe().of_story {
                ops.push(Op::Put(table, json!({ "id": format!("{start}{story}") }).into()));
            }
        }
    }
    block_on(sim.store.commit(Batch { ops, ..Batch::new() })).unwrap();
    assert!(Table::ALL.into_iter().all(|table| !all(&sim.store, table).is_empty()));
    sim
}

#[test]
fn a_table_says_what_it_takes_no_part_in() {
    let mut names = BTreeSet::new();
    for table in Table::ALL {
        let about = table.describe();
        assert!(names.insert(about.name), "{} is there twice", about.name);
        assert_eq!(Part::of(table).is_some(), about.archive == Joins::Yes, "{}: archive", about.name);
        for joins in [about.archive, about.bin] {
            assert!(!matches!(joins, Joins::No("")), "{}: why?", about.name);
        }
        // What is deleted with its storyline, or named by it no more, is found by it.
        let is_found = about.indexes.iter().any(|index| index.fields == ["storyline"]);
        assert_eq!(is_found, matches!(about.belongs, Belongs::Story(_) | Belongs::Ledger), "{}: index", about.name);
        // What is made of the rest is made anew, and takes no room in a file.
        let is_made = about.belongs == Belongs::Story(Hangs::Made);
        assert!(!is_made || about.archive != Joins::Yes, "{}", about.name);
        // What waits in the bin says since when.
        assert!(about.bin != Joins::Yes || about.times.contains(&"deleted"), "{}: bin", about.name);
    }
    for part in Part::ALL {
        assert_eq!(serde_json::to_value(part).unwrap(), part.name(), "the stored name");
    }
    for (key, table) in [("keys", Table::Vault), ("connections", Table::Settings)] {
        assert_eq!(Part::of(table), None, "{key} stay");
    }
}

#[test]
fn with_a_storyline_goes_all_that_is_of_it_and_nothing_else() {
    let sim = full();
    let stories: Vec<StorylineId> = all(&sim.store, Table::Storylines).iter().map(|doc| id(doc).into()).collect();
    for story in stories {
        let is_of_it = |table: Table, doc: &Doc| {
            let kept = table.describe().of_story.iter().any(|start| id(doc) == format!("{start}{story}"));
            let named = matches!(table.belongs(), Belongs::Story(_)) && doc.value["storyline"] == story.as_str();
            kept || named || id(doc) == story.as_str()
        };
        let stays = |table| {
            let docs = all(&sim.store, table).into_iter();
            let mut docs = docs.filter(move |doc| !is_of_it(table, doc)).collect::<Vec<_>>();
            // A ledger keeps all of its records, without the name.
            let named = |doc: &&mut Doc| doc.value["storyline"] == story.as_str();
            for doc in docs.iter_mut().filter(|doc| table.belongs() == Belongs::Ledger && named(doc)) {
                doc.value.as_object_mut().unwrap().shift_remove("storyline");
            }
            docs
        };
        let expected: Vec<_> = Table::ALL.into_iter().map(stays).collect();
        block_on(bin::delete_storyline(&*sim.store, &story)).unwrap();
        for (table, expected) in Table::ALL.into_iter().zip(expected) {
            assert_eq!(all(&sim.store, table), expected, "{}", table.name());
        }
    }
    for table in Table::of_story() {
        assert_eq!(all(&sim.store, table), [], "{}", table.name());
    }
}

/// The tables that say so, and no others, have a type that can lie in the bin.
#[test]
fn the_bin_takes_what_says_so() {
    fn table<R: Binned>() -> Table {
        R::TABLE
    }
    let binned = [
        table::<Character>(),
        table::<Background>(),
        table::<Lorebook>(),
        table::<ReaderPersona>(),
        table::<Storyline>(),
    ];
    for table in Table::ALL {
        assert_eq!(binned.contains(&table), table.describe().bin == Joins::Yes, "{}", table.name());
    }
}

fn entries(text: &str) -> Vec<Entry> {
    let mut reader = Reader::new(Limits::default());
    let entries = reader.push(text.as_bytes()).unwrap();
    reader.finish().unwrap();
    entries
}

#[test]
fn a_library_goes_out_and_comes_in_with_every_part() {
    let from = full();
    let (text, told) = transfers::exported(&from.ports, Scope::Library);
    assert_eq!((told.left_out.len(), told.warnings.len()), (0, 0), "{told:?}");
    let to = Sim::new([]);
    transfers::imported(&to.ports, Mode::Merge, &text);
    for table in Table::ALL {
        let (there, here) = (all(&to.store, table), all(&from.store, table));
        if Part::of(table).is_some() {
            assert!(!there.is_empty(), "{}", table.name());
            assert!(there.iter().all(|doc| here.contains(doc)), "{}", table.name());
        } else {
            // But for what the index is to take in.
            assert!(there.is_empty() || table == Table::Due, "{}", table.name());
        }
    }
    assert_eq!(transfers::exported(&to.ports, Scope::Library).0.lines().count(), text.lines().count());
    // Merged into itself nothing changes.
    transfers::imported(&to.ports, Mode::Merge, &text);
    let again = transfers::exported(&to.ports, Scope::Library).0;
    let body = |text: &str| text.lines().skip(1).take(text.lines().count() - 2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(body(&again), body(&text));
}

/// The ids of sessions, and of all records that belong to a story or are one.
fn ids_of_stories(store: &MemoryStore) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for table in Table::of_story().chain([Table::Storylines]) {
        for doc in all(store, table) {
            ids.insert(id(&doc));
            ids.extend(table.ids_in(Of::Session, &doc.value).into_iter().map(str::to_owned));
        }
    }
    ids.remove("");
    ids
}

fn texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, found)),
        _ => {}
    }
}

/// A copy has ids of its own, and names none of the original's: else the two would be linked.
#[test]
fn a_copy_is_linked_to_nothing_of_the_original() {
    let sim = full();
    let (text, _) = transfers::exported(&sim.ports, Scope::Library);
    let before = ids_of_stories(&sim.store);
    assert!(before.len() > 60);
    transfers::imported(&sim.ports, Mode::Copy, &text);
    let mut copied = 0;
    for part in Part::ALL.into_iter().filter(|part| matches!(part.belongs(), Belongs::Root | Belongs::Story(_))) {
        let docs = all(&sim.store, part.table());
        let news: Vec<_> = docs.iter().filter(|doc| !before.contains(&id(doc))).collect();
        assert!(!news.is_empty(), "{}", part.name());
        for new in news {
            let mut found = Vec::new();
            texts(&new.value, &mut found);
            let old: Vec<_> = found.into_iter().filter(|text| before.contains(*text)).collect();
            assert_eq!(old, Vec::<&str>::new(), "{}: {}", part.name(), new.value);
            copied += 1;
        }
    }
    assert!(copied > 40, "{copied} were copied");
}

/// What leads to a save point is whole in itself: whatever is named is there.
#[test]
fn an_excerpt_names_nothing_that_it_lacks() {
    let sim = full();
    let of = |doc: Doc| {
        let story: Storyline = serde_json::from_value(doc.value).unwrap();
        let SavePoint { id: point, position, .. } = story.savepoints.first()?.clone();
        Some((story.id, point, position))
    };
    let (story, point, position) = all(&sim.store, Table::Storylines).into_iter().find_map(of).unwrap();
    let whole = entries(&transfers::exported(&sim.ports, Scope::Storyline(story.clone())).0);
    let excerpt = entries(&transfers::exported(&sim.ports, Scope::SavePoint(story, point)).0);
    let has = |part: Part, id: &str| excerpt.iter().any(|entry| entry.part == part && entry.id() == id);
    let count = |entries: &[Entry], part| entries.iter().filter(|entry| entry.part == part).count();
    for part in Part::ALL {
        assert!(count(&excerpt, part) <= count(&whole, part), "{}", part.name());
    }
    assert_eq!(count(&excerpt, Part::Turns), position as usize + 1);
    assert!(count(&whole, Part::Turns) > count(&excerpt, Part::Turns));
    for entry in &excerpt {
        for Id(path, of) in entry.part.table().describe().ids {
            field::texts(&entry.doc.value, path, &mut |id| {
                let Of::Part(part) = of else { return };
                // A preset that ships with the program is in no file.
                let is_there = id.is_empty() || has(*part, id) || *part == Part::Presets;
                assert!(is_there, "{} {}: {path} {id}", entry.part.name(), entry.id());
            });
        }
    }
}
