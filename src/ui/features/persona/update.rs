//! "Update memory" (C6), with its progress, its stop, and its failure beside it.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::{T, mind::T as M},
    story::{
        fault::FaultKind,
        ids::{CharacterId, StorylineId},
        spending::Kind,
    },
    turn::{
        ByHandError,
        stream::{Stopper, stopper},
    },
    ui::{
        app::App,
        mind::{Mind, by_hand_words},
    },
};

/// Whose memory of which story.
type Of = (StorylineId, Option<CharacterId>);

/// One update at a time, seen from wherever the button stands.
#[derive(Clone, Copy, Default)]
pub struct Updating {
    running: RwSignal<Option<Of>>,
    stopper: StoredValue<Option<Stopper>, LocalStorage>,
    /// How the last one ended: where the story was by then, whether well, and in words.
    said: RwSignal<Option<(Of, u32, bool, String)>>,
}

impl Updating {
    fn begin(self, app: App, mind: Mind, of: Of) {
        if self.running.with_untracked(Option::is_some) {
            return;
        }
        self.running.set(Some(of.clone()));
        self.said.set(None);
        spawn_local(async move {
            let (id, whose) = &of;
            let attempt = async || {
                let (stopper, stop) = stopper();
                self.stopper.set_value(Some(stopper));
                app.conductor().update_memory(id, whose.clone(), stop).await
            };
            let outcome = app.asking_key.until_given(app, id, Kind::Persona, attempt, ByHandError::fault).await;
            let language = app.language.get_untracked();
            let said = match outcome {
                Ok(None) => None,
                Ok(Some(Some(state))) => {
                    mind.took(id, state).await;
                    Some((true, M::MemoryUpdated.text(language).to_owned()))
                }
                Ok(Some(None)) => Some((false, M::MemorySilent.text(language).to_owned())),
                Err(ByHandError::Fault(fault)) if fault.kind == FaultKind::Stopped => None,
                Err(error) => Some((false, by_hand_words(&error, language))),
            };
            self.running.set(None);
            let end = app.story.path.with_untracked(|path| path.end);
            self.said.set(said.map(|(well, words)| (of, end, well, words)));
        });
    }

    fn stop(self) {
        self.stopper.update_value(|stopper| stopper.iter_mut().for_each(|stopper| stopper.stop(FaultKind::Stopped)));
    }
}

#[component]
pub fn UpdateMemory(mind: Mind) -> impl IntoView {
    let app = App::here();
    let all: Updating = expect_context();
    let of = Memo::new(move |_| {
        let id = app.story.storyline.with(|storyline| storyline.as_ref().map(|s| s.id.clone()))?;
        Some((id, mind.of.get()))
    });
    let is_running = Memo::new(move |_| all.running.with(|running| running.is_some() && *running == of.get()));
    let said = Memo::new(move |_| {
        let end = app.story.path.with(|path| path.end);
        let said = all.said.get().filter(|(whose, at, ..)| *at == end && of.with(|of| of.as_ref() == Some(whose)));
        said.map(|(.., well, words)| (well, words))
    });
    let held = move || !app.story.writer.get() || all.running.with(Option::is_some);
    let begin = move |_| of.get_untracked().into_iter().for_each(|of| all.begin(app, mind, of));
    view! {
        <div class="memory-update">
            <Show
                when=move || is_running.get()
                fallback=move || view! {
                    <button class="button" data-testid="action-update-memory" disabled=held on:click=begin>
                        {app.t(M::UpdateMemory)}
                    </button>
                }
            >
                <div class="row" role="status">
                    <span class="waiting">{app.t(M::UpdatingMemory)}</span>
                    <button class="button quiet" data-testid="update-memory-stop" on:click=move |_| all.stop()>{app.t(T::Stop)}</button>
                </div>
            </Show>
            {move || match said.get() {
                Some((true, text)) => view! { <p class="field-note" role="status">{text}</p> }.into_any(),
                Some((false, text)) => view! { <p class="place-fault" role="alert" data-testid="update-memory-error">{text}</p> }.into_any(),
                None => view! { <p class="field-note">{app.t(M::UpdateMemoryHint)}</p> }.into_any(),
            }}
        </div>
    }
}
