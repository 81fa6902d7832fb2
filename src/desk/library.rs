//! Libraries: characters, backgrounds, presets, storylines, and what of them lies in the bin.

use std::rc::Rc;

use futures_util::{join, try_join};

use super::{Desk, Stored, shelves};
use crate::{
    exchange::picture::Picture,
    store::{Batch, Doc, Op, Query, Record, Table, decode},
    story::{
        background::Background,
        blob::{Blob, address},
        character::Character,
        event::StoryEvent,
        ids::{BackgroundId, BlobId, PresetId},
        order,
        preset::Preset,
        reader_persona::ReaderPersona,
        storyline::Storyline,
    },
    turn::bin::{self, Binned},
};

/// What the shelves show: without what is in the bin, the newest first.
pub struct Lists {
    pub characters: Vec<Character>,
    pub backgrounds: Vec<Background>,
    pub storylines: Vec<Storyline>,
}

/// Media type and bytes.
pub type StoredPicture = (String, Rc<[u8]>);

impl Desk {
    /// # Errors
    /// The store failed. A record that cannot be read is left out.
    pub async fn lists(&self) -> Stored<Lists> {
        let store = &*self.ports.store;
        let (characters, backgrounds, storylines) = join!(
            store.list::<Character>(Query::all(Table::Characters)),
            store.list::<Background>(Query::all(Table::Backgrounds)),
            store.list::<Storyline>(Query::all(Table::Storylines)),
        );
        let mut lists = Lists { characters: characters?, backgrounds: backgrounds?, storylines: storylines? };
        lists.characters.retain(|character| character.deleted.is_none());
        order::by_key(&mut lists.characters, |character| std::cmp::Reverse(character.updated));
        lists.backgrounds.retain(|background| background.deleted.is_none());
        order::by_key(&mut lists.backgrounds, |background| std::cmp::Reverse(background.updated));
        lists.storylines.retain(|storyline| storyline.deleted.is_none());
        order::by_key(&mut lists.storylines, shelves::place);
        Ok(lists)
    }

    /// The reader's own presets, the newest first.
    ///
    /// # Errors
    /// The store failed.
    pub async fn presets(&self) -> Stored<Vec<Preset>> {
        let mut presets: Vec<Preset> = self.ports.store.list(Query::all(Table::Presets)).await?;
        order::by_key(&mut presets, |preset| std::cmp::Reverse(preset.updated));
        Ok(presets)
    }

    /// Writes a preset, and tells the other tabs.
    ///
    /// # Errors
    /// The store failed.
    pub async fn put_preset(&self, preset: &Preset) -> Stored<()> {
        self.ports.store.save(preset).await?;
        self.ports.tabs.announce(preset.id.as_str());
        Ok(())
    }

    /// Writes what became of a preset since it was read (`was`) over what is stored by now, and tells the other tabs: what
    /// another tab or device changed of it beside that stays. One that is gone meanwhile is wanted, and comes back whole.
    ///
    /// # Errors
    /// The store failed, or what is there cannot be read: the preset is as it was.
    pub async fn change_preset(&self, was: &Preset, now: Preset) -> Stored<()> {
        let id = now.id.clone();
        let change = |stored: Option<Preset>| match stored {
            None => now,
            Some(stored) => Preset {
                name: changed(&was.name, now.name, stored.name),
                description: changed(&was.description, now.description, stored.description),
                blocks: changed(&was.blocks, now.blocks, stored.blocks),
                features: changed(&was.features, now.features, stored.features),
                sampling: changed(&was.sampling, now.sampling, stored.sampling),
                updated: now.updated,
                ..stored
            },
        };
        self.change_entry(id.as_str(), [], change).await
    }

    /// Deletes a preset, and tells the other tabs.
    ///
    /// # Errors
    /// The store failed.
    pub async fn delete_preset(&self, id: &PresetId) -> Stored<()> {
        self.ports.store.commit(Batch::new().delete(Table::Presets, id.as_str())).await?;
        self.ports.tabs.announce(id.as_str());
        Ok(())
    }

    /// # Errors
    /// The store failed, or the record cannot be read.
    pub async fn load<R: Record>(&self, id: &str) -> Stored<Option<R>> {
        self.ports.store.load(id).await
    }

    /// # Errors
    /// The store failed.
    pub async fn save<R: Record>(&self, record: &R) -> Stored<()> {
        self.ports.store.save(record).await
    }

    /// Writes a new entry of a library, and its pictures with it, and tells the other tabs.
    ///
    /// # Errors
    /// The store failed.
    pub async fn put_entry<R: Record>(&self, entry: &R, pictures: impl IntoIterator<Item = Picture>) -> Stored<()> {
        self.ports.store.commit(with_pictures(pictures).put(entry)).await?;
        self.ports.tabs.announce(entry.key());
        Ok(())
    }

    /// Changes an entry of a library as it is by now (`None`: it is gone), and tells the other tabs. Its new pictures are
    /// stored before it; where it fails they are loose, and go as such.
    ///
    /// # Errors
    /// The store failed, or what is there cannot be read: the entry is as it was.
    pub async fn change_entry<R: Record>(
        &self,
        id: &str,
        pictures: impl IntoIterator<Item = Picture>,
        change: impl FnOnce(Option<R>) -> R,
    ) -> Stored<()> {
        let store = &*self.ports.store;
        let pictures = with_pictures(pictures);
        if !pictures.ops.is_empty() {
            store.commit(pictures).await?;
        }
        store.remake(id, |stored| Some(change(stored))).await?;
        self.ports.tabs.announce(id);
        Ok(())
    }

    /// Changes an entry of a library that is there, and tells the other tabs.
    ///
    /// # Errors
    /// The store failed, or what is there cannot be read: the entry is as it was.
    pub async fn amend_entry<R: Record>(&self, id: &str, change: impl FnOnce(&mut R)) -> Stored<()> {
        self.ports.store.amend::<R>(id, change).await?;
        self.ports.tabs.announce(id);
        Ok(())
    }

    /// Media type and bytes of a stored picture.
    ///
    /// # Errors
    /// The store failed.
    pub async fn picture(&self, id: &BlobId) -> Stored<Option<StoredPicture>> {
        let Some(doc) = self.ports.store.get(Table::Blobs, id.as_str()).await? else { return Ok(None) };
        let blob: Blob = decode(doc.value)?;
        Ok(doc.bytes.map(|bytes| (blob.kind, bytes)))
    }

    /// Changes the events of a background, and tells the other tabs; false where it is gone.
    ///
    /// # Errors
    /// The store failed.
    pub async fn change_events(&self, id: &BackgroundId, change: impl FnOnce(&mut Vec<StoryEvent>)) -> Stored<bool> {
        let change = |background: &mut Background| {
            change(&mut background.events);
            background.updated = self.ports.clock.now();
        };
        let changed = self.ports.store.amend(id.as_str(), change).await?;
        self.ports.tabs.announce(id.as_str());
        Ok(changed.is_some())
    }

    /// Puts an entry of a library into the bin, and tells the other tabs. (A storyline: [`Self::change_storyline`].)
    ///
    /// # Errors
    /// The store failed, or what is there cannot be read.
    pub async fn discard<R: Binned>(&self, id: &str) -> Stored<()> {
        bin::discard::<R>(&self.ports, id).await?;
        self.ports.tabs.announce(id);
        Ok(())
    }

    /// The same, out of the bin.
    ///
    /// # Errors
    /// As [`Self::discard`].
    pub async fn restore<R: Binned>(&self, id: &str) -> Stored<()> {
        bin::restore::<R>(&self.ports, id).await?;
        self.ports.tabs.announce(id);
        Ok(())
    }

    /// All that is in the bin.
    ///
    /// # Errors
    /// The store failed.
    pub async fn in_bin(&self) -> Stored<Lists> {
        let store = &*self.ports.store;
        let (storylines, characters, backgrounds) =
            try_join!(bin::list::<Storyline>(store), bin::list::<Character>(store), bin::list::<Background>(store),)?;
        Ok(Lists { characters, backgrounds, storylines })
    }

    /// The reader's personas that are not in the bin, the newest first: a start does without.
    ///
    /// # Errors
    /// The store failed. A record that cannot be read is left out.
    pub async fn personas(&self) -> Stored<Vec<ReaderPersona>> {
        let mut personas: Vec<ReaderPersona> = self.ports.store.list(Query::all(Table::Personas)).await?;
        personas.retain(|persona| persona.deleted.is_none());
        order::by_key(&mut personas, |persona| std::cmp::Reverse(persona.updated));
        Ok(personas)
    }

    /// Those in the bin.
    ///
    /// # Errors
    /// The store failed.
    pub async fn personas_in_bin(&self) -> Stored<Vec<ReaderPersona>> {
        bin::list::<ReaderPersona>(&*self.ports.store).await
    }

    /// Deletes for ever what is in the bin, and tells the other tabs.
    ///
    /// # Errors
    /// The store failed.
    pub async fn delete_forever<R: Binned>(&self, id: &str) -> Stored<()> {
        bin::delete_forever::<R>(&*self.ports.store, id).await?;
        self.ports.tabs.announce(id);
        Ok(())
    }
}

pub(super) fn with_pictures(pictures: impl IntoIterator<Item = Picture>) -> Batch {
    let mut batch = Batch::new();
    for (kind, bytes) in pictures {
        let blob = Blob { id: address(&bytes), kind, size: bytes.len() as u64 };
        let value = serde_json::to_value(&blob).expect("a blob's record has text keys");
        batch.ops.push(Op::Put(Table::Blobs, Doc { value, bytes: Some(bytes.into()) }));
    }
    batch
}

/// What is `now` where that is not what it was; else what is stored.
fn changed<T: PartialEq>(was: &T, now: T, stored: T) -> T {
    if now == *was { stored } else { now }
}
