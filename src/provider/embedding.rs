//! Embeddings: texts in, vectors out.
//!
//! OpenAI-compatible: `POST {base}/embeddings`, `{"model","input":[…],"encoding_format":"float"}` →
//! `{"data":[{"index","embedding":[…]}]}`, the vector also as base64 of little-endian 32-bit floats.
//! Gemini: `POST {base}/models/{model}:batchEmbedContents`, `{"requests":[{"model","content","taskType"}]}` →
//! `{"embeddings":[{"values":[…]}]}`. Anthropic offers none.

use std::ops::Range;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::{chunk, errors, gemini, openai, request};
use crate::{
    ports::WireRequest,
    story::{
        connection::{Connection, ProviderKind},
        fault::{Fault, FaultKind},
        order,
    },
};

mod manner;

use manner::Manner;

/// Texts in one request; providers take 64 (some local servers) to 2,048, and Alibaba 10.
const MOST_TEXTS: usize = 64;
const FEW_TEXTS: usize = 10;
/// Characters in one request, so that it stays below the usual 8,192 tokens a batch of local servers, and a failed one
/// costs little. A single longer text goes alone.
const MOST_CHARS: usize = 16_000;

/// What a text is embedded for. Many models want to be told, and are much worse where they are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It is asked with.
    Query,
    /// It is to be found.
    Passage,
}

/// The request for the vectors of `texts`, none of which may be empty; the answer goes to `parse_embeddings`.
///
/// # Errors
/// `NoEmbeddings` where the protocol has none; else as `chat_request`.
pub fn embedding_request(
    connection: &Connection,
    key: Option<&str>,
    texts: &[&str],
    purpose: Purpose,
) -> Result<WireRequest, Fault> {
    let key = request::key(key)?;
    let manner = Manner::of(&connection.model);
    let texts: Vec<_> = texts.iter().map(|text| format!("{}{text}", manner.prefix(purpose))).collect();
    match connection.kind {
        ProviderKind::Openai => openai::embeddings(connection, key, &texts, manner.input_type(purpose)),
        ProviderKind::Gemini => gemini::embeddings(connection, key, &texts, manner.task_type(purpose)),
        ProviderKind::Anthropic => Err(Fault::new(FaultKind::NoEmbeddings, "")),
    }
}

/// Cuts `texts` into runs that each fit one request of this connection.
pub fn batches(connection: &Connection, texts: &[&str]) -> Vec<Range<usize>> {
    let host = request::address(connection, connection.kind).map_or(String::new(), |address| address.host);
    let most = if host.starts_with("dashscope") { FEW_TEXTS } else { MOST_TEXTS };
    let mut runs = Vec::new();
    let (mut start, mut chars) = (0, 0);
    for (at, text) in texts.iter().enumerate() {
        let more = text.chars().count();
        if at > start && (at - start == most || chars + more > MOST_CHARS) {
            runs.push(start..at);
            (start, chars) = (at, 0);
        }
        chars += more;
    }
    if start < texts.len() {
        runs.push(start..texts.len());
    }
    runs
}

/// The vectors of a successful answer, as many as texts were sent and in their order: of one dimension, finite, and
/// not zero; of any length, for not every provider normalises.
///
/// Takes what either protocol says, and the bare lists of local servers.
///
/// # Errors
/// What the provider's error object says, or `NotTheProtocol` with what is wrong or the body's first words. `key` is
/// not repeated.
pub fn parse_embeddings(body: &str, count: usize, key: Option<&str>) -> Result<Vec<Vec<f32>>, Fault> {
    counted_embeddings(body, count, key).map(|(vectors, _)| vectors)
}

/// The same with the tokens that the texts came to, where the answer says so.
///
/// # Errors
/// As above.
pub fn counted_embeddings(body: &str, count: usize, key: Option<&str>) -> Result<(Vec<Vec<f32>>, Option<u32>), Fault> {
    let stray = || errors::not_the_protocol(body, key);
    let value: Value = serde_json::from_str(body.trim_start_matches('\u{FEFF}')).map_err(|_| stray())?;
    if let Some(fault) = errors::fault_in(&value, key) {
        return Err(fault);
    }
    let list =
        [&value["data"], &value["embeddings"], &value].into_iter().find_map(Value::as_array).ok_or_else(stray)?;
    if list.len() != count {
        return Err(wrong("not as many vectors as texts"));
    }
    let mut vectors = list.iter().map(|item| vector(item).map_err(wrong)).collect::<Result<Vec<_>, _>>()?;
    if vectors.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
        return Err(wrong("vectors of different dimensions"));
    }
    let index = |(at, item): (usize, &Value)| item["index"].as_u64().unwrap_or(at as u64);
    let mut order: Vec<_> = list.iter().enumerate().map(index).zip(vectors.drain(..)).collect();
    order::by_key(&mut order, |(index, _)| *index);
    if (0..).zip(&order).any(|(want, (index, _))| want != *index) {
        return Err(wrong("an index is missing, or there twice"));
    }
    let tokens = chunk::count(&value["usage"]["prompt_tokens"]);
    Ok((order.into_iter().map(|(_, vector)| vector).collect(), tokens))
}

fn wrong(words: &str) -> Fault {
    Fault::new(FaultKind::NotTheProtocol, words)
}

/// The numbers of one item: bare, or in the field of either protocol.
fn vector(item: &Value) -> Result<Vec<f32>, &'static str> {
    let found =
        [&item["embedding"], &item["values"], item].into_iter().find(|value| value.is_array() || value.is_string());
    // llama.cpp's own endpoint wraps the one vector of a text once more.
    let found = found.map(|value| if value[0].is_array() { &value[0] } else { value });
    let vector = match found {
        Some(Value::Array(numbers)) => {
            numbers.iter().map(|number| number.as_f64().map(|number| number as f32)).collect()
        }
        Some(Value::String(text)) => floats(text),
        _ => return Err("an item without a vector"),
    };
    let vector: Vec<f32> = vector.ok_or(NUMBERS)?;
    if vector.iter().any(|number| !number.is_finite()) {
        return Err(NUMBERS);
    }
    if vector.iter().all(|&number| number == 0.0) {
        return Err("a vector without direction");
    }
    Ok(vector)
}

const NUMBERS: &str = "a vector that is not made of finite numbers";

/// Little-endian 32-bit floats in base64.
fn floats(text: &str) -> Option<Vec<f32>> {
    let bytes = STANDARD.decode(text).ok()?;
    let (words, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| words.iter().map(|word| f32::from_le_bytes(*word)).collect())
}

#[cfg(test)]
mod tests;
