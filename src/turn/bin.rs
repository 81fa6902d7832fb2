//! The bin: what the reader deletes waits there for a week, and comes back with nothing lost.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::prune;
use crate::{
    ports::{Pages, Ports, Store},
    store::{
        Batch, Belongs, Doc, Of, Op, Part, Query, Record, Stored, Table,
        changed::{self, LOST},
        record,
    },
    story::{
        Millis,
        background::Background,
        character::Character,
        ids::{BlobId, StorylineId},
        lorebook::Lorebook,
        order,
        reader_persona::ReaderPersona,
        storyline::Storyline,
    },
};

/// How long the bin keeps what is in it.
pub const KEPT_FOR: Millis = 7 * 24 * 3_600_000;

/// Deletes that one commit holds.
const BATCH: usize = 500;

/// A record that can lie in the bin.
pub trait Binned: Record {
    fn deleted(&self) -> Option<Millis>;
    fn set_deleted(&mut self, deleted: Option<Millis>);
}

macro_rules! binned {
    ($($type:ty),*) => {$(
        impl Binned for $type {
            fn deleted(&self) -> Option<Millis> {
                self.deleted
            }

            fn set_deleted(&mut self, deleted: Option<Millis>) {
                self.deleted = deleted;
            }
        }
    )*};
}
binned!(Character, Background, Lorebook, ReaderPersona, Storyline);

/// Puts a record into the bin.
pub async fn discard<R: Binned>(ports: &Ports, key: &str) -> Stored<()> {
    set_deleted::<R>(ports, key, Some(ports.clock.now())).await
}

/// Takes a record out of the bin, unless it is being deleted for ever.
pub async fn restore<R: Binned>(ports: &Ports, key: &str) -> Stored<()> {
    set_deleted::<R>(ports, key, None).await
}

async fn set_deleted<R: Binned>(ports: &Ports, key: &str, deleted: Option<Millis>) -> Stored<()> {
    let set = |record: &mut R| {
        if record.deleted() != Some(GOING) {
            record.set_deleted(deleted);
        }
    };
    ports.store.amend::<R>(key, set).await.map(drop)
}

/// In the bin since then is what is being deleted for ever: it does not come back, for some of it may be gone.
const GOING: Millis = 0;

/// What is in the bin, the newest first.
pub async fn list<R: Binned>(store: &dyn Store) -> Stored<Vec<R>> {
    let mut records: Vec<R> = store.list(Query::all(R::TABLE)).await?;
    records.retain(|record| record.deleted().is_some_and(|deleted| deleted != GOING));
    order::by_key(&mut records, |record| std::cmp::Reverse(record.deleted()));
    Ok(records)
}

/// Deletes for ever what lies in the bin, of a storyline also all that hangs on it; what was taken out stays. A
/// character's picture goes once [`purge`] has found it loose for a week.
pub async fn delete_forever<R: Binned>(store: &dyn Store, key: &str) -> Stored<()> {
    empty::<R>(store, key, |_| true).await
}

/// The same of what has lain there as long as is meant.
async fn empty<R: Binned>(store: &dyn Store, key: &str, is_meant: impl Fn(Millis) -> bool) -> Stored<()> {
    let is_there = |record: &R| record.deleted().is_some_and(&is_meant);
    if R::TABLE != Table::Storylines {
        return match store.load::<R>(key).await?.filter(is_there) {
            Some(_) => store.commit(Batch::new().delete(R::TABLE, key)).await,
            None => Ok(()),
        };
    }
    let going = |stored: Option<R>| {
        let mut record = stored.filter(is_there)?;
        record.set_deleted(Some(GOING));
        Some(record)
    };
    match store.remake(key, going).await? {
        Some(_) => delete_storyline(store, &key.into()).await,
        None => Ok(()),
    }
}

/// Deletes a storyline for ever, with all that hangs on it, whether or not it lies in the bin. Cut short, it leaves the
/// storyline, and the next attempt does the rest.
pub async fn delete_storyline(store: &dyn Store, id: &StorylineId) -> Stored<()> {
    let mut ops = Vec::new();
    for table in Table::of_story().rev() {
        let keys = store.keys(Query::equal(table, "storyline", id.as_str())).await?;
        ops.extend(keys.into_iter().map(|key| Op::Delete(table, key)));
    }
    for table in Table::ALL {
        let kept = table.describe().of_story.iter().map(|start| format!("{start}{id}"));
        ops.extend(kept.map(|key| Op::Delete(table, key)));
    }
    for table in Table::ALL.into_iter().filter(|table| table.belongs() == Belongs::Ledger) {
        let docs = store.query(Query::equal(table, "storyline", id.as_str())).await?;
        ops.extend(docs.into_iter().map(|doc| Op::Put(table, nameless(doc))));
    }
    ops.push(Op::Delete(Table::Storylines, id.0.clone()));
    for ops in ops.chunks(BATCH) {
        store.commit(Batch { ops: ops.to_vec(), ..Batch::new() }).await?;
    }
    Ok(())
}

/// A record of a ledger whose storyline is gone.
fn nameless(mut doc: Doc) -> Doc {
    doc.value.as_object_mut().map(|fields| fields.shift_remove("storyline"));
    doc
}

/// Deletes for ever what has been in the bin for too long, and pictures that nobody refers to. A character,
/// background or persona that a story still waits for stays, however old.
pub async fn purge(ports: &Ports) -> Stored<()> {
    let (store, now) = (&*ports.store, ports.clock.now());
    let is_over = |deleted: Millis| deleted + KEPT_FOR < now;
    let over = |deleted: Option<Millis>| deleted.is_some_and(is_over);
    for storyline in store.list::<Storyline>(Query::all(Table::Storylines)).await? {
        if over(storyline.deleted) && !is_untold(store, Table::Storylines, storyline.id.as_str()).await? {
            empty::<Storyline>(store, storyline.id.as_str(), is_over).await?;
        }
    }
    for part in [Part::Characters, Part::Backgrounds, Part::Personas] {
        let docs = store.query(Query::all(part.table())).await?;
        let mut gone = docs.iter().filter(|doc| over(doc.value["deleted"].as_u64())).peekable();
        if gone.peek().is_none() {
            continue;
        }
        // Whoever has left a story speaks in it still.
        let used = named_in(store, part, [Table::Storylines]).await?;
        for doc in gone.filter(|doc| !used.contains(doc.id())) {
            store.commit(Batch::new().delete(part.table(), doc.id())).await?;
        }
    }
    let books = list::<Lorebook>(store).await?;
    let used = if books.is_empty() { BTreeSet::new() } else { named(store, Part::Lorebooks).await? };
    for book in books.iter().filter(|book| over(book.deleted) && !used.contains(book.id.as_str())) {
        empty::<Lorebook>(store, book.id.as_str(), is_over).await?;
    }
    prune::purge(ports).await?;
    sweep_pictures(store, now).await
}

/// Whether a record has changed and the reader's other devices were not told: what lies in the bin goes once they know that
/// it does.
pub(super) async fn is_untold(store: &dyn Store, table: Table, id: &str) -> Stored<bool> {
    let note = changed::id(table, id);
    let notes = store.get_many(Table::Sync, &[note.clone(), changed::ME.to_owned()]).await?;
    Ok(notes.iter().any(|doc| doc.id() == note || changed::is_being_told(&doc.value, &note)))
}

/// Pictures that no record names, and since when. One record, named `loose_pictures`.
///
/// A picture goes only after a week of that: another tab may be amid an import that stores the pictures first and the
/// characters after them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoosePictures {
    pub id: String,
    pub since: BTreeMap<BlobId, Millis>,
}
record!(LoosePictures, Settings);

const LOOSE_PICTURES: &str = "loose_pictures";

/// The pictures that any record names.
pub async fn pictures_in_use(store: &dyn Store) -> Stored<BTreeSet<String>> {
    named(store, Part::Blobs).await
}

/// The ids of a table that records of any name.
async fn named(store: &dyn Store, part: Part) -> Stored<BTreeSet<String>> {
    named_in(store, part, Table::ALL).await
}

/// The same of records of these.
async fn named_in(store: &dyn Store, part: Part, tables: impl IntoIterator<Item = Table>) -> Stored<BTreeSet<String>> {
    let (of, mut named) = (Of::Part(part), BTreeSet::new());
    for table in tables.into_iter().filter(|table| table.names(of)) {
        let mut pages = Pages::new(table);
        while let Some(docs) = pages.next(store).await? {
            named.extend(docs.iter().flat_map(|doc| table.ids_in(of, &doc.value)).map(str::to_owned));
        }
    }
    Ok(named)
}

async fn sweep_pictures(store: &dyn Store, now: Millis) -> Stored<()> {
    let stored = store.keys(Query::all(Table::Blobs)).await?;
    if stored.is_empty() {
        return Ok(());
    }
    let mut used = pictures_in_use(store).await?;
    // Of two devices' pictures of one character those of the one are in a version that lost.
    for doc in store.query(changed::beginning(LOST, None)).await? {
        let of = doc.id().trim_start_matches(LOST).split('/').next();
        let table = Table::ALL.into_iter().find(|table| of == Some(table.name()));
        let named = table.map(|table| table.ids_in(Of::Part(Part::Blobs), &doc.value["value"]));
        used.extend(named.into_iter().flatten().map(str::to_owned));
    }
    let before = store.load::<LoosePictures>(LOOSE_PICTURES).await?.unwrap_or_default();
    let mut loose = LoosePictures { id: LOOSE_PICTURES.into(), since: BTreeMap::new() };
    let mut batch = Batch::new();
    for picture in stored.into_iter().map(BlobId).filter(|picture| !used.contains(picture.as_str())) {
        let since = before.since.get(&picture).copied().unwrap_or(now);
        if since + KEPT_FOR < now {
            batch = batch.delete(Table::Blobs, picture.as_str());
        } else {
            loose.since.insert(picture, since);
        }
    }
    if loose.since != before.since {
        batch.push(&loose);
    }
    store.commit(batch).await
}

#[cfg(test)]
mod tests {
    use futures_executor::block_on;
    use serde_json::json;

    use super::*;
    use crate::{
        sim::ports::Sim,
        store::Doc,
        story::{settings::Preferences, storyline::Language},
        turn::{NewStoryline, open::open_storyline},
    };

    const DAY: Millis = 24 * 3_600_000;

    /// The same library, so many days later.
    fn later(ports: &Ports, days: u64) -> Ports {
        let clock = crate::sim::ports::MemoryClock::at(ports.clock.now() + days * DAY);
        Ports { clock: std::rc::Rc::new(clock), ..ports.clone() }
    }

    async fn character(ports: &Ports, name: &str, avatar: Option<&str>) -> Character {
        let character =
            Character { id: ports.id(), name: name.into(), avatar: avatar.map(Into::into), ..Default::default() };
        ports.store.save(&character).await.unwrap();
        character
    }

    async fn story(ports: &Ports, character: &Character) -> Storyline {
        let new = NewStoryline {
            title: "t".into(),
            character,
            background: None,
            preset: "plain".into(),
            connection: None,
            user_name: String::new(),
            plays_as: None,
            language: Language::En,
            demo: false,
        };
        open_storyline(ports, new).await.unwrap()
    }

    async fn counts(ports: &Ports) -> Vec<(&'static str, u32)> {
        let mut counts = Vec::new();
        for table in Table::ALL {
            let count = ports.store.count(Query::all(table)).await.unwrap();
            counts.extend((count > 0).then_some((table.name(), count)));
        }
        counts
    }

    #[test]
    fn there_and_back() {
        block_on(async {
            let ports = Sim::new([]).ports;
            let ada = character(&ports, "Ada", None).await;
            discard::<Character>(&ports, ada.id.as_str()).await.unwrap();
            assert_eq!(list::<Character>(&*ports.store).await.unwrap().len(), 1);
            restore::<Character>(&ports, ada.id.as_str()).await.unwrap();
            assert_eq!(ports.store.load::<Character>(ada.id.as_str()).await.unwrap(), Some(ada));
            discard::<Character>(&ports, "nobody").await.unwrap();
            assert_eq!(counts(&ports).await, [("characters", 1)]);
        });
    }

    #[test]
    fn after_a_week_it_is_gone_with_all_that_hangs_on_it() {
        block_on(async {
            let ports = Sim::new([]).ports;
            let ada = character(&ports, "Ada", None).await;
            let (gone, kept) = (story(&ports, &ada).await, story(&ports, &ada).await);
            let whole = counts(&ports).await;
            discard::<Storyline>(&ports, gone.id.as_str()).await.unwrap();
            purge(&later(&ports, 7)).await.unwrap();
            assert_eq!(counts(&ports).await, whole, "the week is not over");
            purge(&later(&ports, 8)).await.unwrap();
            let left = counts(&ports).await;
            assert_eq!(left.len(), whole.len());
            for ((name, before), (_, now)) in whole.iter().zip(&left) {
                assert_eq!(*now, if *name == "characters" { 1 } else { before / 2 }, "{name}");
            }

            discard::<Character>(&ports, ada.id.as_str()).await.unwrap();
            purge(&later(&ports, 8)).await.unwrap();
            assert_eq!(list::<Character>(&*ports.store).await.unwrap().len(), 1, "a story waits for it");
            // One who has left the story speaks in it still.
            let eve = character(&ports, "Eve", None).await;
            let mut with_eve = kept.clone();
            with_eve.personas.insert(eve.id.0.clone(), Default::default());
            ports.store.save(&with_eve).await.unwrap();
            discard::<Character>(&ports, eve.id.as_str()).await.unwrap();
            purge(&later(&ports, 8)).await.unwrap();
            assert_eq!(list::<Character>(&*ports.store).await.unwrap().len(), 2);
            discard::<Storyline>(&ports, kept.id.as_str()).await.unwrap();
            purge(&later(&ports, 8)).await.unwrap();
            assert_eq!(counts(&ports).await, []);
        });
    }

    #[test]
    fn a_persona_stays_while_a_story_is_played_as_it() {
        block_on(async {
            let ports = Sim::new([]).ports;
            let ada = character(&ports, "Ada", None).await;
            let played = Storyline { plays_as: Some("played".into()), ..story(&ports, &ada).await };
            ports.store.save(&played).await.unwrap();
            for id in ["played", "loose"] {
                ports.store.save(&ReaderPersona { id: id.into(), ..Default::default() }).await.unwrap();
                discard::<ReaderPersona>(&ports, id).await.unwrap();
            }
            purge(&later(&ports, 8)).await.unwrap();
            assert_eq!(ports.store.keys(Query::all(Table::Personas)).await.unwrap(), ["played"]);
        });
    }

    #[test]
    fn a_lorebook_stays_while_something_names_it() {
        block_on(async {
            let ports = Sim::new([]).ports;
            for id in ["loose", "of-ada", "of-all"] {
                ports.store.save(&Lorebook { id: id.into(), ..Default::default() }).await.unwrap();
                discard::<Lorebook>(&ports, id).await.unwrap();
            }
            let mut ada = character(&ports, "Ada", None).await;
            ada.lorebooks = vec!["of-ada".into()];
            let preferences = Preferences { lorebooks: vec!["of-all".into()], ..Default::default() };
            ports.store.commit(Batch::new().put(&ada).put(&preferences)).await.unwrap();
            purge(&later(&ports, 8)).await.unwrap();
            assert_eq!(ports.store.keys(Query::all(Table::Lorebooks)).await.unwrap(), ["of-ada", "of-all"]);
        });
    }

    /// Another tab's bin may still show it.
    #[test]
    fn what_was_taken_out_of_the_bin_is_not_deleted() {
        block_on(async {
            let ports = Sim::new([]).ports;
            let ada = character(&ports, "Ada", None).await;
            let story = story(&ports, &ada).await;
            let whole = counts(&ports).await;
            discard::<Storyline>(&ports, story.id.as_str()).await.unwrap();
            restore::<Storyline>(&ports, story.id.as_str()).await.unwrap();
            delete_forever::<Storyline>(&*ports.store, story.id.as_str()).await.unwrap();
            assert_eq!(counts(&ports).await, whole);
        });
    }

    #[test]
    fn a_deletion_cut_short_is_taken_up_again() {
        block_on(async {
            let sim = Sim::new([]);
            let ports = &sim.ports;
            let ada = character(ports, "Ada", None).await;
            let story = story(ports, &ada).await;
            for position in 1..=BATCH as u32 {
                let turn = crate::story::turn::Turn {
                    id: ports.id(),
                    storyline: story.id.clone(),
                    position,
                    ..Default::default()
                };
                ports.store.save(&turn).await.unwrap();
            }
            discard::<Storyline>(ports, story.id.as_str()).await.unwrap();
            // Until it fails between two batches.
            let whole = counts(ports).await;
            for nth in 0.. {
                sim.store.fail(nth, "QuotaExceededError");
                assert!(delete_forever::<Storyline>(&*ports.store, story.id.as_str()).await.is_err());
                sim.store.heal();
                if counts(ports).await != whole {
                    break;
                }
            }
            // Half of it is offered to nobody.
            assert_eq!(list::<Storyline>(&*ports.store).await.unwrap(), []);
            restore::<Storyline>(ports, story.id.as_str()).await.unwrap();
            assert!(ports.store.load::<Storyline>(story.id.as_str()).await.unwrap().unwrap().deleted.is_some());
            purge(ports).await.unwrap();
            assert_eq!(counts(ports).await, [("characters", 1)]);
        });
    }

    #[test]
    fn a_picture_goes_after_a_week_without_a_character() {
        block_on(async {
            let ports = Sim::new([]).ports;
            character(&ports, "Ada", Some("a")).await;
            // One of a version of her that lost against another device's.
            let lost = json!({"id": "~characters/ada/5", "of": "characters/ada", "value": {"assets": [{"blob": "d"}]}});
            ports.store.commit(Batch { ops: vec![Op::Put(Table::Sync, lost.into())], ..Batch::new() }).await.unwrap();
            for id in ["a", "b", "c", "d"] {
                let doc = Doc { value: json!({"id": id}), bytes: Some([1, 2].into()) };
                ports.store.commit(Batch { ops: vec![Op::Put(Table::Blobs, doc)], ..Batch::new() }).await.unwrap();
            }
            let pictures = async || ports.store.keys(Query::all(Table::Blobs)).await.unwrap();
            purge(&ports).await.unwrap();
            assert_eq!(pictures().await, ["a", "b", "c", "d"]);
            let record = ports.store.get(Table::Settings, LOOSE_PICTURES).await.unwrap().unwrap().value;
            let now = ports.clock.now();
            assert_eq!(record, json!({"id": "loose_pictures", "since": {"b": now, "c": now}}), "the stored form");
            character(&ports, "Bob", Some("b")).await;
            purge(&later(&ports, 8)).await.unwrap();
            assert_eq!(pictures().await, ["a", "b", "d"]);
        });
    }
}
