//! A ZIP too large to be held: its list of files is read from its end, and each file from its own bytes.

use std::io::{self, Read, Seek, SeekFrom};

use zip::{ZipArchive, read::ZipReadOptions, result::ZipError};

use super::zip::{broken, safe};
use crate::exchange::refusal::Refusal;

/// Files that a ZIP may have.
const MOST: usize = 200_000;
/// Bytes that a file's own header may take, beside its name as the list has it.
const HEADER: u64 = 30 + 66_000;

/// The list of files.
#[derive(Debug)]
pub struct Directory {
    archive: ZipArchive<Piece>,
    bytes: u64,
}

/// A file of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    pub path: String,
    /// Unpacked, as the list says.
    pub size: u64,
    index: usize,
}

/// What came of reading a list.
#[derive(Debug)]
pub enum Reading {
    Whole(Directory),
    /// More of the end is needed than was given.
    More,
}

impl Directory {
    /// Reads the list from the last bytes of a ZIP of `bytes`.
    ///
    /// # Errors
    /// It is none, is damaged, or has too many files.
    pub fn read(end: Vec<u8>, bytes: u64) -> Result<Reading, Refusal> {
        let start = bytes.saturating_sub(end.len() as u64);
        let piece = Piece { start, held: end, at: 0, bytes };
        match ZipArchive::new(piece) {
            Ok(archive) if archive.len() > MOST => Err(Refusal::TooMany { limit: MOST as u64 }),
            Ok(archive) => Ok(Reading::Whole(Self { archive, bytes })),
            Err(_) if start > 0 => Ok(Reading::More),
            Err(error) => Err(broken(error)),
        }
    }

    /// Its files; paths that lead out of it, and folders, are left out.
    pub fn files(&self) -> Vec<Packed> {
        let file = |index| {
            let entry = self.archive.by_index_data(index).ok()?;
            let path = safe(&String::from_utf8_lossy(entry.name_raw())).filter(|_| !entry.is_dir())?;
            Some(Packed { path, size: entry.size(), index })
        };
        (0..self.archive.len()).filter_map(file).collect()
    }

    /// Which bytes of the ZIP a file is in: from where, up to where.
    pub fn span(&self, file: &Packed) -> (u64, u64) {
        let Ok(entry) = self.archive.by_index_data(file.index) else { return (0, 0) };
        let start = entry.header_start().min(self.bytes);
        (start, start.saturating_add(HEADER).saturating_add(entry.compressed_size()).min(self.bytes))
    }

    /// Unpacks a file out of the bytes of its span, `limit` bytes at most whatever the list says.
    ///
    /// # Errors
    /// It is damaged, locked, packed in a way that is not known, or larger.
    pub fn unpack(&self, file: &Packed, held: Vec<u8>, limit: u64) -> Result<Vec<u8>, Refusal> {
        let entry = self.archive.by_index_data(file.index).map_err(broken)?;
        let start = entry.header_start();
        let mut piece = Piece { start, held, at: 0, bytes: self.bytes };
        let read = entry.with_reader(&mut piece, ZipReadOptions::new()).map_err(broken)?;
        let mut body = Vec::new();
        read.take(limit + 1).read_to_end(&mut body).map_err(|error| broken(ZipError::Io(error)))?;
        if body.len() as u64 > limit {
            return Err(Refusal::TooLarge { bytes: body.len() as u64, limit });
        }
        Ok(body)
    }
}

/// Some of a file's bytes, where they stand in it. Others cannot be read.
#[derive(Debug)]
struct Piece {
    start: u64,
    held: Vec<u8>,
    at: u64,
    /// Of the whole file.
    bytes: u64,
}

impl Read for Piece {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.bytes || into.is_empty() {
            return Ok(0);
        }
        let missing = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let from = self.at.checked_sub(self.start).ok_or_else(missing)? as usize;
        let rest = self.held.get(from..).filter(|rest| !rest.is_empty()).ok_or_else(missing)?;
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Piece {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.bytes.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::container::zip;

    fn whole(end: &[u8], bytes: usize) -> Result<Directory, Option<Refusal>> {
        match Directory::read(end.to_vec(), bytes as u64) {
            Ok(Reading::Whole(directory)) => Ok(directory),
            Ok(Reading::More) => Err(None),
            Err(refusal) => Err(Some(refusal)),
        }
    }

    #[test]
    fn by_its_end() {
        let noise: Vec<u8> = (0..60_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let files =
            [("chats/Ada/1.jsonl", &b"{}"[..]), ("characters/a.png", &noise), ("worlds/w.json", b"{\"entries\":{}}")];
        let zip = zip::write(files.into_iter().chain([("../up", &b"x"[..])]));
        let list = whole(&zip[zip.len() - 5_000..], zip.len()).unwrap();
        let read: Vec<_> = list
            .files()
            .into_iter()
            .map(|file| {
                let (from, to) = list.span(&file);
                let body = list.unpack(&file, zip[from as usize..to as usize].to_vec(), 100_000).unwrap();
                assert_eq!(file.size, body.len() as u64);
                (file.path, body)
            })
            .collect();
        assert_eq!(read, files.map(|(path, body)| (path.to_owned(), body.to_vec())));
        assert!(matches!(whole(&zip[zip.len() - 30..], zip.len()), Err(None)), "more is needed");
        // What a file says of its size is not believed.
        let file = &list.files()[1];
        let (from, to) = list.span(file);
        let held = zip[from as usize..to as usize].to_vec();
        assert_eq!(list.unpack(file, held.clone(), 59_999), Err(Refusal::TooLarge { bytes: 60_000, limit: 59_999 }));
        assert!(list.unpack(file, held[..500].to_vec(), 100_000).is_err(), "cut");
        assert!(list.unpack(file, Vec::new(), 100_000).is_err());
    }

    #[test]
    fn none() {
        assert!(matches!(whole(b"nothing of the kind", 19), Err(Some(_))));
        assert!(matches!(whole(b"", 0), Err(Some(_))));
    }

    proptest::proptest! {
        #[test]
        fn noise_is_no_panic(noise in proptest::collection::vec(proptest::prelude::any::<(u16, u8)>(), 0..20)) {
            let mut zip = zip::write([("card.json", &[b' '; 200][..]), ("b", b"x")]);
            for (at, byte) in noise {
                let at = usize::from(at) % zip.len();
                zip[at] = byte;
            }
            if let Ok(list) = whole(&zip, zip.len()) {
                for file in list.files() {
                    let (from, to) = list.span(&file);
                    let held = zip.get(from as usize..to as usize).unwrap_or_default().to_vec();
                    let _ = list.unpack(&file, held, 10_000);
                }
            }
        }
    }
}
