//! Embeddings: in the background after each turn, and by hand in the panel's foot.

use std::{cell::Cell, rc::Rc};

use fabula_kernel::GRAPH_FROM;
use leptos::{prelude::*, task::spawn_local};

use super::{faults_words, say};
use crate::{
    locales::{T, fill, memory::T as M},
    ports::recall::{Extent, Request},
    story::{fault::FaultKind, ids::StorylineId, spending::Kind},
    turn::embed::{embed_due, embedder_name},
    ui::{
        app::App,
        route::Route,
        state::{Embeddings, Work},
    },
};

impl Embeddings {
    fn update(self, id: &StorylineId, change: impl FnOnce(&mut Work)) {
        self.works.update(|works| change(works.entry(id.clone()).or_default()));
    }

    /// Embeds what a story lacks, if the reader chose a connection for that. What goes wrong is said in the panel.
    pub async fn catch_up(self, app: App, id: StorylineId) {
        let Some(embedder) = chosen(app).await else { return };
        if self.works.with_untracked(|works| works.get(&id).is_some_and(|work| work.running)) {
            return;
        }
        let stop = Rc::new(Cell::new(false));
        self.stops.update_value(|stops| drop(stops.insert(id.clone(), stop.clone())));
        self.update(&id, |work| (work.running, work.fault) = (true, None));
        // What is lacking is said at once, and not only when it is there.
        self.look(app, id.clone()).await;
        let progress = |extent: Extent| self.update(&id, |work| work.extent = Some(extent));
        let outcome = embed_due(&app.browser().ports, &id, &|| stop.get(), &progress).await;
        let wants_graph = matches!(&outcome, Ok(extent) if extent.wants_graph);
        self.update(&id, |work| {
            work.running = false;
            match outcome {
                Ok(extent) => work.extent = Some(extent),
                Err(fault) => work.fault = Some(fault),
            }
        });
        if wants_graph {
            self.build_graph(app, id, embedder).await;
        }
    }

    async fn build_graph(self, app: App, id: StorylineId, embedder: String) {
        let mut is_new = false;
        self.graphs.update_value(|graphs| is_new = graphs.insert((id.clone(), embedder.clone())));
        if !is_new {
            return;
        }
        self.update(&id, |work| work.building = true);
        let request = Request::BuildGraph { storyline: id.clone(), embedder, from: GRAPH_FROM as u32 };
        let outcome = app.browser().ports.recall.ask(request).await;
        self.update(&id, |work| {
            work.building = false;
            work.fault = outcome.err();
        });
    }

    /// Whether what the last run ended for want of, the key or leave to spend, was given.
    async fn is_given(self, app: App, id: &StorylineId) -> bool {
        let fault = self.works.with_untracked(|works| works.get(id).and_then(|work| work.fault.clone()));
        match fault.map(|fault| fault.kind) {
            Some(FaultKind::KeyMissing) => match app.desk().embedder().await {
                Some(connection) => app.asking_key.ask(app, connection).await,
                None => false,
            },
            Some(FaultKind::OverBudget) => app.asking_budget.ask(app, id, Kind::Embedding).await,
            _ => false,
        }
    }

    /// Counts what there is, without embedding.
    async fn look(self, app: App, id: StorylineId) {
        let Some(embedder) = chosen(app).await else { return };
        match app.browser().ports.recall.catch_up(&id, &embedder).await {
            Ok(extent) => self.update(&id, |work| work.extent = Some(extent)),
            Err(fault) => self.update(&id, |work| work.fault = Some(fault)),
        }
    }

    fn stop(self, id: &StorylineId) {
        self.stops.with_value(|stops| {
            if let Some(stop) = stops.get(id) {
                stop.set(true);
            }
        });
    }
}

async fn chosen(app: App) -> Option<String> {
    app.desk().embedder().await.as_ref().map(embedder_name)
}

/// Whether the connection is there that the reader chose for embeddings.
pub fn has_embedder(app: App) -> Memo<bool> {
    Memo::new(move |_| {
        let chosen = app.preferences.with(|preferences| preferences.embedding_connection.clone());
        app.connections.with(|list| list.iter().any(|connection| Some(&connection.id) == chosen.as_ref()))
    })
}

#[component]
pub fn EmbedFoot() -> impl IntoView {
    let app = App::here();
    let id = Memo::new(move |_| app.story.storyline.with(|storyline| storyline.as_ref().map(|s| s.id.clone())));
    let has_embedder = has_embedder(app);
    let work = Memo::new(move |_| {
        let id = id.get()?;
        app.embeddings.works.with(|works| works.get(&id).cloned())
    });
    let work = move || work.get().unwrap_or_default();
    Effect::new(move |_| {
        if let Some(id) = id.get().filter(|_| has_embedder.get()) {
            spawn_local(app.embeddings.look(app, id));
        }
    });
    let begin = move |_| {
        let Some(id) = id.get_untracked() else { return };
        spawn_local(async move {
            app.embeddings.catch_up(app, id.clone()).await;
            while app.embeddings.is_given(app, &id).await {
                app.embeddings.catch_up(app, id.clone()).await;
            }
        });
    };
    let stop = move |_| {
        if let Some(id) = id.get_untracked() {
            app.embeddings.stop(&id);
        }
    };
    let count = move || {
        let Extent { units, embedded, .. } = work().extent?;
        Some(fill(say(app, M::Embedded)(), &[&embedded.to_string(), &units.to_string()]))
    };
    let lacks = move || work().extent.is_none_or(|extent| extent.embedded < extent.units);
    view! {
        <section class="note-section embeddings" data-testid="embeddings">
            <h2>{say(app, M::Embeddings)}</h2>
            <Show
                when=move || has_embedder.get()
                fallback=move || view! {
                    <p class="item-aside">
                        {say(app, M::NoEmbedder)} " " <a class="link" href=Route::Settings.hash()>{say(app, M::ChooseEmbedder)}</a>
                    </p>
                }
            >
                <p class="item-aside number" data-testid="embedding-count">{count}</p>
                <Show when=move || work().running>
                    <div class="row" role="status">
                        <span class="waiting">{say(app, M::Embedding)}</span>
                        <button class="button quiet" data-testid="embedding-stop" on:click=stop>{app.t(T::Stop)}</button>
                    </div>
                </Show>
                <Show when=move || work().building><p class="item-aside" role="status">{say(app, M::BuildingGraph)}</p></Show>
                <Show when=move || !work().running && lacks()>
                    <button class="button" data-testid="embedding-begin" on:click=begin>{say(app, M::EmbedNow)}</button>
                </Show>
                {move || work().fault.map(|fault| view! {
                    <p class="place-fault" role="alert" data-testid="embedding-error">{faults_words(&fault, app.language.get())}</p>
                })}
            </Show>
        </section>
    }
}
