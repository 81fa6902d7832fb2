//! Gemini's own protocol.
//!
//! Requests: `POST {base}/models/{model}:streamGenerateContent?alt=sse`. Chunks:
//! `{"candidates":[{"content":{"parts":[{"text","thought":true}]},"finishReason"}],"usageMetadata":{…},"modelVersion"}`;
//! a refused prompt has no candidate but `promptFeedback.blockReason`.

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
        sampling::{Effort, Parameter, Sampling},
    },
};

const CHAT: &str = ":streamGenerateContent";
const EMBEDDINGS: &str = ":batchEmbedContents";
const METHODS: [&str; 4] = [CHAT, ":generateContent", EMBEDDINGS, ":embedContent"];

/// The base, also of a pasted `…/v1beta/models/gemini-x:streamGenerateContent?alt=sse`.
fn base(connection: &Connection) -> Result<Address, Fault> {
    let mut address = request::address(connection, ProviderKind::Gemini)?;
    if METHODS.iter().any(|method| address.path.ends_with(method)) {
        let models = address.path.rfind("/models/").unwrap_or(address.path.len());
        address.path.truncate(models);
    }
    // It is added where it is wanted.
    let query: Vec<_> = address.query.split('&').filter(|part| *part != "alt=sse").collect();
    address.query = query.join("&");
    Ok(address.base(ProviderKind::Gemini, &["/models"]))
}

/// The key never goes into the address. Any header beyond these fails the preflight.
fn headers(key: Option<&str>) -> Vec<(&'static str, String)> {
    key.map(|key| ("x-goog-api-key", key.to_owned())).into_iter().collect()
}

/// The model with its prefix; tuned models have one of their own (`tunedModels/…`).
fn model(connection: &Connection) -> Result<String, Fault> {
    let model = request::model(connection)?;
    Ok(if model.contains('/') { model.to_owned() } else { format!("models/{model}") })
}

pub(super) fn chat(
    connection: &Connection,
    key: Option<&str>,
    messages: &[Message],
    shape: Option<(&Shape, Takes)>,
) -> Result<WireRequest, Fault> {
    let base = base(connection)?;
    let model = model(connection)?;
    let turns = turns::arrange(&begun::arranged(connection, messages).0);
    let part = |text: &str| json!([{"text": text}]);
    let turn = |(role, text): &(Role, String)| {
        let role = if *role == Role::Assistant { "model" } else { "user" };
        json!({"role": role, "parts": part(text)})
    };
    let mut config = Map::new();
    parameters::put_all(&mut config, connection);
    if let Some((shape, takes)) = shape {
        shape::gemini(&mut config, shape, takes);
    }
    let mut body = Map::new();
    put(&mut body, "systemInstruction", text(&json!(turns.system)).map(|text| json!({"parts": part(text)})));
    put(&mut body, "contents", Some(turns.turns.iter().map(turn).collect::<Value>()));
    put(&mut body, "generationConfig", (!config.is_empty()).then_some(Value::Object(config)));
    request::add(&mut body, &connection.body);
    let tail = format!("/{}{CHAT}", request::escape(&model));
    Ok(request::post(base.join(&tail, "alt=sse"), headers(key), body))
}

/// How a parameter that is set is said here, in `generationConfig`.
pub(super) fn fields(connection: &Connection, sampling: &Sampling, parameter: Parameter) -> Fields {
    let name = match parameter {
        Parameter::Temperature => "temperature",
        Parameter::TopP => "topP",
        Parameter::TopK => "topK",
        Parameter::FrequencyPenalty => "frequencyPenalty",
        Parameter::PresencePenalty => "presencePenalty",
        Parameter::MaxTokens => return vec![("maxOutputTokens", json!(sampling.answer()))],
        Parameter::Stop => "stopSequences",
        Parameter::Seed => "seed",
        Parameter::Prefill => "prefill",
        Parameter::Effort => {
            let config = |effort| vec![("thinkingConfig", thinking(&connection.model, effort))];
            return sampling.effort.map_or_else(Vec::new, config);
        }
        Parameter::MinP | Parameter::RepetitionPenalty | Parameter::LogitBias => return Vec::new(),
    };
    vec![(name, json!(sampling.value(parameter)))]
}

/// Models of 2.5 think within a budget, later ones at a level.
fn thinking(model: &str, effort: Effort) -> Value {
    let shown = effort != Effort::Off;
    if model.contains("gemini-2") {
        return json!({"thinkingBudget": effort.room(), "includeThoughts": shown});
    }
    json!({"thinkingLevel": if shown { effort.name() } else { "minimal" }, "includeThoughts": shown})
}

pub(super) fn models(connection: &Connection, key: Option<&str>) -> Result<WireRequest, Fault> {
    Ok(request::get(base(connection)?.join("/models", "pageSize=1000"), headers(key)))
}

pub(super) fn embeddings(
    connection: &Connection,
    key: Option<&str>,
    texts: &[String],
    task_type: Option<&str>,
) -> Result<WireRequest, Fault> {
    let base = base(connection)?;
    let model = model(connection)?;
    let one = |text: &String| {
        let mut one = Map::new();
        put(&mut one, "model", Some(model.as_str()));
        put(&mut one, "content", Some(json!({"parts": [{"text": text}]})));
        put(&mut one, "taskType", task_type);
        Value::Object(one)
    };
    let mut body = Map::new();
    put(&mut body, "requests", Some(texts.iter().map(one).collect::<Value>()));
    let tail = format!("/{}{EMBEDDINGS}", request::escape(&model));
    Ok(request::post(base.join(&tail, ""), headers(key), body))
}

pub(super) fn read(value: &Value) -> Chunk {
    let feedback = &value["promptFeedback"];
    let mut chunk = Chunk {
        known: ["candidates", "usageMetadata", "promptFeedback"].iter().any(|name| value.get(name).is_some()),
        model: text(&value["modelVersion"]).map(Into::into),
        refused: text(&feedback["blockReason"]).map(|reason| because(reason, &feedback["blockReasonMessage"])),
        ..Chunk::default()
    };
    let candidate = &value["candidates"][0];
    for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
        if part["thought"] == true {
            chunk.reasoning(&part["text"])
        } else {
            chunk.text(&part["text"])
        }
        chunk.calls |= part["functionCall"].is_object();
    }
    let usage = &value["usageMetadata"];
    chunk.prompt_tokens = count(&usage["promptTokenCount"]);
    chunk.cached_tokens = count(&usage["cachedContentTokenCount"]);
    // Thoughts are counted apart; the reader pays for both.
    let completion = ["candidatesTokenCount", "thoughtsTokenCount"].map(|name| count(&usage[name]));
    if completion.iter().any(Option::is_some) {
        chunk.completion_tokens = Some(completion.into_iter().flatten().fold(0, u32::saturating_add));
    }
    chunk.finish = text(&candidate["finishReason"]).and_then(|reason| match reason {
        "FINISH_REASON_UNSPECIFIED" => None,
        "STOP" => Some(Finish::Stop),
        "MAX_TOKENS" => Some(Finish::Length),
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY" => {
            Some(Finish::Filtered(because(reason, &candidate["finishMessage"])))
        }
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" => Some(Finish::Calls),
        other => Some(Finish::Other(other.to_owned())),
    });
    chunk.ended = chunk.finish.is_some();
    chunk
}
