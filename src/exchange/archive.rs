//! The storyline archive and the backup of a whole library: one format.
//!
//! A gzip-compressed UTF-8 text, one JSON object per line; `gunzip` makes it readable. (The browser does the gzip
//! layer; here it is all lines.) Each line ends with a newline, the last one too:
//!
//! ```text
//! {"fabula":2,"kind":"storyline","created":1760000000000,"title":"盟友之路","counts":{"characters":1,"turns":250,…}}
//! {"t":"characters","r":{"id":"…","name":"Alserqi",…}}
//! {"t":"storylines","r":{…}}
//! {"t":"blobs","r":{"id":"<sha-256>","kind":"image/png","size":1234},"b":"<Base64 of the bytes>"}
//! {"end":{"records":253,"sha256":"<of all bytes of all lines before, newlines included>"}}
//! ```
//!
//! - The first line says the version of the format (`fabula`), the kind (`storyline` or `library`), the time in
//!   milliseconds, a title, and about how many records of each table follow (for a progress bar; what binds is the
//!   last line).
//! - `t` is a table, `r` a record as it is stored. Tables come in the order of [`Part::ALL`], so that what a record
//!   hangs on is there before it. What it names may come later: a lorebook, a picture, a turn's chosen reply, a
//!   storyline's head.
//! - Files of version 1 have the account of a prompt in its reply; a reader gives it as a record of its own.
//! - There is no table for settings, connections or keys, and no [`Part`] that could name one.
//! - What a writer writes, a reader takes: a stored record that is damaged is left out and named
//!   ([`Writer::left_out`]), not written.
//!
//! - What a reader takes can be played. What is amiss in a story and has one right answer is set right ([`Mends`]); what
//!   has none is refused with its place ([`Damage`]), or in a library that story left out.
//!
//! A reader hands out entries as they come, before it can know whether the file is whole. Only [`Reader::finish`]
//! says that: either read twice (check, then import), or put nothing into the store before it.

mod counts;
mod damage;
mod header;
mod line;
mod links;
mod mend;
mod reader;
mod record;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
mod tree;
mod writer;

pub use counts::Counts;
pub use damage::{Damage, Flaw, Place};
pub use header::{Header, Kind, VERSION};
pub use mend::{Mended, Mends};
pub use reader::{Entry, Reader, Summary};
pub use writer::{LeftOut, Writer};
