//! Cards in the EXIF of a JPEG, WebP or PNG. No specification says how: what writes them puts the card into the user comment, as
//! JSON or Base64, sometimes as UTF-16.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::de::IgnoredAny;

use crate::exchange::limits::JSON_BYTES;

/// Bytes of EXIF that are looked into: the longest card in Base64.
const LONGEST: usize = JSON_BYTES as usize / 3 * 4 + 4;

use super::png;

/// The text of a card, where one is found.
pub fn card(picture: &[u8]) -> Option<String> {
    let exif = match picture {
        [0xff, 0xd8, 0xff, ..] => of_jpeg(picture)?,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', rest @ ..] => of_webp(rest)?,
        [0x89, b'P', b'N', b'G', ..] => png::exif(picture)?,
        _ => return None,
    };
    if exif.len() > LONGEST {
        return None;
    }
    // Narrow, and wide in either order.
    let wide = |order: fn([u8; 2]) -> u16, from: usize| -> Vec<u8> {
        let units = exif[from.min(exif.len())..].chunks_exact(2).map(|pair| order([pair[0], pair[1]]));
        let letters = char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER));
        letters.collect::<String>().into_bytes()
    };
    json(exif).or_else(|| based(exif)).or_else(|| {
        let orders: [fn([u8; 2]) -> u16; 2] = [u16::from_le_bytes, u16::from_be_bytes];
        let readings = orders.into_iter().flat_map(|order| [0, 1].map(|from| (order, from)));
        readings.map(|(order, from)| wide(order, from)).find_map(|text| json(&text).or_else(|| based(&text)))
    })
}

/// The segment `APP1` that begins as EXIF does.
fn of_jpeg(jpeg: &[u8]) -> Option<&[u8]> {
    let mut at = 2;
    loop {
        let [0xff, marker, high, low] = *jpeg.get(at..)?.first_chunk()? else { return None };
        let length = usize::from(u16::from_be_bytes([high, low]));
        let body = jpeg.get(at + 4..at + 2 + length)?;
        match marker {
            0xe1 if body.starts_with(b"Exif\0\0") => return Some(body),
            // The picture itself.
            0xda => return None,
            _ => at += 2 + length,
        }
    }
}

fn of_webp(mut chunks: &[u8]) -> Option<&[u8]> {
    loop {
        let length = u32::from_le_bytes(*chunks.get(4..)?.first_chunk()?) as usize;
        let body = chunks.get(8..8usize.checked_add(length)?)?;
        if chunks.starts_with(b"EXIF") {
            return Some(body);
        }
        chunks = chunks.get(8 + length + length % 2..)?;
    }
}

/// From the first brace to the last.
fn json(bytes: &[u8]) -> Option<String> {
    let from = bytes.iter().position(|byte| *byte == b'{')?;
    let to = bytes.iter().rposition(|byte| *byte == b'}')?;
    let text = std::str::from_utf8(bytes.get(from..=to)?).ok()?;
    serde_json::from_str::<IgnoredAny>(text).is_ok().then(|| text.to_owned())
}

/// Of the letters of Base64 that stand together, the longest run.
fn based(bytes: &[u8]) -> Option<String> {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let longest = bytes.split(|byte| !is_letter(byte)).max_by_key(|run| run.len())?;
    json(&STANDARD.decode(longest).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARD: &str = r#"{"name":"Ada","first_mes":"你好"}"#;

    fn jpeg(comment: &[u8]) -> Vec<u8> {
        let body = [b"Exif\0\0MM\0*....ASCII\0\0\0", comment].concat();
        let app0 = b"\xff\xd8\xff\xe0\0\x04JF\xff\xe1";
        [&app0[..], &(body.len() as u16 + 2).to_be_bytes(), &body, b"\xff\xda\0\x02data\xff\xd9"].concat()
    }

    #[test]
    fn what_is_longer_than_any_card() {
        let long = format!(r#"{{"name":"{}"}}"#, "a".repeat(LONGEST));
        assert_eq!(card(&webp(long.as_bytes())), None);
        assert!(card(&webp(&long.as_bytes()[..0])).is_none() && card(&webp(CARD.as_bytes())).is_some());
    }

    fn webp(comment: &[u8]) -> Vec<u8> {
        let chunk = |name: &[u8; 4], body: &[u8]| {
            let pad = vec![0; body.len() % 2];
            [&name[..], &(body.len() as u32).to_le_bytes(), body, &pad].concat()
        };
        let chunks = [chunk(b"VP8L", b"\x2f\0\0\0\0"), chunk(b"EXIF", &[b"II*\0", comment].concat())].concat();
        [b"RIFF", &(chunks.len() as u32 + 4).to_le_bytes()[..], b"WEBP", &chunks].concat()
    }

    fn in_png(comment: &[u8]) -> Vec<u8> {
        let body = [b"MM\0*....ASCII\0\0\0", comment].concat();
        let length = (body.len() as u32).to_be_bytes();
        [b"\x89PNG\r\n\x1a\n", &length[..], b"eXIf", &body, b"crc.\0\0\0\0IENDcrc."].concat()
    }

    #[test]
    fn cards() {
        let based = STANDARD.encode(CARD);
        let wide: Vec<u8> = CARD.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let other: Vec<u8> = CARD.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (picture, expected) in [
            (jpeg(CARD.as_bytes()), Some(CARD)),
            (jpeg(based.as_bytes()), Some(CARD)),
            (webp(CARD.as_bytes()), Some(CARD)),
            (webp(based.as_bytes()), Some(CARD)),
            (webp(&wide), Some(CARD)),
            (jpeg(&other), Some(CARD)),
            (in_png(CARD.as_bytes()), Some(CARD)),
            (in_png(based.as_bytes()), Some(CARD)),
            (in_png(b""), None),
            (jpeg(b"a photograph"), None),
            (webp(b""), None),
            (b"\xff\xd8\xff\xe1\xff\xffExif".to_vec(), None),
            (b"RIFF\0\0\0\0WEBPEXIF\xff\xff\xff\xff".to_vec(), None),
            (b"GIF89a".to_vec(), None),
        ] {
            assert_eq!(card(&picture).as_deref(), expected);
        }
    }
}
