//! Leaving an editor with unsaved changes: a quiet question, and nothing is lost by a slip.

use std::rc::Rc;

use leptos::{ev, html, prelude::*};
use wasm_bindgen::JsValue;

use crate::{
    locales::T,
    ui::{
        app::App,
        route::{self, Guard},
    },
    web::window,
};

/// What the reader wants while there are unsaved changes.
#[derive(Clone)]
pub enum Wish {
    /// To go to the place of this hash.
    Go(String),
    Do(Callback<()>),
}

impl Wish {
    pub fn grant(&self) {
        match self {
            Self::Go(hash) => drop(window().location().set_hash(hash)),
            Self::Do(action) => action.run(()),
        }
    }
}

pub type Wanted = RwSignal<Option<Wish>>;

/// Holds the page while `changed`; the place that was asked for shows in the signal.
pub fn hold(changed: Memo<bool>) -> Wanted {
    let wanted = Wanted::new(None);
    let here = window().location().hash().unwrap_or_default();
    let closing = ask_to_close(move || changed.get_untracked());
    let guard: Guard = Rc::new(move || {
        let to = window().location().hash().unwrap_or_default();
        let holds = changed.get_untracked() && to != here;
        if holds {
            let _ = window().history().and_then(|history| history.push_state_with_url(&JsValue::NULL, "", Some(&here)));
            wanted.set(Some(Wish::Go(to)));
        }
        holds
    });
    route::set_guard(guard.clone());
    let guard = StoredValue::new_local(guard);
    on_cleanup(move || {
        closing.remove();
        guard.try_with_value(route::drop_guard);
    });
    wanted
}

/// Asks before the whole page is closed or loaded anew, where something would be lost by it.
pub fn ask_to_close(is_lost: impl Fn() -> bool + 'static) -> WindowListenerHandle {
    window_event_listener(ev::beforeunload, move |event| {
        if is_lost() {
            event.prevent_default();
            // Older browsers ask only where this is set.
            event.set_return_value("unsaved");
        }
    })
}

/// The question.
#[component]
pub fn LeaveBar(wanted: Wanted, save: Callback<()>, discard: Callback<()>) -> impl IntoView {
    let app = App::here();
    let first = NodeRef::<html::Button>::new();
    Effect::new(move |_| {
        if let Some(first) = first.get() {
            let _ = first.focus();
        }
    });
    view! {
        <Show when=move || wanted.with(Option::is_some)>
            <div class="leave-bar" role="alertdialog" aria-label=app.t(T::UnsavedChanges) data-testid="leave-bar"
                on:keydown=move |event| if event.key() == "Escape" { wanted.set(None) }>
                <p>{app.t(T::UnsavedChanges)}</p>
                <button type="button" class="button primary" node_ref=first data-testid="leave-save" on:click=move |_| save.run(())>
                    {app.t(T::Save)}
                </button>
                <button type="button" class="button" data-testid="leave-discard" on:click=move |_| discard.run(())>
                    {app.t(T::DiscardChanges)}
                </button>
                <button type="button" class="button quiet" data-testid="leave-stay" on:click=move |_| wanted.set(None)>
                    {app.t(T::StayHere)}
                </button>
            </div>
        </Show>
    }
}
