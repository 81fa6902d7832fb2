//! Files in and out: characters, backgrounds, lorebooks, conversations of other programs, a branch as a book, one session as
//! text, the storyline archive, the backup of a whole library.
//!
//! Pure: text or bytes in, values out. What a file says is foreign: every reader has limits ([`limits`]), answers a
//! file that it cannot take with a [`refusal::Refusal`], and what it took but changed or left aside with
//! [`refusal::Warning`]s. Both are values; `locales` puts them into words.
//!
//! Nothing here can name a key: an archive is made of [`crate::store::Part`]s, and there is none for settings or vault.

pub mod archive;
pub mod background;
pub mod book;
pub mod character;
pub mod chat;
pub mod container;
pub mod folder;
pub mod json;
pub mod limits;
pub mod lorebook;
pub mod merge;
pub mod names;
pub mod personas;
pub mod picture;
pub mod preset;
pub mod quick;
pub mod refusal;
pub mod risu;
pub mod script;
pub mod session;
pub mod sniff;
pub mod yaml;
