//! Beneath a demo: what it says of itself, and words to say.

use leptos::prelude::*;

use crate::{
    locales::T,
    sim::demo::demo,
    ui::{app::App, route::Route, story::change_story},
};

#[component]
pub fn DemoBar(say: Callback<String>) -> impl IntoView {
    let app = App::here();
    let story = app.story;
    let suggestions = move || {
        let Some(storyline) = story.storyline.get() else { return Vec::new() };
        let beats = demo(storyline.language).replies;
        beats.into_iter().nth(storyline.total_turns as usize).map(|beat| beat.suggestions).unwrap_or_default()
    };
    let connected = Memo::new(move |_| app.connections.with(|list| !list.is_empty()));
    let go_on = move |_| change_story(app, |storyline| storyline.demo = false);
    view! {
        <div class="demo-bar">
            <Show when=move || !story.is_playing()>
                <div class="suggestions">
                    <For each=suggestions key=|text| text.clone() let:suggestion>
                        {
                            let words = suggestion.clone();
                            view! {
                                <button class="chip" data-testid="demo-suggestion" on:click=move |_| say.run(words.clone())>{suggestion}</button>
                            }
                        }
                    </For>
                </div>
            </Show>
            <p class="dock-note" data-testid="demo-label">
                {app.t(T::DemoLabel)} " "
                <Show
                    when=move || connected.get()
                    fallback=move || view! { <a href=Route::Settings.hash()>{app.t(T::DemoConnect)}</a> }
                >
                    <button class="link" on:click=go_on>{app.t(T::DemoGoOn)}</button>
                </Show>
            </p>
        </div>
    }
}
