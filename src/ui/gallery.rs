//! The files of a character: the expressions, backgrounds and gallery that came with its card, and pictures that the reader
//! adds as expressions.

use leptos::{prelude::*, task::spawn_local};

use super::{
    app::App,
    avatar::{Face, address_of},
    icons::{Icon, Shape},
    library::{PICTURES, chosen, of_file, read_picture},
};
use crate::{
    desk::expression::feelings,
    exchange::{character::is_added, picture::Picture},
    locales::{Say, Saying, gallery::T},
    story::{
        character::{Asset, Character},
        ids::CharacterId,
    },
};

/// The list from which a feeling is chosen.
const FEELINGS: &str = "gallery-feelings";

/// Shown beneath the character's editor.
#[component]
pub fn Gallery(id: CharacterId) -> impl IntoView {
    let app = App::here();
    let id = StoredValue::new(id);
    let assets = Memo::new(move |_| {
        let is_it = |one: &&Character| id.with_value(|id| one.id == *id);
        app.characters.with(|list| list.iter().find(is_it).map(|one| one.assets.clone())).unwrap_or_default()
    });
    // They are read when they are looked at.
    let seen = RwSignal::new(false);
    let (busy, fault) = (RwSignal::new(false), RwSignal::new(None::<Saying>));
    let add = move |event| {
        let files = chosen(&event);
        fault.set(None);
        busy.set(true);
        let id = id.get_value();
        spawn_local(async move {
            let (mut pictures, mut refused) = (Vec::new(), Vec::new());
            for file in files {
                match read_picture(&file).await {
                    Ok(portrait) => pictures.push((file.name(), portrait.picture)),
                    Err(why) => refused.push(of_file(file.name(), why)),
                }
            }
            refused.extend(put(app, id, pictures).await);
            busy.try_set(false);
            fault.try_set((!refused.is_empty()).then(|| Saying::joined(refused, "\n")));
        });
    };
    let pieces =
        move || assets.get().into_iter().map(|asset| view! { <Piece id=id.get_value() asset /> }).collect_view();
    view! {
        <details class="field-group" data-testid="character-assets" on:toggle=move |_| seen.set(true)>
            <summary>
                <h2>{app.t(T::Title)}</h2>
                <span class="number field-group-count" aria-hidden="true">{move || Some(assets.with(Vec::len)).filter(|count| *count > 0)}</span>
            </summary>
            <p class="field-note">{app.t(T::AddHint)}</p>
            <datalist id=FEELINGS>{move || feelings(app.language.get()).map(|name| view! { <option value=name></option> }).collect_view()}</datalist>
            <Show when=move || seen.get()>
                <ul class="gallery">{pieces}</ul>
            </Show>
            <div class="row gallery-add">
                <label class="button file-button" class:is-busy=move || busy.get()>
                    <Icon shape=Shape::IMAGE />
                    {app.t(T::Add)}
                    <input class="visually-hidden" type="file" multiple accept=PICTURES data-testid="character-asset-add" disabled=move || busy.get() on:change=add />
                </label>
                <Show when=move || fault.with(Option::is_some)>
                    <p class="place-fault" role="alert" data-testid="character-asset-error">{move || fault.get().map(|why| app.read(&why))}</p>
                </Show>
            </div>
            <Show when=move || assets.with(|assets| !assets.is_empty())>
                <p class="field-note">{app.t(T::Hint)}</p>
            </Show>
        </details>
    }
}

/// Adds pictures; what there was no room for.
async fn put(app: App, id: CharacterId, pictures: Vec<(String, Picture)>) -> Option<Saying> {
    let count = pictures.len();
    if count == 0 {
        return None;
    }
    match app.desk().add_expressions(&id, pictures).await {
        Ok(taken) => {
            app.refresh().await;
            (taken < count).then(|| T::Full.with(&[&(count - taken).to_string()]).kept())
        }
        Err(error) => {
            app.notify_store(error);
            None
        }
    }
}

#[component]
fn Piece(id: CharacterId, asset: Asset) -> impl IntoView {
    let app = App::here();
    let url = address_of(app, Signal::stored(Face::Stored(Some(asset.blob.clone()))));
    let file = asset.path.rsplit('/').next().unwrap_or_default().to_owned();
    let label = if asset.name.is_empty() { file } else { asset.name.clone() };
    let what = match asset.kind.as_str() {
        "emotion" => Some(T::Emotion),
        "background" => Some(T::Background),
        "icon" => Some(T::Icon),
        "user_icon" => Some(T::User),
        _ => None,
    };
    let alt = label.clone();
    // What is no picture, or none that can be drawn, has none.
    let drawn = RwSignal::new(true);
    let foot = match is_added(&asset.path) {
        true => view! { <Added id asset label /> }.into_any(),
        false => view! {
            <span class="gallery-name" dir="auto">{label}</span>
            {what.map(|what| view! { <span class="field-note">{app.t(what)}</span> })}
        }
        .into_any(),
    };
    view! {
        <li class="gallery-piece" data-testid="character-asset">
            <span class="gallery-picture">
                {move || match url.get().filter(|_| drawn.get()) {
                    Some(url) => view! { <img src=url alt=alt.clone() loading="lazy" decoding="async" on:error=move |_| drawn.set(false) /> }.into_any(),
                    None => view! { <span class="field-note">{app.t(T::File)}</span> }.into_any(),
                }}
            </span>
            {foot}
        </li>
    }
}

/// One that the reader added: the feeling that it shows, to be named, and a way to take it away.
#[component]
fn Added(id: CharacterId, asset: Asset, label: String) -> impl IntoView {
    let app = App::here();
    let which = StoredValue::new((id, asset));
    let rename = move |event| {
        let name = event_target_value(&event);
        spawn_local(async move {
            let (id, asset) = which.get_value();
            if app.is_stored(app.desk().rename_expression(&id, &asset, &name).await) {
                app.refresh().await;
            }
        });
    };
    let name = label.clone();
    let remove = move |_| {
        let name = name.clone();
        spawn_local(async move {
            let (id, asset) = which.get_value();
            match app.desk().remove_expression(&id, &asset).await {
                Ok(Some(at)) => {
                    let back = move || {
                        let (id, asset) = (id.clone(), asset.clone());
                        spawn_local(async move {
                            if app.is_stored(app.desk().restore_expression(&id, at, asset).await) {
                                app.refresh().await;
                            }
                        });
                    };
                    app.notify_undo(T::Removed.with(&[&name]), back);
                    app.refresh().await;
                }
                Ok(None) => app.refresh().await,
                Err(error) => app.notify_store(error),
            }
        });
    };
    let remove_name = T::RemoveOne.with(&[&label]).kept();
    view! {
        <span class="gallery-own">
            <input
                class="gallery-feeling"
                list=FEELINGS
                dir="auto"
                autocomplete="off"
                prop:value=label
                aria-label=app.t(T::Feeling)
                data-testid="character-asset-name"
                on:change=rename
            />
            <button type="button" class="icon-button" aria-label=move || app.read(&remove_name) data-testid="character-asset-remove" on:click=remove>
                <Icon shape=Shape::TRASH />
            </button>
        </span>
    }
}
