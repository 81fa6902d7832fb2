//! Ways to give the page a file: a button, or dropping it on the shelf.

use leptos::{ev, prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;
use web_sys::{DataTransfer, DragEvent, Element, File, HtmlInputElement};

use super::{Elsewhere, Import, ImportDialog};
use crate::{
    locales::T,
    ui::{
        app::App,
        folder::{Folder, FolderDialog},
        icons::{Icon, Shape},
        panels::Side,
        route::Route,
    },
    web::{
        folder::{self, dropped},
        window,
    },
};

/// A file input that looks like a button.
#[component]
pub fn FilePick(
    take: impl Fn(File) + 'static,
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
            take(file);
        }
        // So that the same file can be chosen again.
        input.set_value("");
    };
    view! {
        <label class=format!("file-button {class}") title=app.t(label)>
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
    let app = App::here();
    move || {
        import.fault.get().map(
            |fault| view! { <p class="place-fault import-error" role="alert" data-testid="import-error">{move || app.read(&fault)}</p> },
        )
    }
}

/// Takes files in: the button in the head of the shelf, and what is dropped on the shelf, or on a page that takes none itself.
#[component]
pub fn ImportButton() -> impl IntoView {
    let app = App::here();
    // Given on to what takes it in, which comes with the first file.
    let given = app.given;
    let has_begun =
        Memo::new(move |begun: Option<&bool>| begun.is_some_and(|begun| *begun) || given.with(Option::is_some));
    let take = move |file| given.set(Some(Given::File(file)));
    let over = RwSignal::new(false);
    let listeners = [
        window_event_listener(ev::dragover, move |event| {
            over.set(is_for_shelf(&event) || has_files(&event) && !takes_files(app));
            if has_files(&event) {
                // Else the browser would open the file in the page's place.
                event.prevent_default();
            }
        }),
        window_event_listener(ev::dragleave, move |event| {
            // Without a related target, the pointer left the window.
            if event.related_target().is_none() {
                over.set(false);
            }
        }),
        window_event_listener(ev::drop, move |event| {
            over.set(false);
            if has_files(&event) {
                event.prevent_default();
            }
            let Some(transfer) = event.data_transfer().filter(|_| has_files(&event)) else { return };
            let is_ours = is_for_shelf(&event) || !takes_files(app);
            // A folder is taken wherever it falls; of several files, where a page does not take them itself.
            if let Some(folder) = dropped(&transfer).filter(|_| is_ours || has_folder(&transfer)) {
                given.set(Some(Given::Folder(folder)));
            } else if let Some(file) = transfer.files().and_then(|files| files.get(0)).filter(|_| is_ours) {
                // What is asked of it, and why it is refused, stands there.
                app.panels.show(Side::Shelf);
                take(file);
            }
        }),
    ];
    on_cleanup(move || listeners.into_iter().for_each(WindowListenerHandle::remove));
    let shown = Memo::new(move |_| over.get());
    Effect::new(move |_| {
        let shelf = window().document().and_then(|document| document.query_selector(".shelf").ok().flatten());
        if let Some(shelf) = shelf {
            let _ = shelf.class_list().toggle_with_force("takes-files", shown.get());
        }
    });
    view! {
        <FilePick take testid="storyline-import" label=T::ImportStoryline class="button quiet"><Icon shape=Shape::UPLOAD />{app.t(T::Import)}</FilePick>
        <Show when=move || shown.get()><p class="drop-hint" role="status">{app.t(T::DroppedFile)}</p></Show>
        {move || has_begun.get().then(|| app.chunks.desk.show(app, move |desk| (desk.import)(given)))}
    }
}

/// What the reader gave the page.
pub enum Given {
    File(File),
    Folder(folder::Given),
}

/// Takes in each file that it is given, with its refusal and its questions; `elsewhere` takes what is no story.
#[component]
pub fn Importing(given: RwSignal<Option<Given>, LocalStorage>, elsewhere: Elsewhere) -> impl IntoView {
    let app = App::here();
    let import = Import::new(app, Some(elsewhere));
    let folder = Folder::new(app);
    Effect::new(move |_| {
        // One that comes while another is still being written waits for it.
        if given.with(Option::is_some)
            && !import.is_open()
            && !folder.is_open()
            && let Some(given) = given.try_update_untracked(Option::take).flatten()
        {
            match given {
                Given::Folder(given) => folder.open(given),
                Given::File(file) => spawn_local(async move {
                    match folder::packed(&file).await {
                        Some(given) => folder.open(given),
                        None => import.take(file),
                    }
                }),
            }
        }
    });
    view! {
        <ImportFault import />
        <ImportDialog import />
        <FolderDialog folder />
    }
}

/// Whether the page takes dropped files itself.
fn takes_files(app: App) -> bool {
    app.route.with_untracked(|route| {
        let of_library = matches!(route, Route::Characters | Route::Backgrounds | Route::Lorebooks | Route::Personas);
        of_library || matches!(route, Route::Character(_) | Route::Settings)
    })
}

fn has_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|transfer| transfer.types().includes(&"Files".into(), 0))
}

/// Whether a folder is among what is dropped.
pub fn has_folder(transfer: &DataTransfer) -> bool {
    let items = transfer.items();
    let entry = |at| items.get(at)?.webkit_get_as_entry().ok().flatten();
    (0..items.length()).filter_map(entry).any(|entry| entry.is_directory())
}

/// Whether files are held over the shelf, which takes stories and backups; elsewhere they belong to the open page.
pub fn is_for_shelf(event: &DragEvent) -> bool {
    let over = || event.target()?.dyn_into::<Element>().ok()?.closest(".shelf").ok().flatten();
    has_files(event) && over().is_some()
}
