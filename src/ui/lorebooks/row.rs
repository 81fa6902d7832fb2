//! An entry in the list: a line, which opens for its fields.

use leptos::prelude::*;

use super::{book::Book, entry::EntryForm, words::say};
use crate::{
    desk::lorebooks::Row,
    locales::{
        T, fill,
        lorebooks::{T as L, position},
        warnings::grouped,
    },
    story::lorebook::Position,
    ui::{
        app::App,
        icons::{Icon, Shape},
    },
};

#[component]
pub fn EntryRow(book: Book, id: String) -> impl IntoView {
    let app = App::here();
    let id = StoredValue::new(id);
    let row = Memo::new(move |_| id.with_value(|id| book.with(|draft| draft.row(id))));
    let of = move |get: fn(&Row) -> bool| row.with(|row| row.as_ref().is_some_and(get));
    let title = Memo::new(move |_| {
        let title = row.with(|row| row.as_ref().map(|row| row.title.clone()).unwrap_or_default());
        if title.is_empty() { say(app, L::Unnamed)().to_owned() } else { title }
    });
    let keys = move || row.with(|row| row.as_ref().map(|row| row.keys.clone()).unwrap_or_default());
    let place = move || {
        row.with(|row| {
            let Some(row) = row else { return String::new() };
            match (row.position, row.depth) {
                (Position::AtDepth, Some(depth)) => fill(say(app, L::AtDepthOf)(), &[&depth.to_string()]),
                (at, _) => say(app, position(at))().to_owned(),
            }
        })
    };
    let tokens = move || row.with(|row| row.as_ref().map(|row| grouped(row.tokens)).unwrap_or_default());
    let tokens_named = move || fill(app.t(T::Tokens)(), &[&tokens()]);
    let is_open = Memo::new(move |_| id.with_value(|id| book.open.with(|open| open.as_deref() == Some(id))));
    let is_chosen = move || id.with_value(|id| book.chosen.with(|chosen| chosen.contains(id)));
    let choose = move |event| {
        let on = event_target_checked(&event);
        book.choose(&[id.get_value()], on);
    };
    let switch = move |event| {
        let on = event_target_checked(&event);
        id.with_value(|id| book.edit(id, |entry| entry.enabled = on));
    };
    let fields = id.with_value(|id| format!("lore-entry-{}", id.replace(char::is_whitespace, "_")));
    let fields_id = fields.clone();
    view! {
        <li class="lore-entry" class:off=move || !of(|row| row.enabled) data-testid="lorebook-entry" data-entry=id.get_value()>
            <div class="lore-entry-line">
                <label class="hit">
                    <input type="checkbox" class="lore-choose" data-testid="lorebook-entry-choose"
                        aria-label=move || fill(say(app, L::Choose)(), &[&title.get()])
                        prop:checked=is_chosen on:change=choose />
                </label>
                <label class="hit">
                    <input type="checkbox" role="switch" class="lore-switch" data-testid="lorebook-entry-enabled"
                        aria-label=move || fill(say(app, L::Use)(), &[&title.get()])
                        prop:checked=move || of(|row| row.enabled) on:change=switch />
                </label>
                <button type="button" class="lore-entry-name" data-testid="lorebook-entry-open"
                    aria-expanded=move || is_open.get().to_string() aria-controls=fields
                    on:click=move |_| id.with_value(|id| book.flip(id))>
                    <b dir="auto">{title}</b>
                    <span class="lore-entry-keys" dir="auto">{keys}</span>
                </button>
                <span class="lore-entry-facts">
                    <Show when=move || of(|row| row.is_faulty)>
                        <span class="lore-fault" role="img" aria-label=say(app, L::FaultyKeys) title=say(app, L::FaultyKeys)><Icon shape=Shape::INFO /></span>
                    </Show>
                    <Show when=move || of(|row| row.constant)><span class="lore-always">{say(app, L::Always)}</span></Show>
                    <Show when=move || of(|row| row.by_meaning)><span class="lore-always">{say(app, L::ByMeaningMark)}</span></Show>
                    <span class="lore-entry-place">{place}</span>
                    <span class="lore-entry-tokens number" data-testid="lorebook-entry-tokens" title=tokens_named>{tokens}</span>
                </span>
            </div>
            <div id=fields_id hidden=move || !is_open.get()>
                <Show when=move || is_open.get()>
                    <EntryForm book id=id.get_value() />
                </Show>
            </div>
        </li>
    }
}
