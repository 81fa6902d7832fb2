//! The ways to a model: a list, and a form to make and change one.

use leptos::{
    prelude::*,
    task::{spawn_local, tick},
};

use super::{
    connection_form::ConnectionForm,
    draft::{address_of, host},
    embedding::EmbeddingChoice,
    keys::{ForgetKeys, Keys, UnlockBar},
    unsaved::Unsaved,
};
use crate::{
    desk::Stored,
    locales::{T, keys::T as K},
    ports::{Clock, Keeping},
    provider::is_local,
    story::{connection::Connection, ids::ConnectionId, set_up::Step},
    ui::{
        app::App,
        focus::focus,
        icons::{Icon, Shape},
        next_step::{self, NextStep},
        route::Route,
    },
    web::{
        clock::BrowserClock,
        log_in::{self, Back},
        policy, window,
    },
};

/// Longer than the notice with the undo stands, where nobody is about to press it.
const UNDO_MILLIS: u32 = 15_000;

/// What the form is open for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Open {
    Nothing,
    New,
    Connection(ConnectionId),
}

#[component]
pub fn ModelConnections() -> impl IntoView {
    let app = App::here();
    let keys = Keys::here();
    let back = StoredValue::new(log_in::come_back(&Route::Settings.hash()));
    let is_there = |id: &str| app.connections.with_untracked(|list| list.iter().any(|one| one.id.as_str() == id));
    let open = RwSignal::new(match back.get_value() {
        Some(Back { connection, .. }) if is_there(&connection) => Open::Connection(connection.as_str().into()),
        None if app.connections.with_untracked(|list| !list.is_empty()) => Open::Nothing,
        _ => Open::New,
    });
    let has_any = Memo::new(move |_| app.connections.with(|list| !list.is_empty()));
    let close = Callback::new(move |()| {
        open.set(Open::Nothing);
        spawn_local(async move {
            tick().await;
            // Who has saved their first one goes on from here.
            if !focus(next_step::LINK) {
                focus("connection-new");
            }
        });
    });
    let unsaved = Unsaved::here();
    let begin = move |_| {
        unsaved.replace_connection(move || {
            open.set(Open::New);
            focus_soon("field-connection-kind");
        });
    };
    view! {
        <Show when=move || keys.locked.get() && !keys.asked_in_form.get()><UnlockBar /></Show>
        <section class="settings-part" aria-labelledby="settings-connections">
            <div class="part-head">
                <h2 id="settings-connections">{app.t(T::Connections)}</h2>
                <Show when=move || open.get() != Open::New>
                    <button type="button" class="button" id="connection-new" data-testid="connection-new" on:click=begin>
                        <Icon shape=Shape::PLUS />{app.t(T::NewConnection)}
                    </button>
                </Show>
            </div>
            <Show when=move || !has_any.get()><p class="empty">{app.t(T::NoConnections)}</p></Show>
            <Show when=move || open.get() == Open::Nothing><ReloadNote /><NextStep after=Step::Connect /></Show>
            {move || {
                let connection = match open.get() {
                    Open::Nothing => return None,
                    Open::New => None,
                    Open::Connection(id) => Some(app.connections.with_untracked(|list| list.iter().find(|c| c.id == id).cloned())?),
                };
                Some(view! { <ConnectionForm connection close can_cancel=has_any back=back.try_update_value(Option::take).flatten() /> })
            }}
            <ul class="connections">
                <For each=move || app.connections.get() key=row_key let:connection>
                    <Item connection open />
                </For>
            </ul>
            <Show when=move || has_any.get()><EmbeddingChoice /></Show>
            <div class="row"><ForgetKeys /></div>
        </section>
    }
}

fn row_key(connection: &Connection) -> (ConnectionId, String, String, &'static str, String) {
    let Connection { id, name, model, kind, url, .. } = connection;
    (id.clone(), name.clone(), model.clone(), kind.name(), url.clone())
}

/// A saved connection that the page may not reach yet.
#[component]
fn ReloadNote() -> impl IntoView {
    let app = App::here();
    let waits = Memo::new(move |_| {
        app.connections.with(|list| list.iter().any(|connection| !policy::allows(address_of(connection))))
    });
    view! {
        <Show when=move || waits.get()>
            <div class="reload-note">
                <p>{app.t(K::NeedsReload)}</p>
                <button type="button" class="button" data-testid="connection-reload"
                    on:click=move |_| spawn_local(async move { reload(app, &Route::Settings.hash(), true).await; })>{app.t(T::Reload)}</button>
            </div>
        </Show>
    }
}

#[component]
fn Item(connection: Connection, open: RwSignal<Open>) -> impl IntoView {
    let app = App::here();
    let keys = Keys::here();
    let id = StoredValue::new(connection.id.clone());
    let is_default = Memo::new(move |_| id.with_value(|id| default_connection(app).as_ref() == Some(id)));
    let key = Memo::new(move |_| id.with_value(|id| keys.of(id)));
    // Providers want a key; a server on this machine usually does not.
    let is_local = is_local(address_of(&connection));
    let gone = move || key.get().map_or(!is_local, |(_, there)| !there);
    let kept = move || key.get().filter(|(_, there)| *there).map(|(keeping, _)| app.t(keeping_text(keeping))());
    let place = host(address_of(&connection));
    let line =
        [connection.model.clone(), place].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
    let unsaved = Unsaved::here();
    let edit = move |field: &'static str| {
        let wanted = Open::Connection(id.get_value());
        if open.with_untracked(|open| *open == wanted) {
            return focus_soon(field);
        }
        unsaved.replace_connection(move || {
            open.set(wanted.clone());
            focus_soon(field);
        });
    };
    let name = connection.name.clone();
    let named = move |text: T| {
        let name = name.clone();
        move || format!("{} {name}", app.t(text)())
    };
    let (edit_name, delete_name) = (named(T::Edit), named(T::Delete));
    view! {
        <li class="connection-item" data-testid="connection-item">
            <div class="connection-words">
                <b>{connection.name.clone()}</b>
                <Show when=move || is_default.get()><span class="mark">{app.t(T::IsDefault)}</span></Show>
                <p>{line}</p>
                <p class="connection-key">{kept}</p>
            </div>
            <div class="row">
                <Show when=gone>
                    <button type="button" class="button" data-testid="connection-enter-key" on:click=move |_| edit("field-connection-key")>
                        <Icon shape=Shape::LOCK />{app.t(T::EnterKey)}
                    </button>
                </Show>
                <Show when=move || !is_default.get()>
                    <button type="button" class="button quiet" data-testid="connection-default" on:click=move |_| make_default(app, id.get_value())>
                        {app.t(T::MakeDefault)}
                    </button>
                </Show>
                <button type="button" class="icon-button" data-testid="connection-edit" aria-label=edit_name on:click=move |_| edit("field-connection-kind")>
                    <Icon shape=Shape::PENCIL />
                </button>
                <button type="button" class="icon-button" data-testid="connection-delete" aria-label=delete_name on:click=move |_| delete(app, connection.clone(), open)>
                    <Icon shape=Shape::TRASH />
                </button>
            </div>
        </li>
    }
}

fn keeping_text(keeping: Keeping) -> T {
    match keeping {
        Keeping::Memory => T::KeyInMemory,
        Keeping::Sealed => T::KeySealed,
        Keeping::Clear => T::KeyInClear,
    }
}

/// The one that stories follow: the chosen one, or the first.
fn default_connection(app: App) -> Option<ConnectionId> {
    let chosen = app.preferences.with(|preferences| preferences.default_connection.clone());
    app.connections.with(|list| {
        let chosen = list.iter().find(|connection| Some(&connection.id) == chosen.as_ref());
        chosen.or(list.first()).map(|connection| connection.id.clone())
    })
}

fn make_default(app: App, id: ConnectionId) {
    app.prefer(move |preferences| preferences.default_connection = Some(id.clone()));
}

/// Takes a connection out of the list. Its key goes when the undo has passed.
fn delete(app: App, connection: Connection, open: RwSignal<Open>) {
    spawn_local(async move {
        let id = connection.id.clone();
        let at = app.connections.with_untracked(|list| list.iter().position(|other| other.id == id)).unwrap_or(0);
        let Some(list) = store(app, |list| list.retain(|other| other.id != id)).await else { return };
        let empty = list.is_empty();
        app.connections.set(list);
        if empty {
            // The form of a new one may be open, and half filled in.
            if open.try_get_untracked() != Some(Open::New) {
                open.try_set(Open::New);
            }
        } else if open.try_get_untracked() == Some(Open::Connection(id.clone())) {
            open.try_set(Open::Nothing);
        }
        let text = T::Deleted.with(&[&connection.name]);
        let said = app.notify_undo(text, move || bring_back(app, connection.clone(), at));
        BrowserClock.sleep(UNDO_MILLIS).await;
        // A hand on it holds it.
        while app.notices.with_untracked(|notices| notices.iter().any(|notice| notice.id == said)) {
            BrowserClock.sleep(UNDO_MILLIS).await;
        }
        let is_gone = app.connections.with_untracked(|list| list.iter().all(|other| other.id != id));
        if is_gone && let Err(error) = app.browser().vault.forget(&id).await {
            app.notify_store(error);
        }
    });
}

fn bring_back(app: App, connection: Connection, at: usize) {
    spawn_local(async move {
        let back = store(app, |list| {
            if list.iter().all(|other| other.id != connection.id) {
                list.insert(at.min(list.len()), connection);
            }
        });
        if let Some(list) = back.await {
            app.connections.set(list);
        }
    });
}

/// Changes the stored list, as it is by now: another tab may have changed it. Gives the new list; `None` (and a notice)
/// where it could not be written.
pub async fn store(app: App, change: impl FnOnce(&mut Vec<Connection>)) -> Option<Vec<Connection>> {
    said(app, app.desk().change_connections(change).await)
}

/// The list as it was stored; or a notice.
pub fn said(app: App, stored: Stored<Vec<Connection>>) -> Option<Vec<Connection>> {
    stored.inspect_err(|error| app.notify_store(error.clone())).ok()
}

/// Loads the page anew, at the place of a hash, and hands it the keys in memory. Where that cannot be, nothing happens
/// unless it is to happen `anyway`: what is gone then is asked for where it is needed.
pub async fn reload(app: App, hash: &str, anyway: bool) -> bool {
    let goes = app.browser().vault.hand_over().await.is_ok() || anyway;
    if goes {
        let location = window().location();
        let _ = location.set_hash(hash);
        let _ = location.reload();
    }
    goes
}

/// Moves the focus to what is about to be there.
fn focus_soon(id: &'static str) {
    spawn_local(async move {
        tick().await;
        focus(id);
    });
}
