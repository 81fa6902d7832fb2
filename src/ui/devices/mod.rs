//! The library on several devices: in the settings, and behind the page.

mod ahead;
mod choices;
mod form;
mod hold;
mod run;
mod see;
mod when;

use leptos::{html, prelude::*, task::spawn_local};

pub use self::{
    ahead::{Arriving, NotHere},
    run::{Devices, SECRETS},
    see::see,
    when::follow,
};
use self::{choices::Choices, form::SiteForm, run::Says};
use crate::{
    locales::{
        devices::{self, T},
        fill, time,
    },
    ports::Clock,
    story::{Millis, storyline::Language},
    sync::{Older, Trouble},
    ui::{about, app::App, fields::TextField, state::NoticeKind},
    web::clock::BrowserClock,
};

/// Waits until what the reader's other devices told is taken in, where there are some: one may have taken out of the bin what
/// lies in it here.
pub async fn heard(app: App) {
    let devices = Devices::here();
    let is_at_rest = || {
        let goes_on = devices.report.with_untracked(|report| report.goes_on);
        devices.says.get_untracked() == Says::Done && !goes_on
    };
    devices.read(app).await;
    while devices.site.get_untracked().is_some() && !is_at_rest() {
        BrowserClock.sleep(when::LOOK).await;
    }
}

/// In the settings.
#[component]
pub fn SeveralDevices() -> impl IntoView {
    let app = App::here();
    let devices = Devices::here();
    spawn_local({
        let devices = devices.clone();
        async move { devices.read(app).await }
    });
    let (site, says) = (devices.site.clone(), devices.says.clone());
    let has_site = Memo::new(move |_| site.with(Option::is_some));
    let is_locked = Memo::new(move |_| says.with(run::asks));
    view! {
        <section class="settings-part devices" aria-labelledby="settings-devices">
            <h2 id="settings-devices">{app.t(T::Title)}</h2>
            <p class="field-note">{app.t(T::Lead)}</p>
            <Show when=move || has_site.get()>
                <Standing />
                <Choices />
            </Show>
            <Show when=move || !has_site.get()>
                <details class="more" data-testid="devices-set-up">
                    <summary>{app.t(T::SetUp)}</summary>
                    <SiteForm />
                </details>
            </Show>
            <Show when=move || is_locked.get()>
                <SiteForm />
            </Show>
            <Show when=move || has_site.get()>
                <Leaving />
            </Show>
        </section>
    }
}

/// How it stands, and what to do about it.
#[component]
fn Standing() -> impl IntoView {
    let app = App::here();
    let devices = Devices::here();
    let left = RwSignal::new(0_u32);
    let older = RwSignal::new(Vec::new());
    let says = devices.says.clone();
    Effect::new(move |_| {
        says.track();
        spawn_local(async move {
            left.try_set(app.desk().left_to_tell().await.unwrap_or_default());
            older.try_set(app.desk().older_versions().await.unwrap_or_default());
        });
    });
    let (says, site, report) = (devices.says.clone(), devices.site.clone(), devices.report.clone());
    let kind = {
        let says = says.clone();
        move || says.with(name)
    };
    let words = move || {
        let language = app.language.get();
        let done = site.with(|site| site.as_ref().map(|site| site.done).unwrap_or_default());
        says.with(|says| match says {
            Says::Syncing => T::Syncing.text(language).to_owned(),
            Says::Locked => T::Locked.text(language).to_owned(),
            Says::Sealed => T::Sealed.text(language).to_owned(),
            Says::Waits => T::Waits.text(language).to_owned(),
            Says::Metered => T::Metered.text(language).to_owned(),
            Says::Elsewhere => T::Elsewhere.text(language).to_owned(),
            Says::Trouble(trouble) => devices::trouble(trouble, language),
            Says::Nothing | Says::Done if done == 0 => String::new(),
            Says::Nothing | Says::Done => fill(T::Done.text(language), &[&when(done, app)]),
        })
    };
    // It changes with every file: read aloud it would be noise.
    let counts = move || {
        let language = app.language.get();
        let mut words = Vec::new();
        let (heard, told, missing, pictures) =
            report.with(|report| (report.heard, report.told, report.missing, report.pictures));
        if heard + told > 0 {
            words.push(fill(T::Moved.text(language), &[&time::bytes(heard as f64), &time::bytes(told as f64)]));
        }
        if left.get() > 0 {
            words.push(fill(T::Left.text(language), &[&left.get().to_string()]));
        }
        if let Some(coming) =
            report.with(|report| (!report.news.coming.is_empty()).then(|| ahead::coming(&report.news)))
        {
            words.push(coming(language));
        }
        if pictures > 0 {
            words.push(fill(T::PicturesLeft.text(language), &[&pictures.to_string()]));
        }
        if missing > 0 {
            words.push(fill(T::Missing.text(language), &[&missing.to_string()]));
        }
        words.join(language.pick("", " "))
    };
    let busy = {
        let says = devices.says.clone();
        Memo::new(move |_| says.with(|says| *says == Says::Syncing))
    };
    let now = move |_| {
        let devices = Devices::here();
        spawn_local(async move { devices.round(app).await });
    };
    let forget = move |_| {
        spawn_local(async move {
            if app.is_stored(app.desk().forget_older_versions().await) {
                older.try_set(Vec::new());
            }
        });
    };
    view! {
        <p class="connection-status" data-testid="devices-status" data-kind=kind aria-live="polite">{words}</p>
        <p class="field-note" data-testid="devices-counts">{counts}</p>
        <div class="row">
            <button type="button" class="button primary" data-testid="devices-now" disabled=move || busy.get() on:click=now>{app.t(T::Now)}</button>
        </div>
        <Show when=move || older.with(|older| !older.is_empty())>
            <details class="devices-older" data-testid="devices-older">
                <summary>{move || fill(app.t(T::Older)(), &[&older.with(Vec::len).to_string()])}</summary>
                <ul>
                    {move || older.get().into_iter().map(|(older, title)| {
                        let of = what(&older, &title, app.language.get());
                        // What was here before there were other devices says no time.
                        let at = if older.stamp.at > 0 { when(older.stamp.at, app) } else { String::new() };
                        let words = older.words();
                        let said = words.clone();
                        view! {
                            <li>
                                <div class="row">
                                    <span>{of}</span>
                                    <span class="muted">{at}</span>
                                    <button type="button" class="button quiet" on:click=move |_| app.copy(words.clone())>{app.t(T::Copy)}</button>
                                </div>
                                <pre>{said}</pre>
                            </li>
                        }
                    }).collect::<Vec<_>>()}
                </ul>
                <button type="button" class="button quiet" data-testid="devices-forget" on:click=forget>{app.t(T::ForgetOlder)}</button>
            </details>
        </Show>
    }
}

/// A plain name of how it stands.
fn name(says: &Says) -> &'static str {
    match says {
        Says::Nothing => "",
        Says::Locked => "locked",
        Says::Sealed => "sealed",
        Says::Syncing => "working",
        Says::Done => "ok",
        Says::Waits => "offline",
        Says::Metered => "metered",
        Says::Elsewhere => "elsewhere",
        Says::Trouble(trouble) => devices::name(trouble),
    }
}

/// What an older version is of.
fn what(older: &Older, title: &str, language: Language) -> String {
    let kind = match older.of.split_once('/') {
        Some(("turns", _)) => T::OlderWords,
        Some(("generations", _)) => T::OlderReply,
        Some(("memories", _)) => T::OlderMemory,
        Some(("settings", _)) => return T::OlderSetting.text(language).to_owned(),
        _ => return title.to_owned(),
    };
    fill(T::OlderIn.text(language), &[kind.text(language), title])
}

fn when(at: Millis, app: App) -> String {
    let language = app.language.get();
    time::ago(at, BrowserClock.now(), language).unwrap_or_else(|| about::date(at, language))
}

/// The ways out, and another passphrase.
#[component]
fn Leaving() -> impl IntoView {
    let app = App::here();
    let asks = RwSignal::new(false);
    let passphrase = RwSignal::new(String::new());
    let fault = RwSignal::new(None::<Trouble>);
    let busy = RwSignal::new(false);
    let outcome = move |done: Result<(), Trouble>, words: T| {
        busy.try_set(false);
        let is_done = done.is_ok();
        if is_done {
            app.notify(NoticeKind::Info, words);
        }
        fault.try_set(done.err());
        is_done
    };
    let stop = move |_| {
        busy.set(true);
        spawn_local(async move {
            let _ = outcome(Devices::here().stop(app).await, T::Stopped);
        });
    };
    let wipe = move |_| {
        busy.set(true);
        asks.set(false);
        spawn_local(async move {
            let _ = outcome(Devices::here().wipe(app).await, T::Wiped);
        });
    };
    let change = move || {
        let new = passphrase.get_untracked();
        if new.is_empty() || busy.get_untracked() {
            return;
        }
        busy.set(true);
        spawn_local(async move {
            if outcome(Devices::here().change_passphrase(app, &new).await, T::Changed) {
                passphrase.try_set(String::new());
            }
        });
    };
    let hint = Signal::derive(move || match passphrase.read().as_str() {
        "" => T::NewPassphraseFor.text(app.language.get()),
        typed => form::judged(typed, app),
    });
    let stay = NodeRef::<html::Button>::new();
    Effect::new(move |_| {
        if let Some(stay) = stay.get() {
            let _ = stay.focus();
        }
    });
    view! {
        <form class="form devices-change" novalidate on:submit=move |event| { event.prevent_default(); change() }>
            <TextField label=app.t(T::NewPassphrase) value=passphrase kind="password" testid="devices-new-passphrase" hint />
            <div class="row">
                <button type="submit" class="button" data-testid="devices-change" disabled=move || busy.get() || form::is_weak(&passphrase.read())>{app.t(T::ChangePassphrase)}</button>
            </div>
        </form>
        <div class="row">
            <button type="button" class="button quiet" data-testid="devices-stop" disabled=move || busy.get() on:click=stop>{app.t(T::Stop)}</button>
            <button type="button" class="button quiet danger" data-testid="devices-wipe" disabled=move || busy.get() on:click=move |_| asks.set(true)>{app.t(T::Wipe)}</button>
        </div>
        <Show when=move || asks.get()>
            <div role="alertdialog" aria-label=move || app.t(T::Wipe)() on:keydown=move |event| if event.key() == "Escape" { asks.set(false) }>
                <p>{app.t(T::WipeAsk)}</p>
                <div class="row">
                    <button type="button" class="button danger" data-testid="devices-wipe-yes" on:click=wipe>{app.t(T::WipeYes)}</button>
                    <button type="button" class="button quiet" node_ref=stay on:click=move |_| asks.set(false)>{app.t(T::Cancel)}</button>
                </div>
            </div>
        </Show>
        {move || fault.get().map(|trouble| view! {
            <p class="place-fault" role="alert" data-testid="devices-fault">{devices::trouble(&trouble, app.language.get())}</p>
        })}
    }
}
