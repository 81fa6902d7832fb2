//! The form that words one text anew.

use leptos::prelude::*;

use super::{app::App, drafts::Draft, fields::TextArea};
use crate::locales::T;

/// What is done with the wording; the callback says that it is stored.
pub type Keep = Callback<(String, Callback<()>)>;

/// What of it was typed waits for it under its place (see [`Draft`]).
#[component]
pub fn Wording(
    place: String,
    was: String,
    #[prop(into)] label: Signal<&'static str>,
    #[prop(optional, into)] hint: Option<Signal<&'static str>>,
    input: &'static str,
    save: &'static str,
    rows: u32,
    busy: RwSignal<bool>,
    keep: Keep,
    close: Callback<()>,
) -> impl IntoView {
    let app = App::here();
    let draft = Draft::of(place, [was]);
    let [text] = draft.texts;
    let end = Callback::new(move |()| {
        draft.end();
        close.try_run(());
    });
    let hint = hint.unwrap_or_else(|| Signal::derive(|| ""));
    view! {
        <div class="item-form">
            <TextArea label value=text testid=input rows hint />
            <div class="row">
                <button class="button primary" data-testid=save disabled=move || busy.get() on:click=move |_| keep.run((text.get_untracked(), end))>{app.t(T::Save)}</button>
                <button class="button quiet" on:click=move |_| end.run(())>{app.t(T::Cancel)}</button>
            </div>
        </div>
    }
}
