//! The lines of a text in order, to be dragged into another: by mouse, by finger, or with the keys.

use leptos::{ev, html, prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::{
    locales::{T, fill},
    ui::{
        app::App,
        icons::{Icon, Shape},
    },
    web::{clock::BrowserClock, window},
};

/// Lines that say something, each with a key of its own though others may say the same.
fn rows(text: &str) -> Vec<(String, usize)> {
    let mut rows: Vec<(String, usize)> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let same = rows.iter().filter(|(known, _)| known == line).count();
        rows.push((line.to_owned(), same));
    }
    rows
}

/// The text with one of its lines at another place. Blank lines fall away.
fn moved(text: &str, from: usize, to: usize) -> String {
    let mut lines: Vec<String> = rows(text).into_iter().map(|(line, _)| line).collect();
    if from < lines.len() && to < lines.len() {
        let line = lines.remove(from);
        lines.insert(to, line);
    }
    lines.join("\n")
}

/// Beneath a field of lines: the same lines as rows with a grip.
pub fn line_order(value: RwSignal<String>) -> AnyView {
    view! { <LineOrder value /> }.into_any()
}

#[component]
fn LineOrder(value: RwSignal<String>) -> impl IntoView {
    let app = App::here();
    let lines = Memo::new(move |_| value.with(|text| rows(text)));
    let dragged = RwSignal::new(None::<(String, usize)>);
    let announced = RwSignal::new(String::new());
    let place_of =
        move |row: &(String, usize)| lines.with_untracked(|lines| lines.iter().position(|known| known == row));
    let move_to = move |from: usize, to: usize| {
        let count = lines.with_untracked(Vec::len);
        if from == to || to >= count {
            return;
        }
        let name = lines.with_untracked(|lines| lines[from].0.clone());
        value.update(|text| *text = moved(text, from, to));
        announced.set(fill(app.say(T::BlockMoved), &[&name, &(to + 1).to_string(), &count.to_string()]));
    };
    let list = NodeRef::<html::Ol>::new();
    // A row that moves in the page loses the pointer, so the whole window is listened to.
    let drag = window_event_listener(ev::pointermove, move |event| {
        let from = dragged.with_untracked(|row| row.as_ref().and_then(place_of));
        if let (Some(from), Some(list)) = (from, list.get_untracked())
            && let Some(to) = place_at(&list, from, f64::from(event.client_y()))
        {
            move_to(from, to);
        }
    });
    let drop = (
        window_event_listener(ev::pointerup, move |_| dragged.set(None)),
        window_event_listener(ev::pointercancel, move |_| dragged.set(None)),
    );
    on_cleanup(move || {
        drag.remove();
        drop.0.remove();
        drop.1.remove();
    });
    view! {
        <Show when=move || lines.with(|lines| lines.len() > 1)>
            <p class="field-note line-order-note" id="outline-order-note">{app.t(T::OutlineOrder)}</p>
            <ol class="line-order" node_ref=list data-testid="outline-order" aria-labelledby="outline-order-note">
                <For each=move || lines.get() key=Clone::clone let:row>
                    {
                        let row = StoredValue::new(row);
                        let at = Memo::new(move |_| lines.with(|lines| lines.iter().position(|known| row.with_value(|row| known == row))));
                        let shift = move |by: isize| {
                            if let Some(from) = at.get_untracked()
                                && let Some(to) = from.checked_add_signed(by)
                            {
                                keep_focus();
                                move_to(from, to);
                            }
                        };
                        let named = move |label: T| move || format!("{} · {}", app.t(label)(), row.with_value(|row| row.0.clone()));
                        view! {
                            <li
                                class="line-row"
                                class:dragged=move || dragged.with(|dragged| dragged.as_ref().is_some_and(|dragged| row.with_value(|row| row == dragged)))
                                data-testid="outline-row"
                                data-row=move || at.get().map(|at| at.to_string())
                                on:keydown=move |event| if event.alt_key() && matches!(event.key().as_str(), "ArrowUp" | "ArrowDown") {
                                    event.prevent_default();
                                    shift(if event.key() == "ArrowUp" { -1 } else { 1 });
                                }
                            >
                                <span
                                    class="line-grip"
                                    data-testid="outline-grip"
                                    aria-hidden="true"
                                    on:pointerdown=move |event| {
                                        event.prevent_default();
                                        dragged.set(Some(row.get_value()));
                                    }
                                >
                                    <Icon shape=Shape::GRIP />
                                </span>
                                <span class="line-text">{row.with_value(|row| row.0.clone())}</span>
                                <button type="button" class="icon-button" data-testid="outline-up" aria-label=named(T::MoveUp) title=app.t(T::MoveUp)
                                    on:click=move |_| shift(-1)><Icon shape=Shape::CHEVRON_UP /></button>
                                <button type="button" class="icon-button" data-testid="outline-down" aria-label=named(T::MoveDown) title=app.t(T::MoveDown)
                                    on:click=move |_| shift(1)><Icon shape=Shape::CHEVRON_DOWN /></button>
                            </li>
                        }
                    }
                </For>
            </ol>
            <p class="visually-hidden" role="status" aria-live="polite">{announced}</p>
        </Show>
    }
}

/// The place of the row at this height, once the pointer is past its middle as seen from the row that is dragged.
fn place_at(list: &Element, from: usize, y: f64) -> Option<usize> {
    let rows = list.children();
    (0..rows.length()).find_map(|at| {
        let area = rows.item(at)?.get_bounding_client_rect();
        let middle = (area.top() + area.bottom()) / 2.0;
        let to = at as usize;
        let is_past = if to > from { y > middle } else { y < middle };
        ((area.top()..area.bottom()).contains(&y) && to != from && is_past).then_some(to)
    })
}

/// A row that moves in the page loses the focus; it gets it back in its new place.
fn keep_focus() {
    let focused = window().document().and_then(|document| document.active_element());
    let Some(focused) = focused.and_then(|element| element.dyn_into::<HtmlElement>().ok()) else { return };
    spawn_local(async move {
        BrowserClock.frame().await;
        let _ = focused.focus();
    });
}
