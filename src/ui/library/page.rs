//! The page of a library: what is in it, and the ways in and out.

use leptos::{prelude::*, task::spawn_local};

use super::{
    Entry, Form, counted, discard, duplicate, export, favour,
    files::{Taking, chosen, drop_target, import_soon},
    of,
    shelf::{Shelf, bar, nothing_found, star},
    users,
};
use crate::{
    locales::{Saying, T, fill},
    ui::{
        app::App,
        avatar::{Avatar, Face},
        icons::{Icon, Shape},
    },
};

pub fn page<E: Entry>() -> impl IntoView {
    let app = App::here();
    let library = E::library(app);
    let shelf = Shelf::<E>::new(app, library.into());
    let fault = RwSignal::new(None::<Saying>);
    let taking = Taking::new(fault);
    let choose = move |event| import_soon::<E>(app, chosen(&event), taking);
    let dropping = drop_target(move |files| import_soon::<E>(app, files, taking));
    let progress = move || {
        let (done, all) = taking.done.get().unwrap_or_default();
        fill(app.t(T::ImportingMany)(), &[&done.to_string(), &all.to_string()])
    };
    view! {
        <section class="sheet-page library">
            <header class="library-head">
                <h1>{app.t(E::WORDS.title)}</h1>
                <label class="button file-button">
                    <Icon shape=Shape::UPLOAD />
                    {app.t(T::Import)}
                    <input
                        class="visually-hidden"
                        type="file"
                        accept=E::ACCEPTS
                        multiple=true
                        data-testid=format!("{}-import", E::KIND)
                        on:change=choose
                    />
                </label>
                <a class="button primary" data-testid=format!("{}-new", E::KIND) href=E::desk(None).hash()>
                    <Icon shape=Shape::PLUS />
                    {app.t(E::WORDS.new)}
                </a>
            </header>
            {E::lead()}
            <Show when=move || taking.done.with(Option::is_some)>
                <p class="row import-progress" role="status" data-testid="import-progress">
                    <span>{progress}</span>
                    <button type="button" class="link" data-testid="import-stop" on:click=move |_| taking.is_stopped.set(true)>{app.t(T::Stop)}</button>
                </p>
            </Show>
            <div class="import-fault">
                <Show when=move || fault.with(Option::is_some)>
                    <p class="place-fault" role="alert" data-testid="import-error">{move || fault.get().map(|why| app.read(&why))}</p>
                </Show>
            </div>
            {bar(shelf)}
            <ul class="entries">
                <For each=move || shelf.shown.get() key=|entry| (entry.key().to_owned(), entry.updated(), entry.is_favourite()) let:entry>
                    {item(app, entry)}
                </For>
            </ul>
            {nothing_found(shelf)}
            <Show when=move || library.with(Vec::is_empty)>
                <p class="empty">{app.t(E::WORDS.none)}</p>
            </Show>
            <Show when=move || dropping.get()>
                <div class="drop-here" aria-hidden="true"><p>{app.t(T::DroppedFile)}</p></div>
            </Show>
        </section>
    }
}

fn item<E: Entry>(app: App, entry: E) -> impl IntoView {
    let name = entry.name().to_owned();
    let line = entry.line().lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
    let desk = E::desk(Some(entry.key())).hash();
    let face = E::HAS_FACE
        .then(|| view! { <Avatar face=Face::Stored(entry.small_face().or(entry.face())) name=name.clone() /> });
    let is_favourite = entry.is_favourite();
    let entry = StoredValue::new(entry);
    let used = Memo::new(move |_| entry.with_value(|entry| users(app, entry)));
    let leaving = RwSignal::new(false);
    let run = move |action: fn(App, E)| move |_| action(app, entry.get_value());
    let take_out = move |form: &'static Form| spawn_local(export(app, entry.get_value(), form));
    let export = move |_| match E::FORMS {
        [form] => take_out(form),
        _ => leaving.update(|leaving| *leaving = !*leaving),
    };
    let forms = move || {
        let form = |form: &'static Form| {
            let name = entry.with_value(|entry| entry.name().to_owned());
            view! {
                <button type="button" class="button" data-testid=format!("{}-export-{}", E::KIND, form.name)
                    aria-label=of(app, form.label, &name) title=app.t(form.hint) on:click=move |_| take_out(form)>
                    {app.t(form.label)}
                </button>
            }
        };
        view! {
            <div class="entry-forms row" role="group" aria-label=app.t(T::ExportAs)>
                <span class="field-note">{app.t(T::ExportAs)}</span>
                {E::FORMS.iter().map(form).collect_view()}
            </div>
        }
    };
    let label = of(app, T::Export, &name);
    let action = |testid: &str, icon: Shape, label: T, action: fn(App, E)| {
        view! {
            <button
                type="button"
                class="icon-button"
                data-testid=format!("{}-{testid}", E::KIND)
                aria-label=of(app, label, &name)
                title=app.t(label)
                on:click=run(action)
            >
                <Icon shape=icon />
            </button>
        }
    };
    view! {
        <li class="entry" data-testid=format!("{}-item", E::KIND)>
            <a class="entry-main" href=desk.clone()>
                {face}
                <span class="entry-words">
                    <b dir="auto">{name.clone()}</b>
                    <span class="entry-line" dir="auto">{line}</span>
                    {move || (used.get() > 0).then(|| view! { <span class="entry-used">{counted(app, T::UsedBy, used.get())}</span> })}
                </span>
            </a>
            <div class="entry-actions">
                {star(app, E::KIND, &name, is_favourite, move || spawn_local(favour(app, entry.get_value())))}
                <a class="icon-button" data-testid=format!("{}-edit", E::KIND) href=desk aria-label=of(app, T::Edit, &name) title=app.t(T::Edit)>
                    <Icon shape=Shape::PENCIL />
                </a>
                {action("duplicate", Shape::COPY, T::Duplicate, |app, entry| spawn_local(duplicate(app, entry)))}
                <button type="button" class="icon-button" data-testid=format!("{}-export", E::KIND)
                    aria-label=label title=app.t(T::Export)
                    aria-expanded=move || (E::FORMS.len() > 1).then(|| leaving.get().to_string()) on:click=export>
                    <Icon shape=Shape::DOWNLOAD />
                </button>
                {action("delete", Shape::TRASH, T::Delete, |app, entry| spawn_local(discard(app, entry)))}
            </div>
            <Show when=move || leaving.get()>{forms}</Show>
        </li>
    }
}
