//! What a character comes in: a JSON text, a picture that carries one, a CHARX, or a picture with a CHARX behind it.

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use super::{assets::LEGACY, backyard};
use crate::exchange::{
    container::{Files, exif, png, zip},
    json,
    limits::{CARD, CARD_BYTES},
    refusal::Refusal,
    sniff::{FileKind, sniff},
};

/// Keywords of a PNG's texts (compared without case, as readers in the wild do).
pub(super) const V2: &str = "chara";
pub(super) const V3: &str = "ccv3";
/// How those begin that hold a file: its path follows, after a colon or none.
pub(super) const ASSET: &str = "chara-ext-asset_";

/// The text of a CHARX.
pub(super) const CARD_JSON: &str = "card.json";

/// A file, taken apart.
pub(super) struct Opened {
    pub text: String,
    /// The picture that carried it.
    pub picture: Option<Vec<u8>>,
    pub files: Files,
}

/// Takes a file apart, whatever it is called.
///
/// # Errors
/// There is no card in it, or more than is allowed.
pub(super) fn open(bytes: Vec<u8>) -> Result<Opened, Refusal> {
    json::too_large(bytes.len() as u64, CARD_BYTES)?;
    match sniff(&bytes) {
        FileKind::Png => of_png(&bytes),
        FileKind::Zip => of_zip(&bytes, None),
        FileKind::Picture => match zip_behind(&bytes) {
            Some(start) => of_zip(&bytes, Some(bytes[..start].to_vec())),
            None => {
                let text = exif::card(&bytes).ok_or(Refusal::NoCard(FileKind::Picture))?;
                Ok(Opened { text, picture: Some(bytes), files: Files::new() })
            }
        },
        _ => Ok(Opened { text: json::text_of(bytes)?, picture: None, files: Files::new() }),
    }
}

/// Whether a keyword is a card's.
pub(super) fn is_cards(keyword: &str) -> bool {
    keyword.eq_ignore_ascii_case(V2) || keyword.eq_ignore_ascii_case(V3) || keyword.starts_with(ASSET)
}

fn of_png(bytes: &[u8]) -> Result<Opened, Refusal> {
    let (mut v2, mut v3, mut files) = (None, None, Files::new());
    for (keyword, text) in png::texts(bytes, is_cards) {
        if keyword.eq_ignore_ascii_case(V3) {
            v3 = Some(text);
        } else if keyword.eq_ignore_ascii_case(V2) {
            v2 = Some(text);
        } else if let (Some(path), Some(file)) = (keyword.strip_prefix(ASSET), decode(&text)) {
            files.push((format!("{LEGACY}{}", path.trim_start_matches(':')), file));
        }
    }
    // The newer one; a V2 beside it is there for older readers, and for where that is broken.
    let mut cards = [v3, v2].into_iter().flatten().map(plain);
    let Some(first) = cards.next() else {
        let text = exif::card(bytes).ok_or(Refusal::NoCard(FileKind::Png))?;
        return Ok(Opened { text, picture: Some(png::without_exif(bytes)), files });
    };
    let is_sound = |text: &String| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    let text = match first {
        Ok(text) if is_sound(&text) => text,
        first => cards.next().and_then(Result::ok).filter(is_sound).map_or(first, Ok)?,
    };
    Ok(Opened { text, picture: Some(png::without(bytes, is_cards)), files })
}

/// The text of a chunk. Some forget to encode it.
fn plain(card: Vec<u8>) -> Result<String, Refusal> {
    let text = match sniff(&card) {
        FileKind::Json => card,
        _ => decode(&card).ok_or_else(|| Refusal::Damaged("Base64".into()))?,
    };
    json::text_of(text)
}

fn of_zip(bytes: &[u8], picture: Option<Vec<u8>>) -> Result<Opened, Refusal> {
    let mut files = zip::read(bytes, CARD)?;
    let Some(card) = files.iter().position(|(path, _)| path == CARD_JSON) else {
        let card = backyard::of_archive(&mut files).ok_or(Refusal::NoCard(FileKind::Zip))?;
        return Ok(Opened { text: card.to_string(), picture, files });
    };
    let (_, card) = files.remove(card);
    Ok(Opened { text: json::text_of(card)?, picture, files })
}

/// Where a ZIP begins behind something else; `None`: there is none.
fn zip_behind(bytes: &[u8]) -> Option<usize> {
    /// The record that ends a ZIP, with the longest comment.
    const END: usize = 22 + 65_535;
    let tail = &bytes[bytes.len().saturating_sub(END)..];
    tail.windows(4).any(|window| window == b"PK\x05\x06").then(|| zip::start(bytes))?
}

/// Base64 as it is found: with line breaks, with padding or without.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    const ENGINE: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let is_filling = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    if text.iter().any(is_filling) {
        let bare: Vec<u8> = text.iter().copied().filter(|byte| !is_filling(byte)).collect();
        return ENGINE.decode(bare).ok();
    }
    ENGINE.decode(text).ok()
}
