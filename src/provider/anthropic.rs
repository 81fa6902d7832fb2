//! Anthropic's messages protocol.
//!
//! Requests: `POST {base}/messages`. Events: `message_start` (model, prompt tokens), `content_block_start`,
//! `content_block_delta` (`text_delta`, `thinking_delta`, `input_json_delta`), `message_delta` (stop reason, completion tokens),
//! `message_stop`, `ping`, `error`. A whole answer is one object of type `message`.

use serde_json::{Map, Value, json};

use super::{
    Finish, Message,
    address::Address,
    begun,
    chunk::{Chunk, because, count, text},
    parameters::{self, Fields},
    request::{self, put},
    shape::{self, Shape, Takes},
    turns,
};
use crate::{
    ports::WireRequest,
    story::{
        connection::{Connection, ProviderKind},
        fault::Fault,
        preset::Role,
        sampling::{Effort, Parameter, Refused, Sampling},
    },
};

const CHAT: &str = "/messages";
const TAILS: [&str; 2] = [CHAT, "/models"];
/// The protocol wants a bound; a long scene fits.
const MAX_TOKENS: u32 = 4096;

fn base(connection: &Connection) -> Result<Address, Fault> {
    Ok(request::address(connection, ProviderKind::Anthropic)?.base(ProviderKind::Anthropic, &TAILS))
}

/// Without the last header the API sends no CORS headers, and a page gets nothing.
fn headers(key: Option<&str>) -> Vec<(&'static str, String)> {
    let key = key.map(|key| ("x-api-key", key.to_owned()));
    let fixed = [("anthropic-version", "2023-06-01"), ("anthropic-dangerous-direct-browser-access", "true")];
    key.into_iter().chain(fixed.map(|(name, value)| (name, value.to_owned()))).collect()
}

pub(super) fn chat(
    connection: &Connection,
    key: Option<&str>,
    messages: &[Message],
    shape: Option<(&Shape, Takes)>,
) -> Result<WireRequest, Fault> {
    let base = base(connection)?;
    let turns = turns::arrange(&begun::arranged(connection, messages).0);
    let turn = |(at, (role, content)): (usize, &(Role, String))| {
        let content = if turns.kept == Some(at) { kept(content) } else { json!(content) };
        json!({"role": role.name(), "content": content})
    };
    let mut body = Map::new();
    put(&mut body, "model", Some(request::model(connection)?));
    let system = Some(turns.system.as_str()).filter(|system| !system.is_empty());
    put(&mut body, "system", system.map(|text| if turns.keeps_system { kept(text) } else { json!(text) }));
    put(&mut body, "messages", Some(turns.turns.iter().enumerate().map(turn).collect::<Value>()));
    put(&mut body, "stream", Some(true));
    let taken = Refused::taken(connection);
    put(&mut body, "max_tokens", Some(MAX_TOKENS.saturating_add(taken.room())));
    parameters::put_all(&mut body, connection);
    if let Some((shape, takes)) = shape {
        shape::anthropic(&mut body, shape, takes);
    }
    // Who must call a tool may not think.
    if body.contains_key("tool_choice") {
        THINKS.iter().for_each(|name| drop(body.shift_remove(*name)));
    }
    request::add(&mut body, &connection.body);
    Ok(request::post(base.join(CHAT, ""), headers(key), body))
}

const THINKS: [&str; 2] = ["thinking", "output_config"];

/// How a parameter that is set is said here.
pub(super) fn fields(connection: &Connection, sampling: &Sampling, parameter: Parameter) -> Fields {
    let thinks = sampling.effort.is_some_and(|effort| effort != Effort::Off);
    let one = |name: &'static str, value: Value| vec![(name, value)];
    match parameter {
        // Who thinks chooses words as it likes.
        Parameter::Temperature | Parameter::TopP | Parameter::TopK if thinks => Vec::new(),
        // Nor is anything said for it.
        Parameter::Prefill if thinks => Vec::new(),
        Parameter::Prefill => one("prefill", json!(sampling.value(parameter))),
        // Here it goes to 1, elsewhere to 2.
        Parameter::Temperature => one("temperature", json!(sampling.temperature.map(|value| value.min(1.0)))),
        // Current models refuse both together; temperature is what people mean.
        Parameter::TopP if sampling.temperature.is_some() => Vec::new(),
        Parameter::TopP | Parameter::TopK => one(parameter.name(), json!(sampling.value(parameter))),
        Parameter::MaxTokens => one("max_tokens", json!(sampling.answer())),
        Parameter::Stop => one("stop_sequences", json!(sampling.value(parameter))),
        Parameter::Effort => sampling.effort.map_or_else(Vec::new, |effort| effort_fields(&connection.model, effort)),
        _ => Vec::new(),
    }
}

/// Up to 4.5, models think within a budget; later ones as much as they see fit, by an effort.
fn effort_fields(model: &str, effort: Effort) -> Fields {
    let [thinking, config] = THINKS;
    match effort {
        Effort::Off => vec![(thinking, json!({"type": "disabled"}))],
        effort if is_budgeted(model) => {
            vec![(thinking, json!({"type": "enabled", "budget_tokens": effort.room()}))]
        }
        effort => vec![(thinking, json!({"type": "adaptive"})), (config, json!({"effort": effort.name()}))],
    }
}

/// By the version in the name: `claude-3-7-sonnet-latest`, `claude-opus-4-20250514`, `claude-haiku-4-5`. One without a
/// version is new.
fn is_budgeted(model: &str) -> bool {
    let parts = model.split(['-', '.', '@', '/', ':']);
    let version: Vec<u32> = parts.filter(|part| part.len() < 3).filter_map(|part| part.parse().ok()).take(2).collect();
    !version.is_empty() && version < vec![4, 6]
}

/// A text that ends where the cache is to end: up to there the next prompt costs a tenth, if it begins so.
fn kept(text: &str) -> Value {
    json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}])
}

pub(super) fn models(connection: &Connection, key: Option<&str>) -> Result<WireRequest, Fault> {
    Ok(request::get(base(connection)?.join("/models", "limit=1000"), headers(key)))
}

pub(super) fn read(value: &Value) -> Chunk {
    let mut chunk = Chunk { known: true, ..Chunk::default() };
    match value["type"].as_str().unwrap_or_default() {
        "message_start" => head(&value["message"], &mut chunk),
        "content_block_start" => block(&value["content_block"], &mut chunk),
        // Signatures and citations are other fields of `delta`.
        "content_block_delta" => block(&value["delta"], &mut chunk),
        "message_delta" => {
            end(&value["delta"], &mut chunk);
            usage(&value["usage"], &mut chunk);
        }
        "message_stop" => (chunk.ended, chunk.last) = (true, true),
        "message" => {
            head(value, &mut chunk);
            value["content"].as_array().into_iter().flatten().for_each(|part| block(part, &mut chunk));
            end(value, &mut chunk);
            (chunk.ended, chunk.last) = (true, true);
        }
        "ping" | "content_block_stop" => {}
        // "New event types may be added, and your code should handle them gracefully."
        _ => chunk.known = false,
    }
    chunk
}

fn head(message: &Value, chunk: &mut Chunk) {
    chunk.model = text(&message["model"]).map(Into::into);
    usage(&message["usage"], chunk);
}

fn block(block: &Value, chunk: &mut Chunk) {
    chunk.calls |= block["type"] == "tool_use";
    chunk.reasoning(&block["thinking"]);
    chunk.text(&block["text"]);
    chunk.argument(&block["partial_json"]);
    // Of a whole answer; in a stream it is empty here, and comes in pieces.
    if block["input"].as_object().is_some_and(|input| !input.is_empty()) {
        chunk.argument(&block["input"].to_string().into());
    }
}

/// What the cache gave counts as prompt: the model read it.
fn usage(usage: &Value, chunk: &mut Chunk) {
    let [written, cached] = ["cache_creation_input_tokens", "cache_read_input_tokens"].map(|name| count(&usage[name]));
    chunk.prompt_tokens = count(&usage["input_tokens"])
        .map(|fresh| [written, cached].into_iter().flatten().fold(fresh, u32::saturating_add));
    (chunk.cached_tokens, chunk.written_tokens) = (cached, written);
    chunk.completion_tokens = count(&usage["output_tokens"]);
}

fn end(delta: &Value, chunk: &mut Chunk) {
    chunk.finish = text(&delta["stop_reason"]).map(|reason| match reason {
        "end_turn" | "stop_sequence" => Finish::Stop,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "refusal" => Finish::Filtered(because(reason, &delta["stop_details"]["explanation"])),
        "tool_use" => Finish::Calls,
        other => Finish::Other(other.to_owned()),
    });
}
