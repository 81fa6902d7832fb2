//! From the bytes of an answer to deltas.
//!
//! What the body is, is judged by its first bytes and not by its content type, since servers and proxies lie
//! about it: `data:` and its like → events, `{` or `[` → JSON (a server that ignores `stream: true`, or an error
//! with status 200), anything else → not the protocol.

use serde_json::{Deserializer, Value};

use super::{
    Delta, Finish, anthropic,
    chunk::{Chunk, Part},
    errors, gemini, openai, sse,
    think::Think,
};
use crate::story::{
    connection::ProviderKind,
    fault::{Fault, FaultKind},
    generation::Usage,
};

/// So much of a body that is not the protocol is looked at (bytes), enough for the title of a page.
const EXCERPT: usize = 4096;
/// How an event stream may begin.
const SSE_STARTS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];

/// Decodes one answer. The deltas do not depend on how the bytes are cut.
///
/// Promises:
/// - `Finish` comes at most once, and only with the protocol's end sign; no fault comes after it.
/// - After a fault nothing comes.
/// - `Usage` may come after `Finish`, and more than once: the last one counts.
pub struct StreamDecoder {
    kind: ProviderKind,
    content_type: String,
    key: Option<String>,
    body: Body,
    think: Think,
    model: String,
    usage: Usage,
    finish: Option<Finish>,
    /// Something of the protocol was seen.
    known: bool,
    /// The first object that was not of the protocol.
    stray: Option<String>,
    ended: bool,
    closed: bool,
}

enum Body {
    /// Not decided yet.
    Start(Vec<u8>),
    Events(sse::Decoder),
    Json(Vec<u8>),
    Other(Vec<u8>),
}

type Out = Vec<Result<Delta, Fault>>;

impl StreamDecoder {
    /// A decoder for one answer of a provider of this kind. The content type is only quoted in faults.
    pub fn new(kind: ProviderKind, content_type: Option<&str>) -> Self {
        Self {
            kind,
            content_type: content_type.unwrap_or_default().to_owned(),
            key: None,
            body: Body::Start(Vec::new()),
            think: Think::default(),
            model: String::new(),
            usage: Usage::default(),
            finish: None,
            known: false,
            stray: None,
            ended: false,
            closed: false,
        }
    }

    /// Keeps `key` out of every fault, should the provider echo it.
    pub fn hiding(mut self, key: Option<&str>) -> Self {
        self.key = key.map(str::to_owned);
        self
    }

    /// The end sign came: the reply is whole, whatever happens to the connection now.
    pub fn is_complete(&self) -> bool {
        self.ended
    }

    /// Nothing more will come, so the request can be dropped: some servers leave it open after `[DONE]`.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Out {
        let mut out = Out::new();
        if self.closed {
            return out;
        }
        match &mut self.body {
            Body::Start(held) => {
                held.extend_from_slice(bytes);
                if let Some(body) = judge(held) {
                    let held = std::mem::take(held);
                    self.body = body;
                    return self.push(&held);
                }
            }
            Body::Events(decoder) => {
                for event in decoder.push(bytes) {
                    match event {
                        Ok(event) => self.event(&event.data, false, &mut out),
                        Err(sse::TooLarge) => self.fail(too_large(), &mut out),
                    }
                }
            }
            Body::Json(held) => {
                held.extend_from_slice(bytes);
                if held.len() > sse::LIMIT {
                    self.fail(too_large(), &mut out);
                }
            }
            Body::Other(held) => {
                let room = EXCERPT - held.len();
                held.extend_from_slice(&bytes[..bytes.len().min(room)]);
                if held.len() == EXCERPT {
                    self.fail_other(&mut out);
                }
            }
        }
        out
    }

    /// The body ended. Gives what was still held, and a fault unless the end sign came.
    pub fn finish(&mut self) -> Out {
        let mut out = Out::new();
        if self.closed {
            return out;
        }
        match &mut self.body {
            Body::Start(held) if held.iter().all(u8::is_ascii_whitespace) => {}
            Body::Start(held) => {
                self.body = Body::Other(std::mem::take(held));
                self.fail_other(&mut out);
            }
            Body::Events(decoder) => {
                if let Some(event) = decoder.finish() {
                    self.event(&event.data, true, &mut out);
                }
            }
            Body::Json(held) => {
                let held = std::mem::take(held);
                self.whole(&held, &mut out);
            }
            Body::Other(_) => self.fail_other(&mut out),
        }
        if !self.ended && !self.closed {
            let fault = match &self.stray {
                Some(stray) if !self.known => errors::not_the_protocol(stray, self.key.as_deref()),
                _ => Fault::new(FaultKind::ConnectionLost, "the reply ended without its end sign"),
            };
            self.fail(fault, &mut out);
        }
        self.closed = true;
        out
    }

    /// One event. `cut`: the body ended amid it, so it may be a piece.
    fn event(&mut self, data: &str, cut: bool, out: &mut Out) {
        let data = data.trim();
        if self.closed || data.is_empty() {
            return;
        }
        if data == "[DONE]" && self.kind == ProviderKind::Openai {
            return self.read(Chunk { known: true, ended: true, last: true, ..Chunk::default() }, out);
        }
        match serde_json::from_str::<Value>(data) {
            Ok(value) => self.value(&value, data, out),
            // Servers that forget the blank line between events: every line is one.
            Err(_) if data.contains('\n') => data.lines().for_each(|line| self.event(line, cut, out)),
            // A reply that is whole already is not spoiled by what follows, and a cut piece is told by `finish`.
            Err(_) if self.ended || cut => {}
            Err(_) => self.fail(errors::not_the_protocol(data, self.key.as_deref()), out),
        }
    }

    /// A body of JSON: one object, an array of them (Gemini without `alt=sse`), or one a line.
    fn whole(&mut self, bytes: &[u8], out: &mut Out) {
        for value in Deserializer::from_slice(bytes).into_iter::<Value>() {
            match value {
                Ok(Value::Array(values)) => values.iter().for_each(|value| self.value(value, &value.to_string(), out)),
                Ok(value) => self.value(&value, &value.to_string(), out),
                Err(error) if error.is_eof() || self.ended => return,
                Err(_) => return self.fail(errors::not_the_protocol(&excerpt(bytes), self.key.as_deref()), out),
            }
        }
    }

    /// One object; `source` is its text, for the fault if it is of another protocol.
    fn value(&mut self, value: &Value, source: &str, out: &mut Out) {
        if self.closed {
            return;
        }
        if !self.ended
            && let Some(fault) = errors::fault_in(value, self.key.as_deref())
        {
            return self.fail(fault, out);
        }
        let chunk = match self.kind {
            ProviderKind::Openai => openai::read(value),
            ProviderKind::Anthropic => anthropic::read(value),
            ProviderKind::Gemini => gemini::read(value),
        };
        // A stray object among the others does no harm; if all are stray, this is another provider's stream.
        if !chunk.known && self.stray.is_none() {
            self.stray = Some(source.to_owned());
        }
        self.read(chunk, out);
    }

    fn read(&mut self, chunk: Chunk, out: &mut Out) {
        self.known |= chunk.known;
        if let Some(model) = chunk.model.filter(|model| *model != self.model) {
            self.model.clone_from(&model);
            out.push(Ok(Delta::Model(model)));
        }
        if !self.ended {
            for part in chunk.parts {
                match part {
                    Part::Reasoning(text) => out.push(Ok(Delta::Reasoning(text))),
                    // Only local servers behind the OpenAI protocol leave thoughts in the text.
                    Part::Text(text) if self.kind == ProviderKind::Openai => self.think(Some(&text), out),
                    Part::Text(text) => out.push(Ok(Delta::Text(text))),
                }
            }
        }
        let usage = Usage {
            prompt_tokens: chunk.prompt_tokens.unwrap_or(self.usage.prompt_tokens),
            completion_tokens: chunk.completion_tokens.unwrap_or(self.usage.completion_tokens),
        };
        if usage != self.usage {
            self.usage = usage;
            out.push(Ok(Delta::Usage(usage)));
        }
        if let Some(reason) = chunk.refused
            && !self.ended
        {
            return self.fail(Fault::new(FaultKind::Filtered, reason), out);
        }
        self.finish = self.finish.take().or(chunk.finish);
        if chunk.ended && !self.ended {
            self.ended = true;
            self.think(None, out);
            out.push(Ok(Delta::Finish(self.finish.take().unwrap_or(Finish::Stop))));
        }
        self.closed |= chunk.last;
    }

    /// Text through the splitter, or (`None`) what it still holds.
    fn think(&mut self, text: Option<&str>, out: &mut Out) {
        let mut deltas = Vec::new();
        match text {
            Some(text) => self.think.push(text, &mut deltas),
            None => self.think.finish(&mut deltas),
        }
        out.extend(deltas.into_iter().map(Ok));
    }

    /// No text is lost to a fault: what was held comes first.
    fn fail(&mut self, fault: Fault, out: &mut Out) {
        self.closed = true;
        if !self.ended {
            self.think(None, out);
            out.push(Err(fault));
        }
    }

    fn fail_other(&mut self, out: &mut Out) {
        let Body::Other(held) = &self.body else { return };
        let mut fault = errors::not_the_protocol(&excerpt(held), self.key.as_deref());
        if !self.content_type.is_empty() {
            fault.detail = format!("{}: {}", self.content_type, fault.detail);
        }
        self.fail(fault, out);
    }
}

/// The first words of a body; a character that the cut went through is left out.
fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(EXCERPT)]);
    text.trim_end_matches(char::REPLACEMENT_CHARACTER).to_owned()
}

fn too_large() -> Fault {
    Fault::new(FaultKind::NotTheProtocol, format!("more than {} MiB in one piece", sse::LIMIT >> 20))
}

/// What a body is by its first bytes; `None` = too few yet. Takes away what stands before them.
fn judge(held: &mut Vec<u8>) -> Option<Body> {
    const BOM: &[u8] = b"\xEF\xBB\xBF";
    let blank = held.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    held.drain(..blank);
    if !held.is_empty() && BOM.starts_with(&held[..held.len().min(BOM.len())]) {
        if held.len() < BOM.len() {
            return None;
        }
        held.drain(..BOM.len());
        return judge(held);
    }
    let first = held.first()?;
    if matches!(first, b'{' | b'[') {
        return Some(Body::Json(Vec::new()));
    }
    if SSE_STARTS.iter().any(|start| held.starts_with(start)) {
        return Some(Body::Events(sse::Decoder::default()));
    }
    let undecided = SSE_STARTS.iter().any(|start| start.starts_with(held));
    if undecided { None } else { Some(Body::Other(Vec::new())) }
}

#[cfg(test)]
#[path = "stream_tests.rs"]
mod tests;
