//! The entries of a book: found, put in order, chosen by the dozen, and a page of them at a time.

use leptos::{prelude::*, task::spawn_local};

use super::{
    book::{Book, ROWS},
    entry::{place, positions},
    row::EntryRow,
    shelf::shelf,
    words::say,
};
use crate::{
    desk::lorebooks::Sort,
    locales::{fill, lorebooks::T as L, warnings::grouped},
    story::ids::LorebookId,
    ui::{
        app::App,
        icons::{Icon, Shape},
        state::NoticeKind,
    },
};

const SORTS: [(&str, Sort, L); 4] = [
    ("book", Sort::Book, L::SortBook),
    ("order", Sort::Order, L::SortOrder),
    ("name", Sort::Name, L::SortName),
    ("tokens", Sort::Tokens, L::SortTokens),
];

#[component]
pub fn Entries(book: Book) -> impl IntoView {
    let app = App::here();
    let sums = move || {
        let (count, (on, tokens)) = book.with(|draft| (draft.len(), draft.sums()));
        fill(say(app, L::Sums)(), &[&grouped(count as u64), &grouped(on as u64), &grouped(tokens)])
    };
    let is_empty = Memo::new(move |_| book.with(|draft| draft.is_empty()));
    let rows = move || {
        let page = book.page.get();
        book.shown.with(|shown| shown.iter().skip(page * ROWS).take(ROWS).cloned().collect::<Vec<_>>())
    };
    let find = move |event| {
        book.words.set(event_target_value(&event));
        book.look();
    };
    // Who looks for something does not mean to save.
    let stay = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
        }
    };
    let sort = move |event| {
        let name = event_target_value(&event);
        if let Some((_, sort, _)) = SORTS.into_iter().find(|(known, ..)| *known == name) {
            book.sort.set(sort);
            book.look();
        }
    };
    let sorts = move || {
        let option = |(name, sort, label)| view! { <option value=name selected=move || book.sort.get() == sort>{say(app, label)}</option> };
        SORTS.map(option).into_iter().collect_view()
    };
    view! {
        <section class="lore-entries" aria-labelledby="lore-entries-head">
            <header class="lore-entries-head">
                <h2 id="lore-entries-head">{say(app, L::List)}</h2>
                <p class="number" data-testid="lorebook-sums">{sums}</p>
                <button type="button" class="button" data-testid="lorebook-entry-new" on:click=move |_| book.add()>
                    <Icon shape=Shape::PLUS />{say(app, L::NewEntry)}
                </button>
            </header>
            <Show when=move || is_empty.get()>
                <p class="empty">{say(app, L::NoEntries)}</p>
            </Show>
            <Show when=move || !is_empty.get()>
                <div class="field lore-tools">
                    <input type="search" autocomplete="off" data-testid="lorebook-entry-find"
                        aria-label=say(app, L::FindEntry) placeholder=say(app, L::FindEntry)
                        prop:value=move || book.words.get() on:input=find on:keydown=stay />
                    <select data-testid="lorebook-entry-sort" aria-label=say(app, L::Sort) on:change=sort>{sorts}</select>
                </div>
                <Chosen book />
            </Show>
            <ul class="lore-rows">
                <For each=rows key=Clone::clone let:id>
                    <EntryRow book id />
                </For>
            </ul>
            <Show when=move || !is_empty.get() && book.shown.with(Vec::is_empty)>
                <p class="empty">{say(app, L::NoneFound)}</p>
            </Show>
            <Pager book />
        </section>
    }
}

/// What can be done with many at once.
#[component]
fn Chosen(book: Book) -> impl IntoView {
    let app = App::here();
    let count = Memo::new(move |_| book.chosen.with(|chosen| chosen.len()));
    let shown = Memo::new(move |_| book.shown.with(Vec::len));
    let all = move || {
        shown.get() > 0
            && book.shown.with(|shown| book.chosen.with(|chosen| shown.iter().all(|id| chosen.contains(id))))
    };
    let choose = move |event| {
        let on = event_target_checked(&event);
        book.shown.with_untracked(|shown| book.choose(shown, on));
    };
    let remove = move |_| {
        let chosen = book.chosen.get_untracked();
        // Not within the rows: the undo would go with them.
        spawn_local(async move { book.remove(app, &chosen) });
    };
    let enable = move |on: bool| move |_| book.edit_chosen(|entry| entry.enabled = on);
    view! {
        <div class="lore-chosen" role="group" aria-label=say(app, L::List)>
            <label class="check">
                <input type="checkbox" data-testid="lorebook-choose-shown" prop:checked=all on:change=choose />
                {move || match count.get() {
                    0 => fill(say(app, L::ChooseShown)(), &[&grouped(shown.get() as u64)]),
                    count => fill(say(app, L::Chosen)(), &[&grouped(count as u64)]),
                }}
            </label>
            <Show when=move || count.get() != 0>
                <button type="button" class="button quiet" data-testid="lorebook-chosen-on" on:click=enable(true)>{say(app, L::TurnOn)}</button>
                <button type="button" class="button quiet" data-testid="lorebook-chosen-off" on:click=enable(false)>{say(app, L::TurnOff)}</button>
                <Picker label=L::MoveTo testid="lorebook-chosen-move" options=Signal::derive(move || positions(app))
                    pick=Callback::new(move |name: String| book.edit_chosen(|entry| place(entry, &name))) />
                <CopyTo book />
                <button type="button" class="button quiet danger" data-testid="lorebook-chosen-delete" on:click=remove>{say(app, L::RemoveChosen)}</button>
            </Show>
        </div>
    }
}

/// A select that does something with what is picked, and is then as before.
#[component]
fn Picker(
    label: L,
    testid: &'static str,
    options: Signal<Vec<(String, String)>>,
    pick: Callback<String>,
) -> impl IntoView {
    let app = App::here();
    let value = RwSignal::new(String::new());
    let picked = move |event| {
        let name = event_target_value(&event);
        if !name.is_empty() {
            pick.run(name);
        }
        // It says what it does, not what was done last.
        value.set("-".into());
        value.set(String::new());
    };
    let options = move || {
        options.get().into_iter().map(|(name, label)| view! { <option value=name>{label}</option> }).collect_view()
    };
    view! {
        <span class="field">
            <select data-testid=testid aria-label=say(app, label) prop:value=move || value.get() on:change=picked>
                <option value="">{say(app, label)}</option>
                {options}
            </select>
        </span>
    }
}

/// The chosen entries into another book; they stay in this one.
#[component]
fn CopyTo(book: Book) -> impl IntoView {
    let app = App::here();
    let shelf = shelf(app);
    let here = book.with_untracked(|draft| draft.id().clone());
    let others = Signal::derive(move || {
        let books = shelf.get().unwrap_or_default();
        books.into_iter().filter(|book| book.id != here).map(|book| (book.id.0, book.name)).collect::<Vec<_>>()
    });
    let copy = move |id: String| {
        let to = LorebookId::from(id);
        let name =
            others.with_untracked(|others| others.iter().find(|(id, _)| *id == to.0).map(|(_, name)| name.clone()));
        let entries = book.chosen.with_untracked(|chosen| book.with_untracked(|draft| draft.entries(chosen)));
        spawn_local(async move {
            let count = entries.len().to_string();
            match app.desk().copy_entries(entries, &to).await {
                Ok(true) => app.notify(NoticeKind::Info, L::CopiedTo.with(&[&count, &name.unwrap_or_default()])),
                Ok(false) => app.notify(NoticeKind::Warning, L::Gone),
                Err(error) => app.notify_store(error),
            }
        });
    };
    view! {
        <Show when=move || !others.with(Vec::is_empty)>
            <Picker label=L::CopyTo testid="lorebook-chosen-copy" options=others pick=Callback::new(copy) />
        </Show>
    }
}

#[component]
fn Pager(book: Book) -> impl IntoView {
    let app = App::here();
    let count = Memo::new(move |_| book.shown.with(Vec::len));
    let from = move || book.page.get() * ROWS;
    let words = move || {
        let to = (from() + ROWS).min(count.get());
        fill(say(app, L::Page)(), &[&(from() + 1).to_string(), &to.to_string(), &grouped(count.get() as u64)])
    };
    let is_last = move || from() + ROWS >= count.get();
    let turn = move |by: isize| move |_| book.page.update(|page| *page = page.saturating_add_signed(by));
    view! {
        <Show when=move || ROWS < count.get()>
            <nav class="lore-pager" aria-label=say(app, L::List)>
                <button type="button" class="icon-button" data-testid="lorebook-page-back" aria-label=say(app, L::Earlier) title=say(app, L::Earlier)
                    disabled=move || book.page.get() == 0 on:click=turn(-1)><Icon shape=Shape::CHEVRON_LEFT /></button>
                <span class="number" data-testid="lorebook-page" aria-live="polite">{words}</span>
                <button type="button" class="icon-button" data-testid="lorebook-page-on" aria-label=say(app, L::Later) title=say(app, L::Later)
                    disabled=is_last on:click=turn(1)><Icon shape=Shape::CHEVRON_RIGHT /></button>
            </nav>
        </Show>
    }
}
