//! `database.risudat` in each of the encodings that its program has written: MessagePack, plain or packed, and blocks of JSON.
//! It is unpacked as it is read, and never held so.

use std::{
    cell::RefCell,
    io::{self, BufReader, ErrorKind},
};

use flate2::read::{DeflateDecoder, GzDecoder, ZlibDecoder};
use rmp_serde::decode::Error;
use serde::de::DeserializeSeed;

use super::{
    fields::{Database, Into, Part, Read},
    value::Reading,
};
use crate::exchange::{
    limits::{JSON_DEPTH, Unpacking},
    refusal::Refusal,
    sniff::Content,
};

/// How it begins; a byte for the encoding follows.
const MESSAGE_PACK: &[u8] = b"\0RISUSAVE\0";
const BLOCKS: &[u8] = b"RISUSAVE\0";

/// Reads it.
///
/// # Errors
/// It is cut short, damaged, of no encoding that is known, or asks for more than is allowed.
pub(super) fn read(bytes: &[u8]) -> Result<Database, Refusal> {
    read_within(bytes, &Reading::default())
}

fn read_within(bytes: &[u8], reading: &Reading) -> Result<Database, Refusal> {
    let database = RefCell::default();
    let into = Into { reading, database: &database };
    if let Some(rest) = bytes.strip_prefix(BLOCKS) {
        blocks(rest, into)?;
    } else {
        match bytes.strip_prefix(MESSAGE_PACK).and_then(<[u8]>::split_first) {
            Some((7, rest)) => message_pack(Packing::None, rest, into)?,
            Some((8 | 9, rest)) => message_pack(Packing::of(rest), rest, into)?,
            _ => return Err(Refusal::Unrecognised { wanted: Content::Archive, found: Content::Unknown }),
        }
    }
    Ok(database.into_inner())
}

fn message_pack(packing: Packing, bytes: &[u8], into: Into) -> Result<(), Refusal> {
    let mut decoder = rmp_serde::Deserializer::new(unpacked(packing, bytes, into.reading));
    // The levels around a record.
    decoder.set_max_depth(JSON_DEPTH + 8);
    Read(Part::Root, into).deserialize(&mut decoder).map_err(|error| {
        let is_cut = match &error {
            Error::InvalidMarkerRead(error) | Error::InvalidDataRead(error) => error.kind() == ErrorKind::UnexpectedEof,
            _ => false,
        };
        into.reading.refusal().unwrap_or_else(|| match error {
            _ if is_cut => Refusal::Truncated,
            Error::DepthLimitExceeded => Refusal::TooDeep,
            error => Refusal::Damaged(error.to_string()),
        })
    })
}

/// Of each a byte for its kind, one for whether it is packed, its name behind its length, and its text behind its length.
fn blocks(mut rest: &[u8], into: Into) -> Result<(), Refusal> {
    fn split<'a>(rest: &mut &'a [u8], count: usize) -> Result<&'a [u8], Refusal> {
        let (taken, left) = rest.split_at_checked(count).ok_or(Refusal::Truncated)?;
        *rest = left;
        Ok(taken)
    }
    while !rest.is_empty() {
        let head = split(&mut rest, 3)?;
        let name = String::from_utf8_lossy(split(&mut rest, head[2].into())?).into_owned();
        let length = split(&mut rest, 4)?.try_into().map_or(0, u32::from_le_bytes);
        let body = split(&mut rest, length as usize)?;
        let part =
            match head[0] {
                // How its program wrote it.
                0 => continue,
                1 => Part::Root,
                2 => Part::Character,
                4 => Part::Presets,
                5 => Part::Modules,
                // What lies elsewhere, or is of a kind that nothing is known of.
                _ => {
                    into.database.borrow_mut().others.push(into.reading.keep::<serde_json::Error>(name).map_err(
                        |error| into.reading.refusal().unwrap_or_else(|| Refusal::Damaged(error.to_string())),
                    )?);
                    continue;
                }
            };
        let packing = if head[1] == 1 { Packing::of(body) } else { Packing::None };
        let mut decoder = serde_json::Deserializer::from_reader(unpacked(packing, body, into.reading));
        Read(part, into).deserialize(&mut decoder).map_err(|error| {
            into.reading.refusal().unwrap_or_else(|| match error {
                error if error.is_eof() => Refusal::Truncated,
                error if error.to_string().starts_with("recursion limit") => Refusal::TooDeep,
                error => Refusal::Damaged(error.to_string()),
            })
        })?;
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Packing {
    None,
    Gzip,
    Zlib,
    Deflate,
}

impl Packing {
    fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0x1f, 0x8b, ..] => Self::Gzip,
            // A method and a window, and a sum that says so.
            [head, more, ..] if head & 0x8f == 8 && (u16::from(*head) << 8 | u16::from(*more)) % 31 == 0 => Self::Zlib,
            _ => Self::Deflate,
        }
    }
}

fn unpacked<'a>(packing: Packing, bytes: &'a [u8], reading: &'a Reading) -> BufReader<Bounded<'a>> {
    let from: Box<dyn io::Read + 'a> = match packing {
        Packing::None => Box::new(bytes),
        Packing::Gzip => Box::new(GzDecoder::new(bytes)),
        Packing::Zlib => Box::new(ZlibDecoder::new(bytes)),
        Packing::Deflate => Box::new(DeflateDecoder::new(bytes)),
    };
    BufReader::with_capacity(64 << 10, Bounded { from, packed: bytes.len() as u64, read: 0, reading })
}

/// What is unpacked, up to where it grows out of all proportion.
struct Bounded<'a> {
    from: Box<dyn io::Read + 'a>,
    packed: u64,
    read: u64,
    reading: &'a Reading,
}

impl io::Read for Bounded<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(into)?;
        self.read += count as u64;
        self.reading.unpacked.update(|bytes| bytes + count as u64);
        let Unpacking { bytes, ratio, ratio_after, .. } = self.reading.limits;
        let total = self.reading.unpacked.get();
        let why = if total > bytes {
            Refusal::TooLarge { bytes: total, limit: bytes }
        } else if self.read > ratio_after && self.read / self.packed.max(1) > ratio {
            Refusal::Bomb { compressed: self.packed, decompressed: self.read }
        } else {
            return Ok(count);
        };
        Err(io::Error::other(self.reading.refuse::<serde_json::Error>(why)))
    }
}
