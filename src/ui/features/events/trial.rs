//! Tries a condition on the present state of a story.

use leptos::{prelude::*, task::spawn_local};

use super::EventsOf;
use crate::{
    locales::{
        fill,
        mind::{T as M, condition_words},
    },
    story::condition::Condition,
    ui::{app::App, fields::SelectField},
};

#[component]
pub fn EventTrial(of: StoredValue<EventsOf>, condition: RwSignal<String>) -> impl IntoView {
    let app = App::here();
    let options = Signal::derive(move || {
        app.storylines.with(|all| {
            let own = all.iter().filter(|story| {
                of.with_value(|of| match of {
                    EventsOf::Background(background) => story.background.as_ref() == Some(background),
                    EventsOf::Story(id) => story.id == *id,
                })
            });
            own.map(|story| (story.id.0.clone(), story.title.clone())).collect::<Vec<_>>()
        })
    });
    let chosen = RwSignal::new(options.with_untracked(|all| all.first().map(|one| one.0.clone()).unwrap_or_default()));
    let said = RwSignal::new(None::<(&'static str, String)>);
    let test = move |_| {
        let language = app.language.get_untracked();
        let text = condition.get_untracked();
        let condition = match Condition::parse(&text) {
            Ok(condition) => condition,
            Err(fault) => return said.set(Some(("fault", condition_words(fault, &text, language)))),
        };
        let id = chosen.get_untracked();
        spawn_local(async move {
            match app.desk().present(&id).await {
                Ok(Some((state, turn))) => {
                    let holds = condition.holds(&state, turn);
                    let (kind, words) = if holds { ("holds", M::TrialHolds) } else { ("fails", M::TrialFails) };
                    said.try_set(Some((kind, fill(words.text(language), &[&turn.to_string()]))));
                }
                Ok(None) => drop(said.try_set(Some(("fault", M::TrialNoStory.text(language).to_owned())))),
                Err(error) => app.notify_store(error),
            }
        });
    };
    // What was said is about the words as they were.
    Effect::new(move |_| {
        condition.track();
        said.set(None);
    });
    view! {
        <div class="event-trial">
            <Show when=move || options.with(|all| all.len() > 1 || of.with_value(|of| matches!(of, EventsOf::Background(_))) && !all.is_empty())>
                <SelectField label=Signal::derive(app.t(M::TrialStory)) value=chosen options testid="event-test-story" />
            </Show>
            <button type="button" class="button" data-testid="event-test" on:click=test>{app.t(M::TrialTest)}</button>
            {move || said.get().map(|(kind, text)| view! {
                <p class="field-note" class:fault=kind == "fault" role="status" data-testid="event-test-result" data-result=kind>{text}</p>
            })}
        </div>
    }
}
