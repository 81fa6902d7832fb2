//! A key that is needed and not at hand is asked for where it is needed, before anything is written: beside the composer, in
//! the cradle and the circle. What was begun goes on with it.

use futures_channel::oneshot;
use leptos::{
    ev::KeyboardEvent,
    prelude::*,
    task::{spawn_local, tick},
};

use super::{
    app::App,
    fields::TextField,
    focus::focus,
    icons::{Icon, Shape},
    route::Route,
    settings::{Refused, VaultRefusal},
    state::{Asked, AskingKey},
};
use crate::{
    desk::Stored,
    locales::{T, fill, keys::T as K},
    ports::Keeping,
    provider,
    story::{
        connection::Connection,
        fault::{Fault, FaultKind},
        ids::StorylineId,
        spending::Kind,
        storyline::Storyline,
    },
};

impl AskingKey {
    /// Runs `attempt` until it does not want for the key that the story is played with, nor for leave to spend, on calls of
    /// this kind. `None`: the reader would not give it. Who is in another story by then is asked for nothing.
    pub async fn until_given<T, E>(
        self,
        app: App,
        of: &StorylineId,
        kind: Kind,
        mut attempt: impl AsyncFnMut() -> Result<T, E>,
        fault: fn(&E) -> Option<&Fault>,
    ) -> Result<Option<T>, E> {
        loop {
            match attempt().await {
                Err(error) if fault(&error).is_some_and(|fault| fault.kind == FaultKind::KeyMissing) => {
                    let storyline = app.story.opened(of);
                    if !self.ask_for(app, storyline).await {
                        return Ok(None);
                    }
                }
                Err(error) if fault(&error).is_some_and(|fault| fault.kind == FaultKind::OverBudget) => {
                    if !app.asking_budget.ask(app, of, kind).await {
                        return Ok(None);
                    }
                }
                outcome => return outcome.map(Some),
            }
        }
    }

    async fn ask_for(self, app: App, storyline: Option<Storyline>) -> bool {
        let Some(storyline) = storyline else { return false };
        match app.desk().connection(&storyline).await {
            Ok(connection) => self.ask(app, connection).await,
            Err(fault) => {
                app.notify_fault(&fault);
                false
            }
        }
    }

    /// Asks for a connection's key. True once it is at hand; false where the reader would not give it, went elsewhere, was
    /// asked something else, or is where nothing can be asked.
    pub async fn ask(self, app: App, connection: Connection) -> bool {
        let asked = match read(app, connection).await {
            Ok(asked) => asked,
            Err(error) => {
                app.notify_store(error);
                return false;
            }
        };
        if self.places.get_value() == 0 {
            return false;
        }
        if app.panels.is_narrow() {
            app.panels.put_sheets_away();
        }
        let (sender, receiver) = oneshot::channel();
        self.answer.set_value(Some(sender));
        self.asked.set(Some(asked));
        receiver.await.unwrap_or(false)
    }

    fn end(self, given: bool) {
        self.asked.try_set(None);
        if let Some(answer) = self.answer.try_update_value(Option::take).flatten() {
            let _ = answer.send(given);
        }
    }
}

async fn read(app: App, connection: Connection) -> Stored<Asked> {
    let vault = app.browser().vault;
    let keeping = vault.keeping(&connection.id).await?.map(|(keeping, _)| keeping);
    let locked = keeping == Some(Keeping::Sealed) && !vault.is_open().await?;
    Ok(Asked { connection, keeping, locked })
}

impl Asked {
    async fn give(&self, app: App, typed: &str) -> Result<(), Refused> {
        let vault = app.browser().vault;
        if self.locked {
            return Ok(vault.unlock(typed).await?);
        }
        let key = typed.trim();
        if key.is_empty() {
            return Err(Refused::Words(T::Required));
        }
        // A key that no header can carry would only fail later.
        provider::models_request(&self.connection, Some(key)).map_err(Refused::Fault)?;
        Ok(vault.keep(&self.connection.id, key, self.keeping.unwrap_or_default()).await?)
    }
}

/// The place of the question.
#[component]
pub fn AskKey() -> impl IntoView {
    let app = App::here();
    let asking = app.asking_key;
    // One that was asked elsewhere has nobody to go on with it.
    asking.end(false);
    asking.places.update_value(|places| *places += 1);
    on_cleanup(move || {
        asking.end(false);
        asking.places.try_update_value(|places| *places -= 1);
    });
    move || {
        let asked = asking.asked.get()?;
        Some(app.chunks.aside.show(app, move |aside| (aside.ask_key)(asked.clone())))
    }
}

#[component]
pub fn Question(asked: Asked) -> impl IntoView {
    let app = App::here();
    let asking = app.asking_key;
    let typed = RwSignal::new(String::new());
    let refused = RwSignal::new(None);
    let busy = RwSignal::new(false);
    let Asked { connection, keeping, locked } = asked.clone();
    let (label, testid) =
        if locked { (T::Passphrase, "ask-key-passphrase") } else { (T::ConnectionKey, "ask-key-key") };
    let why = match keeping {
        Some(Keeping::Sealed) if locked => K::IsLocked,
        Some(_) => K::WasInMemory,
        None => K::NeverGiven,
    };
    let in_memory = keeping.unwrap_or_default() == Keeping::Memory;
    spawn_local(async move {
        tick().await;
        focus(&format!("field-{testid}"));
    });
    let give = move || {
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        refused.set(None);
        let asked = asked.clone();
        spawn_local(async move {
            let given = asked.give(app, &typed.get_untracked()).await;
            busy.try_set(false);
            match given {
                Ok(()) => leave(asking, true),
                Err(why) => refused.try_set(Some(why)).map_or((), drop),
            }
        });
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.stop_propagation();
            leave(asking, false);
        }
    };
    view! {
        <form class="ask-key form" novalidate data-testid="ask-key" aria-labelledby="ask-key-title" aria-describedby="ask-key-why"
            on:submit=move |event| { event.prevent_default(); give() }
            on:keydown=on_key
        >
            <div>
                <p class="ask-key-title" id="ask-key-title">
                    <Icon shape=Shape::LOCK />
                    {move || fill(app.t(K::Missing)(), &[&connection.name])}
                </p>
                <p class="field-note" id="ask-key-why">{app.t(why)} " " {app.t(K::WhatThen)}</p>
            </div>
            <TextField label=app.t(label) value=typed kind="password" testid />
            <VaultRefusal refused />
            <Show when=move || in_memory>
                <p class="field-note">{app.t(K::StaysInMemory)} " " <a class="link" href=Route::Settings.hash()>{app.t(K::Settings)}</a></p>
            </Show>
            <div class="row">
                <button type="submit" class="button primary" data-testid="ask-key-go" disabled=move || busy.get()>{app.t(K::GoOn)}</button>
                <button type="button" class="button quiet" data-testid="ask-key-cancel" on:click=move |_| leave(asking, false)>{app.t(T::Cancel)}</button>
            </div>
        </form>
    }
}

/// Ends the question; who typed goes on typing where the words are.
fn leave(asking: AskingKey, given: bool) {
    asking.end(given);
    focus("composer-input");
}
