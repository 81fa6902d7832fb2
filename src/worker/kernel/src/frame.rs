//! Bytes that know whether they are whole: `kind 4 | version 1 | checksum 8 | payload`, little-endian.
//!
//! The checksum covers the rest, its length too. It finds damage, not malice: readers check what they read as well.

use std::fmt;

use serde::{Serialize, de::DeserializeOwned};

const HEAD: usize = 13;

/// Why bytes cannot be read. What they hold is lost, or waits for a newer version of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damaged {
    /// Too short, or of another kind.
    NotThis,
    /// Written by another version.
    Version(u8),
    /// Some bit is not what was written.
    Checksum,
    /// Whole, and yet not what it should be.
    Content(&'static str),
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotThis => f.write_str("not of this kind"),
            Self::Version(version) => write!(f, "of version {version}, which is not known"),
            Self::Checksum => f.write_str("damaged"),
            Self::Content(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Damaged {}

/// Frames a value.
pub fn seal(kind: [u8; 4], version: u8, value: &impl Serialize) -> Vec<u8> {
    let mut bytes = [&kind[..], &[version], &[0; 8]].concat();
    bytes = postcard::to_extend(value, bytes).expect("numbers, texts and lists of known length can be written");
    let sum = checksum(&bytes);
    bytes[5..HEAD].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// The payload of a frame, checked; `read` makes a value of it.
///
/// # Errors
/// Not a frame of this kind and version, or not as it was written.
pub fn open(kind: [u8; 4], version: u8, bytes: &[u8]) -> Result<&[u8], Damaged> {
    if bytes.len() < HEAD || bytes[..4] != kind {
        return Err(Damaged::NotThis);
    }
    if bytes[4] != version {
        return Err(Damaged::Version(bytes[4]));
    }
    if bytes[5..HEAD] != checksum(bytes).to_le_bytes() {
        return Err(Damaged::Checksum);
    }
    Ok(&bytes[HEAD..])
}

/// The value in a payload, which it must fill.
///
/// # Errors
/// `Content`.
pub fn read<T: DeserializeOwned>(payload: &[u8]) -> Result<T, Damaged> {
    match postcard::take_from_bytes(payload) {
        Ok((value, [])) => Ok(value),
        Ok(_) => Err(Damaged::Content("more than was written")),
        Err(_) => Err(Damaged::Content("not the fields that were written")),
    }
}

/// FNV-1a by words of eight bytes, without the field that it is kept in.
fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes[HEAD..].as_chunks::<8>();
    let mut tail = [0; 8];
    tail[..rest.len()].copy_from_slice(rest);
    let mut head = [0; 8];
    head[..5].copy_from_slice(&bytes[..5]);
    let length = (bytes.len() as u64).to_le_bytes();
    let words = [&head, &length].into_iter().chain(words).chain([&tail]);
    words.fold(0xCBF2_9CE4_8422_2325, |sum, word| (sum ^ u64::from_le_bytes(*word)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_change_is_found(value: Vec<u16>, at: prop::sample::Index, bit in 0..8u32, cut: prop::sample::Index) {
            let bytes = seal(*b"test", 3, &value);
            let payload = open(*b"test", 3, &bytes).unwrap();
            prop_assert_eq!(read::<Vec<u16>>(payload), Ok(value));
            let mut flipped = bytes.clone();
            flipped[at.index(bytes.len())] ^= 1 << bit;
            prop_assert!(open(*b"test", 3, &flipped).is_err());
            prop_assert!(open(*b"test", 3, &bytes[..cut.index(bytes.len())]).is_err());
            prop_assert_eq!(open(*b"tess", 3, &bytes), Err(Damaged::NotThis));
            prop_assert_eq!(open(*b"test", 4, &bytes), Err(Damaged::Version(3)));
        }
    }

    #[test]
    fn a_payload_must_be_filled() {
        assert!(matches!(read::<u8>(&[1, 2]), Err(Damaged::Content(_))));
        assert!(matches!(read::<u8>(&[]), Err(Damaged::Content(_))));
    }
}
