//! Ways to give the page a file: a button, or dropping it on the shelf.

use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{DragEvent, Element, File, HtmlInputElement};

use super::{Import, ImportDialog};
use crate::{
    locales::T,
    ui::{app::App, icons::Icon},
    web::window,
};

/// A file input that looks like a button.
#[component]
pub fn FilePick(
    import: Import,
    testid: &'static str,
    label: T,
    class: &'static str,
    #[prop(optional)] disabled: Option<Signal<bool>>,
    children: Children,
) -> impl IntoView {
    let app = App::here();
    let picked = move |event: web_sys::Event| {
        let input = event_target::<HtmlInputElement>(&event);
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            import.take(file);
        }
        // So that the same file can be chosen again.
        input.set_value("");
    };
    view! {
        <label class=format!("file-pick {class}") title=app.t(label)>
            {children()}
            <input
                type="file"
                class="visually-hidden"
                data-testid=testid
                aria-label=app.t(label)
                disabled=move || disabled.is_some_and(|disabled| disabled.get())
                on:change=picked
            />
        </label>
    }
}

/// Why a file was refused, beside the control that took it.
#[component]
pub fn ImportFault(import: Import) -> impl IntoView {
    move || import.fault.get().map(|fault| view! { <p class="place-fault import-error" role="alert" data-testid="import-error">{fault}</p> })
}

/// Takes a storyline or a backup in: the button in the head of the shelf, and the shelf itself for a dropped file.
#[component]
pub fn ImportButton() -> impl IntoView {
    let app = App::here();
    let import = Import::new(app);
    let over = RwSignal::new(false);
    let hover = move |shelf: Option<Element>| {
        if over.get_untracked() != shelf.is_some() {
            over.set(shelf.is_some());
        }
    };
    let listeners = [
        window_event_listener(ev::dragover, move |event| {
            // Elsewhere a dropped file would take the page's place.
            if has_files(&event) && !event.default_prevented() {
                let shelf = shelf_under(&event);
                event.prevent_default();
                if let Some(transfer) = event.data_transfer() {
                    transfer.set_drop_effect(if shelf.is_some() { "copy" } else { "none" });
                }
                hover(shelf);
            }
        }),
        window_event_listener(ev::dragleave, move |event| {
            if event.related_target().is_none() {
                hover(None);
            }
        }),
        window_event_listener(ev::drop, move |event| {
            hover(None);
            if has_files(&event) && !event.default_prevented() {
                event.prevent_default();
                if let Some(file) = shelf_under(&event).and_then(|_| dropped(&event)) {
                    import.take(file);
                }
            }
        }),
    ];
    on_cleanup(move || listeners.into_iter().for_each(WindowListenerHandle::remove));
    Effect::new(move |_| {
        let shelf = window().document().and_then(|document| document.query_selector(".shelf").ok().flatten());
        if let Some(shelf) = shelf {
            let _ = shelf.class_list().toggle_with_force("drop-here", over.get());
        }
    });
    view! {
        <FilePick import testid="storyline-import" label=T::ImportStoryline class="icon-button"><Icon name="upload" /></FilePick>
        <Show when=move || over.get()><p class="drop-hint" role="status">{app.t(T::DroppedFile)}</p></Show>
        <ImportFault import />
        <ImportDialog import />
    }
}

fn has_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|transfer| transfer.types().includes(&"Files".into(), 0))
}

fn shelf_under(event: &DragEvent) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(".shelf").ok().flatten()
}

fn dropped(event: &DragEvent) -> Option<File> {
    event.data_transfer()?.files()?.get(0)
}
