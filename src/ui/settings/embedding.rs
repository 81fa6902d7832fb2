//! Which connection makes embeddings, and whether it works.

use leptos::{prelude::*, task::spawn_local};

use super::trial;
use crate::{
    locales::{T, fill, memory::T as M},
    ports::Vault,
    story::{connection::ProviderKind, fault::Fault},
    ui::{
        app::App,
        fields::SelectField,
        memory::{faults_words, say},
    },
};

#[derive(Clone, PartialEq)]
enum Tried {
    Not,
    Running,
    Works(usize),
    Failed(Fault),
}

#[component]
pub fn EmbeddingChoice() -> impl IntoView {
    let app = App::here();
    let stored = Memo::new(move |_| {
        app.preferences.with(|all| all.embedding_connection.as_ref().map(|id| id.0.clone()).unwrap_or_default())
    });
    let chosen = RwSignal::new(stored.get_untracked());
    // Another tab may choose, too.
    Effect::watch(move || stored.get(), move |id, _, _| chosen.set(id.clone()), false);
    let options = Signal::derive(move || {
        let none = (String::new(), say(app, M::NoEmbedding)().to_owned());
        let able = app.connections.with(|list| {
            let able = list.iter().filter(|connection| connection.kind != ProviderKind::Anthropic);
            able.map(|c| (c.id.0.clone(), format!("{} · {}", c.name, c.model))).collect::<Vec<_>>()
        });
        std::iter::once(none).chain(able).collect::<Vec<_>>()
    });
    let tried = RwSignal::new(Tried::Not);
    let choose = move |_| {
        tried.set(Tried::Not);
        let chosen = chosen.get_untracked();
        app.prefer(move |preferences| {
            preferences.embedding_connection = (!chosen.is_empty()).then(|| chosen.clone().into());
        });
    };
    let test = move |_| {
        let id = chosen.get_untracked();
        let connection = app.connections.with_untracked(|list| list.iter().find(|c| c.id.0 == id).cloned());
        let Some(connection) = connection else { return };
        tried.set(Tried::Running);
        spawn_local(async move {
            let outcome = match app.browser().vault.key(&connection.id).await {
                Ok(key) => trial::dimension(app, connection, key).await,
                Err(fault) => Err(fault),
            };
            if chosen.try_get_untracked() == Some(id) {
                tried.try_set(outcome.map_or_else(Tried::Failed, Tried::Works));
            }
        });
    };
    let kind = move || {
        tried.with(|tried| match tried {
            Tried::Not => None,
            Tried::Running => Some("testing".to_owned()),
            Tried::Works(_) => Some("ok".to_owned()),
            // As it is stored with a reply.
            Tried::Failed(fault) => serde_json::to_value(fault.kind).ok()?.as_str().map(str::to_owned),
        })
    };
    let words = move || {
        tried.with(|tried| match tried {
            Tried::Not => String::new(),
            Tried::Running => app.t(T::Testing)().to_owned(),
            Tried::Works(dimension) => fill(say(app, M::TestedEmbedding)(), &[&dimension.to_string()]),
            Tried::Failed(fault) => faults_words(fault, app.language.get()),
        })
    };
    view! {
        <div class="form embedding-choice">
            <SelectField
                label=Signal::derive(say(app, M::EmbeddingConnection))
                value=chosen
                options=options
                testid="settings-embedding-connection"
                hint=Signal::derive(say(app, M::EmbeddingHint))
                on:change=choose
            />
            <Show when=move || chosen.with(|chosen| !chosen.is_empty())>
                <div class="row">
                    <button type="button" class="button" data-testid="settings-embedding-test"
                        disabled=move || tried.with(|tried| *tried == Tried::Running) on:click=test>
                        {say(app, M::TestEmbedding)}
                    </button>
                </div>
            </Show>
            <p class="connection-status" data-testid="settings-embedding-status" data-kind=kind aria-live="polite">{words}</p>
        </div>
    }
}
