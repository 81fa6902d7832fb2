//! A built-in preset, to be read: its blocks in their order, and what they make.

use leptos::{prelude::*, task::spawn_local};

use super::{
    block::title,
    copy,
    draft::Draft,
    features::PresetTurnsOn,
    preview::{Preview, follow, tokens_of},
    role_name,
};
use crate::{
    locales::{T, fill, presets::T as P, prompts},
    prompt::{builtin::builtin, sources::marker_name},
    story::{
        ids::PresetId,
        preset::{Block, Preset},
    },
    ui::{
        app::App,
        icons::{Icon, Shape},
        route::Route,
    },
};

#[component]
pub fn PresetReader(id: PresetId) -> impl IntoView {
    let app = App::here();
    move || builtin(id.as_str(), app.language.get()).map(|preset| page(app, preset))
}

fn page(app: App, preset: Preset) -> impl IntoView {
    let preview = follow(app, Draft::of(preset.clone()));
    let features = preset.features.clone();
    let blocks = preset.blocks.iter().map(|block| {
        let id = block.identifier.clone();
        row(app, block, Signal::derive(move || tokens_of(preview, &id)))
    });
    let blocks = blocks.collect_view();
    let (name, purpose) = (preset.name.clone(), preset.description.clone());
    let duplicate = move |_| {
        let preset = preset.clone();
        spawn_local(async move {
            if let Some(copy) = copy(app, preset).await {
                app.go(Route::Preset(copy));
            }
        });
    };
    view! {
        <section class="sheet-page editor preset-editor" data-testid="preset-reader">
            <header class="editor-head">
                <a class="icon-button" href=Route::Presets.hash() aria-label=app.t(T::BackToList) title=app.t(T::BackToList)><Icon shape=Shape::ARROW_LEFT /></a>
                <h1>{name}</h1>
                <button type="button" class="button" data-testid="preset-duplicate" on:click=duplicate><Icon shape=Shape::COPY />{app.t(P::DuplicateToEdit)}</button>
            </header>
            <div class="preset-desk">
                <div class="preset-list">
                    <p class="preset-purpose" data-testid="preset-purpose">{purpose}</p>
                    <ol class="preset-blocks" data-testid="preset-blocks">{blocks}</ol>
                    <PresetTurnsOn features />
                </div>
                <Preview preview />
            </div>
        </section>
    }
}

fn row(app: App, block: &Block, tokens: Signal<Option<u32>>) -> impl IntoView + use<> {
    let (id, enabled, role) = (block.identifier.clone(), block.enabled, block.role);
    let name = untrack(|| title(app, block));
    let text = block.content.clone().filter(|text| !text.is_empty());
    let source = block.marker.clone().map(|marker| {
        let place = move || {
            let source = prompts::source(marker_name(&marker), app.language.get());
            fill(app.t(P::BlockPlaceOf)(), &[source])
        };
        view! { <p>{place}</p> }
    });
    view! {
        <li class="preset-block" class:off=!enabled data-testid="preset-block" data-block=id>
            <details>
                <summary class="preset-block-line" data-testid="preset-block-open">
                    <span class="preset-block-name">
                        <b>{name}</b>
                        <span class="preset-block-source">{app.t(role_name(role))}</span>
                        {(!enabled).then(|| view! { <span class="preset-block-source">{app.t(P::BlockIsOff)}</span> })}
                    </span>
                    <span class="preset-block-tokens number">
                        {move || tokens.get().filter(|_| enabled).map(|tokens| fill(app.t(T::Tokens)(), &[&tokens.to_string()]))}
                    </span>
                </summary>
                <div class="preset-block-said" data-testid="preset-block-said">
                    {source}
                    {text.map(|text| view! { <pre tabindex="0">{text}</pre> })}
                </div>
            </details>
        </li>
    }
}
