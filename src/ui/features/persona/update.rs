//! "Update memory" (C6), with its progress, its stop, and its failure beside it.

use leptos::{prelude::*, task::spawn_local};

use crate::{
    locales::{T, mind::T as M},
    story::{fault::FaultKind, spending::Kind},
    turn::{
        ByHandError,
        stream::{Stopper, stopper},
    },
    ui::{
        app::App,
        mind::{Mind, by_hand_words},
    },
};

#[component]
pub fn UpdateMemory(mind: Mind) -> impl IntoView {
    let app = App::here();
    let running = StoredValue::new_local(None::<Stopper>);
    let is_running = RwSignal::new(false);
    let said = RwSignal::new(None::<(bool, String)>);
    let begin = move |_| {
        let id = app.story.storyline.with_untracked(|storyline| storyline.as_ref().map(|s| s.id.clone()));
        let Some(id) = id.filter(|_| !is_running.get_untracked()) else { return };
        let of = mind.of.get_untracked();
        is_running.set(true);
        said.set(None);
        spawn_local(async move {
            let attempt = async || {
                let (stopper, stop) = stopper();
                running.set_value(Some(stopper));
                app.conductor().update_memory(&id, of.clone(), stop).await
            };
            let outcome = app.asking_key.until_given(app, &id, Kind::Persona, attempt, ByHandError::fault).await;
            let language = app.language.get_untracked();
            let words = match outcome {
                Ok(None) => None,
                Ok(Some(Some(state))) => {
                    mind.took(&id, state).await;
                    Some((true, M::MemoryUpdated.text(language).to_owned()))
                }
                Ok(Some(None)) => Some((false, M::MemorySilent.text(language).to_owned())),
                Err(ByHandError::Fault(fault)) if fault.kind == FaultKind::Stopped => None,
                Err(error) => Some((false, by_hand_words(&error, language))),
            };
            said.try_set(words);
            is_running.try_set(false);
        });
    };
    let stop = move |_| {
        running.update_value(|running| {
            if let Some(stopper) = running {
                stopper.stop(FaultKind::Stopped);
            }
        });
    };
    view! {
        <div class="memory-update">
            <Show
                when=move || is_running.get()
                fallback=move || view! {
                    <button class="button" data-testid="action-update-memory" disabled=move || !app.story.writer.get() on:click=begin>
                        {app.t(M::UpdateMemory)}
                    </button>
                }
            >
                <div class="row" role="status">
                    <span class="waiting">{app.t(M::UpdatingMemory)}</span>
                    <button class="button quiet" data-testid="update-memory-stop" on:click=stop>{app.t(T::Stop)}</button>
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
