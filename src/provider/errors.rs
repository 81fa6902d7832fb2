//! What a provider says when it refuses, as a `Fault`: its status, its error object, its own words.
//!
//! Shapes seen in the wild (`docs` of the providers, and their issue trackers):
//! OpenAI `{"error":{"message","type","param","code"}}` · Anthropic `{"type":"error","error":{"type","message"}}` ·
//! Gemini `{"error":{"code":400,"message","status","details":[{"reason"},{"retryDelay":"34s"}]}}`, also in an array ·
//! OpenRouter adds `error.metadata.raw`, the words of the provider behind it · Ollama, LM Studio `{"error":"…"}` ·
//! FastAPI `{"detail":"…"}` and `{"detail":[{"loc":[…],"msg"}]}` · Mistral the same inside `message` ·
//! vLLM, Cohere `{"message":"…"}` · and plain text or a page of HTML from a proxy.

use serde_json::Value;

use super::{length, wait, words};
use crate::story::{
    Millis,
    connection::ProviderKind,
    fault::{Fault, FaultKind, Length},
};

/// A provider's own message is cut to this many characters.
pub const DETAIL: usize = 500;
/// Of an event that cannot be read so much is kept (characters).
const EXCERPT: usize = 80;
/// Shorter keys are dummies ("none", "x") that local servers ask for; replacing them would only garble the message.
const SHORTEST_KEY: usize = 6;

/// Maps a refused request to a fault with the provider's own words.
///
/// `headers` with lower-case names, `body` as it came, `now` for those that name a time to try again. `key` is what was
/// sent: a provider that echoes it is not repeated.
pub fn fault_from_response(
    _kind: ProviderKind,
    status: u16,
    headers: &[(String, String)],
    body: &str,
    key: Option<&str>,
    now: Millis,
) -> Fault {
    let mut said = match serde_json::from_str(body) {
        Ok(value) => Said::from_value(&value, Some(now)),
        Err(_) => Said::from_text(body),
    };
    if said.message.is_empty() {
        said.message = format!("HTTP {status}");
    }
    said.wait = wait::of_headers(headers, now).or(said.wait);
    said.into_fault(status, key)
}

/// The fault in an object that came where a reply should be (amid a stream, or with status 200), if it is an error.
pub(super) fn fault_in(value: &Value, key: Option<&str>) -> Option<Fault> {
    let object = match value {
        Value::Array(list) => list.first()?,
        value => value,
    };
    let is_error = !object["error"].is_null()
        || ["type", "object"].iter().any(|field| object[*field] == "error")
        || (object.get("detail").is_some() && object.get("choices").is_none());
    if !is_error {
        return None;
    }
    let said = Said::from_value(object, None);
    let status = said.status;
    Some(said.into_fault(status, key))
}

/// The fault of a body that is not the protocol, with its first words.
pub(super) fn not_the_protocol(body: &str, key: Option<&str>) -> Fault {
    Fault::new(FaultKind::NotTheProtocol, words::clean(&words::plain(body), key_to_hide(key), DETAIL))
}

/// The first words of an event that is passed over.
pub(super) fn excerpt(event: &str, key: Option<&str>) -> String {
    words::clean(event, key_to_hide(key), EXCERPT)
}

/// Whether a request was refused for having more texts than the server takes at a time.
pub fn has_too_many(fault: &Fault) -> bool {
    const WORDS: [&str; 3] = ["batch size", "too many inputs", "maximum allowed batch"];
    let words = fault.detail.to_lowercase();
    fault.kind == FaultKind::BadRequest && WORDS.iter().any(|word| words.contains(word))
}

fn key_to_hide(key: Option<&str>) -> Option<&str> {
    key.map(str::trim).filter(|key| key.len() >= SHORTEST_KEY)
}

/// What was said, whatever the shape.
#[derive(Default)]
struct Said {
    message: String,
    /// Types, codes and reasons, in lower case, each between spaces.
    codes: String,
    /// The status that the object itself names or implies; 0 = none.
    status: u16,
    /// Seconds.
    wait: Option<f64>,
    /// As fields of their own tell it.
    length: Length,
    html: bool,
}

impl Said {
    fn from_text(body: &str) -> Self {
        Self { message: words::plain(body), html: words::is_html(body), ..Self::default() }
    }

    fn from_value(value: &Value, now: Option<Millis>) -> Self {
        let mut said = Self::default();
        let value = match value {
            Value::Array(list) => list.first().unwrap_or(value),
            value => value,
        };
        said.codes.push(' ');
        let inner = &value["error"];
        for object in [value, inner].into_iter().filter(|object| object.is_object()) {
            said.take(object);
            said.wait = said.wait.or_else(|| wait::of_value(object, now));
        }
        said.message =
            [inner, &value["detail"], &value["message"], value].into_iter().find_map(message).unwrap_or_default();
        if let Some(raw) = inner["metadata"]["raw"].as_str()
            && !said.message.contains(raw)
        {
            said.message = format!("{}: {raw}", said.message);
        }
        said
    }

    /// Takes the codes of one object.
    fn take(&mut self, object: &Value) {
        let details = object["details"].as_array().into_iter().flatten();
        let reasons = details.map(|detail| &detail["reason"]);
        for code in ["type", "code", "status"].map(|field| &object[field]).into_iter().chain(reasons) {
            let code = match code {
                Value::String(text) => text.to_lowercase(),
                Value::Number(number) => number.to_string(),
                _ => continue,
            };
            if self.status == 0 {
                self.status = status_of(&code);
            }
            self.codes += &code;
            self.codes.push(' ');
        }
        let told = length::of_fields(object);
        if told != Length::default() {
            self.length = told;
        }
    }

    fn into_fault(self, status: u16, key: Option<&str>) -> Fault {
        let kind = self.kind(status);
        let mut fault = Fault::new(kind, words::clean(&self.message, key_to_hide(key), DETAIL));
        if matches!(kind, FaultKind::RateLimited | FaultKind::ProviderDown) {
            fault.retry_after = wait::seconds(self.wait.or_else(|| wait::of_words(&self.message)));
        }
        if kind == FaultKind::ContextTooLong {
            let told = length::of_words(&self.message);
            let or = |field: u32, word: u32| if field > 0 { field } else { word };
            let length = Length {
                prompt: or(self.length.prompt, told.prompt),
                takes: or(self.length.takes, told.takes),
                ..self.length
            };
            fault.length = Some(length).filter(|length| *length != Length::default());
        }
        fault
    }

    /// Words before status: providers hide the same cause behind different numbers.
    fn kind(&self, status: u16) -> FaultKind {
        use FaultKind::*;
        let text = self.message.to_lowercase();
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| text.contains(phrase));
        let coded = |codes: &[&str]| codes.iter().any(|code| self.codes.contains(&format!(" {code} ")));
        let success = (200..300).contains(&status);
        if self.html {
            return match status {
                _ if success => NotTheProtocol,
                401 => WrongKey,
                403 => Forbidden,
                404 | 405 => NotFound,
                429 => RateLimited,
                500.. => ProviderDown,
                _ => NotTheProtocol,
            };
        }
        if coded(NO_CREDIT_CODES) || says(NO_CREDIT) || status == 402 {
            return NoCredit;
        }
        if status == 401
            || coded(&["invalid_api_key", "api_key_invalid", "authentication_error"])
            || says(&[
                "api key not valid",
                "api key not found",
                "api key expired",
                "invalid api key",
                "incorrect api key",
            ])
            || says(&["unregistered callers"])
        {
            return WrongKey;
        }
        if coded(&["model_not_found"]) {
            return UnknownModel;
        }
        // 429 is left out: "too many tokens per minute" is a rate, not a length.
        if status == 413
            || coded(&["context_length_exceeded", "exceed_context_size_error", "request_too_large"])
            || (status != 429 && says(TOO_LONG))
        {
            return ContextTooLong;
        }
        if coded(&["content_filter", "content_policy_violation", "data_inspection_failed", "moderation_error", "1301"])
            || says(FILTERED)
        {
            return Filtered;
        }
        let about_model = text.contains("model") || text.contains("no endpoints found");
        match status {
            404 if about_model => UnknownModel,
            404 | 405 => NotFound,
            400 | 422 if about_model && says(NO_MODEL) => UnknownModel,
            403 => Forbidden,
            429 => RateLimited,
            400..500 if status != 408 => BadRequest,
            // llama-cpp-python breaks over a format that it does not know.
            500 if says(FORMAT) => BadRequest,
            408 | 500.. => ProviderDown,
            // An error object with status 200 or amid a stream that names no status of its own.
            0 if about_model && says(NO_MODEL) => UnknownModel,
            0 => ProviderDown,
            _ => NotTheProtocol,
        }
    }
}

/// 1113: Zhipu; `arrearage`: Alibaba; `insufficient_user_quota`: gateways of the one-api family.
const NO_CREDIT_CODES: &[&str] = &[
    "insufficient_quota",
    "insufficient_user_quota",
    "exceeded_current_quota_error",
    "billing_error",
    "billing_not_active",
    "billing_hard_limit_reached",
    "arrearage",
    "1113",
];

const NO_CREDIT: &[&str] = &[
    "insufficient balance",
    "balance is insufficient",
    "insufficient credit",
    "insufficient_quota",
    "credit balance is too low",
    "used all available credits",
    "account is in good standing",
    "specified api usage limits",
    "余额不足",
    "额度不足",
];

const FILTERED: &[&str] = &[
    "content management policy",
    "content exists risk",
    "input was flagged",
    "requires moderation",
    "violates usage guidelines",
];

const TOO_LONG: &[&str] = &[
    "less than max_seq_len",
    "context length",
    "context window",
    "context size",
    "context limit",
    "maximum context",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input too long",
    "prompt 超长",
    "too many tokens",
    "maximum prompt length",
    "maximum allowed length",
    "model token limit",
    "range of input length should be",
    "must have less than",
    "`max_new_tokens` must be <=",
    "prompt token count of",
    "exceeds the maximum sequence length",
    "exceeds the maximum number of tokens",
    "reduce the length of the messages",
];

const FORMAT: &[&str] = &["response_format", "json_schema", "json_object"];

const NO_MODEL: &[&str] = &[
    "not found",
    "not exist",
    "no such model",
    "invalid model",
    "unknown model",
    "not a valid model",
    "model_not_found",
    "unsupported model",
    "model is not supported",
    "no endpoints found",
];

/// The status behind a code: a number, or a name that stands for one; 0 = unknown.
fn status_of(code: &str) -> u16 {
    match code {
        "invalid_request_error" | "invalid_argument" | "failed_precondition" => 400,
        "authentication_error" | "unauthenticated" => 401,
        "billing_error" => 402,
        "permission_error" | "permission_denied" => 403,
        "not_found_error" | "not_found" => 404,
        "request_too_large" => 413,
        "rate_limit_error" | "rate_limit_exceeded" | "resource_exhausted" => 429,
        "api_error" | "server_error" | "internal" => 500,
        "unavailable" => 503,
        "timeout_error" | "deadline_exceeded" => 504,
        "overloaded_error" => 529,
        number => number.parse().ok().filter(|number| (400..600).contains(number)).unwrap_or(0),
    }
}

/// The words in a value of any of the shapes: text, an object with `message`, `detail` or `msg`, or a list of such.
fn message(value: &Value) -> Option<String> {
    let found = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Array(list) => list.iter().filter_map(message).collect::<Vec<_>>().join("; "),
        Value::Object(object) => {
            let words = ["message", "detail", "msg"].iter().filter_map(|name| object.get(*name)).find_map(message)?;
            match object.get("loc").and_then(Value::as_array) {
                Some(place) => {
                    let place: Vec<_> =
                        place.iter().map(|part| part.as_str().map_or(part.to_string(), Into::into)).collect();
                    format!("{}: {words}", place.join("."))
                }
                None => words,
            }
        }
        _ => return None,
    };
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
#[path = "errors_tests.rs"]
mod tests;
