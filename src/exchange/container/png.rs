//! The texts that a PNG carries (PNG 3rd ed. §11.3.3). Cards ride in them, as Base64.

use std::{io::Read, ops::Range};

use flate2::read::ZlibDecoder;

use crate::{
    exchange::limits::{CARD, JSON_BYTES},
    story::picture::crc32,
};

const SIGNATURE: usize = 8;
const EXIF: &[u8] = b"eXIf";

/// A chunk: its name, where its body is, and where the whole of it is.
struct Chunk<'a> {
    name: &'a [u8],
    body: &'a [u8],
    whole: Range<usize>,
}

/// The chunks up to the last, or up to the first whose length is not true.
fn chunks(png: &[u8]) -> impl Iterator<Item = Chunk<'_>> {
    let mut at = SIGNATURE;
    std::iter::from_fn(move || {
        let length = u32::from_be_bytes(*png.get(at..)?.first_chunk()?) as usize;
        let end = at.checked_add(12)?.checked_add(length)?;
        let whole = png.get(at..end)?;
        let chunk = Chunk { name: &whole[4..8], body: &whole[8..8 + length], whole: at..end };
        at = if chunk.name == b"IEND" { png.len() } else { end };
        Some(chunk)
    })
}

/// The keyword of a text, and what follows it; `None` where the chunk holds none.
fn keyword<'a>(chunk: &Chunk<'a>) -> Option<(String, &'a [u8])> {
    if !matches!(chunk.name, b"tEXt" | b"zTXt" | b"iTXt") {
        return None;
    }
    let (keyword, rest) = split(chunk.body)?;
    Some((keyword.iter().map(|byte| char::from(*byte)).collect(), rest))
}

/// The text behind a keyword, of so many bytes at most.
fn text(name: &[u8], rest: &[u8], limit: u64) -> Option<Vec<u8>> {
    let plain = |text: &[u8]| (text.len() as u64 <= limit).then(|| text.to_vec());
    match name {
        b"tEXt" => plain(rest),
        b"zTXt" => unpacked(rest.strip_prefix(&[0])?, limit),
        _ => {
            let [packed, _, rest @ ..] = rest else { return None };
            let (_, rest) = split(rest)?;
            let (_, rest) = split(rest)?;
            if *packed == 0 { plain(rest) } else { unpacked(rest, limit) }
        }
    }
}

fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == 0)?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

/// `None` where it is damaged, or more than it may be.
fn unpacked(bytes: &[u8], limit: u64) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    ZlibDecoder::new(bytes).take(limit + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= limit).then_some(text)
}

/// The EXIF of a PNG.
pub fn exif(png: &[u8]) -> Option<&[u8]> {
    chunks(png).find(|chunk| chunk.name == EXIF).map(|chunk| chunk.body)
}

/// The texts of a PNG whose keywords are `wanted`, in their order; as many as a card may have.
pub fn texts(png: &[u8], wanted: impl Fn(&str) -> bool) -> Vec<(String, Vec<u8>)> {
    /// Of one, as Base64.
    const ONE: u64 = JSON_BYTES * 4 / 3 + 4;
    let (mut texts, mut left) = (Vec::new(), CARD.bytes);
    for chunk in chunks(png) {
        let Some((keyword, rest)) = keyword(&chunk).filter(|(keyword, _)| wanted(keyword)) else { continue };
        if left == 0 || texts.len() >= CARD.files {
            break;
        }
        match text(chunk.name, rest, ONE.min(left)) {
            Some(text) => {
                left -= text.len() as u64;
                texts.push((keyword, text));
            }
            // It was unpacked up to there.
            None => left = left.saturating_sub(ONE),
        }
    }
    texts
}

/// A PNG without the texts whose keywords `drop` names.
pub fn without(png: &[u8], drop: impl Fn(&str) -> bool) -> Vec<u8> {
    cut(png, |chunk| keyword(chunk).is_some_and(|(keyword, _)| drop(&keyword)))
}

pub fn without_exif(png: &[u8]) -> Vec<u8> {
    cut(png, |chunk| chunk.name == EXIF)
}

fn cut(png: &[u8], drop: impl Fn(&Chunk) -> bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(png.len());
    let mut kept = 0;
    for chunk in chunks(png).filter(|chunk| drop(chunk)) {
        out.extend_from_slice(&png[kept..chunk.whole.start]);
        kept = chunk.whole.end;
    }
    out.extend_from_slice(&png[kept..]);
    out
}

/// A PNG with these texts at its end.
pub fn with(png: &[u8], texts: &[(impl AsRef<str>, String)]) -> Vec<u8> {
    let end = chunks(png).find(|chunk| chunk.name == b"IEND").map_or(png.len(), |chunk| chunk.whole.start);
    let mut out = png[..end].to_vec();
    for (keyword, text) in texts {
        let named = [b"tEXt", keyword.as_ref().as_bytes(), &[0], text.as_bytes()].concat();
        out.extend_from_slice(&((named.len() - 4) as u32).to_be_bytes());
        out.extend_from_slice(&named);
        out.extend_from_slice(&crc32(&named).to_be_bytes());
    }
    out.extend_from_slice(&png[end..]);
    out
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::ZlibEncoder};
    use proptest::prelude::*;

    use super::*;
    use crate::story::picture::{look, samples};

    fn chunk(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
        let named = [name, body].concat();
        [&(body.len() as u32).to_be_bytes()[..], &named, &crc32(&named).to_be_bytes()].concat()
    }

    fn with_chunk(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
        let png = samples::png(8, 1);
        [&png[..png.len() - 12], &chunk(name, body), &png[png.len() - 12..]].concat()
    }

    #[test]
    fn texts_of_each_kind() {
        let packed = {
            let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
            packed.write_all("好".as_bytes()).unwrap();
            packed.finish().unwrap()
        };
        let said = |text: &str| vec![("chara".to_owned(), text.as_bytes().to_vec())];
        for (png, expected) in [
            (with_chunk(b"tEXt", b"chara\0abc"), said("abc")),
            (with_chunk(b"zTXt", &[b"chara\0\0", &packed[..]].concat()), said("好")),
            (with_chunk(b"iTXt", b"chara\0\0\0en\0x\0abc"), said("abc")),
            (with_chunk(b"iTXt", &[b"chara\0\x01\0\0\0", &packed[..]].concat()), said("好")),
            (with_chunk(b"zTXt", b"chara\0\0no zlib"), vec![]),
            (with_chunk(b"tEXt", b"no keyword"), vec![]),
            (samples::png(8, 1), vec![]),
            (b"\x89PNG\r\n\x1a\n\xff\xff\xff\xfftEXtchara\0abc".to_vec(), vec![]),
            (vec![], vec![]),
        ] {
            assert_eq!(texts(&png, |_| true), expected);
        }
    }

    #[test]
    fn a_text_that_unpacks_to_gigabytes() {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        (0..24).for_each(|_| packed.write_all(&[b'A'; 1 << 20]).unwrap());
        let png = with_chunk(b"zTXt", &[b"chara\0\0", &packed.finish().unwrap()[..]].concat());
        assert_eq!(texts(&png, |_| true), []);
        // Nor do many of them, together.
        let one = chunk(b"zTXt", &png[8 + 25 + 22 + 8..png.len() - 16]);
        let many = [&png[..33], &one.repeat(40), &png[33..]].concat();
        assert_eq!(texts(&many, |_| true).len(), 0);
    }

    proptest! {
        #[test]
        fn texts_go_in_and_out(words in prop::collection::vec(("[a-z]{1,9}", "[A-Za-z0-9+/=]{0,40}"), 0..5)) {
            let picture = samples::png(8, 1);
            let texts_in: Vec<(&str, String)> = words.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
            let png = with(&picture, &texts_in);
            prop_assert!(look(&png).is_ok());
            let read = texts(&png, |_| true);
            let expected: Vec<_> = words.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes())).collect();
            prop_assert_eq!(read, expected);
            prop_assert_eq!(without(&png, |_| true), picture);
        }

        #[test]
        fn noise_is_no_panic(noise in prop::collection::vec(any::<u8>(), 0..200)) {
            let png = [b"\x89PNG\r\n\x1a\n", &noise[..]].concat();
            let _ = texts(&png, |_| true);
            let _ = with(&without(&png, |_| true), &[("chara", "x".into())]);
        }
    }
}
