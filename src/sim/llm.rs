//! A model that follows a script: pieces of bytes, pauses, faults.

use std::{cell::RefCell, collections::VecDeque, rc::Rc};

use futures_util::{StreamExt, stream};

use crate::{
    ports::{Clock, Future, Llm, WireRequest, WireResponse},
    story::{
        connection::{Connection, ProviderKind},
        fault::{Fault, FaultKind},
    },
};

/// To a model in memory that takes so many tokens. It speaks the protocol that carries messages as they are; nothing goes
/// out.
pub fn connection(context: u32) -> Connection {
    Connection {
        id: "none".into(),
        kind: ProviderKind::Openai,
        url: "https://model.invalid/v1".into(),
        model: "none".into(),
        context_tokens: context,
        ..Connection::default()
    }
}

/// What happens next on the wire.
#[derive(Clone, Debug)]
pub enum Step {
    Bytes(Vec<u8>),
    /// Milliseconds of silence.
    Wait(u32),
    Fault(Fault),
}

/// One scripted answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub steps: Vec<Step>,
}

impl Answer {
    /// An OpenAI-compatible stream of these pieces of text, ended as it should be.
    pub fn text<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Self {
        Self::ended(pieces, "stop")
    }

    /// The same, ended for the given reason.
    pub fn ended<'a>(pieces: impl IntoIterator<Item = &'a str>, reason: &str) -> Self {
        let end = serde_json::json!({ "choices": [{ "delta": {}, "finish_reason": reason }] });
        let end = format!("data: {end}\n\ndata: [DONE]\n\n");
        Self::unfinished(pieces).then(Step::Bytes(end.into_bytes()))
    }

    /// The same, without its end.
    pub fn unfinished<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Self {
        let steps = pieces.into_iter().map(|piece| Step::Bytes(openai_chunk(piece))).collect();
        Self { status: 200, headers: vec![("content-type".into(), "text/event-stream".into())], steps }
    }

    /// The same, after a report that its prompt had so many tokens, under the name that the provider gives its model.
    pub fn counting(mut self, prompt_tokens: u32) -> Self {
        let usage = serde_json::json!({ "prompt_tokens": prompt_tokens, "completion_tokens": 1 });
        let chunk = format!("data: {}\n\n", serde_json::json!({ "model": "m-0611", "choices": [], "usage": usage }));
        self.steps.insert(0, Step::Bytes(chunk.into_bytes()));
        self
    }

    pub fn error(status: u16, body: &str) -> Self {
        Self {
            status,
            headers: vec![("content-type".into(), "application/json".into())],
            steps: vec![Step::Bytes(body.as_bytes().to_vec())],
        }
    }

    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}

/// One delta of an OpenAI-compatible stream.
pub fn openai_chunk(text: &str) -> Vec<u8> {
    let json = serde_json::json!({ "choices": [{ "delta": { "content": text } }] });
    format!("data: {json}\n\n").into_bytes()
}

/// Answers requests in order from a list; with none left, as if nothing were there.
pub struct ScriptedLlm {
    clock: Rc<dyn Clock>,
    answers: RefCell<VecDeque<Answer>>,
    requests: RefCell<Vec<WireRequest>>,
}

impl ScriptedLlm {
    pub fn new(clock: Rc<dyn Clock>, answers: impl IntoIterator<Item = Answer>) -> Self {
        Self { clock, answers: RefCell::new(answers.into_iter().collect()), requests: RefCell::default() }
    }

    /// Answers to come, in the place of those that were.
    pub fn replace(&self, answers: impl IntoIterator<Item = Answer>) {
        *self.answers.borrow_mut() = answers.into_iter().collect();
    }

    pub fn requests(&self) -> Vec<WireRequest> {
        self.requests.borrow().clone()
    }
}

impl Llm for ScriptedLlm {
    fn send(&self, request: WireRequest) -> Future<'_, Result<WireResponse, Fault>> {
        self.requests.borrow_mut().push(request);
        let answer = self.answers.borrow_mut().pop_front();
        Box::pin(async move {
            let answer = answer.ok_or_else(|| Fault::new(FaultKind::Unreachable, ""))?;
            Ok(play(answer, self.clock.clone()))
        })
    }
}

/// Plays an answer at the pace of `clock`.
pub fn play(answer: Answer, clock: Rc<dyn Clock>) -> WireResponse {
    let body = stream::iter(answer.steps).filter_map(move |step| {
        let clock = clock.clone();
        async move {
            match step {
                Step::Bytes(bytes) => Some(Ok(bytes)),
                Step::Fault(fault) => Some(Err(fault)),
                Step::Wait(millis) => {
                    clock.sleep(millis).await;
                    None
                }
            }
        }
    });
    WireResponse { status: answer.status, headers: answer.headers, body: Box::pin(body) }
}
