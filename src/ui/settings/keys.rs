//! Keys as the settings show them: which are there, unlocking, forgetting. The keys themselves stay in the vault.

use std::collections::HashMap;

use leptos::{prelude::*, task::spawn_local};

use super::draft::Draft;
use crate::{
    desk::Stored,
    locales::{
        T, faults, fill,
        keys::{self, T as K},
        providers,
    },
    ports::Keeping,
    story::{fault::Fault, ids::ConnectionId, passphrase::Weakness},
    ui::{
        app::App,
        devices::{Devices, SECRETS},
        fields::{SelectField, TextField},
        state::NoticeKind,
    },
    web::vault::VaultError,
};

/// What the page knows of the vault.
#[derive(Clone, Copy)]
pub struct Keys {
    app: App,
    /// For each connection that has or had a key: how it is kept, and whether it is there.
    states: RwSignal<HashMap<ConnectionId, (Keeping, bool)>>,
    /// Sealed keys wait for the passphrase.
    pub locked: RwSignal<bool>,
    /// Keys can be sealed without asking for the passphrase.
    pub open: RwSignal<bool>,
    /// An open form asks for the passphrase itself.
    pub asked_in_form: RwSignal<bool>,
}

impl Keys {
    pub fn new(app: App) -> Self {
        let keys = Self {
            app,
            states: RwSignal::default(),
            locked: RwSignal::default(),
            open: RwSignal::default(),
            asked_in_form: RwSignal::default(),
        };
        spawn_local(async move {
            keys.sweep().await;
            keys.refresh().await;
        });
        keys
    }

    pub fn here() -> Self {
        expect_context()
    }

    /// Reads anew what is there.
    pub async fn refresh(self) {
        if let Err(error) = self.read().await {
            self.app.notify_store(error);
        }
    }

    async fn read(self) -> Stored<()> {
        let vault = self.app.browser().vault;
        let mut states = HashMap::new();
        for connection in self.app.connections.get_untracked() {
            if let Some(state) = vault.keeping(&connection.id).await? {
                states.insert(connection.id, state);
            }
        }
        self.states.try_set(states);
        self.locked.try_set(vault.is_locked().await?);
        self.open.try_set(vault.is_open().await?);
        Ok(())
    }

    /// Once a visit: the key of a connection that was deleted shortly before its page was closed goes as well.
    async fn sweep(self) {
        thread_local!(static SWEPT: std::cell::Cell<bool> = const { std::cell::Cell::new(false) });
        if SWEPT.replace(true) {
            return;
        }
        let sweep = async {
            let stored = self.app.desk().connections().await?;
            let other = SECRETS.map(ConnectionId::from);
            let ids: Vec<_> = stored.into_iter().map(|connection| connection.id).chain(other).collect();
            self.app.browser().vault.forget_others(&ids).await
        };
        if let Err(error) = sweep.await {
            self.app.notify_store(error);
        }
    }

    /// How a connection's key is kept, and whether it is there; `None` where it has none.
    pub fn of(self, connection: &ConnectionId) -> Option<(Keeping, bool)> {
        self.states.with(|states| states.get(connection).copied())
    }

    fn has_any(self) -> bool {
        self.states.with(|states| states.values().any(|(_, there)| *there))
    }

    /// Opens the lock, or makes one; says why not.
    pub async fn unlock(self, passphrase: &str) -> Result<(), Refused> {
        self.app.browser().vault.unlock(passphrase).await?;
        self.refresh().await;
        Ok(())
    }
}

/// Why the vault would not, in the words of a place beside the control.
#[derive(Clone, Debug, PartialEq)]
pub enum Refused {
    Words(T),
    Weak(Weakness),
    Fault(Fault),
    /// The browser lets the page remember nothing for the way back from a log-in.
    NoWayBack,
    /// The kept key was given for another server.
    OfAnother(String),
}

impl Refused {
    pub fn words(&self, app: App) -> String {
        match self {
            Self::Words(text) => app.t(*text)().to_owned(),
            Self::NoWayBack => app.t(providers::T::NoWay)().to_owned(),
            Self::OfAnother(host) => fill(app.t(providers::T::KeyOfAnother)(), &[host]),
            Self::Weak(why) => keys::refused(*why, app.language.get()),
            Self::Fault(fault) => {
                let language = app.language.get();
                faults::explain(fault, language).what
            }
        }
    }
}

impl From<VaultError> for Refused {
    fn from(error: VaultError) -> Self {
        match error {
            VaultError::WrongPassphrase => Self::Words(T::WrongPassphrase),
            VaultError::WeakPassphrase(why) => Self::Weak(why),
            VaultError::Broken => Self::Words(T::VaultBroken),
            VaultError::Store(error) => Self::Fault(error.into()),
        }
    }
}

/// Why not, beside the passphrase.
#[component]
pub fn VaultRefusal(refused: RwSignal<Option<Refused>>) -> impl IntoView {
    let app = App::here();
    let words = move || refused.get().map(|refused: Refused| refused.words(app));
    move || words().map(|words| view! { <p class="place-fault" data-testid="vault-error" role="alert">{words}</p> })
}

/// On top of the settings while keys are sealed.
#[component]
pub fn UnlockBar() -> impl IntoView {
    let app = App::here();
    let keys = Keys::here();
    let passphrase = RwSignal::new(String::new());
    let refused = RwSignal::new(None);
    let busy = RwSignal::new(false);
    let unlock = move || {
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        refused.set(None);
        spawn_local(async move {
            let outcome = keys.unlock(&passphrase.get_untracked()).await;
            busy.try_set(false);
            match outcome {
                Ok(()) => passphrase.try_set(String::new()).map(drop),
                Err(why) => refused.try_set(Some(why)).map(drop),
            };
        });
    };
    view! {
        <form class="form settings-part unlock" novalidate on:submit=move |event| { event.prevent_default(); unlock() }>
            <TextField label=app.t(T::Passphrase) value=passphrase kind="password" testid="vault-passphrase" hint=Signal::derive(app.t(T::Locked)) />
            <VaultRefusal refused />
            <div class="row">
                <button type="submit" class="button primary" data-testid="vault-unlock" disabled=move || busy.get()>{app.t(T::Unlock)}</button>
            </div>
        </form>
    }
}

/// Forgets all keys, at once.
#[component]
pub fn ForgetKeys() -> impl IntoView {
    let app = App::here();
    let keys = Keys::here();
    let forget = move |_| {
        spawn_local(async move {
            Devices::here().close();
            match app.browser().vault.forget_all().await {
                Ok(()) => app.notify(NoticeKind::Info, T::KeysForgotten),
                Err(error) => app.notify_store(error),
            }
            keys.refresh().await;
        });
    };
    view! {
        <Show when=move || keys.has_any()>
            <button type="button" class="button quiet danger" data-testid="vault-forget" on:click=forget>{app.t(T::ForgetKeys)}</button>
        </Show>
    }
}

/// The ways to keep a key, in words: what each protects from, and when it is asked for again.
const WAYS: [(Keeping, K, K); 3] = [
    (Keeping::Memory, K::KeepMemory, K::KeepMemoryHint),
    (Keeping::Sealed, K::KeepSealed, K::KeepSealedHint),
    (Keeping::Clear, K::KeepClear, K::KeepClearHint),
];

/// How the key is kept, in the form, and the passphrase where it takes one. All ways are told, not the chosen one alone:
/// who takes the first as it stands shall know what that means.
#[component]
pub fn KeepingFields(
    draft: Draft,
    #[prop(into)] asks: Signal<bool>,
    refused: RwSignal<Option<Refused>>,
) -> impl IntoView {
    let app = App::here();
    let keys = Keys::here();
    let options = Signal::derive(move || {
        WAYS.map(|(keeping, label, _)| (keeping_name(keeping).to_owned(), label.text(app.language.get()).to_owned()))
            .to_vec()
    });
    let chosen = move |keeping: Keeping| draft.keeping.with(|name| keeping_named(name) == keeping);
    let ways = WAYS.map(|(keeping, label, hint)| {
        view! {
            <li data-keeping=keeping_name(keeping) class:chosen=move || chosen(keeping)>
                <b>{move || label.text(app.language.get())}</b> " " {move || hint.text(app.language.get())}
            </li>
        }
    });
    let label = Signal::derive(move || app.t(if keys.locked.get() { T::Passphrase } else { T::PassphraseNew })());
    // One that opens a lock is what it is; a new one is judged as it is typed.
    let hint = Signal::derive(move || match keys.locked.get() {
        true => "",
        false => keys::judged(&draft.passphrase.read()).text(app.language.get()),
    });
    Effect::new(move |_| keys.asked_in_form.set(asks.get()));
    on_cleanup(move || keys.asked_in_form.try_set(false).map_or((), drop));
    view! {
        <SelectField label=app.t(T::KeyKeeping) value=draft.keeping options testid="vault-mode" />
        <ul class="keeping-ways" data-testid="vault-ways">{ways}</ul>
        <Show when=move || asks.get()>
            <TextField label value=draft.passphrase kind="password" testid="vault-passphrase" hint />
        </Show>
        <VaultRefusal refused />
    }
}

pub fn keeping_name(keeping: Keeping) -> &'static str {
    match keeping {
        Keeping::Memory => "memory",
        Keeping::Sealed => "sealed",
        Keeping::Clear => "clear",
    }
}

pub fn keeping_named(name: &str) -> Keeping {
    match name {
        "sealed" => Keeping::Sealed,
        "clear" => Keeping::Clear,
        _ => Keeping::Memory,
    }
}
