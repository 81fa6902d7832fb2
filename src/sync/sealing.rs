//! How what leaves the device is made unreadable: the part of it that needs no cipher of the browser's.
//!
//! A random key of 32 bytes seals the library; it lies there in `library.json`, itself sealed under a key that PBKDF2 makes
//! of the passphrase, so that another passphrase means another small file and nothing else. Each file is packed (gzip), made
//! longer so that its size tells little, and sealed with AES-GCM, bound to its name.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::remote::Trouble;
use crate::store::from_text;

/// The name of the file that the passphrase opens.
pub const LIBRARY: &str = "library.json";

/// The form of all files there. A newer one is left alone.
pub const FORMAT: u32 = 1;

/// What is needed to open the library, but for the passphrase. Bytes in base64.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Library {
    pub format: u32,
    /// Tells this library from another ([`id_of`]).
    pub id: String,
    pub rounds: u32,
    pub salt: String,
    /// The key of the library, sealed.
    pub key: String,
}

impl Library {
    /// # Errors
    /// `Damaged`, `Newer`.
    pub fn read(bytes: &[u8]) -> Result<Self, Trouble> {
        let damaged = || Trouble::Damaged(LIBRARY.to_owned());
        let library: Self = from_text(std::str::from_utf8(bytes).map_err(|_| damaged())?).map_err(|_| damaged())?;
        if library.format > FORMAT {
            return Err(Trouble::Newer);
        }
        // So few rounds were never written here: somebody would have it easy to guess the passphrase.
        if library.rounds < 100_000 || library.salt.is_empty() || library.key.is_empty() {
            return Err(damaged());
        }
        Ok(library)
    }

    pub fn written(&self) -> Vec<u8> {
        serde_json::to_vec_pretty(self).unwrap_or_default()
    }
}

/// A key of its own for each purpose, from the key of the library.
pub fn key_for(purpose: &str, library: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(library).chain_update(purpose).finalize().into()
}

/// What tells a library from another, of its key: nothing of the key follows from it.
pub fn id_of(library: &[u8]) -> String {
    key_for("id", library).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes with their number before them, and zeros behind up to a size of which there are few (Padmé; Nikitin et al.,
/// *Reducing Metadata Leakage from Encrypted Files*, 2019: at most 12 % more).
pub fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut padded = Vec::with_capacity(padme(bytes.len() + 4));
    padded.extend((bytes.len() as u32).to_be_bytes());
    padded.extend(bytes);
    padded.resize(padme(padded.len()), 0);
    padded
}

/// `None`: they were not padded so.
pub fn unpadded(padded: &[u8]) -> Option<&[u8]> {
    let (length, bytes) = padded.split_first_chunk::<4>()?;
    bytes.get(..u32::from_be_bytes(*length) as usize)
}

fn padme(length: usize) -> usize {
    let length = length.max(256);
    let exponent = length.ilog2();
    let mantissa = exponent.ilog2() + 1;
    length.next_multiple_of(1 << (exponent - mantissa))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_tell_little() {
        for length in [0, 1, 100, 252, 253, 5_000, 70_000, 1_000_000] {
            let bytes = vec![7; length];
            let padded = padded(&bytes);
            assert_eq!(unpadded(&padded), Some(&bytes[..]));
            assert!(padded.len() <= 256.max((length + 4) * 113 / 100), "{length}: {}", padded.len());
        }
        let sizes: std::collections::BTreeSet<_> = (0..20_000).map(|length| padded(&vec![0; length]).len()).collect();
        assert!(sizes.len() < 120, "{}", sizes.len());
        assert_eq!(unpadded(&[0, 0, 0, 9, 1]), None);
        assert_eq!(unpadded(&[0, 0]), None);
    }

    #[test]
    fn a_library_that_is_none() {
        let whole =
            Library { format: 1, id: "0a".into(), rounds: 600_000, salt: "c2FsdA==".into(), key: "a2V5".into() };
        assert_eq!(Library::read(&whole.written()), Ok(whole.clone()));
        let newer = Library { format: 2, ..whole.clone() };
        assert_eq!(Library::read(&newer.written()), Err(Trouble::Newer));
        for broken in [Library { rounds: 1, ..whole.clone() }, Library { key: String::new(), ..whole }] {
            assert_eq!(Library::read(&broken.written()), Err(Trouble::Damaged(LIBRARY.into())));
        }
        assert_eq!(Library::read(b"<html>"), Err(Trouble::Damaged(LIBRARY.into())));
    }
}
