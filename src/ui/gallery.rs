//! The files that came with a character's card: expressions, backgrounds, a gallery.

use leptos::prelude::*;

use super::{
    app::App,
    avatar::{Face, address_of},
};
use crate::{
    locales::gallery::T,
    story::{character::Asset, ids::CharacterId},
};

/// Shown beneath the character's editor, where there are any.
#[component]
pub fn Gallery(id: CharacterId) -> impl IntoView {
    let app = App::here();
    let assets = app.character(&id).map(|character| character.assets).unwrap_or_default();
    (!assets.is_empty()).then(|| {
        let count = assets.len();
        let assets = StoredValue::new(assets);
        // They are read when they are looked at.
        let seen = RwSignal::new(false);
        view! {
            <details class="field-group" data-testid="character-assets" on:toggle=move |_| seen.set(true)>
                <summary>
                    <h2>{app.t(T::Title)}</h2>
                    <span class="number field-group-count" aria-hidden="true">{count}</span>
                </summary>
                <p class="field-note">{app.t(T::Hint)}</p>
                <Show when=move || seen.get()>
                    <ul class="gallery">{assets.get_value().into_iter().map(|asset| view! { <Piece asset /> }).collect_view()}</ul>
                </Show>
            </details>
        }
    })
}

#[component]
fn Piece(asset: Asset) -> impl IntoView {
    let app = App::here();
    let Asset { kind, name, path, blob } = asset;
    let url = address_of(app, Signal::stored(Face::Stored(Some(blob))));
    let file = path.rsplit('/').next().unwrap_or_default().to_owned();
    let label = if name.is_empty() { file } else { name };
    let what = match kind.as_str() {
        "emotion" => Some(T::Emotion),
        "background" => Some(T::Background),
        "icon" => Some(T::Icon),
        "user_icon" => Some(T::User),
        _ => None,
    };
    let alt = label.clone();
    // What is no picture, or none that can be drawn, has none.
    let drawn = RwSignal::new(true);
    view! {
        <li class="gallery-piece" data-testid="character-asset">
            <span class="gallery-picture">
                {move || match url.get().filter(|_| drawn.get()) {
                    Some(url) => view! { <img src=url alt=alt.clone() loading="lazy" decoding="async" on:error=move |_| drawn.set(false) /> }.into_any(),
                    None => view! { <span class="field-note">{app.t(T::File)}</span> }.into_any(),
                }}
            </span>
            <span class="gallery-name" dir="auto">{label}</span>
            {what.map(|what| view! { <span class="field-note">{app.t(what)}</span> })}
        </li>
    }
}
