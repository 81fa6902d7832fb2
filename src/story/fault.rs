//! What can go wrong on the way to a reply, as a value: stored with the generation, put into words by `locales`.

use serde::{Deserialize, Serialize};

use crate::store::StoreError;

/// A fault with the provider's own words, if it had any. Never holds a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub kind: FaultKind,
    /// The provider's or the browser's own message; may be empty.
    #[serde(default)]
    pub detail: String,
    /// Seconds to wait, where the provider said so (`retry-after`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u32>,
    /// Of a prompt that is too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Length>,
}

/// How long a prompt is and what the model takes, in tokens; 0 = not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Length {
    /// Estimated, or as the provider counted it.
    pub prompt: u32,
    /// Kept for the reply.
    pub reply: u32,
    /// Prompt and reply together.
    pub takes: u32,
    /// Nothing is in it that could give way.
    pub bare: bool,
}

impl Fault {
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), retry_after: None, length: None }
    }

    /// Nobody said that the prompt was too long: an answer broke off before it said anything.
    pub fn is_guess(&self) -> bool {
        let length = self.length.unwrap_or_default();
        self.kind == FaultKind::ContextTooLong && self.detail.is_empty() && length.takes == 0 && length.prompt > 0
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.detail)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    // What the reader or the page did.
    /// The reader pressed stop.
    Stopped,
    /// The tab ended amid the stream.
    TabClosed,
    /// Another tab took the story over.
    TakenOver,
    // What the story lacks (A2).
    NoCharacter,
    NoStoryline,
    NoSession,
    NoState,
    NoConnection,
    /// The key is encrypted and the passphrase has not been given, or was memory-only and is gone.
    KeyMissing,
    /// The prompt is over `limits.max_total_tokens` (A6).
    OverLimit,
    /// The prompt is longer than the connection's context; it was not sent.
    OverContext,
    /// What may be spent is spent.
    OverBudget,
    // What the network did.
    Offline,
    /// Nothing answers at the address.
    Unreachable,
    /// Nothing answers at an address on this machine or network.
    LocalUnreachable,
    /// Something answers, but does not let this page read it; some providers do so for a wrong key.
    CorsRefused,
    /// An `https` page may not call this `http` address.
    MixedContent,
    /// The page's own policy forbids this address until it is reloaded.
    PolicyBlocked,
    /// No byte came within the connection's time limit.
    Stalled,
    /// The connection broke amid the reply.
    ConnectionLost,
    // What the provider answered.
    BadAddress,
    WrongKey,
    Forbidden,
    NoCredit,
    UnknownModel,
    /// The provider offers no embeddings.
    NoEmbeddings,
    /// The address answers, but nothing is there (404).
    NotFound,
    RateLimited,
    /// The prompt is longer than the model takes, as the provider says.
    ContextTooLong,
    BadRequest,
    /// The provider is broken or overloaded (5xx).
    ProviderDown,
    /// Refused or cut by the provider's content filter.
    Filtered,
    /// HTML or anything else that is not the protocol.
    NotTheProtocol,
    // What the store did.
    StorageFull,
    StorageFailed,
    /// It is on another of the reader's devices, and has not come yet.
    Elsewhere,
    /// The worker that keeps the memory could not be started, or has ended.
    MemoryGone,
    /// The story's index is being made; until then nothing is found.
    MemoryBuilding,
    /// What came from the embedding server does not fit the vectors that are there, or is none.
    BadVectors,
}

impl FaultKind {
    /// The reader or their page has ended it, and nobody else.
    pub fn is_told_to_stop(self) -> bool {
        matches!(self, Self::Stopped | Self::TabClosed | Self::TakenOver)
    }

    /// The prompt is too long, whoever found it so: a shorter one may be sent.
    pub fn is_too_long(self) -> bool {
        matches!(self, Self::OverLimit | Self::OverContext | Self::ContextTooLong)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let kind = if error.is_full() { FaultKind::StorageFull } else { FaultKind::StorageFailed };
        Fault::new(kind, error.to_string())
    }
}
