//! The editor of a preset: its blocks in their order, and what they make.

use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::{
    block::{BlockRow, List, title},
    draft::{Draft, Row},
    features::PresetFeatures,
    preview::{Preview, follow, tokens_of},
    reader::PresetReader,
};
use crate::{
    exchange::names::tidy_name,
    locales::{Say, Saying, T, fill, presets::T as P, sampling::T as S},
    prompt::builtin::BUILTIN,
    story::{
        ids::PresetId,
        preset::{Block, Preset},
    },
    ui::{
        app::App,
        fields::TextField,
        icons::{Icon, Shape},
        library::{LeaveBar, hold, not_stored},
        route::Route,
        samplers::{NumberField, RareSamplers},
    },
    web::{clock::BrowserClock, window},
};

#[component]
pub fn PresetEditor(id: PresetId) -> impl IntoView {
    let app = App::here();
    let stored = RwSignal::new(None::<Option<Preset>>);
    let is_built_in = BUILTIN.iter().any(|(known, _)| *known == id.as_str());
    let wanted = id.clone();
    spawn_local(async move {
        match app.desk().load::<Preset>(wanted.as_str()).await {
            Ok(preset) => drop(stored.try_set(Some(preset))),
            Err(error) => app.notify_store(error),
        }
    });
    move || {
        match stored.get() {
        None => ().into_any(),
        Some(None) if is_built_in => view! { <PresetReader id=id.clone() /> }.into_any(),
        Some(None) => view! {
            <section class="sheet-page">
                <p class="empty">{app.t(P::PresetGone)} " " <a class="link" href=Route::Presets.hash()>{app.t(T::BackToList)}</a></p>
            </section>
        }
        .into_any(),
        Some(Some(preset)) => view! { <Form preset /> }.into_any(),
    }
    }
}

#[component]
fn Form(preset: Preset) -> impl IntoView {
    let app = App::here();
    let draft = Draft::of(preset);
    let is_saved = RwSignal::new(false);
    let changed = Memo::new(move |_| (draft.is_changed() || !draft.is_sound()) && !is_saved.get());
    let wanted = hold(changed);
    let fault = RwSignal::new(None::<Saying>);
    let busy = RwSignal::new(false);
    let leave = move || match wanted.try_get_untracked() {
        Some(Some(wish)) => wish.grant(),
        Some(None) => app.go(Route::Presets),
        None => {}
    };
    let save = move || {
        if busy.get_untracked() {
            return;
        }
        let preset = untrack(|| draft.preset());
        let (name, _) = tidy_name(&preset.name);
        if name.is_empty() {
            wanted.set(None);
            return fault.set(Some(T::NameNeeded.kept()));
        }
        if !untrack(|| draft.is_sound()) {
            wanted.set(None);
            return fault.set(Some(S::SamplersBroken.kept()));
        }
        busy.set(true);
        let was = draft.stored.get_value();
        let preset = Preset { name, updated: app.browser().ports.clock.now(), ..preset };
        spawn_local(async move {
            let saved = app.desk().change_preset(&was, preset.clone()).await;
            busy.try_set(false);
            match saved {
                Ok(()) => {
                    app.story.follow_preset(app, preset.id.as_str()).await;
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
        (fault.with(Option::is_some) && draft.name.with(|name| name.trim().is_empty()))
            .then(|| app.t(T::Required)().to_owned())
    });
    view! {
        <section class="sheet-page editor preset-editor">
            <form class="form" on:submit=move |event| { event.prevent_default(); save() }>
                <header class="editor-head">
                    <a class="icon-button" href=Route::Presets.hash() aria-label=app.t(T::BackToList) title=app.t(T::BackToList)><Icon shape=Shape::ARROW_LEFT /></a>
                    <h1>{app.t(P::EditPreset)}</h1>
                    <button type="submit" class="button primary" data-testid="preset-save" disabled=move || busy.get()
                        hidden=move || wanted.with(Option::is_some)>{app.t(T::Save)}</button>
                    <Show when=move || fault.with(Option::is_some)>
                        <p class="place-fault" role="alert" data-testid="preset-error">{move || fault.get().map(|why| app.read(&why))}</p>
                    </Show>
                    <LeaveBar wanted save=Callback::new(move |()| save()) discard=Callback::new(move |()| discard()) />
                </header>
                <Blocks draft blank />
            </form>
        </section>
    }
}

#[component]
fn Blocks(draft: Draft, blank: Signal<Option<String>>) -> impl IntoView {
    let app = App::here();
    let preview = follow(app, draft);
    let announced = RwSignal::new(String::new());
    let dragged = RwSignal::new(None::<u32>);
    let name_of = move |key: u32| {
        let row = draft.rows.with_untracked(|rows| rows.iter().find(|row| row.key == key).copied());
        row.map(|row| untrack(|| row.block.with(|block| title(app, block)))).unwrap_or_default()
    };
    let move_to = move |key: u32, to: usize| {
        if let Some((place, count)) = draft.move_to(key, to) {
            let values = [name_of(key), (place + 1).to_string(), count.to_string()];
            announced.set(fill(app.say(T::BlockMoved), &values.each_ref().map(String::as_str)));
        }
    };
    let shift = move |(key, by): (u32, isize)| {
        if let Some(to) = draft.place_of(key).and_then(|at| at.checked_add_signed(by)) {
            keep_focus();
            move_to(key, to);
        }
    };
    let over = move |key: u32| {
        if let (Some(from), Some(to)) = (dragged.get_untracked(), draft.place_of(key))
            && from != key
        {
            move_to(from, to);
        }
    };
    let remove = move |key: u32| {
        let Some(at) = draft.place_of(key) else { return };
        let text = P::BlockRemoved.with(&[&name_of(key)]);
        // Not within the row: what is made there, the undo too, would go with it.
        spawn_local(async move {
            let Some(row) = draft.rows.try_update(|rows| rows.remove(at)) else { return };
            app.notify_undo(text, move || draft.put_back(at, row));
        });
    };
    let has_samplers = draft.stored.with_value(|preset| !preset.sampling.is_default());
    let list = List { shift: Callback::new(shift), remove: Callback::new(remove), dragged, over: Callback::new(over) };
    let add = move |_| {
        let identifier: PresetId = app.browser().ports.id();
        draft.add(Block {
            identifier: identifier.0,
            name: app.say(P::NewBlock).to_owned(),
            content: Some(String::new()),
            ..Block::default()
        });
    };
    view! {
        <div class="preset-desk">
            <div class="form preset-list">
                <TextField label=app.t(T::Name) value=draft.name testid="preset-name" fault=blank />
                <TextField label=app.t(P::PresetPurpose) value=draft.description testid="preset-description" />
                <ol class="preset-blocks" data-testid="preset-blocks">
                    <For each=move || draft.rows.get() key=|row| row.key let:row>
                        <BlockRow row list tokens=Signal::derive(move || tokens(preview, row)) />
                    </For>
                </ol>
                <div class="row">
                    <button type="button" class="button" data-testid="preset-block-add" on:click=add><Icon shape=Shape::PLUS />{app.t(P::AddBlock)}</button>
                </div>
                <PresetFeatures features=draft.features />
                <details class="more" data-testid="preset-samplers" open=has_samplers>
                    <summary>{app.t(S::PresetSamplers)}</summary>
                    <p class="field-note">{app.t(S::PresetSamplersHint)}</p>
                    <div class="columns"><NumberField number=draft.samplers.temperature /></div>
                    <RareSamplers samplers=draft.samplers />
                </details>
                <p class="visually-hidden" role="status" aria-live="polite" data-testid="preset-announce">{announced}</p>
            </div>
            <Preview preview />
        </div>
    }
}

fn tokens(preview: RwSignal<Option<(String, crate::prompt::framework::Prompt)>>, row: Row) -> Option<u32> {
    tokens_of(preview, &row.block.with(|block| block.identifier.clone()))
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
