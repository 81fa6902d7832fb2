//! From the bytes of an answer to deltas.
//!
//! What the body is, is judged by its first bytes and not by its content type, since servers and proxies lie
//! about it: `data:` and its like → events, `{` or `[` → JSON (a server that ignores `stream: true`, or an error
//! with status 200), anything else → not the protocol.

use serde_json::{Deserializer, Value};

use super::{
    Delta, Finish, anthropic,
    chunk::{Chunk, Part},
    errors, gemini,
    halves::{Halves, marked},
    openai, sse,
    think::Think,
};
use crate::story::{
    connection::ProviderKind,
    fault::{Fault, FaultKind},
    generation::Usage,
};

/// Why a reply is cut that the server itself has closed.
pub const CUT: &str = "the reply ended without its end sign";
/// So much of a body that is not the protocol is looked at (bytes), enough for the title of a page.
const EXCERPT: usize = 4096;
/// The end sign of OpenAI's streams.
const DONE: &str = "[DONE]";
/// How an event stream may begin.
const SSE_STARTS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];

/// Decodes one answer. The deltas do not depend on how the bytes are cut.
///
/// Promises:
/// - `Finish` is the last that comes of a reply whose end sign came. Gateways, and Gemini at times, put that sign on every
///   piece: what is said after it takes it back.
/// - After a fault nothing comes.
/// - `Usage` may come more than once: the last one counts.
/// - An event that cannot be read costs itself only (`Unread`), unless there are no others.
pub struct StreamDecoder {
    kind: ProviderKind,
    content_type: String,
    key: Option<String>,
    /// What is said to a tool is the answer.
    is_shaped: bool,
    body: Body,
    halves: [Halves; 2],
    think: Think,
    model: String,
    usage: Usage,
    finish: Option<Finish>,
    /// Something of the protocol was seen.
    known: bool,
    /// The first object that was not of the protocol.
    stray: Option<String>,
    /// Events that could not be read before anything of the protocol came: the first, and how many.
    unread: Option<(String, u32)>,
    /// The reply has words.
    speaks: bool,
    /// A tool was called.
    calls: bool,
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
            is_shaped: false,
            body: Body::Start(Vec::new()),
            halves: Default::default(),
            think: Think::default(),
            model: String::new(),
            usage: Usage::default(),
            finish: None,
            known: false,
            stray: None,
            unread: None,
            speaks: false,
            calls: false,
            ended: false,
            closed: false,
        }
    }

    /// Keeps `key` out of every fault, should the provider echo it.
    pub fn hiding(mut self, key: Option<&str>) -> Self {
        self.key = key.map(str::to_owned);
        self
    }

    /// An answer of a shape was asked for, so that what is said to a tool is its text.
    pub fn shaped(mut self, is_shaped: bool) -> Self {
        self.is_shaped = is_shaped;
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
        let lost = || Fault::new(FaultKind::ConnectionLost, CUT);
        self.fail(self.no_stream().unwrap_or_else(lost), &mut out);
        out
    }

    /// One event. `cut`: the body ended amid it, so it may be a piece.
    fn event(&mut self, data: &str, cut: bool, out: &mut Out) {
        let data = data.trim();
        if self.closed || data.is_empty() {
            return;
        }
        if data == DONE && self.kind == ProviderKind::Openai {
            return match self.no_stream().filter(|_| self.unread.is_some()) {
                Some(fault) => self.fail(fault, out),
                None => self.read(Chunk { known: true, ended: true, last: true, ..Chunk::default() }, false, out),
            };
        }
        match parse(data) {
            Some((value, is_marked)) => self.value(&value, data, is_marked, out),
            // Servers that forget the blank line between events: every line is one.
            None if data.contains('\n') && data.lines().any(|line| line.trim() == DONE || parse(line).is_some()) => {
                data.lines().for_each(|line| self.event(line, cut, out));
            }
            // A reply that is whole already is not spoiled by what follows, and a cut piece is told by `finish`.
            None if self.ended || cut => {}
            None => self.pass_over(data, out),
        }
    }

    /// An event that is no JSON, or none that can be read: `NaN`, `1e400`, too deep.
    fn pass_over(&mut self, data: &str, out: &mut Out) {
        if self.known {
            return out.push(Ok(self.unread(data, 1)));
        }
        // Whether this is a stream at all is not known yet.
        let (_, events) = self.unread.get_or_insert_with(|| (data.to_owned(), 0));
        *events += 1;
    }

    fn unread(&self, first: &str, events: u32) -> Delta {
        Delta::Unread { events, excerpt: errors::excerpt(first, self.key.as_deref()) }
    }

    /// The fault of a stream of which nothing was of the protocol so far, and something was not.
    fn no_stream(&self) -> Option<Fault> {
        let first = self.unread.as_ref().map(|(first, _)| first).or(self.stray.as_ref())?;
        (!self.known).then(|| errors::not_the_protocol(first, self.key.as_deref()))
    }

    /// A body of JSON: one object, an array of them (Gemini without `alt=sse`), or one a line.
    fn whole(&mut self, bytes: &[u8], out: &mut Out) {
        let text = String::from_utf8_lossy(bytes);
        let marked = marked(&text);
        let is_marked = marked.is_some();
        for value in Deserializer::from_str(marked.as_deref().unwrap_or(&text)).into_iter::<Value>() {
            match value {
                Ok(Value::Array(values)) => {
                    values.iter().for_each(|value| self.value(value, &value.to_string(), is_marked, out));
                }
                Ok(value) => self.value(&value, &value.to_string(), is_marked, out),
                Err(error) if error.is_eof() || self.ended => return,
                Err(_) => return self.fail(errors::not_the_protocol(&excerpt(bytes), self.key.as_deref()), out),
            }
        }
    }

    /// One object; `source` is its text, for the fault if it is of another protocol. `is_marked`: see [`marked`].
    fn value(&mut self, value: &Value, source: &str, is_marked: bool, out: &mut Out) {
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
        self.read(chunk, is_marked, out);
    }

    fn read(&mut self, chunk: Chunk, is_marked: bool, out: &mut Out) {
        self.known |= chunk.known;
        if let Some((first, events)) = self.unread.take_if(|_| self.known) {
            out.push(Ok(self.unread(&first, events)));
        }
        if let Some(model) = chunk.model.filter(|model| *model != self.model) {
            self.model.clone_from(&model);
            out.push(Ok(Delta::Model(model)));
        }
        if chunk.parts.iter().any(|part| !part.is_blank()) {
            (self.ended, self.finish) = (false, None);
        }
        self.calls |= chunk.calls;
        let [thoughts, words] = &mut self.halves;
        let is_shaped = self.is_shaped;
        let whole = chunk.parts.into_iter().filter_map(|part| match part {
            Part::Reasoning(text) => Some(Part::Reasoning(thoughts.join(text, is_marked))),
            Part::Argument(_) if !is_shaped => None,
            Part::Text(text) | Part::Argument(text) => Some(Part::Text(words.join(text, is_marked))),
        });
        for part in whole.collect::<Vec<_>>() {
            self.part(part, out);
        }
        let usage = Usage {
            prompt_tokens: chunk.prompt_tokens.unwrap_or(self.usage.prompt_tokens),
            completion_tokens: chunk.completion_tokens.unwrap_or(self.usage.completion_tokens),
            cached_tokens: chunk.cached_tokens.or(self.usage.cached_tokens),
            written_tokens: chunk.written_tokens.or(self.usage.written_tokens),
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
        self.ended |= chunk.ended;
        if chunk.last {
            self.close(out);
        }
    }

    fn part(&mut self, part: Part, out: &mut Out) {
        match part {
            Part::Reasoning(text) | Part::Text(text) | Part::Argument(text) if text.is_empty() => {}
            Part::Reasoning(text) => out.push(Ok(Delta::Reasoning(text))),
            Part::Text(text) | Part::Argument(text) => {
                self.speaks |= !text.trim().is_empty();
                match self.kind {
                    // Only local servers behind the OpenAI protocol leave thoughts in the text.
                    ProviderKind::Openai => self.think(Some(&text), out),
                    _ => out.push(Ok(Delta::Text(text))),
                }
            }
        }
    }

    /// What is still held: nothing more of the reply comes.
    fn release(&mut self, out: &mut Out) {
        let [thoughts, words] = self.halves.each_mut().map(Halves::finish);
        let left = [thoughts.map(Part::Reasoning), words.map(Part::Text)];
        left.into_iter().flatten().for_each(|part| self.part(part, out));
        self.think(None, out);
    }

    /// Text through the splitter, or (`None`) what it still holds.
    fn think(&mut self, text: Option<&str>, out: &mut Out) {
        let mut deltas = Vec::new();
        match text {
            Some(text) => self.think.push(text, &mut deltas),
            None => self.think.finish(&mut deltas),
        }
        self.speaks &= !deltas.contains(&Delta::WasThought);
        out.extend(deltas.into_iter().map(Ok));
    }

    /// The end of a reply whose end sign came.
    fn close(&mut self, out: &mut Out) {
        if std::mem::replace(&mut self.closed, true) {
            return;
        }
        self.release(out);
        let finish = match self.finish.take() {
            // Not every server says so.
            Some(Finish::Stop | Finish::Other(_)) | None if self.calls && !self.speaks => Finish::Calls,
            finish => finish.unwrap_or(Finish::Stop),
        };
        out.push(Ok(Delta::Finish(finish)));
    }

    /// No text is lost to a fault: what was held comes first. A reply that is whole has none.
    fn fail(&mut self, fault: Fault, out: &mut Out) {
        if self.ended {
            self.close(out);
        } else if !std::mem::replace(&mut self.closed, true) {
            self.release(out);
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

/// An event's object, and whether it is [`marked`].
fn parse(data: &str) -> Option<(Value, bool)> {
    let read = |data: &str| serde_json::from_str(data).ok();
    read(data).map(|value| (value, false)).or_else(|| Some((read(&marked(data)?)?, true)))
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
