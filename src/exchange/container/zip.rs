//! ZIP files, within limits.

use std::{
    collections::HashSet,
    io::{Cursor, Read, Write},
};

use zip::{CompressionMethod, ZipArchive, ZipWriter, result::ZipError, write::SimpleFileOptions};

use super::Files;
use crate::exchange::{limits::Unpacking, refusal::Refusal};

/// The files of a ZIP, wherever in `bytes` it begins. Paths that lead out of it, and folders, are left out.
///
/// # Errors
/// It is none, is damaged, or asks for more than `limits`.
pub fn read(bytes: &[u8], limits: Unpacking) -> Result<Files, Refusal> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.len() > limits.files {
        return Err(Refusal::TooMany { limit: limits.files as u64 });
    }
    let (mut files, mut total) = (Files::new(), 0);
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(broken)?;
        let Some(path) = safe(&String::from_utf8_lossy(file.name_raw())).filter(|_| !file.is_dir()) else { continue };
        // What the directory says of its size may be a lie.
        let (packed, limit) = (file.compressed_size(), limits.bytes - total);
        let mut body = Vec::new();
        file.take(limit + 1).read_to_end(&mut body).map_err(|error| broken(error.into()))?;
        let size = body.len() as u64;
        total += size;
        if size > limit {
            return Err(Refusal::TooLarge { bytes: total, limit: limits.bytes });
        }
        // One file of it, or all together.
        for (packed, size) in [(packed, size), (bytes.len() as u64, total)] {
            if size > limits.ratio_after && size / packed.max(1) > limits.ratio {
                return Err(Refusal::Bomb { compressed: packed, decompressed: size });
            }
        }
        files.push((path, body));
    }
    Ok(files)
}

/// Where the first file of a ZIP begins in these bytes; `None`: there is none.
pub fn start(bytes: &[u8]) -> Option<usize> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let starts = (0..archive.len()).filter_map(|index| Some(archive.by_index_raw(index).ok()?.header_start() as usize));
    starts.min().filter(|start| *start <= bytes.len())
}

pub(super) fn broken(error: ZipError) -> Refusal {
    match error {
        ZipError::Io(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Refusal::Truncated,
        error => Refusal::Damaged(error.to_string()),
    }
}

/// The path, where it stays inside and is one that a ZIP can hold.
pub fn safe(path: &str) -> Option<String> {
    /// Bytes of a path.
    const LONGEST: usize = 1_000;
    let is_sound = |part: &str| !part.is_empty() && part != ".." && part != "." && !part.contains([':', '\\', '\0']);
    (path.len() <= LONGEST && path.split('/').all(is_sound)).then(|| path.to_owned())
}

/// Writes a ZIP: each path once, the first there is of it. What is packed already (pictures) is stored as it is.
pub fn write<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut written = HashSet::new();
    for (path, bytes) in files.into_iter().filter(|(path, _)| safe(path).is_some() && written.insert(*path)) {
        let method = if path.ends_with(".json") { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file(path, options).expect("each path once, into memory");
        zip.write_all(bytes).expect("into memory");
    }
    zip.finish().expect("into memory").into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Unpacking = Unpacking { files: 3, bytes: 10_000, ratio: 20, ratio_after: 1_000 };

    #[test]
    fn files_go_in_and_out() {
        let files = [("card.json", &b"{}"[..]), ("assets/icon/images/main.png", b"\x89PNG")];
        let zip = write(files);
        let owned = |files: &[(&str, &[u8])]| -> Files {
            files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect()
        };
        assert_eq!(read(&zip, SMALL), Ok(owned(&files)));
        assert_eq!(read(&[b"\xff\xd8\xff picture", &zip[..]].concat(), SMALL), Ok(owned(&files)), "behind a picture");
        // What is folders, or leads out.
        let zip = write([
            ("a/b", &b"1"[..]),
            ("a/b", b"2"),
            ("../up.json", b"3"),
            ("/root", b"4"),
            (&"x".repeat(70_000), b"5"),
        ]);
        assert_eq!(read(&zip, SMALL), Ok(owned(&[("a/b", b"1")])), "each once, and none that leads out");
        let mut bent = write([("aa/up", &b"1"[..])]);
        for at in (0..bent.len() - 2).filter(|at| bent[*at..].starts_with(b"aa/")).collect::<Vec<_>>() {
            bent[at..at + 2].copy_from_slice(b"..");
        }
        assert_eq!(read(&bent, SMALL), Ok(vec![]));
    }

    #[test]
    fn refused() {
        let many = write(["a", "b", "c", "d"].map(|path| (path, &b""[..])));
        assert_eq!(read(&many, SMALL), Err(Refusal::TooMany { limit: 3 }));
        let large = vec![7; 10_001];
        assert!(matches!(read(&write([("a", &large[..])]), SMALL), Err(Refusal::TooLarge { limit: 10_000, .. })));
        let bomb = write([("a.json", &[b' '; 9_000][..])]);
        assert!(matches!(read(&bomb, SMALL), Err(Refusal::Bomb { decompressed: 9_000, .. })));
        let several = write(["a.json", "b.json"].map(|path| (path, &[b' '; 4_900][..])));
        let small = Unpacking { ratio_after: 5_000, ..SMALL };
        assert!(matches!(read(&several, small), Err(Refusal::Bomb { decompressed: 9_800, .. })), "all together");
        let good = write([("a", &b"12345"[..])]);
        for end in 0..good.len() {
            assert!(read(&good[..end], SMALL).is_err(), "cut at {end}");
        }
        assert!(matches!(read(b"PK\x03\x04 and nothing more", SMALL), Err(Refusal::Damaged(_))));
    }

    proptest::proptest! {
        #[test]
        fn noise_is_no_panic(mut noise in proptest::collection::vec(proptest::prelude::any::<(u16, u8)>(), 0..20)) {
            let mut zip = write([("card.json", &[b' '; 200][..]), ("b", b"x")]);
            for (at, byte) in noise.drain(..) {
                let at = usize::from(at) % zip.len();
                zip[at] = byte;
            }
            let _ = read(&zip, SMALL);
        }
    }
}
