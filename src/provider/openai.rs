//! The OpenAI chat completions protocol and its many speakers.
//!
//! Requests: `POST {base}/chat/completions`. Chunks:
//! `{"model","choices":[{"delta":{"content","reasoning_content"},"finish_reason"}],"usage":{"prompt_tokens","completion_tokens"}}`,
//! then `[DONE]`. A whole answer has `message` in place of `delta`.

use serde_json::{Map, Value, json};

use super::{
    Finish, Message,
    address::{Address, is_local},
    begun,
    chunk::{Chunk, count, text},
    manners::{LIMIT, Manners},
    parameters::{self, Fields},
    request::{self, put},
    shape::{self, Shape, Takes},
};
use crate::{
    ports::WireRequest,
    story::{
        connection::{Connection, ProviderKind},
        fault::Fault,
        preset::Role,
        sampling::{Effort, Parameter, Sampling},
    },
};

const CHAT: &str = "/chat/completions";
const EMBEDDINGS: &str = "/embeddings";
const TAILS: [&str; 4] = [CHAT, "/completions", EMBEDDINGS, "/models"];

/// What a host does not take, or calls by another name. Most take the common set or ignore what they do not know.
struct Dialect {
    /// Without `stream_options` the common protocol reports no usage; Mistral always does, and answers the
    /// unknown field with 422.
    stream_options: bool,
    /// OpenAI's own reasoning models refuse `max_tokens`; nearly all others know nothing else.
    max_tokens: &'static str,
    /// Top k, min p and the penalty of repetition are not part of the protocol; hosts that check their fields refuse them.
    beyond: bool,
    seed: &'static str,
    bias: bool,
    thinks: Thinks,
    /// What marks a message that the model is to go on from.
    prefix: Option<&'static str>,
    /// Whether a reply may be begun for the model at all; elsewhere it begins anew.
    prefill: bool,
    /// It hands marks of what is worth keeping on to the maker of these models, who wants to be told; others keep what
    /// they like.
    keeps: Option<&'static str>,
}

/// How a host is told how much to think.
#[derive(Clone, Copy)]
enum Thinks {
    /// The protocol's own word.
    Effort,
    /// `thinking: {type}` of DeepSeek, Zhipu and Moonshot: on or off.
    Switch,
    /// `enable_thinking` of Alibaba and SiliconFlow.
    Flag,
    /// llama.cpp, vLLM and LM Studio hand it on to the model's template, under the name that most of them know; Ollama and
    /// models with levels take the protocol's own.
    Template,
}

impl Dialect {
    fn of(address: &Address) -> Self {
        let common = Self {
            stream_options: true,
            max_tokens: "max_tokens",
            beyond: true,
            seed: "seed",
            bias: true,
            thinks: Thinks::Effort,
            prefix: None,
            prefill: true,
            keeps: None,
        };
        match address.host.as_str() {
            "api.openai.com" => Self { max_tokens: LIMIT, beyond: false, prefill: false, ..common },
            "api.mistral.ai" => Self {
                stream_options: false,
                beyond: false,
                seed: "random_seed",
                bias: false,
                prefix: Some("prefix"),
                ..common
            },
            "api.groq.com" => Self { beyond: false, bias: false, ..common },
            "openrouter.ai" => Self { keeps: Some("anthropic/"), ..common },
            // Only its beta goes on from words of the model.
            "api.deepseek.com" => {
                let is_beta = address.path.starts_with("/beta");
                Self { thinks: Thinks::Switch, prefix: is_beta.then_some("prefix"), prefill: is_beta, ..common }
            }
            "api.z.ai" | "open.bigmodel.cn" => Self { thinks: Thinks::Switch, ..common },
            "api.moonshot.cn" | "api.moonshot.ai" => Self { thinks: Thinks::Switch, prefix: Some("partial"), ..common },
            "dashscope.aliyuncs.com" | "dashscope-intl.aliyuncs.com" => {
                Self { thinks: Thinks::Flag, prefix: Some("partial"), ..common }
            }
            "api.siliconflow.cn" | "api.siliconflow.com" => Self { thinks: Thinks::Flag, ..common },
            _ if is_local(&address.origin()) => Self { thinks: Thinks::Template, ..common },
            _ => common,
        }
    }
}

/// Whether the server is known to take the system's words before the conversation alone.
pub(super) fn takes_turns(connection: &Connection) -> bool {
    base(connection).is_ok_and(|base| base.host == "api.mistral.ai")
}

/// Whether the server is known for models that think unless they are told not to, and has a word for that.
pub(super) fn has_switch(connection: &Connection) -> bool {
    base(connection).is_ok_and(|base| !matches!(Dialect::of(&base).thinks, Thinks::Effort))
}

fn base(connection: &Connection) -> Result<Address, Fault> {
    Ok(request::address(connection, ProviderKind::Openai)?.base(ProviderKind::Openai, &TAILS))
}

/// `authorization` only with a key: local servers want no header that they do not know (Ollama's CORS list).
fn headers(key: Option<&str>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
}

pub(super) fn chat(
    connection: &Connection,
    key: Option<&str>,
    messages: &[Message],
    shape: Option<(&Shape, Takes)>,
) -> Result<WireRequest, Fault> {
    let base = base(connection)?;
    let dialect = Dialect::of(&base);
    let mut body = Map::new();
    // A server with a single model (llama.cpp, KoboldCpp) needs no name.
    put(&mut body, "model", text(&json!(connection.model.trim())));
    let keeps = dialect.keeps.is_some_and(|maker| connection.model.trim().starts_with(maker));
    let (messages, begun) = begun::arranged(connection, messages);
    let mut written = if keeps { kept(&messages) } else { json!(messages) };
    let last = written.as_array_mut().and_then(|all| all.last_mut()).filter(|_| begun);
    if let (Some(last), Some(mark)) = (last, dialect.prefix) {
        last[mark] = true.into();
    }
    put(&mut body, "messages", Some(written));
    let manners = Manners::of(connection);
    put(&mut body, "stream", manners.streams().then_some(true));
    if dialect.stream_options && manners.streams() && manners.counts() {
        put(&mut body, "stream_options", Some(json!({"include_usage": true})));
    }
    parameters::put_all(&mut body, connection);
    if let Some((shape, takes)) = shape {
        shape::openai(&mut body, shape, takes);
    }
    request::add(&mut body, &connection.body);
    Ok(request::post(base.join(CHAT, ""), headers(key), body))
}

/// How a parameter that is set is said here.
pub(super) fn fields(connection: &Connection, sampling: &Sampling, parameter: Parameter) -> Fields {
    let Ok(base) = base(connection) else { return Vec::new() };
    let dialect = Dialect::of(&base);
    let name = match parameter {
        Parameter::TopK | Parameter::MinP | Parameter::RepetitionPenalty if !dialect.beyond => return Vec::new(),
        Parameter::LogitBias if !dialect.bias => return Vec::new(),
        Parameter::Prefill if !dialect.prefill => return Vec::new(),
        Parameter::MaxTokens => {
            let renamed = Manners::of(connection).renames_limit();
            return vec![(if renamed { LIMIT } else { dialect.max_tokens }, json!(sampling.answer()))];
        }
        Parameter::Effort => return sampling.effort.map_or_else(Vec::new, |effort| dialect.thinks.fields(effort)),
        Parameter::Seed => dialect.seed,
        other => other.name(),
    };
    let value = json!(sampling.value(parameter));
    match parameter {
        // llama.cpp and LM Studio have their own name for it.
        Parameter::RepetitionPenalty if is_local(&base.origin()) => {
            vec![(name, value.clone()), ("repeat_penalty", value)]
        }
        _ => vec![(name, value)],
    }
}

impl Thinks {
    fn fields(self, effort: Effort) -> Fields {
        let thinks = effort != Effort::Off;
        let level = ("reasoning_effort", json!(if thinks { effort.name() } else { "none" }));
        match self {
            Self::Effort => vec![level],
            Self::Switch => vec![("thinking", json!({"type": if thinks { "enabled" } else { "disabled" }}))],
            Self::Flag => vec![("enable_thinking", json!(thinks))],
            Self::Template => vec![level, ("chat_template_kwargs", json!({"enable_thinking": thinks}))],
        }
    }
}

/// Messages with a mark at the end of the instructions and of all that the next prompt will have, too.
fn kept(messages: &[Message]) -> Value {
    let system = messages.iter().take_while(|message| message.role == Role::System).count();
    let is_marked = messages.iter().any(|message| message.keep);
    let written = messages.iter().enumerate().map(|(at, message)| {
        if !(message.keep || is_marked && at + 1 == system) {
            return json!(message);
        }
        let part = json!({"type": "text", "text": message.content, "cache_control": {"type": "ephemeral"}});
        json!({"role": message.role, "content": [part]})
    });
    written.collect()
}

pub(super) fn models(connection: &Connection, key: Option<&str>) -> Result<WireRequest, Fault> {
    Ok(request::get(base(connection)?.join("/models", ""), headers(key)))
}

/// `input_type` only for servers that ask for it: OpenAI itself refuses unknown fields.
pub(super) fn embeddings(
    connection: &Connection,
    key: Option<&str>,
    texts: &[String],
    input_type: Option<&str>,
) -> Result<WireRequest, Fault> {
    let mut body = Map::new();
    put(&mut body, "model", text(&json!(connection.model.trim())));
    put(&mut body, "input", Some(texts));
    put(&mut body, "encoding_format", Some("float"));
    put(&mut body, "input_type", input_type);
    Ok(request::post(base(connection)?.join(EMBEDDINGS, ""), headers(key), body))
}

pub(super) fn read(value: &Value) -> Chunk {
    let mut chunk = Chunk {
        known: value["choices"].is_array() || value["usage"].is_object(),
        model: text(&value["model"]).map(Into::into),
        ..Chunk::default()
    };
    let choice = &value["choices"][0];
    let delta = if choice["delta"].is_object() { &choice["delta"] } else { &choice["message"] };
    // DeepSeek and llama.cpp say `reasoning_content`, OpenRouter, Ollama and newer vLLM `reasoning`;
    // who sends both sends the same twice.
    let reasoning =
        ["reasoning_content", "reasoning"].iter().map(|name| &delta[*name]).find(|value| text(value).is_some());
    if let Some(reasoning) = reasoning {
        chunk.reasoning(reasoning);
    }
    match &delta["content"] {
        Value::Array(parts) => parts.iter().for_each(|part| content_part(part, &mut chunk)),
        content => chunk.text(content),
    }
    chunk.text(&delta["refusal"]);
    chunk.calls =
        delta["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty()) || delta["function_call"].is_object();
    // The older completions protocol, which some gateways answer with. Together says each piece in both.
    if !delta.is_object() {
        chunk.text(&choice["text"]);
    }
    // Groq reports usage in a field of its own.
    let usage = if value["usage"].is_object() { &value["usage"] } else { &value["x_groq"]["usage"] };
    chunk.prompt_tokens = count(&usage["prompt_tokens"]);
    // xAI counts thoughts in the total alone; they are paid for.
    let thoughts =
        count(&usage["total_tokens"]).zip(chunk.prompt_tokens).map(|(all, prompt)| all.saturating_sub(prompt));
    chunk.completion_tokens = count(&usage["completion_tokens"]).map(|told| told.max(thoughts.unwrap_or(0)));
    // DeepSeek and Moonshot have names of their own; OpenRouter says too what was written.
    let details = &usage["prompt_tokens_details"];
    let cached = [&details["cached_tokens"], &usage["prompt_cache_hit_tokens"], &usage["cached_tokens"]];
    chunk.cached_tokens = cached.into_iter().find_map(count);
    chunk.written_tokens = count(&details["cache_write_tokens"]);
    chunk.finish = text(&choice["finish_reason"]).map(finish);
    // The last event of many: what it took, and no words. Some gateways give no other sign of the end.
    let is_bill = value["choices"].as_array().is_some_and(Vec::is_empty) && chunk.completion_tokens > Some(0);
    chunk.ended = chunk.finish.is_some() || is_bill;
    chunk
}

/// Mistral's reasoning models send `content` as `[{"type":"thinking","thinking":[{"type":"text","text"}]},{"type":"text","text"}]`.
fn content_part(part: &Value, chunk: &mut Chunk) {
    match &part["thinking"] {
        Value::Array(thoughts) => thoughts.iter().for_each(|thought| chunk.reasoning(&thought["text"])),
        thought => chunk.reasoning(thought),
    }
    chunk.text(&part["text"]);
}

fn finish(reason: &str) -> Finish {
    // Gateways hand on the words of those behind them, Gemini's in capitals.
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "eos" | "end_turn" | "stop_sequence" => Finish::Stop,
        "length" | "max_tokens" | "max_output_tokens" | "model_length" | "model_context_window_exceeded" => {
            Finish::Length
        }
        "content_filter" | "refusal" | "safety" | "sensitive" | "prohibited_content" | "recitation" | "blocklist"
        | "spii" => Finish::Filtered(reason.to_owned()),
        "tool_calls" | "function_call" | "tool_use" => Finish::Calls,
        _ => Finish::Other(reason.to_owned()),
    }
}
