//! Of whom of several the notebook tells.

use leptos::prelude::*;

use super::cast;
use crate::{
    locales::group::T,
    story::ids::CharacterId,
    ui::{about, app::App, mind::Mind},
};

/// Chooses whose persona is looked at; nothing where one character is in the story.
#[component]
pub fn WhoseMind(mind: Mind) -> impl IntoView {
    let app = App::here();
    let cast = cast(app);
    let several = Memo::new(move |_| cast.with(|cast| cast.len() > 1));
    // Who has left the story is looked at no more.
    Effect::new(move |_| {
        cast.with(|cast| {
            if mind.of.with_untracked(|of| of.as_ref().is_some_and(|of| !cast.contains(of))) {
                mind.of.set(None);
            }
        });
    });
    let one = move |(nth, id): (usize, CharacterId)| {
        let of = (nth > 0).then(|| id.clone());
        let (chosen, data, name) = (of.clone(), id.0.clone(), id);
        view! {
            <button type="button" class="button quiet group-chip" data-testid="mind-of" data-who=data
                aria-pressed=move || mind.of.with(|of| *of == chosen).to_string()
                on:click=move |_| mind.look_at(of.clone())>
                {move || about::name_of(app, &name)}
            </button>
        }
    };
    view! {
        <Show when=move || several.get()>
            <div class="group-whose" role="group" aria-label=app.t(T::Whose)>
                {move || cast.get().into_iter().enumerate().map(one).collect_view()}
            </div>
        </Show>
    }
}
