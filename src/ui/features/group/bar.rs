//! Above the composer: whom it is said to, and who may speak next.

use leptos::{prelude::*, task::spawn_local};

use super::present;
use crate::{
    locales::{fill, group::T},
    story::ids::CharacterId,
    turn::Ask,
    ui::{about, app::App},
};

#[component]
pub fn GroupBar() -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let several = Memo::new(move |_| story.storyline.with(|open| open.as_ref().is_some_and(|open| open.is_group())));
    view! { <Show when=move || several.get() && story.writer.get()><Bar /></Show> }
}

#[component]
fn Bar() -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let there = present(app);
    // It is read a moment after the page: till then nobody has left.
    let is_read = Memo::new(move |_| !there.with(Vec::is_empty));
    // Who is gone from the library neither hears nor speaks.
    let present = Memo::new(move |_| {
        let mut there = there.get();
        app.characters.with(|all| there.retain(|id| all.iter().any(|one| one.id == *id)));
        there
    });
    let whisper = story.whisper;
    // Who has left hears nothing.
    Effect::new(move |_| {
        present.with(|present| {
            if is_read.get() && whisper.with(|to| to.iter().any(|one| !present.contains(one))) {
                whisper.update(|to| to.retain(|one| present.contains(one)));
            }
        });
    });
    let called = move |text: T, id: &CharacterId| fill(text.text(app.language.get()), &[&about::name_of(app, id)]);
    let hears = move |id: CharacterId| {
        let (of_label, of_state, of_name, of_data) = (id.clone(), id.clone(), id.clone(), id.0.clone());
        let flip = move |_| {
            let id = id.clone();
            whisper.update(|to| match to.iter().position(|one| *one == id) {
                Some(at) => _ = to.remove(at),
                None => to.push(id),
            });
        };
        view! {
            <button type="button" class="button quiet group-chip" data-testid="composer-whisper" data-who=of_data
                aria-pressed=move || whisper.with(|to| to.contains(&of_state)).to_string()
                aria-label=move || called(T::WhisperTo, &of_label) title=app.t(T::SaidToHint) on:click=flip>
                {move || about::name_of(app, &of_name)}
            </button>
        }
    };
    let speaks = move |id: CharacterId| {
        let (of_label, of_data) = (id.clone(), id.0.clone());
        let speak = move |_| {
            let id = id.clone();
            spawn_local(async move {
                if let Err(fault) = story.play(app, Ask::Speak(id)).await {
                    app.notify_fault(&fault);
                }
            });
        };
        view! {
            <button type="button" class="button quiet group-chip" data-testid="group-speak" data-who=of_data
                disabled=move || story.is_playing() on:click=speak>
                {move || called(T::LetSpeak, &of_label)}
            </button>
        }
    };
    view! {
        <div class="group-bar" role="group" aria-label=app.t(T::SaidTo) data-testid="group-bar">
            <span class="group-label" aria-hidden="true">{app.t(T::SaidTo)}</span>
            {move || present.get().into_iter().map(hears).collect_view()}
            <span class="group-gap"></span>
            {move || present.get().into_iter().map(speaks).collect_view()}
        </div>
    }
}
