//! A connection: a named way to a model. The key is not part of it (`ports::Vault`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Extra, ids::ConnectionId, price::Price, sampling::Sampling};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Connection {
    pub id: ConnectionId,
    pub name: String,
    pub kind: ProviderKind,
    /// Base address, e.g. `https://api.openai.com/v1`; empty = the kind's own.
    pub url: String,
    pub model: String,
    pub sampling: Sampling,
    /// Tokens that the model can take, prompt and reply together.
    pub context_tokens: u32,
    /// Seconds without a byte after which a stream counts as lost.
    pub timeout_seconds: u32,
    /// By model: whoever goes back to one finds its prices again.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, Price>,
    /// Fields of the reader's own for each request of a chat, as the server knows them; `null` takes one out.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub body: Map<String, Value>,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    #[default]
    Openai,
    Anthropic,
    Gemini,
}

impl ProviderKind {
    pub const ALL: [Self; 3] = [Self::Openai, Self::Anthropic, Self::Gemini];

    pub fn name(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Where the provider itself lives.
    pub fn default_url(self) -> &'static str {
        match self {
            Self::Openai => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
        }
    }
}

/// What a story is told with: its own connection, the usual one, or the first; one that is gone is none.
pub fn chosen<'a>(
    list: &'a [Connection],
    own: Option<&ConnectionId>,
    usual: Option<&ConnectionId>,
) -> Option<&'a Connection> {
    let named = |id: &ConnectionId| list.iter().find(|connection| connection.id == *id);
    own.and_then(named).or_else(|| usual.and_then(named)).or(list.first())
}

impl Connection {
    /// What its model costs, where that was said.
    pub fn price(&self) -> Option<&Price> {
        self.prices.get(&self.model)
    }

    pub fn set_price(&mut self, price: Option<Price>) {
        match price {
            Some(price) => drop(self.prices.insert(self.model.clone(), price)),
            None => drop(self.prices.remove(&self.model)),
        }
    }

    /// Tokens that the model takes, prompt and reply together: as is set here, or what its provider has `told` where that
    /// is less. 0 = not known, of either.
    pub fn takes(&self, told: u32) -> u32 {
        match (self.context_tokens, told) {
            (0, takes) | (takes, 0) => takes,
            (set, told) => set.min(told),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who has lost their own goes on with the usual one, not with whichever is the first.
    #[test]
    fn one_that_is_gone_is_none() {
        let list = ["a", "b", "c"].map(|id| Connection { id: id.into(), ..Connection::default() });
        let told = |own: &str, usual: &str| {
            let named = |id: &str| (!id.is_empty()).then(|| ConnectionId::from(id));
            chosen(&list, named(own).as_ref(), named(usual).as_ref()).map(|connection| connection.id.0.as_str())
        };
        assert_eq!([told("c", "b"), told("x", "b"), told("", "b"), told("x", "y")], ["c", "b", "b", "a"].map(Some));
        assert_eq!(chosen(&[], None, None), None);
    }
}
