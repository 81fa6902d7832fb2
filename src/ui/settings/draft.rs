//! A connection as it is being written: texts as typed, and what is wrong with them.

use leptos::prelude::*;

use super::{keys::keeping_named, prices::Prices};
use crate::{
    desk::sampling::{body_of, body_text},
    exchange::names::tidy_name,
    locales::T,
    ports::Keeping,
    provider::{
        self, Manners,
        address::{Address, is_local},
        left_out, origin,
    },
    story::{
        connection::{Connection, ProviderKind},
        fault::FaultKind,
        sampling::{Parameter, Refused},
    },
    ui::{
        number::{Number, Problem},
        samplers::{OF_CONNECTION, Samplers},
    },
};

/// What a new connection begins with.
const CONTEXT_TOKENS: u32 = 32_768;
const TIMEOUT_SECONDS: u32 = 120;

/// All fields of the form. The key is in none of the page's attributes, and empty where one is kept already.
#[derive(Clone, Copy)]
pub struct Draft {
    /// What it was before.
    saved: RwSignal<Connection>,
    /// The same as texts.
    was: StoredValue<Vec<String>>,
    pub kind: RwSignal<String>,
    pub name: RwSignal<String>,
    pub url: RwSignal<String>,
    pub key: RwSignal<String>,
    pub model: RwSignal<String>,
    pub keeping: RwSignal<String>,
    pub passphrase: RwSignal<String>,
    pub context: Number,
    pub timeout: Number,
    pub samplers: Samplers,
    /// Fields of the reader's own, as JSON.
    pub body: RwSignal<String>,
    pub prices: Prices,
    /// The model whose prices they are; empty until one is named.
    priced: StoredValue<String>,
    /// Whether it was tried to save or test: what is missing is told from then on.
    pub tried: RwSignal<bool>,
}

impl Draft {
    pub fn new(connection: Option<Connection>) -> Self {
        let fresh =
            || Connection { context_tokens: CONTEXT_TOKENS, timeout_seconds: TIMEOUT_SECONDS, ..Default::default() };
        let connection = connection.unwrap_or_else(fresh);
        let count = |value: u32| (value > 0).then_some(f64::from(value));
        let draft = Self {
            kind: RwSignal::new(connection.kind.name().to_owned()),
            name: RwSignal::new(connection.name.clone()),
            url: RwSignal::new(connection.url.clone()),
            key: RwSignal::default(),
            model: RwSignal::new(connection.model.clone()),
            keeping: RwSignal::new("memory".to_owned()),
            passphrase: RwSignal::default(),
            context: Number::whole(
                "connection-context",
                T::ContextTokens,
                count(connection.context_tokens),
                (256.0, 10_000_000.0),
            ),
            timeout: Number::whole(
                "connection-timeout",
                T::TimeoutSeconds,
                count(connection.timeout_seconds),
                (1.0, 3_600.0),
            ),
            samplers: Samplers::new(OF_CONNECTION, &connection.sampling),
            body: RwSignal::new(body_text(&connection.body)),
            prices: Prices::new(connection.price()),
            priced: StoredValue::new(connection.model.clone()),
            tried: RwSignal::default(),
            saved: RwSignal::new(connection),
            was: StoredValue::default(),
        };
        draft.was.set_value(untrack(|| draft.texts()));
        draft
    }

    /// What is in the fields of the connection.
    fn texts(self) -> Vec<String> {
        let texts = [self.kind, self.name, self.url, self.model, self.body, self.context.text, self.timeout.text];
        let all = texts.into_iter().chain(self.samplers.texts()).chain(self.prices.texts());
        // What is known to be refused is found out and forgotten here.
        let learnt = self.saved.with(|saved| format!("{:?}", saved.extra));
        all.map(|text| text.get()).chain([learnt]).collect()
    }

    /// Whether something was typed that is not saved.
    pub fn is_changed(self) -> bool {
        self.typed_key().is_some() || self.was.with_value(|was| *was != self.texts())
    }

    pub fn provider(self) -> ProviderKind {
        ProviderKind::from_name(&self.kind.get()).unwrap_or_default()
    }

    pub fn keeping(self) -> Keeping {
        keeping_named(&self.keeping.get())
    }

    /// The key as typed; `None` where nothing was.
    pub fn typed_key(self) -> Option<String> {
        self.key.with(|key| Some(key.trim().to_owned()).filter(|key| !key.is_empty()))
    }

    /// Where requests go: as typed, or the kind's own.
    pub fn address(self) -> String {
        self.url.with(|url| match url.trim() {
            "" => self.provider().default_url().to_owned(),
            url => url.to_owned(),
        })
    }

    pub fn address_problem(self) -> Option<Problem> {
        Address::parse(&self.address()).err().map(|fault| Problem::Address(fault.detail))
    }

    /// Whether it was said whose key this is: OpenAI's protocol has many speakers, and a key may be typed before the
    /// address is.
    pub fn names_server(self) -> bool {
        self.provider() != ProviderKind::Openai || !self.url.with(|url| url.trim().is_empty())
    }

    /// A server of one's own may have a single model; the providers want a name.
    pub fn model_problem(self) -> Option<Problem> {
        let own_server = self.provider() == ProviderKind::Openai && self.names_server();
        (!own_server && self.model.with(|model| model.trim().is_empty())).then_some(Problem::Required)
    }

    /// Whether the saved connection points to the same server: only then is its key used without being asked to.
    pub fn is_same_server(self) -> bool {
        let saved = self.saved.with(|saved| origin(address_of(saved)));
        let here = origin(&self.address());
        // The same by a safer way.
        let safer = saved.as_ref().map(|saved| saved.replacen("http://", "https://", 1));
        saved.is_some() && (saved == here || safer == here)
    }

    /// As much of the connection as it takes to ask for its models.
    pub fn target(self) -> Connection {
        Connection { kind: self.provider(), url: self.url.with(|url| url.trim().to_owned()), ..Default::default() }
    }

    pub fn is_local(self) -> bool {
        is_local(&self.address())
    }

    /// The connection as written, or the first thing that is wrong with it.
    pub fn read(self) -> Result<Connection, Problem> {
        if let Some(problem) = self.address_problem().or_else(|| self.model_problem()) {
            return Err(problem);
        }
        let count = |number: Number| Ok::<_, Problem>(number.read()?.map(|number| number as u32));
        let saved = self.saved.get();
        let (name, _) = tidy_name(&self.name.get());
        let mut connection = Connection {
            name: if name.is_empty() { host(&self.address()) } else { name },
            kind: self.provider(),
            url: self.url.with(|url| url.trim().to_owned()),
            model: self.model.with(|model| model.trim().to_owned()),
            context_tokens: count(self.context)?.unwrap_or(0),
            timeout_seconds: count(self.timeout)?.unwrap_or(0),
            sampling: self.samplers.read(saved.sampling)?,
            body: self.body.with(|body| body_of(body)).map_err(Problem::Body)?,
            id: saved.id,
            prices: saved.prices,
            extra: saved.extra,
        };
        connection.set_price(self.prices.read()?);
        Ok(connection)
    }

    /// What is set and would not be sent.
    pub fn left_out(self) -> Vec<Parameter> {
        self.read().map(|connection| left_out(&connection)).unwrap_or_default()
    }

    /// What a test has found: it is saved with the rest.
    pub fn learn(self, refused: Option<Refused>, manners: Option<Manners>) {
        self.saved.update(|saved| {
            refused.into_iter().for_each(|refused| refused.keep(saved));
            manners.into_iter().for_each(|manners| manners.keep(saved));
        });
    }

    /// Whether anything was learnt of how the model wants to be asked.
    pub fn has_learnt(self) -> bool {
        self.read().is_ok_and(|connection| provider::has_learnt(&connection))
    }

    /// All is sent again as the protocol has it.
    pub fn forget_learnt(self) {
        self.saved.update(provider::forget_learnt);
    }

    /// Another model has prices of its own. Those that were typed before the first was named are that one's.
    pub fn model_changed(self) {
        let model = self.model.with_untracked(|model| model.trim().to_owned());
        let before = self.priced.get_value();
        if before == model {
            return;
        }
        if !before.is_empty() {
            self.saved.with_untracked(|saved| self.prices.fill(saved.prices.get(&model)));
        }
        self.priced.set_value(model);
    }
}

/// Where a connection's requests go.
pub fn address_of(connection: &Connection) -> &str {
    match connection.url.trim() {
        "" => connection.kind.default_url(),
        url => url,
    }
}

/// The name of the server, with its port where it has one.
pub fn host(address: &str) -> String {
    Address::parse(address)
        .map(|address| match address.port {
            Some(port) => format!("{}:{port}", address.host),
            None => address.host,
        })
        .unwrap_or_default()
}

/// Whether a fault means that a server on this machine may want to be told of this page.
pub fn may_be_closed(kind: FaultKind) -> bool {
    matches!(kind, FaultKind::CorsRefused | FaultKind::Forbidden)
}
