//! The editor of a lorebook: what is said of the book, and its entries.

use leptos::{prelude::*, task::spawn_local};

use super::{
    book::Book,
    controls::{Words, from_tri, optional, tri_name, tri_options},
    entries::Entries,
    files,
    tried::Tried,
    words::say,
};
use crate::{
    desk::lorebooks::{Draft, Hook},
    exchange::names::tidy_name,
    features::lore::LoreSettings,
    locales::{Say, Saying, T, lorebooks::T as L},
    story::{ids::LorebookId, lorebook::Lorebook},
    ui::{
        app::App,
        fields::{CheckField, SelectField, TextArea, TextField},
        icons::{Icon, Shape},
        library::{LeaveBar, hold, not_stored},
        route::Route,
    },
};

/// More than any model reads.
const MOST_TOKENS: i64 = 10_000_000;

#[component]
pub fn LorebookEditor(id: Option<LorebookId>) -> impl IntoView {
    let app = App::here();
    let Some(id) = id else {
        let book = Lorebook { id: app.browser().ports.id(), ..Lorebook::default() };
        return view! { <Form book is_new=true /> }.into_any();
    };
    let stored = RwSignal::new(None::<Option<Lorebook>>);
    spawn_local(async move {
        match app.desk().load::<Lorebook>(id.as_str()).await {
            Ok(book) => drop(stored.try_set(Some(book.filter(|book| book.deleted.is_none())))),
            Err(error) => app.notify_store(error),
        }
    });
    let shown = move || {
        match stored.get() {
        None => ().into_any(),
        Some(None) => view! {
            <section class="sheet-page">
                <p class="empty">{say(app, L::Gone)} " " <a class="link" href=Route::Lorebooks.hash()>{app.t(T::BackToList)}</a></p>
            </section>
        }
        .into_any(),
        Some(Some(book)) => view! { <Form book is_new=false /> }.into_any(),
    }
    };
    shown.into_any()
}

#[component]
fn Form(book: Lorebook, is_new: bool) -> impl IntoView {
    let app = App::here();
    let id = book.id.clone();
    let book = Book::of(Draft::of(book));
    on_cleanup(move || book.close(app));
    let name = RwSignal::new(book.with_untracked(|draft| draft.head.name.clone()));
    let is_saved = RwSignal::new(false);
    let changed = Memo::new(move |_| {
        let is_bad = book.bad.with(|bad| !bad.is_empty());
        (book.with(Draft::is_changed) || is_bad) && !is_saved.get()
    });
    let wanted = hold(changed);
    let fault = RwSignal::new(None::<Saying>);
    let busy = RwSignal::new(false);
    let leave = move || match wanted.try_get_untracked() {
        Some(Some(wish)) => wish.grant(),
        Some(None) => app.go(Route::Lorebooks),
        // The reader is gone already: nothing held the page, for nothing was changed.
        None => {}
    };
    let save = move || {
        if busy.get_untracked() {
            return;
        }
        let (tidy, _) = tidy_name(&name.get_untracked());
        let amiss = match (tidy.is_empty(), book.bad.with_untracked(|bad| bad.is_empty())) {
            (true, _) => Some(T::NameNeeded.kept()),
            (_, false) => Some(L::NumbersFirst.kept()),
            _ => None,
        };
        if amiss.is_some() {
            wanted.set(None);
            return fault.set(amiss);
        }
        book.change(|draft| draft.head.name = tidy);
        busy.set(true);
        let draft = book.with_untracked(Draft::clone);
        spawn_local(async move {
            let written = app.desk().write_lorebook(&draft).await;
            busy.try_set(false);
            match written {
                Ok(()) => {
                    is_saved.try_set(true);
                    leave();
                }
                Err(error) => {
                    wanted.try_set(None);
                    fault.try_set(Some(not_stored(error)));
                }
            }
        });
    };
    let discard = move || {
        is_saved.set(true);
        leave();
    };
    let blank = Signal::derive(move || {
        (fault.with(Option::is_some) && name.with(|name| name.trim().is_empty()))
            .then(|| app.t(T::Required)().to_owned())
    });
    let rename = move |_| book.change(|draft| draft.head.name = name.get_untracked());
    view! {
        <section class="sheet-page editor lore-editor">
            <form class="form" on:submit=move |event| { event.prevent_default(); save() }>
                <header class="editor-head">
                    <a class="icon-button" href=Route::Lorebooks.hash() aria-label=app.t(T::BackToList) title=app.t(T::BackToList)><Icon shape=Shape::ARROW_LEFT /></a>
                    <h1>{say(app, if is_new { L::New } else { L::EditBook })}</h1>
                    <button type="submit" class="button primary" data-testid="lorebook-save" disabled=move || busy.get()
                        hidden=move || wanted.with(Option::is_some)>{app.t(T::Save)}</button>
                    <Show when=move || fault.with(Option::is_some)>
                        <p class="place-fault" role="alert" data-testid="lorebook-error">{move || fault.get().map(|why| app.read(&why))}</p>
                    </Show>
                    <LeaveBar wanted save=Callback::new(move |()| save()) discard=Callback::new(move |()| discard()) />
                </header>
                <TextField label=app.t(T::Name) value=name testid="lorebook-name" fault=blank on:input=rename />
                <Head book is_new />
                {(!is_new).then(|| view! { <ForAll id /> })}
                <Tried book />
                <Entries book />
            </form>
        </section>
    }
}

/// Its description, and what holds for all its entries.
#[component]
fn Head(book: Book, is_new: bool) -> impl IntoView {
    let app = App::here();
    let is_changed = Memo::new(move |_| book.with(Draft::is_changed));
    let export = move |_| spawn_local(files::export_v3(app, book.with_untracked(|draft| draft.id().clone())));
    let head = book.with_untracked(|draft| draft.head.clone());
    let description = RwSignal::new(head.description);
    let describe = move |_| book.change(|draft| draft.head.description = description.get_untracked());
    let recursive = RwSignal::new(tri_name(head.recursive).to_owned());
    let recur = move |_| book.change(|draft| draft.head.recursive = recursive.with_untracked(|name| from_tri(name)));
    let depth = Words { label: L::ScanDepth, unit: Some(L::ScanDepthUnit), hint: Some(L::AsStory) };
    let budget = Words { label: L::Budget, unit: Some(L::BudgetUnit), hint: Some(L::AsStory) };
    let depths = 0..=i64::from(*LoreSettings::SCAN_DEPTH.end());
    view! {
        <TextArea label=app.t(T::Description) value=description testid="lorebook-description" rows=2 on:input=describe />
        <details class="field-group" data-testid="lorebook-settings">
            <summary>{say(app, L::BookSettings)}</summary>
            <div class="form">
                <div class="columns">
                    {optional(app, book, depth, "lorebook-scan-depth", depths, head.scan_depth, move |value| book.change(|draft| draft.head.scan_depth = value))}
                    {optional(app, book, budget, "lorebook-budget", 0..=MOST_TOKENS, head.token_budget, move |value| book.change(|draft| draft.head.token_budget = value))}
                    <SelectField label=Signal::derive(say(app, L::Recursive)) value=recursive testid="lorebook-recursive"
                        options=Signal::derive(move || tri_options(app, L::AsTheStory)) on:change=recur />
                </div>
                {(!is_new).then(|| view! {
                    <div class="row">
                        <button type="button" class="button" data-testid="lorebook-export-v3" hidden=move || is_changed.get() on:click=export>
                            <Icon shape=Shape::DOWNLOAD />{say(app, L::ExportV3)}
                        </button>
                    </div>
                })}
            </div>
        </details>
    }
}

/// Whether it counts in every story. Kept at once: it is no part of the book.
#[component]
fn ForAll(id: LorebookId) -> impl IntoView {
    let app = App::here();
    let id = StoredValue::new(id);
    let is_on = move || id.with_value(|id| app.preferences.with(|preferences| preferences.books().contains(id)));
    let set = move |on: bool| {
        let id = id.get_value();
        app.prefer(move |preferences| preferences.hang(&id, on));
    };
    view! { <CheckField label=Signal::derive(say(app, L::ForAll)) is_on=Signal::derive(is_on) set testid="lorebook-for-all" /> }
}
