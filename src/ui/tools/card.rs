//! What sets of either kind look like: a head with its switch, its name and what can be done with it, and rows that open.

use leptos::prelude::*;

use super::{Shelf, T, ToolSet, files};
use crate::{
    exchange::names::tidy_name,
    locales::T as Common,
    ui::{
        app::App,
        icons::{Icon, Shape},
    },
};

/// The head of a set.
pub(super) fn head<S: ToolSet>(shelf: Shelf, set: Memo<Option<S>>, add: Callback<()>) -> AnyView {
    let app = shelf.app;
    let id = move || set.with_untracked(|set| set.as_ref().map(|set| set.key().to_owned())).unwrap_or_default();
    let name = Memo::new(move |_| set.with(|set| set.as_ref().map(|set| set.name().to_owned())).unwrap_or_default());
    let is_on = move || set.with(|set| set.as_ref().is_some_and(ToolSet::enabled));
    let switch = move |event| {
        let on = event_target_checked(&event);
        shelf.change::<S>(id(), move |set| set.set_enabled(on));
    };
    let rename = move |event| {
        let (name, _) = tidy_name(&event_target_value(&event));
        if !name.is_empty() {
            shelf.change::<S>(id(), move |set| set.set_name(name));
        }
    };
    let with = move |act: fn(Shelf, S)| {
        move |_| {
            if let Some(set) = set.get_untracked() {
                act(shelf, set);
            }
        }
    };
    let kind = S::KIND;
    view! {
        <div class="tool-head">
            <label class="hit">
                <input type="checkbox" class="tool-switch" data-testid=format!("{kind}-enabled") aria-label=move || format!("{}: {}", app.t(T::On)(), name.get())
                    prop:checked=is_on on:change=switch />
            </label>
            <input class="tool-name" data-testid=format!("{kind}-name") aria-label=app.t(T::SetName) autocomplete="off" dir="auto"
                prop:value=name on:change=rename />
            <div class="entry-actions">
                <button type="button" class="icon-button" data-testid=format!("{kind}-add") aria-label=app.t(T::Add) title=app.t(T::Add)
                    on:click=move |_| add.run(())><Icon shape=Shape::PLUS /></button>
                <button type="button" class="icon-button" data-testid=format!("{kind}-export") aria-label=app.t(Common::Export) title=app.t(Common::Export)
                    on:click=with(|shelf, set: S| files::export(shelf.app, &set))><Icon shape=Shape::DOWNLOAD /></button>
                <button type="button" class="icon-button" data-testid=format!("{kind}-delete") aria-label=app.t(Common::Delete) title=app.t(Common::Delete)
                    on:click=with(|shelf, set: S| shelf.remove(set))><Icon shape=Shape::TRASH /></button>
            </div>
        </div>
    }
    .into_any()
}

/// What a row says, and what can be done with it.
pub(super) struct Row {
    pub kind: &'static str,
    pub title: Signal<String>,
    pub line: Signal<String>,
    pub fault: Signal<Option<String>>,
    pub is_on: Signal<bool>,
    pub switch: Callback<bool>,
    pub shift: Callback<bool>,
    pub remove: Callback<()>,
    pub open: RwSignal<bool>,
}

/// A row of a set: what it is, and, where it is open, its form beneath.
pub(super) fn row(app: App, row: Row, form: impl Fn() -> AnyView + Send + Sync + 'static) -> AnyView {
    let Row { kind, title, line, fault, is_on, switch, shift, remove, open } = row;
    let act = move |testid: &str, icon: Shape, label: T, act: Callback<()>| {
        view! {
            <button type="button" class="icon-button" data-testid=format!("{kind}-{testid}") aria-label=app.t(label) title=app.t(label)
                on:click=move |_| act.run(())><Icon shape=icon /></button>
        }
    };
    view! {
        <li class="tool-row" data-testid=format!("{kind}-item") class:off=move || !is_on.get()>
            <div class="tool-line">
                <label class="hit">
                    <input type="checkbox" class="tool-switch" data-testid=format!("{kind}-on") aria-label=move || format!("{}: {}", app.t(T::On)(), title.get())
                        prop:checked=move || is_on.get() on:change=move |event| switch.run(event_target_checked(&event)) />
                </label>
                <button type="button" class="tool-open" data-testid=format!("{kind}-open") aria-expanded=move || open.get().to_string()
                    on:click=move |_| open.update(|open| *open = !*open)>
                    <b dir="auto">{move || title.get()}</b>
                    <span class="tool-what" dir="auto">{move || line.get()}</span>
                </button>
                <div class="entry-actions">
                    {act("up", Shape::CHEVRON_UP, T::Up, Callback::new(move |()| shift.run(false)))}
                    {act("down", Shape::CHEVRON_DOWN, T::Down, Callback::new(move |()| shift.run(true)))}
                    <button type="button" class="icon-button" data-testid=format!("{kind}-remove") aria-label=app.t(Common::Delete) title=app.t(Common::Delete)
                        on:click=move |_| remove.run(())><Icon shape=Shape::TRASH /></button>
                </div>
            </div>
            {move || fault.get().map(|why| view! { <p class="place-fault" role="alert" data-testid=format!("{kind}-fault")>{why}</p> })}
            {move || open.get().then(&form)}
        </li>
    }
    .into_any()
}
