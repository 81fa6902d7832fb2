//! What the form of a connection does: saves it with its key, tests it, asks for the models.

use std::collections::BTreeMap;

use futures_util::join;
use leptos::{
    html,
    prelude::*,
    task::{spawn_local, tick},
};

use super::{
    connections,
    draft::{Draft, address_of},
    keys::{Keys, Refused},
    trial::{self, Greeting, Models},
    unsaved::Unsaved,
    work::Work,
};
use crate::{
    locales::T,
    ports::{Keeping, Vault},
    provider::{self, origin},
    story::{
        connection::Connection,
        fault::{Fault, FaultKind},
        ids::ConnectionId,
        price::Price,
    },
    ui::app::App,
    web::{
        log_in::{self, Back},
        policy,
    },
};

/// How the last test went.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Status {
    #[default]
    Untested,
    Testing,
    Works(Greeting),
    Failed(Fault),
}

/// How the last asked-for list of models went.
#[derive(Clone, Debug, PartialEq)]
pub enum Listing {
    Running,
    Found(usize),
    Failed(Fault),
}

#[derive(Clone, Copy)]
pub struct Editor {
    app: App,
    keys: Keys,
    unsaved: Unsaved,
    /// As it was when the form was opened; `None`: a new connection.
    opened: StoredValue<Option<Connection>>,
    pub draft: Draft,
    pub form: NodeRef<html::Form>,
    pub status: RwSignal<Status>,
    pub models: RwSignal<Vec<String>>,
    /// What they cost, where the list says so.
    pub prices: RwSignal<BTreeMap<String, Price>>,
    pub listing: RwSignal<Option<Listing>>,
    pub busy: RwSignal<bool>,
    /// It is stored as it stands here.
    is_saved: RwSignal<bool>,
    /// Why the passphrase was refused, and why the key was.
    pub refused: RwSignal<Option<Refused>>,
    pub key_refused: RwSignal<Option<Refused>>,
    /// The server that may have the key that was kept for another.
    lent: RwSignal<Option<String>>,
    test: Work,
    list: Work,
    /// The way back from a provider's log-in: its code counts once, so nothing that is typed meanwhile ends it.
    log_in: Work,
    close: Callback<()>,
}

impl Editor {
    pub fn new(app: App, keys: Keys, connection: Option<Connection>, close: Callback<()>) -> Self {
        let editor = Self {
            app,
            keys,
            unsaved: Unsaved::here(),
            opened: StoredValue::new(connection.clone()),
            draft: Draft::new(connection),
            form: NodeRef::new(),
            status: RwSignal::default(),
            models: RwSignal::default(),
            prices: RwSignal::default(),
            listing: RwSignal::default(),
            busy: RwSignal::default(),
            is_saved: RwSignal::default(),
            refused: RwSignal::default(),
            key_refused: RwSignal::default(),
            lent: RwSignal::default(),
            test: Work::new(),
            list: Work::new(),
            log_in: Work::new(),
            close,
        };
        // The mode follows what is kept, which the vault may tell a moment later.
        Effect::new(move |before: Option<Option<Keeping>>| {
            let keeping = editor.kept().map(|(keeping, _)| keeping);
            if let Some(keeping) = keeping.filter(|keeping| before.flatten() != Some(*keeping)) {
                editor.draft.keeping.set(super::keys::keeping_name(keeping).to_owned());
            }
            keeping
        });
        editor.list_quietly();
        editor
    }

    /// How the connection's key is kept already, and whether it is there.
    pub fn kept(self) -> Option<(Keeping, bool)> {
        self.id().and_then(|id| self.keys.of(&id))
    }

    fn id(self) -> Option<ConnectionId> {
        self.opened.with_value(|opened| opened.as_ref().map(|opened| opened.id.clone()))
    }

    pub fn is_new(self) -> bool {
        self.opened.with_value(Option::is_none)
    }

    /// Whether something would be lost with the form.
    pub fn is_changed(self) -> bool {
        let kept = self.kept().map(|(keeping, _)| keeping).unwrap_or_default();
        !self.is_saved.get() && (self.draft.is_changed() || self.draft.keeping() != kept)
    }

    /// Whether saving takes the passphrase: to seal a key, or to take one out.
    pub fn asks_passphrase(self) -> bool {
        let typed = self.draft.typed_key().is_some();
        !self.keys.open.get()
            && match (self.draft.keeping(), self.kept()) {
                (Keeping::Sealed, Some((Keeping::Sealed, true))) => typed,
                (Keeping::Sealed, _) => true,
                (_, Some((Keeping::Sealed, _))) => !typed,
                _ => false,
            }
    }

    /// What was found out holds for the form as it was.
    pub fn edited(self) {
        self.test.stop();
        self.status.set(Status::Untested);
        self.key_refused.set(None);
        self.refused.set(None);
    }

    // ------------------------------------------------------------------------------------------ save

    pub fn save(self, reload: bool) {
        spawn_local(async move {
            self.saved(reload).await;
        });
    }

    /// Saves, and closes the form; says whether it did. Where the page may not reach the address before it is reloaded, it
    /// reloads: when it was asked to, or when nothing is lost by it.
    pub async fn saved(self, reload: bool) -> bool {
        let Some(connection) = self.read() else { return false };
        if self.busy.get_untracked() {
            return false;
        }
        self.test.stop();
        self.status.set(Status::Untested);
        self.busy.set(true);
        let saved = self.keep(connection, reload).await;
        self.busy.try_set(false);
        if saved {
            self.close.try_run(());
        }
        saved
    }

    /// The connection as written; or `None`, and the focus at what is wrong.
    fn read(self) -> Option<Connection> {
        self.draft.tried.set(true);
        let read = untrack(|| self.draft.read());
        if read.is_err() {
            self.show_refusal();
        }
        read.ok()
    }

    fn show_refusal(self) {
        spawn_local(async move {
            tick().await;
            let found = self
                .form
                .try_get_untracked()
                .flatten()
                .and_then(|form| form.query_selector("[aria-invalid=true]").ok());
            let Some(field) = found.flatten() else { return };
            if let Ok(Some(details)) = field.closest("details") {
                let _ = details.set_attribute("open", "");
            }
            use wasm_bindgen::JsCast;
            let _ = field.unchecked_into::<web_sys::HtmlElement>().focus();
        });
    }

    async fn keep(self, mut connection: Connection, reload: bool) -> bool {
        let browser = self.app.browser();
        // Read before anything is waited for: the form may be gone by then.
        let (is_new, before) = (self.is_new(), self.opened.get_value());
        connection.id = self.id().unwrap_or_else(|| browser.ports.id());
        let id = connection.id.clone();
        if !self.keep_key(&connection).await {
            return false;
        }
        let url = address_of(&connection).to_owned();
        let kept = self.app.desk().keep_connection(connection, before.as_ref()).await;
        let Some(list) = connections::said(self.app, kept) else {
            if is_new && let Err(error) = browser.vault.forget(&id).await {
                self.app.notify_store(error);
            }
            return false;
        };
        self.is_saved.try_set(true);
        let may_reload = reload || self.app.story.all_taken().is_empty();
        if !policy::allows(&url) && may_reload && connections::reload(self.app, &self.unsaved.goal(), reload).await {
            return false;
        }
        self.app.connections.set(list);
        self.keys.refresh().await;
        true
    }

    /// Whether the kept key goes nowhere that it was not given for; if not, says so beside it.
    fn may_use_kept(self) -> bool {
        let is_kept = untrack(|| self.draft.typed_key().is_none() && self.kept().is_some_and(|(_, there)| there));
        let address = untrack(|| origin(&self.draft.address()));
        let is_lent = self.lent.with_untracked(|lent| *lent == address);
        if !is_kept || is_lent || untrack(|| self.draft.is_same_server()) {
            return true;
        }
        let of = self.opened.with_value(|opened| opened.as_ref().and_then(|opened| origin(address_of(opened))));
        self.key_refused.set(Some(Refused::OfAnother(of.unwrap_or_default())));
        self.show_refusal();
        false
    }

    /// The reader wants the kept key to go to this address, too.
    pub fn lend_key(self) {
        self.lent.set(untrack(|| origin(&self.draft.address())));
        self.key_refused.set(None);
    }

    /// Keeps the key as chosen: the one typed, or the one at hand where it is to be kept another way.
    async fn keep_key(self, connection: &Connection) -> bool {
        if !self.may_use_kept() {
            return false;
        }
        let vault = self.app.browser().vault;
        let (keeping, typed) = untrack(|| (self.draft.keeping(), self.draft.typed_key()));
        let kept = match vault.keeping(&connection.id).await {
            Ok(kept) => kept,
            Err(error) => {
                self.app.notify_store(error);
                return false;
            }
        };
        let key = match (typed, kept) {
            (Some(key), _) => key,
            (None, Some((before, _))) if before != keeping => {
                if before == Keeping::Sealed && !self.opened().await {
                    return false;
                }
                match vault.key(&connection.id).await {
                    Ok(Some(key)) => key,
                    Ok(None) => return true,
                    Err(_) => {
                        self.key_refused.set(Some(Refused::Words(T::KeyToMove)));
                        self.show_refusal();
                        return false;
                    }
                }
            }
            (None, _) => return true,
        };
        // A key that no header can carry would only fail later.
        if let Err(fault) = provider::models_request(connection, Some(&key)) {
            self.key_refused.set(Some(Refused::Fault(fault)));
            self.show_refusal();
            return false;
        }
        if keeping == Keeping::Sealed && !self.opened().await {
            return false;
        }
        match vault.keep(&connection.id, &key, keeping).await {
            Ok(()) => {
                self.draft.key.try_set(String::new());
                true
            }
            Err(error) => {
                self.refused.set(Some(error.into()));
                false
            }
        }
    }

    /// Whether the lock is open, if need be with the passphrase of the form.
    async fn opened(self) -> bool {
        if self.app.browser().vault.is_open().await.unwrap_or(false) {
            return true;
        }
        let passphrase = self.draft.passphrase.try_get_untracked().unwrap_or_default();
        if passphrase.is_empty() {
            self.refused.set(Some(Refused::Words(T::PassphraseNeeded)));
            return false;
        }
        self.refused.set(None);
        match self.keys.unlock(&passphrase).await {
            Ok(()) => {
                self.draft.passphrase.try_set(String::new());
                true
            }
            Err(why) => {
                self.refused.try_set(Some(why));
                false
            }
        }
    }

    /// Lets go of the kept key, and of the need for one.
    pub fn forget_key(self) {
        let Some(id) = self.id() else { return };
        self.key_refused.set(None);
        spawn_local(async move {
            if let Err(error) = self.app.browser().vault.forget(&id).await {
                self.app.notify_store(error);
            }
            self.keys.refresh().await;
        });
    }

    /// Goes to the provider's log-in; what stands in the form is asked for again.
    pub fn log_in(self) {
        self.is_saved.set(true);
        if log_in::leave(self.id().as_ref().map_or("", ConnectionId::as_str)).is_err() {
            self.is_saved.set(false);
            self.key_refused.set(Some(Refused::NoWayBack));
        }
    }

    /// Back from there: the key stands in its field, and the models are asked for with it.
    pub fn logged_in(self, Back { code, verifier, .. }: Back) {
        self.busy.set(true);
        self.log_in.start(async move {
            match trial::log_in(self.app, &code, &verifier).await {
                Ok(key) => {
                    self.draft.key.set(key);
                    self.server_changed();
                }
                Err(fault) => self.key_refused.set(Some(Refused::Fault(fault))),
            }
            self.busy.set(false);
        });
    }

    // ------------------------------------------------------------------------------------------ test

    /// Says hello to the model. The list of models comes along where it is not there yet.
    pub fn test(self) {
        let Some(connection) = self.read().filter(|_| self.may_use_kept()) else { return };
        self.status.set(Status::Testing);
        self.test.start(async move {
            let waits_for_passphrase =
                self.keys.locked.get_untracked() && !self.draft.passphrase.with_untracked(String::is_empty);
            if waits_for_passphrase && !self.opened().await {
                return self.status.set(Status::Untested);
            }
            let outcome = match self.key().await {
                Err(fault) => Err(fault),
                Ok(key) => {
                    let listing = async {
                        if self.models.with_untracked(Vec::is_empty)
                            && let Ok(models) = trial::models(self.app, connection.clone(), key.clone()).await
                        {
                            self.found(models);
                        }
                    };
                    join!(trial::greet(self.app, connection.clone(), key.clone()), listing).0
                }
            };
            self.status.set(match outcome {
                Ok(mut greeting) => {
                    self.draft.learn(greeting.refused.take(), greeting.manners.take());
                    Status::Works(greeting)
                }
                Err(fault) => Status::Failed(fault),
            });
        });
    }

    /// The key as typed, or as kept.
    async fn key(self) -> Result<Option<String>, Fault> {
        match (untrack(|| self.draft.typed_key()), self.id()) {
            (Some(key), _) => Ok(Some(key)),
            (None, Some(id)) => self.app.browser().vault.key(&id).await,
            (None, None) => Ok(None),
        }
    }

    // ------------------------------------------------------------------------------------------ models

    /// Asks for the models, and says what came of it.
    pub fn list_models(self) {
        if let Some(problem) = untrack(|| self.draft.address_problem()) {
            let crate::ui::number::Problem::Address(reason) = problem else { return };
            return self.listing.set(Some(Listing::Failed(Fault::new(FaultKind::BadAddress, reason))));
        }
        if !self.may_use_kept() {
            return;
        }
        let connection = untrack(|| self.draft.target());
        self.listing.set(Some(Listing::Running));
        self.list.start(async move {
            let found = match self.key().await {
                Ok(key) => trial::models(self.app, connection, key).await,
                Err(fault) => Err(fault),
            };
            self.listing.set(Some(match found {
                Ok(models) => {
                    let count = models.names.len();
                    self.found(models);
                    Listing::Found(count)
                }
                Err(fault) => Listing::Failed(fault),
            }));
        });
    }

    /// The server or the key was changed: the list is another.
    pub fn server_changed(self) {
        self.models.set(Vec::new());
        self.listing.set(None);
        self.list_quietly();
    }

    /// Asks for the models unasked, where that gives no key to anyone it was not meant for: with the key as typed once
    /// the address is named, or with the kept one where the server is the saved one. A failure is not worth a word.
    fn list_quietly(self) {
        let connection = untrack(|| self.draft.target());
        let typed = untrack(|| self.draft.typed_key().filter(|_| self.draft.names_server()));
        let id = self.id().filter(|_| untrack(|| self.draft.is_same_server()));
        if untrack(|| self.draft.address_problem()).is_some() || !policy::allows(address_of(&connection)) {
            return;
        }
        self.list.start(async move {
            let key = match (typed, id) {
                (Some(key), _) => Some(key),
                (None, Some(id)) => self.app.browser().vault.key(&id).await.ok().flatten(),
                (None, None) => None,
            };
            if key.is_some()
                && let Ok(models) = trial::models(self.app, connection, key).await
            {
                self.found(models);
            }
        });
    }

    fn found(self, Models { names, prices }: Models) {
        self.models.set(names);
        self.prices.set(prices);
    }

    /// Fills in what the list says of the model.
    pub fn take_prices(self) {
        let model = self.draft.model.with_untracked(|model| model.trim().to_owned());
        self.prices.with_untracked(|listed| self.draft.prices.fill(listed.get(&model)));
        self.edited();
    }
}
