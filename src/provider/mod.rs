//! Providers: what is sent to them and what comes back, as pure functions over `ports::WireRequest` and bytes.
//!
//! `chat_request` builds a request, `StreamDecoder` turns the bytes of the answer into deltas, in any cutting;
//! `embedding_request` and `parse_embeddings` do the same for vectors; `fault_from_response` says what a refusal means. A new protocol is a file like `openai.rs` (`chat`, `models`,
//! `read`) and one arm in each match on `ProviderKind`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub mod address;
mod anthropic;
mod begun;
mod chunk;
mod embedding;
mod errors;
mod gemini;
mod halves;
mod hide;
pub mod known;
mod length;
pub mod log_in;
mod manners;
mod models;
mod openai;
mod parameters;
mod request;
pub mod shape;
mod sse;
mod stream;
mod think;
mod turns;
#[cfg(test)]
mod usage_tests;
mod wait;
mod words;

pub use address::{is_local, origin};
pub use begun::Begun;
pub use embedding::{Purpose, batches, counted_embeddings, embedding_request, parse_embeddings};
pub use errors::{fault_from_response, has_too_many};
pub use manners::{Manners, mind};
pub use models::{parse_models, parse_prices};
pub use parameters::{briefly, leave_out, left_out, takes_prefill};
pub use request::wants_key;
pub use shape::{Shape, Takes};
pub use stream::{CUT, StreamDecoder};

use crate::{
    ports::WireRequest,
    story::{
        connection::{Connection, ProviderKind},
        fault::{Fault, FaultKind},
        generation::{Usage, finish},
        preset::Role,
        sampling::Refused,
    },
};

/// What is learnt of a connection's model from its refusals, by its field of [`Connection::extra`].
const LEARNT: [&str; 3] = [Refused::FIELD, Manners::FIELD, Takes::FIELD];

/// Whether anything was learnt of the connection's model.
pub fn has_learnt(connection: &Connection) -> bool {
    let of_it = |learnt: &Value| learnt["model"] == connection.model;
    LEARNT.iter().any(|field| connection.extra.get(*field).is_some_and(of_it))
}

/// All is sent again as the protocol allows it.
pub fn forget_learnt(connection: &mut Connection) {
    LEARNT.iter().for_each(|field| drop(connection.extra.shift_remove(*field)));
}

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub role: Role,
    pub content: String,
    /// The prompt of the next turn, too, begins with all up to here: worth keeping for a provider that wants to be told.
    #[serde(skip)]
    pub keep: bool,
    /// The first words of the reply, last of all messages: the model goes on from there.
    #[serde(skip)]
    pub begun: bool,
}

impl Message {
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), keep: false, begun: false }
    }
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// The model that answers, as the provider names it: gateways choose for themselves.
    Model(String),
    /// What the model thinks aloud.
    Reasoning(String),
    Text(String),
    /// All the text so far was thought aloud.
    WasThought,
    /// Tokens so far; the last one counts.
    Usage(Usage),
    /// So many events could not be read and were passed over, with the first words of the first.
    Unread {
        events: u32,
        excerpt: String,
    },
    /// The reply is whole, and nothing follows.
    Finish(Finish),
}

/// Why a whole reply ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    Stop,
    /// At the limit of tokens: the model had more to say.
    Length,
    /// Cut by the provider's filter, with its reason; what came before stands.
    Filtered(String),
    /// The model called a tool.
    Calls,
    /// A reason in the provider's own words.
    Other(String),
}

impl Finish {
    /// As it is stored with the reply.
    pub fn name(&self) -> &str {
        match self {
            Self::Stop => finish::STOP,
            Self::Length => finish::LENGTH,
            Self::Filtered(_) => finish::FILTERED,
            Self::Calls => finish::CALLS,
            Self::Other(name) => name,
        }
    }

    /// The fault that this end amounts to.
    pub fn fault(&self) -> Option<Fault> {
        match self {
            Self::Filtered(reason) => Some(Fault::new(FaultKind::Filtered, reason)),
            _ => None,
        }
    }
}

/// The request for a streamed reply. Sampling fields are sent only where they are set.
///
/// `Debug` of a request shows no header, and the key is in no other place.
///
/// # Errors
/// `BadAddress` with the reason; `WrongKey` for a key that no header can carry; `UnknownModel` where the
/// protocol needs a model and the connection names none.
pub fn chat_request(connection: &Connection, key: Option<&str>, messages: &[Message]) -> Result<WireRequest, Fault> {
    shaped_request(connection, key, messages, None)
}

/// The same for an answer of a shape, of which so much is asked for; [`StreamDecoder::shaped`] reads it.
///
/// # Errors
/// As above.
pub fn shaped_request(
    connection: &Connection,
    key: Option<&str>,
    messages: &[Message],
    shape: Option<(&Shape, Takes)>,
) -> Result<WireRequest, Fault> {
    let key = request::key(key)?;
    match connection.kind {
        ProviderKind::Openai => openai::chat(connection, key, messages, shape),
        ProviderKind::Anthropic => anthropic::chat(connection, key, messages, shape),
        ProviderKind::Gemini => gemini::chat(connection, key, messages, shape),
    }
}

/// The request for the list of models; the answer goes to `parse_models`.
///
/// # Errors
/// `BadAddress`, `WrongKey` as above.
pub fn models_request(connection: &Connection, key: Option<&str>) -> Result<WireRequest, Fault> {
    let key = request::key(key)?;
    match connection.kind {
        ProviderKind::Openai => openai::models(connection, key),
        ProviderKind::Anthropic => anthropic::models(connection, key),
        ProviderKind::Gemini => gemini::models(connection, key),
    }
}
