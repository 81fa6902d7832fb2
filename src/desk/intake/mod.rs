//! Whole folders of another program, taken in file by file: each whole or not at all, what is there already stays one, and
//! a report says what became of each.

mod chats;
mod entries;
mod known;
mod sprites;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use self::known::Known;
pub use self::{
    chats::ChatFile,
    entries::{Opened, open},
};
use super::{Desk, Stored, lorebooks::Hook};
use crate::{
    exchange::{
        folder::{Role, Why, group::Group},
        json,
        limits::{CARD_BYTES, CHAT_BYTES, JSON_BYTES},
        personas,
        refusal::{Refusal, Warning},
        sniff::Content,
    },
    ports::Pictures,
    story::{
        character::Character,
        ids::{CharacterId, LorebookId, ReaderPersonaId, StorylineId},
        picture::MAX_PICTURE_BYTES,
        storyline::Storyline,
    },
};

/// What became of a file, or of one of the things in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub path: String,
    pub fate: Fate,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    Taken {
        what: Content,
        /// What it is called here.
        name: String,
        warnings: Vec<Warning>,
        /// Fields that are kept for an export, and not used here.
        kept: Vec<String>,
    },
    /// It is there already, as it is.
    Known {
        what: Content,
        name: String,
    },
    Left(Why),
    Refused(Refusal),
}

/// Bytes that a file may have.
pub fn most(role: Role) -> u64 {
    match role {
        Role::Character | Role::Any => CARD_BYTES,
        Role::Chat => CHAT_BYTES,
        Role::Face | Role::Sprite => MAX_PICTURE_BYTES as u64,
        _ => JSON_BYTES,
    }
}

/// Takes files in, in the order of their roles.
pub struct Intake<'a> {
    desk: &'a Desk,
    pictures: &'a dyn Pictures,
    known: Known,
    /// Lorebooks by what their files are called: other files name them so.
    books: HashMap<String, LorebookId>,
    /// Personas without a face, by the file of it.
    faceless: HashMap<String, ReaderPersonaId>,
    /// The characters and what they are called, by what their files are called: a group names its members so, and so is the
    /// folder of their chats called.
    called: HashMap<String, (String, CharacterId)>,
    /// The characters, by the folders in which their sprites would lie.
    beside: HashMap<String, sprites::Whose>,
    /// Groups, by what the files of their chats are called.
    groups: HashMap<String, Group>,
    /// Characters that came in, with the lorebook that each names.
    hangs: Vec<(CharacterId, String)>,
    /// Files of characters, with further lorebooks of each.
    extra: Vec<(String, String)>,
    /// Stories that came in, with the lorebook of each.
    of_stories: Vec<(StorylineId, String)>,
    /// Lorebooks that are told in all stories.
    everywhere: Vec<String>,
    pub rows: Vec<Row>,
}

impl<'a> Intake<'a> {
    /// # Errors
    /// The store failed.
    pub async fn begin(desk: &'a Desk, pictures: &'a dyn Pictures) -> Stored<Self> {
        let known = Known::of(desk).await?;
        let (books, faceless, called, beside, groups) = Default::default();
        let (hangs, extra, of_stories, everywhere, rows) = Default::default();
        Ok(Self {
            desk,
            pictures,
            known,
            books,
            faceless,
            called,
            beside,
            groups,
            hangs,
            extra,
            of_stories,
            everywhere,
            rows,
        })
    }

    fn row(&mut self, path: &str, fate: Fate) {
        self.rows.push(Row { path: path.to_owned(), fate });
    }

    /// A file that is not taken.
    pub fn refuse(&mut self, path: &str, why: Refusal) {
        self.row(path, Fate::Refused(why));
    }

    pub fn leave(&mut self, path: &str, why: Why) {
        self.row(path, Fate::Left(why));
    }

    /// Takes a file in that was opened (see [`open`]) and is no conversation (see [`Self::take_chats`]).
    ///
    /// # Errors
    /// The store failed: nothing of this file is there, what came before it is.
    pub async fn take(&mut self, path: &str, role: Role, opened: Opened) -> Stored<()> {
        let count = self.rows.len();
        let outcome = self.take_as(path, role, opened).await;
        self.end(path, role, count, outcome)
    }

    /// Takes in a backup of personas, and nothing else.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub async fn take_only_personas(&mut self, path: &str, bytes: Vec<u8>) -> Stored<()> {
        let count = self.rows.len();
        let outcome = match json::text_of(bytes).and_then(|text| personas::read(&text)) {
            Ok(backup) => self.take_backup(path, backup).await,
            Err(why) => Err(why.into()),
        };
        self.end(path, Role::Personas, count, outcome)
    }

    fn end(&mut self, path: &str, role: Role, count: usize, outcome: Result<(), Failed>) -> Stored<()> {
        match outcome {
            Ok(()) => Ok(()),
            Err(Failed::Refused(why)) => {
                self.rows.truncate(count);
                // What could be anything, and is nothing that is known, is left; of the others it is said what is wrong.
                let is_other =
                    matches!(why, Refusal::Unrecognised { found: Content::Unknown, .. } | Refusal::NoCard(_));
                self.row(
                    path,
                    if role == Role::Any && is_other { Fate::Left(Why::Unknown) } else { Fate::Refused(why) },
                );
                Ok(())
            }
            Err(Failed::Store(error)) => Err(error),
        }
    }

    /// Hangs lorebooks where the files said that they hang.
    ///
    /// # Errors
    /// The store failed.
    pub async fn finish(&mut self) -> Stored<()> {
        let extra = std::mem::take(&mut self.extra).into_iter();
        self.hangs.extend(extra.filter_map(|(file, book)| Some((self.called.get(&file)?.1.clone(), book))));
        for (character, book) in std::mem::take(&mut self.hangs) {
            if let Some(book) = self.books.get(&book).cloned() {
                self.desk.hang::<Character>(character.as_str(), &book, true).await?;
            }
        }
        for (story, book) in std::mem::take(&mut self.of_stories) {
            if let Some(book) = self.books.get(&book).cloned() {
                self.desk.hang::<Storyline>(story.as_str(), &book, true).await?;
            }
        }
        let everywhere: Vec<_> = self.everywhere.drain(..).filter_map(|name| self.books.get(&name).cloned()).collect();
        if !everywhere.is_empty() {
            self.desk.prefer(|preferences| everywhere.iter().for_each(|book| preferences.hang(book, true))).await?;
        }
        Ok(())
    }
}

/// Why a file was not taken.
enum Failed {
    Refused(Refusal),
    Store(super::StoreError),
}

impl From<Refusal> for Failed {
    fn from(why: Refusal) -> Self {
        Self::Refused(why)
    }
}

impl From<super::StoreError> for Failed {
    fn from(error: super::StoreError) -> Self {
        Self::Store(error)
    }
}
