//! One block in the editor's list: a line with its switch and its cost, which opens for its fields.

use leptos::prelude::*;

use super::{draft::Row, role_name};
use crate::{
    locales::{T, fill, presets::T as P, prompts},
    prompt::sources::marker_name,
    story::preset::{Block, Role},
    ui::{
        app::App,
        icons::{Icon, Shape},
    },
};

/// What a row asks of the list.
#[derive(Clone, Copy)]
pub struct List {
    /// By how many places.
    pub shift: Callback<(u32, isize)>,
    pub remove: Callback<u32>,
    /// The block that the pointer drags.
    pub dragged: RwSignal<Option<u32>>,
    /// It is dragged over the block of this key.
    pub over: Callback<u32>,
}

/// What is done, and to which block.
fn named(label: impl Fn() -> &'static str, name: Memo<String>) -> impl Fn() -> String {
    move || format!("{} · {}", label(), name.get())
}

/// What a block is called where it has no name.
pub fn title(app: App, block: &Block) -> String {
    match (block.name.trim(), block.marker.as_deref()) {
        ("", Some(marker)) => prompts::source(marker_name(marker), app.language.get()).to_owned(),
        ("", None) => block.identifier.clone(),
        (name, _) => name.to_owned(),
    }
}

#[component]
pub fn BlockRow(row: Row, list: List, #[prop(into)] tokens: Signal<Option<u32>>) -> impl IntoView {
    let app = App::here();
    let Row { key, block, is_open } = row;
    let name = Memo::new(move |_| block.with(|block| title(app, block)));
    let enabled = move || block.with(|block| block.enabled);
    let marker = move || {
        let language = app.language.get();
        block.with(|block| block.marker.as_deref().map(|name| prompts::source(marker_name(name), language).to_owned()))
    };
    let fields = format!("block-fields-{key}");
    view! {
        <li
            class="preset-block"
            class:off=move || !enabled()
            class:dragged=move || list.dragged.get() == Some(key)
            data-testid="preset-block"
            data-block=move || block.with(|block| block.identifier.clone())
            on:keydown=move |event| if event.alt_key() && matches!(event.key().as_str(), "ArrowUp" | "ArrowDown") {
                event.prevent_default();
                list.shift.run((key, if event.key() == "ArrowUp" { -1 } else { 1 }));
            }
            on:dragover=move |event| if list.dragged.get_untracked().is_some() {
                event.prevent_default();
                list.over.run(key);
            }
            on:drop=move |event| event.prevent_default()
        >
            <div class="preset-block-line">
                <span
                    class="preset-block-grip"
                    aria-hidden="true"
                    draggable="true"
                    on:dragstart=move |event| {
                        // Some browsers drag nothing that has no data.
                        if let Some(transfer) = event.data_transfer() {
                            let _ = transfer.set_data("text/plain", &name.get_untracked());
                        }
                        list.dragged.set(Some(key));
                    }
                    on:dragend=move |_| list.dragged.set(None)
                >
                    <Icon shape=Shape::GRIP />
                </span>
                <label class="hit">
                    <input
                        type="checkbox"
                        role="switch"
                        class="preset-block-switch"
                        data-testid="preset-block-enabled"
                        aria-label=move || fill(app.t(P::BlockOn)(), &[&name.get()])
                        prop:checked=enabled
                        on:change=move |event| { let on = event_target_checked(&event); block.update(|block| block.enabled = on) }
                    />
                </label>
                <button
                    type="button"
                    class="preset-block-name"
                    data-testid="preset-block-open"
                    aria-expanded=move || is_open.get().to_string()
                    aria-controls=fields.clone()
                    on:click=move |_| is_open.update(|open| *open = !*open)
                >
                    <b>{name}</b>
                    {move || marker().filter(|marker| *marker != name.get()).map(|marker| view! { <span class="preset-block-source">{marker}</span> })}
                </button>
                <span class="preset-block-tokens number" data-testid="preset-block-tokens">
                    {move || tokens.get().filter(|_| enabled()).map(|tokens| fill(app.t(T::Tokens)(), &[&tokens.to_string()]))}
                </span>
                <button type="button" class="icon-button" data-testid="preset-block-up" aria-label=named(app.t(T::MoveUp), name) title=app.t(T::MoveUp)
                    on:click=move |_| list.shift.run((key, -1))><Icon shape=Shape::CHEVRON_UP /></button>
                <button type="button" class="icon-button" data-testid="preset-block-down" aria-label=named(app.t(T::MoveDown), name) title=app.t(T::MoveDown)
                    on:click=move |_| list.shift.run((key, 1))><Icon shape=Shape::CHEVRON_DOWN /></button>
            </div>
            <div id=fields hidden=move || !is_open.get()>
                <Show when=move || is_open.get()>
                    <Fields key block />
                    <div class="row">
                        <button type="button" class="button quiet danger" data-testid="preset-block-remove" aria-label=named(app.t(P::RemoveBlock), name)
                            on:click=move |_| list.remove.run(key)><Icon shape=Shape::TRASH />{app.t(P::RemoveBlock)}</button>
                    </div>
                </Show>
            </div>
        </li>
    }
}

#[component]
fn Fields(key: u32, block: RwSignal<Block>) -> impl IntoView {
    let app = App::here();
    let id = move |field: &str| format!("block-{key}-{field}");
    let is_marker = Memo::new(move |_| block.with(|block| block.marker.is_some()));
    let text_label = move || app.t(if is_marker.get() { P::BlockFrame } else { P::BlockText })();
    let roles = [Role::System, Role::User, Role::Assistant];
    let role_options = roles.map(|role| {
        let chosen = move || block.with(|block| block.role) == role;
        view! { <option value=role.name() selected=chosen>{app.t(role_name(role))}</option> }
    });
    let set_role = move |event| {
        let value = event_target_value(&event);
        if let Some(role) = roles.into_iter().find(|role| role.name() == value) {
            block.update(|block| block.role = role);
        }
    };
    // A marker that nobody here knows keeps its place in the select.
    let unknown = block.with_untracked(|block| {
        let name = block.marker.as_deref().map(marker_name)?;
        prompts::markers().all(|known| known != name).then(|| name.to_owned())
    });
    let names = prompts::markers().map(str::to_owned).chain(unknown);
    let source_options = names
        .map(|name| {
            let (this, label) = (name.clone(), name.clone());
            let chosen = move || block.with(|block| block.marker.as_deref().map(marker_name) == Some(&*this));
            view! { <option value=name selected=chosen>{move || prompts::source(&label, app.language.get()).to_owned()}</option> }
        })
        .collect_view();
    let set_source = move |event| {
        let value = event_target_value(&event);
        block.update(|block| block.marker = (!value.is_empty()).then_some(value));
    };
    let set_text = move |event| {
        let text = event_target_value(&event);
        block.update(|block| block.content = (!text.is_empty() || block.marker.is_none()).then_some(text));
    };
    let set_depth = move |event| {
        let depth = event_target_value(&event).trim().parse().ok();
        block.update(|block| block.depth = depth);
    };
    view! {
        <div class="preset-block-fields">
            <div class="field">
                <label for=id("name")>{app.t(T::Name)}</label>
                <input id=id("name") data-testid="preset-block-label" dir="auto" autocomplete="off"
                    prop:value=move || block.with(|block| block.name.clone())
                    on:input=move |event| { let name = event_target_value(&event); block.update(|block| block.name = name) } />
            </div>
            <div class="preset-block-pair">
                <div class="field">
                    <label for=id("source")>{app.t(P::BlockSource)}</label>
                    <select id=id("source") data-testid="preset-block-source" on:change=set_source>
                        <option value="" selected=move || !is_marker.get()>{app.t(P::BlockOwnText)}</option>
                        {source_options}
                    </select>
                </div>
                <div class="field">
                    <label for=id("role")>{app.t(P::BlockRole)}</label>
                    <select id=id("role") data-testid="preset-block-role" on:change=set_role>{role_options}</select>
                </div>
            </div>
            <div class="field">
                <label for=id("text")>{text_label}</label>
                <textarea id=id("text") rows="4" data-testid="preset-block-text" dir="auto"
                    prop:value=move || block.with(|block| block.content.clone().unwrap_or_default())
                    on:input=set_text></textarea>
            </div>
            <div class="field">
                <label for=id("depth")>{app.t(P::BlockDepth)}</label>
                <input id=id("depth") type="number" min="0" max="10000" inputmode="numeric" data-testid="preset-block-depth"
                    prop:value=move || block.with(|block| block.depth.map(|depth| depth.to_string()).unwrap_or_default())
                    on:input=set_depth />
            </div>
        </div>
    }
}
