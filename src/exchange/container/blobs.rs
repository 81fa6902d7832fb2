//! Files one behind the other, as RisuAI's backup has them: of each the length of its name, its name, its length and its
//! bytes. Where each lies is learnt without reading what they hold.

use super::zip::safe;
use crate::exchange::refusal::Refusal;

/// Files that there may be.
const MOST: usize = 200_000;
/// Bytes of a name.
const LONGEST: usize = 1_000;
/// Bytes that say before a file what it is, at most: two lengths and a name.
pub const HEADER: u64 = 8 + LONGEST as u64;

/// A file of it, and from which byte up to which it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    pub name: String,
    pub from: u64,
    pub to: u64,
}

/// What is known of a container so far.
#[derive(Debug, Default)]
pub struct Index {
    blobs: Vec<Blob>,
    at: u64,
    bytes: u64,
}

impl Index {
    /// Of a container of so many bytes.
    pub fn new(bytes: u64) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// From which byte on it wants to read; [`HEADER`] bytes are enough for a step. `None`: it has seen its end.
    pub fn wants(&self) -> Option<u64> {
        (self.at < self.bytes).then_some(self.at)
    }

    /// Looks at bytes from where it wanted to read on, of as many files as begin in them. Names that lead elsewhere are left
    /// out.
    ///
    /// # Errors
    /// They are none of such a container (`Damaged`), it is cut short, or has too many files.
    pub fn read(&mut self, piece: &[u8]) -> Result<(), Refusal> {
        let start = self.at;
        loop {
            let rest = piece.get((self.at - start) as usize..).unwrap_or_default();
            match head(rest) {
                Head::Of { name, length, data } => {
                    let from = self.at + length as u64;
                    let to = from + u64::from(data);
                    if to > self.bytes {
                        return Err(Refusal::Truncated);
                    }
                    if self.blobs.len() == MOST {
                        return Err(Refusal::TooMany { limit: MOST as u64 });
                    }
                    self.blobs.extend(safe(&name).map(|name| Blob { name, from, to }));
                    self.at = to;
                }
                Head::None => return Err(Refusal::Damaged("no name".into())),
                // The next piece begins here, unless there is none.
                Head::Short if self.at > start => return Ok(()),
                Head::Short => return Err(Refusal::Truncated),
            }
        }
    }

    /// What it has found.
    pub fn blobs(self) -> Vec<Blob> {
        self.blobs
    }
}

enum Head {
    Of {
        name: String,
        /// Of all that stands before the file.
        length: usize,
        data: u32,
    },
    /// More bytes are needed.
    Short,
    None,
}

fn head(bytes: &[u8]) -> Head {
    let number = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
    let Some(named) = number(0) else { return Head::Short };
    let named = named as usize;
    if named == 0 || named > LONGEST {
        return Head::None;
    }
    let Some((name, data)) = bytes.get(4..4 + named).zip(number(4 + named)) else { return Head::Short };
    match std::str::from_utf8(name) {
        Ok(name) if !name.contains(char::is_control) => Head::Of { name: name.to_owned(), length: 8 + named, data },
        _ => Head::None,
    }
}

/// Whether a file that begins like this ([`HEADER`] bytes, or all of it) may be one: it has no sign but its first name.
pub fn may_be(first: &[u8]) -> bool {
    matches!(head(first), Head::Of { name, .. } if name.contains('.') && safe(&name).is_some())
}

/// Writes one.
#[cfg(test)]
pub fn write<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, bytes) in files {
        for part in [name.as_bytes(), bytes] {
            out.extend((part.len() as u32).to_le_bytes());
            out.extend(part);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads it as a page does, so many bytes at a time.
    fn index(file: &[u8], window: u64) -> Result<Vec<Blob>, Refusal> {
        let mut index = Index::new(file.len() as u64);
        while let Some(from) = index.wants() {
            let to = (from + window).min(file.len() as u64);
            index.read(&file[from as usize..to as usize])?;
            assert!(index.wants().is_none_or(|next| next > from), "each step leads on");
        }
        Ok(index.blobs())
    }

    #[test]
    fn files_are_found_without_being_read() {
        let large = vec![7; 5_000];
        let file =
            write([("a.png", &b"12"[..]), ("up/../x.png", b"3"), ("b.png", &large), ("empty", b""), ("c", b"4")]);
        for window in [HEADER, HEADER + 1, 4_000, 1 << 20] {
            let blobs = index(&file, window).unwrap();
            let held: Vec<_> =
                blobs.iter().map(|blob| (blob.name.as_str(), &file[blob.from as usize..blob.to as usize])).collect();
            assert_eq!(held, [("a.png", &b"12"[..]), ("b.png", &large), ("empty", b""), ("c", b"4")]);
        }
        assert!(may_be(&file) && may_be(&file[..13]));
    }

    #[test]
    fn lies_and_cuts() {
        let file = write([("a.png", &b"12"[..]), ("b.png", b"345")]);
        for end in (1..file.len()).filter(|end| *end != 15) {
            assert_eq!(index(&file[..end], HEADER), Err(Refusal::Truncated), "cut at {end}");
        }
        let lying = [&5u32.to_le_bytes()[..], b"a.png", &u32::MAX.to_le_bytes(), b"12"].concat();
        assert_eq!(index(&lying, HEADER), Err(Refusal::Truncated));
        for bad in [&u32::MAX.to_le_bytes()[..], &[0; 8], &[2, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0]] {
            assert!(matches!(index(bad, HEADER), Err(Refusal::Damaged(_))));
            assert!(!may_be(bad));
        }
        for other in [&b"{\"a\": 1}"[..], b"PK\x03\x04 a.png", b"", &[3, 0, 0, 0, b'a', b'b', b'c', 0, 0, 0, 0]] {
            assert!(!may_be(other));
        }
    }

    proptest::proptest! {
        #[test]
        fn noise_is_no_panic(
            noise in proptest::collection::vec(proptest::prelude::any::<(u16, u8)>(), 0..20),
            bare in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
        ) {
            let mut file = write([("a.png", &[b' '; 200][..]), ("database.risudat", b"x")]);
            for (at, byte) in noise {
                let at = usize::from(at) % file.len();
                file[at] = byte;
            }
            for file in [file, bare] {
                for blob in index(&file, HEADER).into_iter().flatten() {
                    proptest::prop_assert!(blob.from <= blob.to && blob.to <= file.len() as u64);
                }
                may_be(&file);
            }
        }
    }
}
