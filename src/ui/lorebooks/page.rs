//! The library of lorebooks: what is in it, and the ways in and out.

use leptos::{prelude::*, task::spawn_local};

use super::{
    files,
    shelf::{Shelf, read_shelf, shelf},
    words::say,
};
use crate::{
    desk::{
        lorebooks::{Hook, Shelved},
        shelves::set_favourite,
    },
    exchange::names::tidy_name,
    locales::{Say, Saying, T, fill, lorebooks::T as L},
    story::{ids::LorebookId, lorebook::Lorebook},
    ui::{
        app::App,
        icons::{Icon, Shape},
        library::{self, bar, chosen, drop_target, nothing_found, of, star},
        route::Route,
    },
};

#[component]
pub fn Lorebooks() -> impl IntoView {
    let app = App::here();
    let shelf = shelf(app);
    let fault = RwSignal::new(None::<Saying>);
    let take = move |taken: Vec<web_sys::File>| {
        if !taken.is_empty() {
            spawn_local(files::import(app, taken, Some(shelf), fault));
        }
    };
    let choose = move |event| take(chosen(&event));
    let dropping = drop_target(take);
    let books = library::Shelf::new(app, Signal::derive(move || shelf.get().unwrap_or_default()));
    view! {
        <section class="sheet-page library">
            <header class="library-head">
                <h1>{say(app, L::Lorebooks)}</h1>
                <label class="button file-button">
                    <Icon shape=Shape::UPLOAD />
                    {app.t(T::Import)}
                    <input class="visually-hidden" type="file" accept=".json,.lorebook,.scenario,application/json" multiple=true
                        data-testid="lorebook-import" on:change=choose />
                </label>
                <a class="button primary" data-testid="lorebook-new" href=Route::Lorebook(None).hash()>
                    <Icon shape=Shape::PLUS />
                    {say(app, L::New)}
                </a>
            </header>
            <p class="field-note lorebook-hint">{say(app, L::Hint)}</p>
            <div class="import-fault">
                <Show when=move || fault.with(Option::is_some)>
                    <p class="place-fault" role="alert" data-testid="import-error">{move || fault.get().map(|why| app.read(&why))}</p>
                </Show>
            </div>
            {bar(books)}
            <ul class="entries">
                <For each=move || books.shown.get() key=|book| (book.id.clone(), book.updated, book.is_favourite) let:book>
                    {item(app, book, shelf)}
                </For>
            </ul>
            {nothing_found(books)}
            <Show when=move || shelf.with(|books| books.as_ref().is_some_and(Vec::is_empty))>
                <p class="empty">{say(app, L::None)}</p>
            </Show>
            <Show when=move || dropping.get()>
                <div class="drop-here" aria-hidden="true"><p>{app.t(T::DroppedFile)}</p></div>
            </Show>
        </section>
    }
}

fn item(app: App, book: Shelved, shelf: Shelf) -> impl IntoView {
    let Shelved { id, name, description, entries, enabled, is_favourite, .. } = book.clone();
    let desk = Route::Lorebook(Some(id.clone())).hash();
    let line = description.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
    let facts = {
        let id = id.clone();
        move || facts(app, &id, entries, entries - enabled)
    };
    let book = StoredValue::new(book);
    let run = move |act: fn(App, Shelved, Shelf)| move |_| act(app, book.get_value(), shelf);
    let action = |testid: &'static str, icon: Shape, label: T, act: fn(App, Shelved, Shelf)| {
        view! {
            <button type="button" class="icon-button" data-testid=testid aria-label=of(app, label, &name) title=app.t(label) on:click=run(act)>
                <Icon shape=icon />
            </button>
        }
    };
    view! {
        <li class="entry" data-testid="lorebook-item">
            <a class="entry-main" data-testid="lorebook-open" href=desk.clone()>
                <span class="entry-words">
                    <b dir="auto">{name.clone()}</b>
                    {(!line.is_empty()).then(|| view! { <span class="entry-line" dir="auto">{line}</span> })}
                    <span class="entry-used">{facts}</span>
                </span>
            </a>
            <div class="entry-actions">
                {star(app, "lorebook", &name, is_favourite, move || spawn_local(favour(app, book.get_value(), shelf)))}
                <a class="icon-button" data-testid="lorebook-edit" href=desk aria-label=of(app, T::Edit, &name) title=app.t(T::Edit)>
                    <Icon shape=Shape::PENCIL />
                </a>
                {action("lorebook-duplicate", Shape::COPY, T::Duplicate, |app, book, shelf| spawn_local(duplicate(app, book.id, shelf)))}
                {action("lorebook-export", Shape::DOWNLOAD, T::Export, |app, book, _| spawn_local(files::export(app, book.id)))}
                {action("lorebook-delete", Shape::TRASH, T::Delete, |app, book, shelf| spawn_local(discard(app, book, shelf)))}
            </div>
        </li>
    }
}

/// How large it is, and where it hangs.
fn facts(app: App, id: &LorebookId, entries: usize, off: usize) -> String {
    let mut facts = vec![match off {
        0 => fill(say(app, L::Entries)(), &[&entries.to_string()]),
        off => fill(say(app, L::EntriesOff)(), &[&entries.to_string(), &off.to_string()]),
    }];
    if app.preferences.with(|preferences| preferences.books().contains(id)) {
        facts.push(say(app, L::InAll)().to_owned());
    }
    match places(app, id) {
        0 => {}
        places => facts.push(fill(say(app, L::HangsOn)(), &[&places.to_string()])),
    }
    facts.join(" · ")
}

fn places(app: App, id: &LorebookId) -> usize {
    fn count<H: Hook>(list: &[H], id: &LorebookId) -> usize {
        list.iter().filter(|hook| hook.books().contains(id)).count()
    }
    app.characters.with(|list| count(list, id))
        + app.backgrounds.with(|list| count(list, id))
        + app.storylines.with(|list| count(list, id))
}

/// Among the favourites, or no more.
async fn favour(app: App, book: Shelved, shelf: Shelf) {
    let change = |stored: &mut Lorebook| set_favourite(&mut stored.extra, !book.is_favourite);
    if app.is_stored(app.desk().amend_entry(book.id.as_str(), change).await) {
        read_shelf(app, shelf).await;
    }
}

/// A copy beside it.
async fn duplicate(app: App, id: LorebookId, shelf: Shelf) {
    let book = match app.desk().load::<Lorebook>(id.as_str()).await {
        Ok(Some(book)) => book,
        Ok(None) => return read_shelf(app, shelf).await,
        Err(error) => return app.notify_store(error),
    };
    let ports = app.browser().ports;
    let now = ports.clock.now();
    let (name, _) = tidy_name(&app.say_with(T::CopyOf, &[&book.name]));
    let copy = Lorebook { id: ports.id(), name, created: now, updated: now, ..book };
    if app.is_stored(app.desk().put_entry(&copy, []).await) {
        read_shelf(app, shelf).await;
    }
}

/// Into the bin, with a way back.
async fn discard(app: App, book: Shelved, shelf: Shelf) {
    if !app.is_stored(app.desk().discard::<Lorebook>(book.id.as_str()).await) {
        return;
    }
    let mut said = vec![T::Deleted.with(&[&book.name]).kept()];
    let is_hung = untrack(|| places(app, &book.id) > 0 || app.preferences.with(|all| all.books().contains(&book.id)));
    if is_hung {
        said.push((|language| L::StillNamed.text(language).to_owned()).kept());
    }
    let id = book.id;
    app.notify_undo(Saying::joined(said, " "), move || {
        let id = id.clone();
        spawn_local(async move {
            if app.is_stored(app.desk().restore::<Lorebook>(id.as_str()).await) {
                read_shelf(app, shelf).await;
            }
        });
    });
    read_shelf(app, shelf).await;
}
