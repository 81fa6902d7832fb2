//! What the first bytes of a picture say: its kind, and how many pixels it will be. Read before anything is decoded, so
//! that a small file which unpacks to gigabytes is refused by its head.
//!
//! Sources: PNG 3rd ed. §5, ITU-T T.81 annex B (JPEG), RFC 9649 (WebP), GIF89a §18, ISO/IEC 14496-12 and 23008-12 (AVIF).

/// A picture has this many pixels at most: decoded, each takes four bytes.
pub const MAX_PIXELS: u64 = 40_000_000;
/// Pixels of a side at most: no browser draws more.
pub const MAX_SIDE: u32 = 16_384;
/// Pictures larger than this are refused.
pub const MAX_PICTURE_BYTES: usize = 8 << 20;

/// The head of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Media type.
    pub kind: &'static str,
    pub width: u32,
    pub height: u32,
}

/// Why something is not taken for a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// None of the kinds that are known. SVG is none: it can hold script.
    Unknown,
    /// It begins as one, and is cut short or damaged.
    Broken,
    TooManyPixels {
        width: u32,
        height: u32,
    },
    TooLarge {
        bytes: u64,
    },
}

/// Looks at a picture without decoding it.
///
/// # Errors
/// `Fault`, whatever it is that shows.
pub fn look(bytes: &[u8]) -> Result<Head, Fault> {
    if bytes.len() > MAX_PICTURE_BYTES {
        return Err(Fault::TooLarge { bytes: bytes.len() as u64 });
    }
    let kind = kind(bytes).ok_or(Fault::Unknown)?;
    let (width, height) = match kind {
        "image/png" => png(bytes),
        "image/jpeg" => jpeg(bytes),
        "image/webp" => webp(bytes),
        "image/gif" => gif(bytes),
        _ => avif(bytes),
    }
    .filter(|(width, height)| *width > 0 && *height > 0)
    .ok_or(Fault::Broken)?;
    if width.max(height) > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Fault::TooManyPixels { width, height });
    }
    Ok(Head { kind, width, height })
}

/// The media type by the first bytes.
pub fn kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f' | b's', ..] => Some("image/avif"),
        _ => None,
    }
}

type Size = Option<(u32, u32)>;

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn big16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?).into())
}

fn little16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?).into())
}

/// Chunks up to the last one, those that matter with their checksums: some browsers draw what is left of a damaged one.
fn png(bytes: &[u8]) -> Size {
    let (mut at, mut size, mut has_data) = (8, None, false);
    loop {
        let length = big(bytes, at)? as usize;
        let name = bytes.get(at + 4..at + 8)?;
        let body = bytes.get(at + 8..at.checked_add(8)?.checked_add(length)?)?;
        let sum = big(bytes, at + 8 + length)?;
        let matters = name[0].is_ascii_uppercase();
        if matters && crc32(&bytes[at + 4..at + 8 + length]) != sum {
            return None;
        }
        match (name, size) {
            (b"IHDR", None)
                if length == 13 && is_png_depth(body[8], body[9]) && body[10..12] == [0, 0] && body[12] < 2 =>
            {
                size = Some((big(body, 0)?, big(body, 4)?));
            }
            // The header comes first, and once.
            (b"IHDR", _) | (_, None) => return None,
            (b"IDAT", _) => has_data |= length > 0,
            (b"IEND", size) => return size.filter(|_| has_data),
            _ => {}
        }
        at += 12 + length;
    }
}

/// Whether a colour type goes with so many bits a sample.
fn is_png_depth(depth: u8, colour: u8) -> bool {
    match colour {
        0 => matches!(depth, 1 | 2 | 4 | 8 | 16),
        3 => matches!(depth, 1 | 2 | 4 | 8),
        2 | 4 | 6 => matches!(depth, 8 | 16),
        _ => false,
    }
}

/// The checksum of a PNG's chunk.
pub fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let (mut table, mut n) = ([0; 256], 0);
        while n < 256 {
            let (mut crc, mut bit) = (n as u32, 0);
            while bit < 8 {
                crc = if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
                bit += 1;
            }
            table[n] = crc;
            n += 1;
        }
        table
    };
    !bytes.iter().fold(u32::MAX, |crc, byte| TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8))
}

/// Segments up to the data of the picture, which has to have an end: some browsers draw what is there of one cut short.
fn jpeg(bytes: &[u8]) -> Size {
    let (mut at, mut size) = (2, None);
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        match *bytes.get(at + 1)? {
            // Filling.
            0xff => {
                at += 1;
                continue;
            }
            // Markers that stand alone.
            0x01 | 0xd0..=0xd7 => {
                at += 2;
                continue;
            }
            // The frame; of its codes three are something else.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                size = Some((big16(bytes, at + 7)?, big16(bytes, at + 5)?));
            }
            0xda => return size.filter(|_| bytes[at..].windows(2).any(|marker| marker == [0xff, 0xd9])),
            0xd8 | 0xd9 => return None,
            _ => {}
        }
        at += 2 + usize::try_from(big16(bytes, at + 2).filter(|length| *length >= 2)?).ok()?;
    }
}

fn webp(bytes: &[u8]) -> Size {
    let length = u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?) as usize;
    let chunk = bytes.get(20..)?;
    if length + 8 > bytes.len() {
        return None;
    }
    let low = |at: usize| Some(u32::from(*chunk.get(at)?));
    match &bytes[12..16] {
        b"VP8 " if chunk.get(3..6)? == [0x9d, 0x01, 0x2a] => {
            Some((little16(chunk, 6)? & 0x3fff, little16(chunk, 8)? & 0x3fff))
        }
        b"VP8L" if *chunk.first()? == 0x2f => {
            let bits = u32::from_le_bytes(*chunk.get(1..)?.first_chunk()?);
            Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
        }
        b"VP8X" => {
            let side = |at| Some((low(at)? | low(at + 1)? << 8 | low(at + 2)? << 16) + 1);
            Some((side(4)?, side(7)?))
        }
        _ => None,
    }
}

fn gif(bytes: &[u8]) -> Size {
    Some((little16(bytes, 6)?, little16(bytes, 8)?))
}

/// The largest extent that it names: tiles have theirs, too.
fn avif(bytes: &[u8]) -> Size {
    let names = bytes.windows(4).enumerate().take(HEAD).filter(|(_, name)| name == b"ispe").map(|(at, _)| at);
    let sizes = names.filter_map(|at| Some((big(bytes, at + 8)?, big(bytes, at + 12)?)));
    sizes.max_by_key(|(width, height)| u64::from(*width) * u64::from(*height))
}

/// Bytes within which an AVIF says what it is.
const HEAD: usize = 64 << 10;

#[cfg(test)]
pub(crate) mod samples {
    use super::crc32;

    fn chunk(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
        let named = [name, body].concat();
        [&(body.len() as u32).to_be_bytes()[..], &named, &crc32(&named).to_be_bytes()].concat()
    }

    /// Grey, one row of eight pixels a byte; its data is that of one black pixel.
    pub fn png(width: u32, height: u32) -> Vec<u8> {
        let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[1, 0, 0, 0, 0]].concat();
        let data = [0x78, 0x01, 0x63, 0x60, 0x00, 0x00, 0x00, 0x02, 0x00, 0x01];
        [b"\x89PNG\r\n\x1a\n", &*chunk(b"IHDR", &header), &chunk(b"IDAT", &data), &chunk(b"IEND", &[])].concat()
    }

    pub fn gif(width: u16, height: u16) -> Vec<u8> {
        [
            b"GIF89a",
            &width.to_le_bytes()[..],
            &height.to_le_bytes(),
            b"\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;",
        ]
        .concat()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn jpeg(width: u16, height: u16, frame: u8) -> Vec<u8> {
        let (width, height) = (width.to_be_bytes(), height.to_be_bytes());
        let app = b"\xff\xd8\xff\xe0\0\x04JF\xff\xff\xdb\0\x03x";
        [&app[..], &[0xff, frame, 0, 11, 8], &height, &width, &[1, 1, 0x11, 0], b"\xff\xda\0\x02data\xff\xd9"].concat()
    }

    fn webp(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
        let length = (12 + body.len() as u32).to_le_bytes();
        [b"RIFF", &length[..], b"WEBP", name, &(body.len() as u32).to_le_bytes(), body].concat()
    }

    fn avif(sizes: &[(u32, u32)]) -> Vec<u8> {
        let mut bytes = b"\0\0\0\x1cftypavif\0\0\0\0avifmif1\0\0\0\0meta".to_vec();
        for (width, height) in sizes {
            bytes.extend([b"\0\0\0\x14ispe\0\0\0\0", &width.to_be_bytes()[..], &height.to_be_bytes()].concat());
        }
        bytes
    }

    #[test]
    fn heads() {
        let of = |kind, width, height| Ok(Head { kind, width, height });
        let lossless = (639_u32 | 479 << 14).to_le_bytes();
        for (bytes, expected) in [
            (samples::png(640, 480), of("image/png", 640, 480)),
            (jpeg(640, 480, 0xc0), of("image/jpeg", 640, 480)),
            (jpeg(640, 480, 0xc2), of("image/jpeg", 640, 480)),
            (samples::gif(640, 480), of("image/gif", 640, 480)),
            (webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01"), of("image/webp", 640, 480)),
            (webp(b"VP8L", &[&[0x2f], &lossless[..]].concat()), of("image/webp", 640, 480)),
            (webp(b"VP8X", b"\0\0\0\0\x7f\x02\0\xdf\x01\0"), of("image/webp", 640, 480)),
            (avif(&[(320, 240), (640, 480)]), of("image/avif", 640, 480)),
            (b"<svg onload=1>".to_vec(), Err(Fault::Unknown)),
            (b"BM\0\0".to_vec(), Err(Fault::Unknown)),
            (b"GIF88a\x01\0\x01\0".to_vec(), Err(Fault::Unknown)),
            (vec![], Err(Fault::Unknown)),
            (jpeg(640, 480, 0xc4), Err(Fault::Broken)),
            (jpeg(640, 480, 0xc0).split_last().unwrap().1.to_vec(), Err(Fault::Broken)),
            (webp(b"VP8 ", b""), Err(Fault::Broken)),
            (webp(b"VP8X", b"\0"), Err(Fault::Broken)),
            (b"RIFF\x04\0\0\0WEBP".to_vec(), Err(Fault::Broken)),
            (b"GIF89a".to_vec(), Err(Fault::Broken)),
            (samples::gif(0, 1), Err(Fault::Broken)),
            (avif(&[]), Err(Fault::Broken)),
        ] {
            assert_eq!(look(&bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_huge_one_is_refused_by_its_head() {
        let many = |width, height| Err(Fault::TooManyPixels { width, height });
        for (bytes, expected) in [
            (samples::png(30_000, 30_000), many(30_000, 30_000)),
            (samples::png(16_385, 1), many(16_385, 1)),
            (samples::png(6_400, 6_300), many(6_400, 6_300)),
            (jpeg(65_535, 65_535, 0xc0), many(65_535, 65_535)),
            (webp(b"VP8X", b"\0\0\0\0\xff\xff\xff\xff\xff\xff"), many(1 << 24, 1 << 24)),
            (avif(&[(u32::MAX, u32::MAX)]), many(u32::MAX, u32::MAX)),
            (vec![0; MAX_PICTURE_BYTES + 1], Err(Fault::TooLarge { bytes: MAX_PICTURE_BYTES as u64 + 1 })),
        ] {
            assert_eq!(look(&bytes), expected);
        }
        assert!(look(&samples::png(8_000, 5_000)).is_ok(), "a photograph");
    }

    /// Whatever is done to a PNG that a browser may draw a part of.
    #[test]
    fn broken_pngs() {
        let good = samples::png(8, 1);
        assert_eq!(look(&[&*good, b"what some programs add"].concat()).map(|head| head.width), Ok(8));
        for end in 8..good.len() {
            assert_eq!(look(&good[..end]), Err(Fault::Broken), "cut at {end}");
        }
        for at in 8..good.len() {
            let mut wrong = good.clone();
            wrong[at] ^= 1;
            assert!(look(&wrong).is_err(), "byte {at}");
        }
        let without = |name: &[u8; 4]| {
            let at = good.windows(4).position(|window| window == name).unwrap() - 4;
            let length = big(&good, at).unwrap() as usize;
            [&good[..at], &good[at + 12 + length..]].concat()
        };
        for name in [b"IHDR", b"IDAT", b"IEND"] {
            assert_eq!(look(&without(name)), Err(Fault::Broken));
        }
    }

    proptest! {
        #[test]
        fn noise_is_no_panic(head in 0usize..8, noise in prop::collection::vec(any::<u8>(), 0..200)) {
            let heads: [&[u8]; 8] = [
                b"\x89PNG\r\n\x1a\n", b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", b"\xff\xd8\xff", b"RIFF\x20\0\0\0WEBPVP8 ",
                b"RIFF\x20\0\0\0WEBPVP8X", b"GIF89a", b"\0\0\0\x1cftypavif\0\0\0\0ispe", b"",
            ];
            let _ = look(&[heads[head], &noise].concat());
        }

        #[test]
        fn one_wrong_byte_is_no_panic(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            for mut bytes in [samples::png(8, 1), jpeg(8, 1, 0xc0), samples::gif(1, 1), avif(&[(1, 1)])] {
                let at = at.index(bytes.len());
                bytes[at] = byte;
                let _ = look(&bytes);
            }
        }
    }
}
