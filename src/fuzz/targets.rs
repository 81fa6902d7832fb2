//! What reads foreign bytes, and the rules that each holds.

mod files;
mod replies;
mod streams;

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Target, run};
use crate::{
    exchange::{
        archive::{Entry, Reader},
        background, character,
        limits::Limits,
        preset,
        refusal::Refusal,
        sniff,
    },
    provider::{Delta, StreamDecoder},
    reply::{
        markup::{self, Block, Document, Inline},
        parser::{self, PartKind, ReplyParser},
        repair::{Repair, repair},
        sxml::{Token, TokenKind, Tokenizer},
    },
    story::{connection::ProviderKind, picture},
    transfer::tests::damaged,
};

/// More would only take time.
const CUTS: usize = 40;

/// Where an input is cut, by what is in it: the same input is always cut alike.
fn cuts(input: &[u8]) -> Vec<usize> {
    let mut hash = 5381_usize;
    let mut cuts: Vec<usize> = input
        .iter()
        .enumerate()
        .filter_map(|(at, byte)| {
            hash = hash.wrapping_mul(33) ^ usize::from(*byte);
            hash.is_multiple_of(11).then_some(at)
        })
        .take(CUTS)
        .collect();
    cuts.extend([0, input.len()]);
    cuts.sort_unstable();
    cuts
}

fn pieces(text: &str) -> Vec<&str> {
    let mut cuts = cuts(text.as_bytes());
    cuts.retain(|at| text.is_char_boundary(*at));
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

fn text(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

/// The name of a variant, without what it holds.
fn variant(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}").split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}
