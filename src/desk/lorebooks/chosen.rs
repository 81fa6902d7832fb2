//! A text out of a story becomes an entry: what is offered for it, what of it cannot be kept, and where it goes.

use futures_util::future::join_all;

use super::{KeyFault, draft::free_id, key_faults};
use crate::{
    desk::{Desk, Stored},
    exchange::names::tidy_name,
    memory::salient,
    story::{
        background::Background,
        character::Character,
        ids::{LorebookId, StorylineId},
        lorebook::{Entry, Lorebook},
        settings::Preferences,
        storyline::Storyline,
    },
    turn::lore::hung,
};

/// Keys that are offered at most.
const OFFERED: usize = 4;

/// An entry that is being made, as it is typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chosen {
    pub name: String,
    pub keys: Vec<String>,
    pub content: String,
}

/// Where it goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    Book(LorebookId),
    /// One of this name that is made for it.
    New(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChosenFault {
    /// Nothing would ever bring it up.
    NoKeys,
    Key(KeyFault),
    NoContent,
    NoBookName,
}

impl Chosen {
    /// What is offered for a text. Names that are `known` stand in every turn, and would bring it up in each.
    pub fn of(text: &str, known: &[&str]) -> Self {
        let is_known = |key: &String| known.iter().any(|name| name.to_lowercase().contains(&key.to_lowercase()));
        let keys: Vec<String> = salient(text).into_iter().filter(|key| !is_known(key)).take(OFFERED).collect();
        Self { name: keys.first().cloned().unwrap_or_default(), keys, content: text.trim().to_owned() }
    }

    pub fn faults(&self, to: &Target) -> Vec<ChosenFault> {
        let no_keys = self.keys.iter().all(|key| key.trim().is_empty());
        let no_name = matches!(to, Target::New(name) if tidy_name(name).0.is_empty());
        let faults = [
            no_keys.then_some(ChosenFault::NoKeys),
            self.content.trim().is_empty().then_some(ChosenFault::NoContent),
            no_name.then_some(ChosenFault::NoBookName),
        ];
        faults.into_iter().flatten().chain(key_faults(&self.keys).into_iter().map(ChosenFault::Key)).collect()
    }

    fn entry(self, id: String) -> Entry {
        let Self { name, keys, content } = self;
        Entry { id, name: name.trim().to_owned(), keys, content: content.trim().to_owned(), ..Entry::default() }
    }
}

impl Desk {
    /// The books that hang on a story by name, the nearest to it first; those that are gone, or cannot be read, are left
    /// out.
    ///
    /// # Errors
    /// The store failed.
    pub async fn books_of(&self, story: &StorylineId) -> Stored<Vec<(LorebookId, String)>> {
        let store = &*self.ports.store;
        let Some(storyline) = store.load::<Storyline>(story.as_str()).await? else { return Ok(Vec::new()) };
        let cast = join_all(storyline.cast.iter().map(|id| store.load::<Character>(id.as_str()))).await;
        let background = match &storyline.background {
            Some(id) => store.load::<Background>(id.as_str()).await.ok().flatten(),
            None => None,
        };
        let preferences: Option<Preferences> = store.load(Preferences::ID).await?;
        let hung = hung(&storyline, cast.iter().flatten().flatten(), background.as_ref(), preferences.as_ref());
        let books = join_all(hung.iter().map(|id| store.load::<Lorebook>(id.as_str()))).await;
        let books = books.into_iter().flatten().flatten().filter(|book| book.deleted.is_none());
        Ok(books.map(|book| (book.id, book.name)).collect())
    }

    /// Puts an entry at the end of a book as that is by now, and tells the other tabs; or makes the book, which hangs
    /// nowhere yet. `None`: the book is gone, or in the bin.
    ///
    /// # Errors
    /// The store failed, or what is there cannot be read.
    pub async fn keep_chosen(&self, chosen: Chosen, to: Target) -> Stored<Option<LorebookId>> {
        let now = self.ports.clock.now();
        let id = match to {
            Target::Book(id) => id,
            Target::New(name) => {
                let (name, _) = tidy_name(&name);
                let entries = vec![chosen.entry(free_id(&[]))];
                let id = self.ports.id();
                let book = Lorebook { id, name, entries, created: now, updated: now, ..Lorebook::default() };
                self.put_entry(&book, []).await?;
                return Ok(Some(book.id));
            }
        };
        let add = |stored: Option<Lorebook>| {
            let mut book = stored.filter(|book| book.deleted.is_none())?;
            let id = free_id(&book.entries);
            book.entries.push(chosen.entry(id));
            book.updated = now;
            Some(book)
        };
        let kept = self.ports.store.remake(id.as_str(), add).await?;
        self.ports.tabs.announce(id.as_str());
        Ok(kept.map(|book| book.id))
    }
}
