//! Lorebooks: the shelf of them, where they hang, and what is done with a card's own. They are read when their place is
//! opened: a start does without.

mod check;
mod chosen;
mod draft;
mod number;
#[cfg(test)]
mod tests;

pub use self::{
    check::{KEY_CHARS, KeyFault, key_faults},
    chosen::{Chosen, ChosenFault, Target},
    draft::{Draft, Head, Removed, Row, Sort},
    number::{Number, NumberFault, whole},
};
use super::{
    Desk, Stored,
    shelves::{Glance, is_favourite},
};
use crate::{
    exchange::lorebook::{book_of, to_card_book},
    store::{Query, Record, Table},
    story::{
        Millis,
        background::Background,
        character::Character,
        ids::{CharacterId, LorebookId},
        lorebook::{Entry, Lorebook},
        order,
        settings::Preferences,
        storyline::Storyline,
    },
    turn::bin::{self, Binned},
};

/// A book as a list shows it: without its entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Shelved {
    pub id: LorebookId,
    pub name: String,
    pub description: String,
    /// Entries, and how many of them are on.
    pub entries: usize,
    pub enabled: usize,
    pub created: Millis,
    pub updated: Millis,
    pub deleted: Option<Millis>,
    pub is_favourite: bool,
    /// What it is found by: its words, and the names and keys of its entries.
    words: String,
}

impl Shelved {
    fn of(book: &Lorebook) -> Self {
        let of_entry = |entry: &Entry| [&entry.name].into_iter().chain(&entry.keys).cloned().collect::<Vec<_>>();
        let mut words = vec![book.name.clone(), book.description.clone()];
        words.extend(book.entries.iter().flat_map(of_entry));
        Self {
            id: book.id.clone(),
            name: book.name.clone(),
            description: book.description.clone(),
            entries: book.entries.len(),
            enabled: book.entries.iter().filter(|entry| entry.enabled).count(),
            created: book.created,
            updated: book.updated,
            deleted: book.deleted,
            is_favourite: is_favourite(&book.extra),
            words: words.join("\n"),
        }
    }

    /// What of it counts in its library; `played`: when a story that it hangs on was last played.
    pub fn glance(&self, played: Option<Millis>) -> Glance {
        Glance {
            name: self.name.clone(),
            texts: vec![self.words.clone()],
            tags: Vec::new(),
            is_favourite: self.is_favourite,
            changed: self.updated,
            made: self.created,
            played,
        }
    }
}

/// What lorebooks hang on.
pub trait Hook {
    fn books(&self) -> &Vec<LorebookId>;
    fn books_mut(&mut self) -> &mut Vec<LorebookId>;

    /// Hangs a book on it, or takes it off.
    fn hang(&mut self, book: &LorebookId, on: bool) {
        let books = self.books_mut();
        match (on, books.contains(book)) {
            (true, false) => books.push(book.clone()),
            (false, true) => books.retain(|hung| hung != book),
            _ => {}
        }
    }
}

macro_rules! hook {
    ($($type:ty),*) => {$(
        impl Hook for $type {
            fn books(&self) -> &Vec<LorebookId> {
                &self.lorebooks
            }

            fn books_mut(&mut self) -> &mut Vec<LorebookId> {
                &mut self.lorebooks
            }
        }
    )*};
}
hook!(Character, Background, Storyline, Preferences);

impl Desk {
    /// All that are not in the bin, the newest first.
    ///
    /// # Errors
    /// The store failed. A record that cannot be read is left out.
    pub async fn lorebooks(&self) -> Stored<Vec<Shelved>> {
        let mut books: Vec<Lorebook> = self.ports.store.list(Query::all(Table::Lorebooks)).await?;
        books.retain(|book| book.deleted.is_none());
        order::by_key(&mut books, |book| std::cmp::Reverse(book.updated));
        Ok(books.iter().map(Shelved::of).collect())
    }

    /// Those in the bin.
    ///
    /// # Errors
    /// The store failed.
    pub async fn lorebooks_in_bin(&self) -> Stored<Vec<Shelved>> {
        Ok(bin::list::<Lorebook>(&*self.ports.store).await?.iter().map(Shelved::of).collect())
    }

    /// Writes what was changed in a book over what is stored by now, and tells the other tabs.
    ///
    /// # Errors
    /// The store failed, or what is there cannot be read: the book is as it was.
    pub async fn write_lorebook(&self, draft: &Draft) -> Stored<()> {
        let now = self.ports.clock.now();
        self.change_entry(draft.id().as_str(), [], |stored| draft.over(stored, now)).await
    }

    /// Puts copies of entries at the end of another book; false where that is gone.
    ///
    /// # Errors
    /// As [`Self::write_lorebook`].
    pub async fn copy_entries(&self, entries: Vec<Entry>, to: &LorebookId) -> Stored<bool> {
        let add = |book: &mut Lorebook| {
            for mut entry in entries {
                entry.id = draft::free_id(&book.entries);
                book.entries.push(entry);
            }
            book.updated = self.ports.clock.now();
        };
        let changed = self.ports.store.amend(to.as_str(), add).await?;
        self.ports.tabs.announce(to.as_str());
        Ok(changed.is_some())
    }

    /// Hangs a book on a character or a background, or takes it off, and tells the other tabs. (A storyline:
    /// [`Self::change_storyline`]; all stories: [`Self::prefer`].)
    ///
    /// # Errors
    /// The store failed, or what is there cannot be read.
    pub async fn hang<R: Record + Hook>(&self, id: &str, book: &LorebookId, on: bool) -> Stored<()> {
        self.amend_entry::<R>(id, |hook| hook.hang(book, on)).await
    }

    /// Makes a book of the library of the one that a card carries, hangs it on the character, and takes it out of the
    /// card. `None`: there is none.
    ///
    /// # Errors
    /// The store failed. At worst the book is in the library and still in the card.
    pub async fn take_card_book(&self, id: &CharacterId, name: &str) -> Stored<Option<LorebookId>> {
        let store = &*self.ports.store;
        let character: Option<Character> = store.load(id.as_str()).await?;
        let Some(carried) = character.and_then(|character| character.card.character_book) else { return Ok(None) };
        let now = self.ports.clock.now();
        let book = Lorebook { id: self.ports.id(), created: now, updated: now, ..book_of(&carried, name) };
        store.save(&book).await?;
        let take = |character: &mut Character| {
            character.card.character_book.take_if(|still| *still == carried);
            character.hang(&book.id, true);
            character.updated = now;
        };
        store.amend(id.as_str(), take).await?;
        self.ports.tabs.announce(id.as_str());
        Ok(Some(book.id))
    }

    /// The character as it leaves in a file: where its card carries no book, it carries the first that hangs on it. With
    /// what the others are called, which stay behind.
    ///
    /// # Errors
    /// The store failed.
    pub async fn with_book(&self, mut character: Character) -> Stored<(Character, Vec<String>)> {
        let mut left = Vec::new();
        for id in &character.lorebooks {
            let book: Option<Lorebook> = self.ports.store.load(id.as_str()).await?;
            match book.filter(|book| book.deleted().is_none()) {
                Some(book) if character.card.character_book.is_none() => {
                    character.card.character_book = Some(to_card_book(&book));
                }
                Some(book) => left.push(book.name),
                None => {}
            }
        }
        Ok((character, left))
    }
}
