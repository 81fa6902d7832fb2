//! When a character's conversations are summarised, and how long. What is chosen is kept at once.

use std::ops::RangeInclusive;

use leptos::{prelude::*, task::spawn_local};

use super::say;
use crate::{
    desk::lorebooks::{NumberFault, whole},
    locales::{
        lorebooks::number_words,
        recap::{T as R, whose},
        warnings::FieldWords,
    },
    story::{character::Character, ids::CharacterId, recap::RecapSettings},
    ui::{app::App, settings::WholeNumber},
};

/// As the library has them.
fn settings(app: App, id: &CharacterId) -> RecapSettings {
    app.characters.with(|all| all.iter().find(|one| one.id == *id).map(|one| one.recap.clone())).unwrap_or_default()
}

fn keep(app: App, id: CharacterId, change: impl FnOnce(&mut RecapSettings) + 'static) {
    spawn_local(async move {
        let changed =
            app.desk().amend_entry(id.as_str(), |character: &mut Character| change(&mut character.recap)).await;
        if app.is_stored(changed) {
            app.refresh().await;
        }
    });
}

/// On or off.
#[component]
pub fn RecapSwitch(id: Signal<CharacterId>, disabled: Signal<bool>) -> impl IntoView {
    let app = App::here();
    let on = Memo::new(move |_| id.with(|id| settings(app, id)).enabled);
    let flip = move |event| {
        let on = event_target_checked(&event);
        keep(app, id.get_untracked(), move |recap| recap.enabled = on);
    };
    view! {
        <label class="module-switch">
            <input type="checkbox" data-testid="recap-enabled" disabled=disabled prop:checked=on on:change=flip />
            <span>{say(app, R::On)}</span>
        </label>
    }
}

#[component]
pub fn RecapForm(id: Signal<CharacterId>) -> impl IntoView {
    let app = App::here();
    let name = Memo::new(move |_| id.with(|id| app.character(id)).map(|character| character.name).unwrap_or_default());
    view! {
        <div class="columns">
            {number(app, id, "recap-threshold", [R::Threshold, R::ThresholdHint], RecapSettings::THRESHOLD, |recap| &mut recap.threshold)}
            {number(app, id, "recap-length", [R::Length, R::LengthHint], RecapSettings::LENGTH, |recap| &mut recap.length)}
        </div>
        <p class="field-note">{move || name.with(|name| whose(name, app.language.get()))}</p>
    }
}

fn number(
    app: App,
    id: Signal<CharacterId>,
    testid: &'static str,
    [label, hint]: [R; 2],
    range: RangeInclusive<u32>,
    of: fn(&mut RecapSettings) -> &mut u32,
) -> impl IntoView {
    let (min, max) = (i64::from(*range.start()), i64::from(*range.end()));
    let stored = Memo::new(move |_| *of(&mut id.with(|id| settings(app, id))));
    let typed = RwSignal::new(stored.get_untracked().to_string());
    Effect::new(move |_| typed.set(stored.get().to_string()));
    let read = move |typed: &str| match whole(typed, min..=max)? {
        Some(number) => Ok(number as u32),
        None => Err(NumberFault { min, max }),
    };
    let fault = Signal::derive(move || {
        typed.with(|typed| read(typed)).err().map(|fault| number_words(fault, app.language.get()))
    });
    let words = Signal::derive(move || {
        let language = app.language.get();
        FieldWords { label: label.text(language), unit: R::Characters.text(language), hint: hint.text(language) }
    });
    let change = move |_| {
        if let Ok(value) = typed.with_untracked(|typed| read(typed)) {
            keep(app, id.get_untracked(), move |recap| *of(recap) = value);
        }
    };
    view! { <WholeNumber words text=typed fault testid fault_testid="recap-number-error" on:change=change /> }
}

/// All of it, below the editor of a character.
#[component]
pub fn RecapGroup(id: CharacterId) -> impl IntoView {
    let app = App::here();
    let id = Signal::stored(id);
    view! {
        <details class="field-group" data-testid="recap-settings">
            <summary><h2>{say(app, R::Recap)}</h2></summary>
            <div class="form">
                <p class="field-note">{say(app, R::Hint)}</p>
                <RecapSwitch id disabled=Signal::stored(false) />
                <RecapForm id />
            </div>
        </details>
    }
}
