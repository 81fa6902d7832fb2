//! What older versions have written opens with nothing lost. (In the browser: `tests/journeys/older.test.mjs`.)

use std::collections::BTreeSet;

use fabula::{
    exchange::merge::Mode,
    ports::Store,
    sim::ports::Sim,
    store::{Belongs, Doc, Part, Query, Record, Table, decode},
    story::{
        account::Account,
        background::Background,
        blob::{Blob, address},
        character::Character,
        generation::Generation,
        lorebook::Lorebook,
        memory::Memory,
        post::Post,
        preset::Preset,
        quick::QuickSet,
        reader_persona::ReaderPersona,
        script::ScriptSet,
        settings::{Config, Connections, Preferences},
        spending::Spending,
        state::State,
        storyline::Storyline,
        tree::Branch,
        turn::Turn,
    },
    turn::{scene, unsent::Unsent},
};
use futures_executor::block_on;
use serde_json::{Value, json};

use super::{fixtures, transfers};

/// Whether all that `then` says `now` says too. What is new has come beside it.
fn holds(now: &Value, then: &Value) -> bool {
    match (now, then) {
        (Value::Object(now), Value::Object(then)) => {
            then.iter().all(|(name, then)| now.get(name).is_some_and(|now| holds(now, then)))
        }
        (Value::Array(now), Value::Array(then)) => {
            now.len() == then.len() && now.iter().zip(then).all(|(now, then)| holds(now, then))
        }
        _ => now == then,
    }
}

fn reads<R: Record>(doc: &Doc) -> Value {
    serde_json::to_value(decode::<R>(doc.value.clone()).unwrap_or_else(|error| panic!("{error}: {}", doc.value)))
        .unwrap()
}

/// A record as the type of now has it; `None` where the index is made of it, and made anew.
fn as_now(table: Table, doc: &Doc) -> Option<Value> {
    Some(match table {
        Table::Characters => reads::<Character>(doc),
        Table::Backgrounds => reads::<Background>(doc),
        Table::Presets => reads::<Preset>(doc),
        Table::Storylines => reads::<Storyline>(doc),
        Table::Branches => reads::<Branch>(doc),
        Table::States => reads::<State>(doc),
        Table::Turns => reads::<Turn>(doc),
        Table::Generations => reads::<Generation>(doc),
        Table::Accounts => reads::<Account>(doc),
        Table::Lorebooks => reads::<Lorebook>(doc),
        Table::Personas => reads::<ReaderPersona>(doc),
        Table::Scripts => reads::<ScriptSet>(doc),
        Table::QuickReplies => reads::<QuickSet>(doc),
        Table::Posts => reads::<Post>(doc),
        Table::Memories => reads::<Memory>(doc),
        Table::Blobs => {
            assert_eq!(doc.value["id"], address(doc.bytes.as_deref().unwrap()).as_str());
            reads::<Blob>(doc)
        }
        Table::Settings => match doc.value["id"].as_str().unwrap() {
            Preferences::ID => reads::<Preferences>(doc),
            Connections::ID => reads::<Connections>(doc),
            "config" => reads::<Config>(doc),
            id if id.starts_with(fabula::store::UNSENT) => reads::<Unsent>(doc),
            other => panic!("what is {other}?"),
        },
        Table::Spending => reads::<Spending>(doc),
        Table::Due | Table::Postings | Table::Vectors | Table::Vault | Table::Sync => return None,
    })
}

#[test]
fn every_record_reads_as_it_was() {
    for older in fixtures::all() {
        let (database, sim) = (older.database(), older.opened());
        let (mut read, mut accounts) = (0, 0);
        for (table, docs) in database {
            let now = block_on(sim.store.query(Query::all(table))).unwrap();
            assert_eq!(now.len(), docs.len(), "{}", table.name());
            for (mut then, now) in docs.into_iter().zip(now) {
                assert_eq!(then.bytes, now.bytes);
                // The names are new, what stands there is not.
                let then_fields = then.value.as_object_mut().unwrap();
                match table {
                    Table::Storylines => {
                        let character = then_fields.shift_remove("character").unwrap();
                        assert_eq!(now.value["cast"], json!([character]));
                    }
                    Table::States => {
                        let persona = then_fields.shift_remove("persona").unwrap();
                        assert!(holds(&reads::<State>(&now)["personas"], &json!({ "": persona })));
                    }
                    _ => {}
                }
                if table == Table::Generations
                    && let Some(then) = then.value.as_object_mut().unwrap().shift_remove("account")
                {
                    let account = block_on(sim.store.get(Table::Accounts, id(&now))).unwrap().unwrap();
                    assert_eq!(account.value["storyline"], now.value["storyline"]);
                    assert!(holds(&reads::<Account>(&account), &then), "{then} became {}", account.value);
                    accounts += 1;
                }
                if let Some(now) = as_now(table, &now) {
                    assert!(holds(&now, &then.value), "{}: {} became {now}", table.name(), then.value);
                    read += 1;
                }
            }
        }
        assert!(read > 60 && accounts > 5, "{}: {read} records, {accounts} accounts", older.folder.display());
        assert_eq!(block_on(sim.store.count(Query::all(Table::Accounts))).unwrap(), accounts);
    }
}

#[test]
fn the_stories_read_as_they_were_shown() {
    for older in fixtures::all() {
        let sim = older.opened();
        let stories: Vec<Storyline> = block_on(sim.ports.store.list(Query::all(Table::Storylines))).unwrap();
        for (title, shown) in older.read("shown.json").as_object().unwrap() {
            let story = stories.iter().find(|story| story.title == *title).unwrap();
            let nodes = block_on(async {
                let path = scene::path(&*sim.ports.store, story).await.unwrap();
                scene::window(&*sim.ports.store, &path, 0, path.end).await.unwrap()
            });
            let shown = shown.as_array().unwrap();
            assert_eq!(nodes.len(), shown.len(), "{title}");
            for (node, shown) in nodes.iter().zip(shown) {
                let (turn, reply) = (&node.turn, node.reply().unwrap());
                assert_eq!(
                    (turn.position.into(), turn.user.as_deref()),
                    (shown[0].as_u64().unwrap(), shown[1].as_str())
                );
                assert!(reply.text.contains(shown[2].as_str().unwrap()), "{title}: {} is not {}", reply.text, shown[2]);
            }
        }
    }
}

fn id(doc: &Doc) -> &str {
    doc.value["id"].as_str().unwrap()
}

/// Every part that a story can have is in the fixtures, and comes out of the archive as it lies in the database.
#[test]
fn archives_come_in_whole() {
    for older in fixtures::all() {
        let database = older.upgraded();
        // Tables that came later are empty.
        let there = |part: Part| database.get(&part.table()).map_or(&[][..], Vec::as_slice);
        let is_binned = |doc: &Doc| !doc.value["deleted"].is_null();
        let stories = &database[&Table::Storylines];
        let gone: BTreeSet<&str> = stories.iter().filter(|doc| is_binned(doc)).map(id).collect();
        let of_story = |doc: &Doc| doc.value["storyline"].as_str().unwrap_or(id(doc)).to_owned();
        for name in ["library.fabula", "story.fabula", "savepoint.fabula"] {
            let sim = Sim::new([]);
            let (file, told) = transfers::imported(&sim.ports, Mode::Merge, &older.archive(name));
            assert_eq!((file.summary.broken.len(), file.summary.warnings.len()), (0, 0), "{name}: {:?}", file.summary);
            let mut count = 0;
            for part in Part::ALL {
                let now = block_on(sim.store.query(Query::all(part.table()))).unwrap();
                assert!(
                    name == "savepoint.fabula" || part == Part::Presets || now.is_empty() == there(part).is_empty(),
                    "{name}: {}",
                    part.name()
                );
                count += now.len() as u64;
                let then: Vec<&Doc> = there(part)
                    .iter()
                    .filter(|doc| match part.belongs() {
                        Belongs::Root => {
                            id(doc) == file.titles[0].0.as_str() || name == "library.fabula" && !is_binned(doc)
                        }
                        Belongs::Story(_) => {
                            of_story(doc) == file.titles[0].0.as_str()
                                || name == "library.fabula" && !gone.contains(&*of_story(doc))
                        }
                        _ => name == "library.fabula" && !is_binned(doc),
                    })
                    .collect();
                match (name, part.belongs()) {
                    // A story of its own, with ids of its own.
                    ("savepoint.fabula", _) => {}
                    ("story.fabula", Belongs::Library | Belongs::Content) => {
                        assert!(now.iter().all(|doc| there(part).contains(doc)));
                    }
                    _ => assert_eq!(now.iter().collect::<Vec<_>>(), then, "{name}: {}", part.name()),
                }
            }
            assert_eq!(told.records, count, "{name}");
        }
    }
}
