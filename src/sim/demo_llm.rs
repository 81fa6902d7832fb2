//! The model of the demo: recorded replies, played over the same wire protocol as a real one's.

use std::rc::Rc;

use super::{
    demo::demo,
    llm::{Answer, Step, openai_chunk, play},
};
use crate::{
    ports::{Clock, Future, Llm, WireRequest, WireResponse},
    story::{connection::Connection, fault::Fault, storyline::Language},
};

/// An address that cannot exist (RFC 2606): nothing is ever sent there.
const ADDRESS: &str = "https://demo.invalid/v1";

/// Milliseconds between two pieces: about the pace at which one reads aloud twice as fast.
const PACE: u32 = 28;

/// The connection of a demo storyline.
pub fn connection(language: Language) -> Connection {
    Connection {
        id: "demo".into(),
        name: "Demo".into(),
        url: ADDRESS.into(),
        model: match language {
            Language::Zh => "demo-zh",
            Language::En => "demo-en",
        }
        .into(),
        timeout_seconds: 60,
        ..Default::default()
    }
}

/// Whether a request goes to the demo.
pub fn is_asked(request: &WireRequest) -> bool {
    request.url.starts_with(ADDRESS)
}

/// Answers what goes to the demo's address from the recording; hands all else on.
pub struct DemoLlm {
    pub real: Rc<dyn Llm>,
    pub clock: Rc<dyn Clock>,
}

impl Llm for DemoLlm {
    fn send(&self, request: WireRequest) -> Future<'_, Result<WireResponse, Fault>> {
        if !is_asked(&request) {
            return self.real.send(request);
        }
        let answer = recorded(request.body.as_deref().unwrap_or_default());
        let clock = self.clock.clone();
        Box::pin(async move { Ok(play(answer, clock)) })
    }
}

/// The beat that follows as many inputs as the request has.
fn recorded(body: &str) -> Answer {
    let body: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    let language = if body["model"] == "demo-en" { Language::En } else { Language::Zh };
    let inputs = body["messages"]
        .as_array()
        .map_or(0, |messages| messages.iter().filter(|message| message["role"] == "user").count());
    let replies = demo(language).replies;
    let beat = &replies[inputs.saturating_sub(1).min(replies.len() - 1)];
    let mut answer = Answer::text([]);
    let end = std::mem::take(&mut answer.steps);
    for piece in pieces(&beat.reply) {
        answer.steps.push(Step::Wait(PACE));
        answer.steps.push(Step::Bytes(openai_chunk(piece)));
    }
    answer.steps.extend(end);
    answer
}

/// Pieces as a model would send them: a word with its space, or two characters of Chinese.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut length = 0;
    for (at, char) in text.char_indices() {
        length += 1;
        let end = at + char.len_utf8();
        if char.is_whitespace() || (!char.is_ascii() && length >= 2) {
            pieces.push(&text[start..end]);
            (start, length) = (end, 0);
        }
    }
    pieces.push(&text[start..]);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_the_whole() {
        let text = "“灯还亮着。” She said, softly.\n\nÀ demain 🕯";
        assert_eq!(pieces(text).concat(), text);
        assert!(pieces(text).len() > 8);
    }
}
