//! What the storage must offer, and what goes wrong there.

use crate::{ports::Future, store::StoreError};

/// A place that the reader has for files: a bucket, a folder on a server. Names have `/` between folders.
pub trait Remote {
    /// The names of the files in a folder, without it.
    fn list<'a>(&'a self, folder: &'a str) -> Future<'a, Result<Vec<String>, Trouble>>;
    /// `None`: there is no such file.
    fn read<'a>(&'a self, name: &'a str) -> Future<'a, Result<Option<Vec<u8>>, Trouble>>;
    /// Whole or not at all.
    fn write<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> Future<'a, Result<(), Trouble>>;
    /// One that is not there is no trouble.
    fn delete<'a>(&'a self, name: &'a str) -> Future<'a, Result<(), Trouble>>;
}

/// Makes bytes unreadable for all who have not the passphrase, and readable again.
pub trait Seal {
    fn seal<'a>(&'a self, bytes: &'a [u8]) -> Future<'a, Result<Vec<u8>, Trouble>>;
    /// # Errors
    /// `Damaged`: they were not sealed with this key, or have changed since.
    fn open<'a>(&'a self, bytes: &'a [u8]) -> Future<'a, Result<Vec<u8>, Trouble>>;
    /// The name of a file that tells nothing of what it is named after; the same on all devices.
    fn name<'a>(&'a self, of: &'a str) -> Future<'a, Result<String, Trouble>>;
}

/// Why the library is not the same everywhere. What is here is whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// No answer that the page may see: no network, no such server, or one that does not let the page in (CORS).
    #[error("unreachable: {0}")]
    Unreachable(String),
    /// The server does not know who asks, or does not let them.
    #[error("refused: {0}")]
    Refused(String),
    /// There is no such bucket or folder.
    #[error("no such place: {0}")]
    NoSuchPlace(String),
    /// This device's clock and the server's are too far apart.
    #[error("the clock: {0}")]
    Clock(String),
    #[error("no room: {0}")]
    Full(String),
    /// Come again later.
    #[error("busy: {0}")]
    Busy(String),
    /// Another answer, in the server's words.
    #[error("{0}")]
    Server(String),
    #[error("the passphrase is another")]
    Passphrase,
    /// A file there that is not what was written.
    #[error("damaged: {0}")]
    Damaged(String),
    /// A newer version of this program wrote there.
    #[error("written by a newer version")]
    Newer,
    #[error(transparent)]
    Store(#[from] StoreError),
}
