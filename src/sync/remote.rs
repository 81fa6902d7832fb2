//! What the storage must offer, and what goes wrong there.

use serde::Deserialize;

use crate::{ports::Future, store::StoreError};

/// A place that the reader has for files: a bucket, a folder on a server. Names have `/` between folders.
pub trait Remote {
    fn list<'a>(&'a self, folder: &'a str) -> Future<'a, Result<Vec<Listed>, Trouble>>;
    /// `None`: there is no such file.
    fn read<'a>(&'a self, name: &'a str) -> Future<'a, Result<Option<Vec<u8>>, Trouble>>;
    /// Whole or not at all.
    fn write<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> Future<'a, Result<(), Trouble>>;
    /// One that is not there is no trouble.
    fn delete<'a>(&'a self, name: &'a str) -> Future<'a, Result<(), Trouble>>;
}

/// Deletes all that lies there, the library's own file last: until then it is one that can be opened.
///
/// # Errors
/// What went wrong: some of it may be there still.
pub async fn wipe(remote: &dyn Remote) -> Result<(), Trouble> {
    for folder in ["log/", "blob/"] {
        for Listed { name, .. } in remote.list(folder).await? {
            remote.delete(&format!("{folder}{name}")).await?;
        }
    }
    remote.delete(super::sealing::LIBRARY).await
}

/// A file in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Listed {
    /// Without the folder.
    pub name: String,
    /// Bytes; 0: the storage does not say.
    pub size: u64,
}

/// Makes bytes unreadable for all who have not the passphrase, and readable again.
pub trait Seal {
    /// Which library it is of ([`super::sealing::Library::id`]).
    fn library(&self) -> &str;
    /// The bytes of the file of this name.
    fn seal<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> Future<'a, Result<Vec<u8>, Trouble>>;
    /// # Errors
    /// `Damaged`: they were not sealed with this key for this name, or have changed since.
    fn open<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> Future<'a, Result<Vec<u8>, Trouble>>;
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

impl Trouble {
    /// What an answer means that was no success: its status (0: the page saw none) and its words.
    pub fn of(status: u16, words: &str) -> Self {
        let said = said(words);
        let told = if status == 0 { said.clone() } else { format!("HTTP {status} {said}").trim().to_owned() };
        let says = |codes: &[&str]| codes.iter().any(|code| words.contains(code));
        match status {
            _ if says(&["RequestTimeTooSkewed", "RequestExpired"]) => Self::Clock(told),
            _ if says(&["NoSuchBucket", "InvalidBucketName"]) => Self::NoSuchPlace(told),
            _ if says(&["QuotaExceeded", "InsufficientStorage", "EntityTooLarge"]) => Self::Full(told),
            0 => Self::Unreachable(told),
            401 | 403 => Self::Refused(told),
            404 | 405 | 410 => Self::NoSuchPlace(told),
            413 | 507 => Self::Full(told),
            408 | 409 | 423 | 425 | 429 | 503 => Self::Busy(told),
            _ => Self::Server(told),
        }
    }
}

/// Of an answer in XML or HTML the words that say what it is.
fn said(words: &str) -> String {
    let between = |from: &str, to: &str| {
        let start = words.find(from)? + from.len();
        let end = words[start..].find(to)? + start;
        Some(words[start..end].trim().to_owned()).filter(|text| !text.is_empty())
    };
    let code = between("<Code>", "</Code>");
    let message = between("<Message>", "</Message>").or_else(|| between("<title>", "</title>"));
    let plain = || if words.trim_start().starts_with('<') { String::new() } else { words.trim().to_owned() };
    let text = match (code, message) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (one, other) => one.or(other).unwrap_or_else(plain),
    };
    text.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_means() {
        let s3 =
            |code: &str| format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>No.</Message></Error>");
        for (status, words, means) in [
            (0, "TypeError: Failed to fetch".to_owned(), Trouble::Unreachable("TypeError: Failed to fetch".into())),
            (401, "<html><title>401 Unauthorized</title>".into(), Trouble::Refused("HTTP 401 401 Unauthorized".into())),
            (403, s3("RequestTimeTooSkewed"), Trouble::Clock("HTTP 403 RequestTimeTooSkewed: No.".into())),
            (403, s3("SignatureDoesNotMatch"), Trouble::Refused("HTTP 403 SignatureDoesNotMatch: No.".into())),
            (404, s3("NoSuchBucket"), Trouble::NoSuchPlace("HTTP 404 NoSuchBucket: No.".into())),
            (507, "<html>".into(), Trouble::Full("HTTP 507".into())),
            (429, String::new(), Trouble::Busy("HTTP 429".into())),
            (500, "oops".into(), Trouble::Server("HTTP 500 oops".into())),
        ] {
            assert_eq!(Trouble::of(status, &words), means);
        }
    }
}
