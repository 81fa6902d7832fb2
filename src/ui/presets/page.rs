//! The list of presets, and the ways in and out.

use leptos::{prelude::*, task::spawn_local};

use super::{all_built_in, copy, files, own, read_own, remove};
use crate::{
    desk::shelves::{Glance, is_favourite, set_favourite},
    locales::{Saying, T, fill, presets::T as P},
    story::preset::Preset,
    ui::{
        app::App,
        icons::{Icon, Shape},
        library::{self, bar, chosen, last_played, nothing_found, of, star},
        route::Route,
    },
};

impl library::Shelved for Preset {
    const KIND: &'static str = "preset";

    fn glance(&self, app: App) -> Glance {
        Glance {
            name: self.name.clone(),
            texts: vec![self.description.clone()],
            tags: Vec::new(),
            is_favourite: is_favourite(&self.extra),
            changed: self.updated,
            made: self.created,
            played: last_played(app, |storyline| storyline.preset == self.id),
        }
    }
}

/// Among the favourites, or no more.
async fn favour(app: App, preset: Preset, list: RwSignal<Vec<Preset>>) {
    let favoured = !is_favourite(&preset.extra);
    let change = |stored: &mut Preset| set_favourite(&mut stored.extra, favoured);
    if app.is_stored(app.desk().amend_entry(preset.id.as_str(), change).await) {
        read_own(app, list).await;
    }
}

#[component]
pub fn Presets() -> impl IntoView {
    let app = App::here();
    let list = own(app);
    let fault = RwSignal::new(None::<Saying>);
    let shelf = library::Shelf::new(app, list.into());
    let choose = move |event| {
        if let Some(file) = chosen(&event).into_iter().next() {
            spawn_local(files::import(app, file, list, fault));
        }
    };
    view! {
        <section class="sheet-page library presets">
            <header class="library-head">
                <h1>{app.t(T::Presets)}</h1>
                <label class="button file-button">
                    <Icon shape=Shape::UPLOAD />
                    {app.t(T::Import)}
                    <input
                        class="visually-hidden"
                        type="file"
                        accept=".json,.preset,application/json"
                        data-testid="preset-import"
                        aria-describedby="preset-import-hint"
                        on:change=choose
                    />
                </label>
            </header>
            <p class="field-note preset-hint" id="preset-import-hint">{app.t(P::PresetImportHint)}</p>
            <div class="import-fault">
                <Show when=move || fault.with(Option::is_some)>
                    <p class="place-fault" role="alert" data-testid="import-error">{move || fault.get().map(|why| app.read(&why))}</p>
                </Show>
            </div>
            <h2>{app.t(P::PresetsOwn)}</h2>
            {bar(shelf)}
            <ul class="entries">
                <For each=move || shelf.shown.get() key=|preset| (preset.id.clone(), preset.updated, is_favourite(&preset.extra)) let:preset>
                    {item(app, preset, list, true)}
                </For>
            </ul>
            {nothing_found(shelf)}
            <Show when=move || list.with(Vec::is_empty)>
                <p class="empty">{app.t(P::PresetsNone)}</p>
            </Show>
            <h2>{app.t(P::PresetsBuiltIn)}</h2>
            <p class="field-note preset-hint">{app.t(P::PresetsBuiltInHint)}</p>
            <ul class="entries">
                <For each=move || all_built_in(app.language.get()) key=|preset| (preset.id.clone(), preset.name.clone()) let:preset>
                    {item(app, preset, list, false)}
                </For>
            </ul>
        </section>
    }
}

fn item(app: App, preset: Preset, list: RwSignal<Vec<Preset>>, is_own: bool) -> impl IntoView {
    let (name, purpose) = (preset.name.clone(), preset.description.clone());
    let blocks = preset.blocks.len().to_string();
    let desk = Route::Preset(preset.id.clone()).hash();
    let id = preset.id.0.clone();
    let is_favoured = is_favourite(&preset.extra);
    let preset = StoredValue::new(preset);
    let action = |testid: &'static str, icon: Shape, label: T, action: Callback<Preset>| {
        view! {
            <button type="button" class="icon-button" data-testid=testid aria-label=of(app, label, &name) title=app.t(label)
                on:click=move |_| action.run(preset.get_value())>
                <Icon shape=icon />
            </button>
        }
    };
    let leaving = RwSignal::new(false);
    let forms = move || {
        let form = |testid: &'static str, label: &'static str, hint: P, write: fn(App, &Preset)| {
            view! {
                <button type="button" class="button" data-testid=testid title=app.t(hint) on:click=move |_| preset.with_value(|preset| write(app, preset))>{label}</button>
            }
        };
        view! {
            <div class="entry-forms row" role="group" aria-label=app.t(T::ExportAs)>
                <span class="field-note">{app.t(T::ExportAs)}</span>
                {form("preset-export-fabula", "Fabula", P::PresetAsOurs, files::export)}
                {form("preset-export-sillytavern", "SillyTavern", P::PresetAsTheirs, files::export_sillytavern)}
            </div>
        }
    };
    let words = view! {
        <span class="entry-words">
            <b dir="auto">{name.clone()}</b>
            {(!purpose.is_empty()).then(|| view! { <span class="entry-line preset-purpose" data-testid="preset-purpose">{purpose}</span> })}
            <span class="entry-used">{move || fill(app.t(T::BlocksCount)(), &[&blocks])}</span>
        </span>
    };
    let duplicate = move |preset| {
        spawn_local(async move {
            if copy(app, preset).await.is_some() {
                read_own(app, list).await;
            }
        });
    };
    view! {
        <li class="entry" data-testid="preset-item" data-preset=id>
            <a class="entry-main" data-testid="preset-open" href=desk.clone()>{words}</a>
            <div class="entry-actions">
                {is_own.then(|| star(app, "preset", &name, is_favoured, move || spawn_local(favour(app, preset.get_value(), list))))}
                {is_own.then(|| view! {
                    <a class="icon-button" data-testid="preset-edit" href=desk aria-label=of(app, T::Edit, &name) title=app.t(T::Edit)>
                        <Icon shape=Shape::PENCIL />
                    </a>
                })}
                {action("preset-duplicate", Shape::COPY, T::Duplicate, Callback::new(duplicate))}
                {action("preset-export", Shape::DOWNLOAD, T::Export, Callback::new(move |_| leaving.update(|leaving| *leaving = !*leaving)))}
                {is_own.then(|| action("preset-delete", Shape::TRASH, T::Delete, Callback::new(move |preset| spawn_local(remove(app, preset, list)))))}
            </div>
            {move || leaving.get().then(forms)}
        </li>
    }
}
