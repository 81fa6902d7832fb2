//! Where the library is kept: typed, tried, and begun.

use leptos::{prelude::*, task::spawn_local};

use super::run::{Devices, SECRETS};
use crate::{
    locales::{
        devices::{self, T},
        keys,
    },
    ports::Keeping,
    story::passphrase::{Strength, strength},
    sync::{Kind, Lacks, Site, Trouble},
    ui::{
        app::App,
        fields::{CheckField, SelectField, TextField},
        settings::{keeping_name, keeping_named},
        state::NoticeKind,
    },
    web::{seal::open_library, text_of, window},
};

/// A new passphrase in words, while it is typed.
pub fn judged(passphrase: &str, app: App) -> &'static str {
    match passphrase.is_empty() {
        true => T::PassphraseFor.text(app.language.get()),
        false => keys::judged(passphrase).text(app.language.get()),
    }
}

pub fn is_weak(passphrase: &str) -> bool {
    matches!(strength(passphrase), Strength::Weak(_))
}

/// What came of a try.
#[derive(Clone, PartialEq)]
enum Tried {
    Not,
    Running,
    Works,
    Lacks(Lacks),
    Weak,
    Trouble(Trouble),
}

#[derive(Clone, Copy)]
struct Draft {
    kind: RwSignal<String>,
    address: RwSignal<String>,
    bucket: RwSignal<String>,
    region: RwSignal<String>,
    folder: RwSignal<String>,
    user: RwSignal<String>,
    secret: RwSignal<String>,
    passphrase: RwSignal<String>,
    keeping: RwSignal<String>,
    only_seen: RwSignal<bool>,
}

impl Draft {
    fn of(site: &Site) -> Self {
        let text = |text: &str| RwSignal::new(text.to_owned());
        Self {
            kind: text(site.kind.name()),
            address: text(&site.address),
            bucket: text(&site.bucket),
            region: text(&site.region),
            folder: text(&site.folder),
            user: text(&site.user),
            secret: text(""),
            passphrase: text(""),
            keeping: text(keeping_name(Keeping::Clear)),
            only_seen: RwSignal::new(site.only_seen),
        }
    }

    fn kind(self) -> Kind {
        Kind::from_name(&self.kind.read())
    }

    fn site(self, before: Option<Site>) -> Site {
        Site {
            kind: Kind::from_name(&self.kind.get_untracked()),
            address: self.address.get_untracked().trim().to_owned(),
            bucket: self.bucket.get_untracked().trim().to_owned(),
            region: self.region.get_untracked().trim().to_owned(),
            folder: self.folder.get_untracked().trim().to_owned(),
            user: self.user.get_untracked().trim().to_owned(),
            ..before.unwrap_or_else(|| Site { only_seen: self.only_seen.get_untracked(), ..Site::default() })
        }
    }
}

#[component]
pub fn SiteForm() -> impl IntoView {
    let app = App::here();
    let devices = Devices::here();
    let site = devices.site.get_untracked();
    let is_new = site.is_none();
    let draft = Draft::of(&site.unwrap_or_default());
    let tried = RwSignal::new(Tried::Not);
    let is_open = RwSignal::new(false);
    spawn_local(async move {
        let vault = app.browser().vault;
        is_open.try_set(vault.is_open().await.unwrap_or_default());
        // As it was kept, so it is: nobody's password is written down unasked.
        if let Ok(Some((keeping, _))) = vault.keeping(&SECRETS[0].into()).await {
            draft.keeping.try_set(keeping_name(keeping).to_owned());
        }
    });
    let kinds = Signal::derive(move || {
        [(Kind::Webdav, T::KindWebdav), (Kind::S3, T::KindS3)]
            .map(|(kind, text)| (kind.name().to_owned(), app.t(text)().to_owned()))
            .to_vec()
    });
    let ways = Signal::derive(move || {
        let sealed = is_open.get().then_some((Keeping::Sealed, T::KeepSealed));
        let ways = [(Keeping::Clear, T::KeepClear), (Keeping::Memory, T::KeepMemory)].into_iter().chain(sealed);
        ways.map(|(way, text)| (keeping_name(way).to_owned(), app.t(text)().to_owned())).collect::<Vec<_>>()
    });
    let by_kind =
        move |webdav: T, s3: T| Signal::derive(move || app.t(if draft.kind() == Kind::S3 { s3 } else { webdav })());
    let fault = move |of: &'static [Lacks]| {
        Signal::derive(move || {
            tried.with(|tried| match tried {
                Tried::Lacks(lacks) if of.contains(lacks) => {
                    Some(devices::lacks(*lacks).text(app.language.get()).to_owned())
                }
                _ => None,
            })
        })
    };
    let passphrase_fault = Signal::derive(move || {
        tried.with(|tried| match tried {
            Tried::Trouble(Trouble::Passphrase) => Some(app.t(T::WrongPassphrase)().to_owned()),
            Tried::Weak => Some(judged(&draft.passphrase.read(), app).to_owned()),
            _ => None,
        })
    });
    let check = move || {
        let site = draft.site(Devices::here().site.get_untracked());
        let checked = site.check(&draft.secret.get_untracked());
        tried.set(checked.err().map_or(Tried::Running, Tried::Lacks));
        (checked.is_ok()).then_some(site)
    };
    let test = move |_| {
        let Some(site) = check() else { return };
        spawn_local(async move {
            let done = Devices::try_place(&site, &draft.secret.get_untracked()).await;
            tried.try_set(done.map_or_else(Tried::Trouble, |_| Tried::Works));
        });
    };
    let start = move || {
        if tried.get_untracked() == Tried::Running {
            return;
        }
        let Some(site) = check() else { return };
        if is_weak(&draft.passphrase.get_untracked()) {
            return tried.set(Tried::Weak);
        }
        // Read before anything is waited for: the form may be gone by then.
        let typed = Typed {
            secret: draft.secret.get_untracked(),
            passphrase: draft.passphrase.get_untracked(),
            keeping: keeping_named(&draft.keeping.get_untracked()),
        };
        spawn_local(async move {
            let devices = Devices::here();
            match begin(app, &devices, site, typed).await {
                Ok(()) => devices.round(app).await,
                Err(trouble) => drop(tried.try_set(Tried::Trouble(trouble))),
            }
        });
    };
    let is_s3 = move || draft.kind() == Kind::S3;
    let busy = Memo::new(move |_| tried.with(|tried| *tried == Tried::Running));
    view! {
        <form class="form devices-form" novalidate on:submit=move |event| { event.prevent_default(); start() }>
            <SelectField label=app.t(T::Kind) value=draft.kind options=kinds testid="devices-kind" />
            <TextField label=app.t(T::Address) value=draft.address testid="devices-url" kind="url" hint=Signal::derive(app.t(T::AddressHint)) fault=fault(&[Lacks::Address, Lacks::Https]) />
            <Show when=is_s3>
                <div class="columns">
                    <TextField label=app.t(T::Bucket) value=draft.bucket testid="devices-bucket" fault=fault(&[Lacks::Bucket]) />
                    <TextField label=app.t(T::Region) value=draft.region testid="devices-region" hint=Signal::derive(app.t(T::RegionHint)) />
                </div>
            </Show>
            <TextField label=app.t(T::Folder) value=draft.folder testid="devices-folder" hint=Signal::derive(app.t(T::FolderHint)) />
            <div class="columns">
                <TextField label=by_kind(T::User, T::KeyId) value=draft.user testid="devices-user" fault=fault(&[Lacks::User]) />
                <TextField label=by_kind(T::Password, T::Secret) value=draft.secret kind="password" testid="devices-secret" hint=by_kind(T::PasswordHint, T::PasswordHint) fault=fault(&[Lacks::Secret]) />
            </div>
            <TextField label=app.t(T::Passphrase) value=draft.passphrase kind="password" testid="devices-passphrase" hint=Signal::derive(move || judged(&draft.passphrase.read(), app)) fault=passphrase_fault />
            <SelectField label=app.t(T::Keep) value=draft.keeping options=ways testid="devices-keep" />
            {is_new.then(|| view! {
                <CheckField label=app.t(T::OnlySeen) is_on=draft.only_seen set=move |on| draft.only_seen.set(on) testid="devices-begin-seen" hint=app.t(T::OnlySeenNote) />
            })}
            <div class="row">
                <button type="submit" class="button primary" data-testid="devices-start" disabled=move || busy.get()>{app.t(T::Start)}</button>
                <button type="button" class="button" data-testid="devices-test" disabled=move || busy.get() on:click=test>{app.t(T::Test)}</button>
            </div>
            <Outcome tried draft />
        </form>
    }
}

/// What of the form is kept nowhere in the open.
struct Typed {
    secret: String,
    passphrase: String,
    keeping: Keeping,
}

/// The library there is opened, or made, before anything here changes.
async fn begin(app: App, devices: &Devices, site: Site, typed: Typed) -> Result<(), Trouble> {
    let Typed { secret, passphrase, keeping } = typed;
    let remote = Devices::try_place(&site, &secret).await?;
    let (key, is_new) = open_library(&remote, &passphrase).await?;
    drop(remote);
    devices.start(app, site, [secret.trim(), &key], keeping).await?;
    app.notify(NoticeKind::Info, if is_new { T::Began } else { T::Found });
    Ok(())
}

#[component]
fn Outcome(tried: RwSignal<Tried>, draft: Draft) -> impl IntoView {
    let app = App::here();
    let kind = move || {
        tried.with(|tried| match tried {
            Tried::Running => Some("testing"),
            Tried::Works => Some("ok"),
            Tried::Trouble(trouble) => Some(devices::name(trouble)),
            Tried::Lacks(_) => Some("lacks"),
            Tried::Weak => Some("weak"),
            Tried::Not => None,
        })
    };
    let words = move || {
        tried.with(|tried| match tried {
            Tried::Running => app.t(crate::locales::T::Testing)().to_owned(),
            Tried::Works => app.t(T::Works)().to_owned(),
            // The passphrase says it itself.
            Tried::Trouble(Trouble::Passphrase) | Tried::Lacks(_) | Tried::Weak | Tried::Not => String::new(),
            Tried::Trouble(trouble) => devices::trouble(trouble, app.language.get()),
        })
    };
    let unreached = move || tried.with(|tried| matches!(tried, Tried::Trouble(Trouble::Unreachable(_))));
    let rule = move || {
        let origin = text_of(&window().location(), "origin");
        Site { kind: draft.kind(), ..Site::default() }.cors(&origin)
    };
    view! {
        <p class="connection-status" data-testid="devices-tried" data-kind=kind aria-live="polite">{words}</p>
        <Show when=unreached>
            <details class="devices-cors" data-testid="devices-cors">
                <summary>{app.t(T::Cors)}</summary>
                <p class="field-note">{app.t(T::CorsHint)}</p>
                <pre dir="ltr">{rule}</pre>
                <button type="button" class="button quiet" on:click=move |_| app.copy(rule())>{app.t(T::Copy)}</button>
            </details>
        </Show>
    }
}
