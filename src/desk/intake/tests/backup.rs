//! A full backup of RisuAI, taken in as a folder is.

use super::*;
use crate::{
    exchange::risu::tests::{Encoding, KEY, backup, files},
    ports::Pages,
    story::{
        character::Character, generation::Generation, reader_persona::ReaderPersona, script::ScriptSet, turn::Turn,
    },
};

#[test]
fn a_backup_of_risu_comes_in_once_and_without_its_keys() {
    let sim = Sim::new([]);
    let desk = Desk::new(sim.ports.clone());
    let rows = take_all(&desk, files(&backup(Encoding::Gzip)));
    let rows: Vec<_> = rows.iter().map(|(path, fate)| (path.as_str(), fate.as_str())).collect();
    assert_eq!(
        rows,
        [
            ("database.risudat/personas.json", "taken Personas Mei risuai,avatar_file"),
            ("database.risudat/personas.json", "taken Personas Me risuai,avatar_file"),
            ("User Avatars/mei.png", "taken Personas Mei"),
            ("lorebooks/Weather.json", "taken Lorebook Weather card"),
            ("characters/Ada.charx", "taken Character Ada extensions.chub,extensions.risuai"),
            ("characters/Lin.charx", "taken Character Lin extensions.risuai"),
            ("presets/Mine.json", "taken Preset Mine risuai"),
            ("scripts/Off.json", "taken Scripts Off risuai"),
            ("scripts/RisuAI.json", "taken Scripts RisuAI risuai"),
            ("scripts/Weather.json", "taken Scripts Weather risuai"),
            ("database.risudat/settings", "left Secret"),
            ("assets/other.png", "left Media"),
            ("groups/Both", "left Group"),
            ("modules/Weather (trigger, mcp)", "left Form"),
            ("characters/Old", "left Thrown"),
            ("chats/Ada/New", "left Empty"),
            ("chats/Ada/Harbour.json", "taken Chat Harbour extra.risu"),
            ("chats/Both/One.json", "taken Chat One extra.risu"),
        ]
    );
    block_on(async {
        let store = &*sim.ports.store;
        let Lists { characters, storylines, .. } = desk.lists().await.unwrap();
        let named = |name: &str| characters.iter().find(|character| character.name == name).unwrap();
        let ada: Character = store.load(named("Ada").id.as_str()).await.unwrap().unwrap();
        assert!(ada.avatar.is_some() && ada.assets.len() == 2 && ada.card.character_book.is_some());
        let story = |title: &str| storylines.iter().find(|story| story.title == title).unwrap();
        assert_eq!(
            (story("Ada – Harbour").cast.as_slice(), story("Ada – Harbour").user_name.as_str()),
            (&[ada.id.clone()][..], "Mei")
        );
        assert_eq!(story("Both – One").cast, [named("Lin").id.clone(), ada.id.clone()]);
        let said: Vec<Generation> = store.list(Query::all(Table::Generations)).await.unwrap();
        assert!(said.iter().any(|said| said.text.contains("Rain, Mei, says Ada.")));
        assert!(!store.list::<Turn>(Query::all(Table::Turns)).await.unwrap().is_empty());
        let personas: Vec<ReaderPersona> = desk.personas().await.unwrap();
        assert_eq!(personas.iter().filter(|persona| persona.avatar.is_some()).count(), 1);
        let books: Vec<Lorebook> = store.list(Query::all(Table::Lorebooks)).await.unwrap();
        let preferences = store.load::<Preferences>(Preferences::ID).await.unwrap().unwrap();
        assert_eq!(preferences.lorebooks, [books[0].id.clone()]);
        let scripts: Vec<ScriptSet> = store.list(Query::all(Table::Scripts)).await.unwrap();
        assert_eq!(scripts.iter().filter(|set| set.enabled).count(), 2);
        // Nothing of what is kept knows a key.
        for table in Table::ALL {
            let mut pages = Pages::new(table);
            while let Some(docs) = pages.next(store).await.unwrap() {
                assert!(docs.iter().all(|doc| !doc.value.to_string().contains(KEY)), "{table:?}");
            }
        }
    });
    // Again, from another encoding: nothing is there twice.
    let again = take_all(&desk, files(&backup(Encoding::PackedBlocks)));
    assert_eq!(again.iter().filter(|(_, fate)| fate.starts_with("taken")).count(), 0, "{again:?}");
    assert_eq!(again.iter().filter(|(_, fate)| fate.starts_with("known")).count(), 11);
}
